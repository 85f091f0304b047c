//! Verdicts of the two oracles of a pair over generated cases, written as the fixtures that `conform` reads.

use crate::catalogue::{OracleDescription, PairCatalogue, PairDescription};
use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use takeover_corpora::fixture::{Expect, Fixture, FixtureOptions};
use takeover_corpora::generate::{Generator, GeneratorSettings};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{Comparator, Direction, Mismatch, Semantics, mismatches};
use takeover_harness::error::FieldError;
use takeover_harness::form::Sent;
use takeover_harness::judge::consult;
use takeover_harness::object::{Arena, Node, to_value_with_empty};
use takeover_harness::oracle::Question;
use takeover_harness::pair::Pair;
use takeover_harness::release::Release;
use takeover_harness::side::Side;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::{RELEASE, Registry};

/// Cases that a thread asks about before what it wrote is collected.
const BLOCK: u64 = 128;

/// What is recorded.
#[derive(Clone, Debug)]
pub struct RecordSettings {
    /// The version of Kubernetes that answers, such as `1.36.2`: its release says how errors are compared.
    pub kubernetes: String,
    /// How many cases are generated.
    pub cases: NonZeroU64,
    /// Seed of the cases.
    pub seed: u64,
    /// How many questions wait for an answer at once.
    pub threads: NonZeroUsize,
}

/// What came of the cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Verdicts that were written.
    pub verdicts: u64,
    /// Of these, those with an error of the reference.
    pub rejected: u64,
    /// Of these, those in which the errors of the two sides mismatch.
    pub mismatched: u64,
    /// Generated cases whose objects are none of the kind.
    pub undecodable: u64,
    /// Why cases got no verdict, and how many.
    pub unanswered: BTreeMap<String, u64>,
}

/// Asks both oracles of a described pair of a built-in kind about generated cases, and writes a line for each: the objects as the oracles
/// saw them, the errors of the reference as `handwritten`, those of the candidate as `declarative`, and their mismatches. A file whose name
/// ends with `.gz` is compressed.
///
/// # Errors
/// When the pair or its oracles cannot be made, an oracle answers no errors, or the file cannot be written.
pub fn record(described: &PairDescription, settings: &RecordSettings, file: &Path) -> anyhow::Result<Recording> {
    let unwritten = || format!("failed to write `{}`", file.display());
    let mut out = BufWriter::new(File::create(file).with_context(unwritten)?);
    let recording = if file.extension().is_some_and(|ending| ending == "gz") {
        let mut packed = GzEncoder::new(&mut out, Compression::fast());
        let recording = record_into(described, settings, &mut packed)?;
        packed.finish().with_context(unwritten)?;
        recording
    } else {
        record_into(described, settings, &mut out)?
    };
    out.flush().with_context(unwritten)?;
    Ok(recording)
}

fn record_into(
    described: &PairDescription,
    settings: &RecordSettings,
    out: &mut dyn Write,
) -> anyhow::Result<Recording> {
    let release = Release::of_version(&settings.kubernetes)?;
    let id = described.id()?;
    // The cases are those of the built-in pair, and in the form in which a kind's strategy sees them.
    let of_strategy = || Registry::of_builtin()?.pair_of(&id.subject, RELEASE, RequestChecks::StrategyOnly);
    let made = of_strategy()?;
    let catalogue = PairCatalogue::new(Registry::of_builtin()?, std::slice::from_ref(described))?;
    let mut asked = catalogue.pair(&id)?.as_of(Semantics::from(release));
    if described.reference == OracleDescription::Builtin {
        asked.reference = of_strategy()?.reference;
    }
    if described.candidate == OracleDescription::Builtin {
        asked.candidate = of_strategy()?.reference;
    }
    anyhow::ensure!(
        asked.comparator.compares_errors(),
        "{} and {} do not both answer field errors, so there is no verdict to record",
        described.reference,
        described.candidate
    );
    let accepted = accepted_objects(&made, &cases_of(&made));
    let generator = Generator::of(&made, accepted, settings.seed);
    let chunk_len = GeneratorSettings::of(&made, settings.seed).chunk_size.max(1);
    let recorder = Recorder { made: &made, asked: &asked, generator: &generator, chunk_len, settings };
    let all = settings.cases.get();
    let mut recording = Recording::default();
    let mut next = 0;
    while next < all {
        let blocks: Vec<(u64, u64)> = (0..settings.threads.get() as u64)
            .map(|thread| next + thread * BLOCK)
            .take_while(|start| *start < all)
            .map(|start| (start, all.min(start + BLOCK)))
            .collect();
        next = blocks.last().map_or(all, |(_, end)| *end);
        let written: Vec<anyhow::Result<Block>> = std::thread::scope(|scope| {
            let asking: Vec<_> = blocks.iter().map(|block| scope.spawn(|| recorder.block(*block))).collect();
            let lost = |_| Err(anyhow::anyhow!("a thread of the recording panicked"));
            asking.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
        });
        for block in written {
            let block = block?;
            out.write_all(&block.lines).context("failed to write the verdicts")?;
            recording.add(block.recording);
        }
    }
    Ok(recording)
}

impl Recording {
    fn add(&mut self, other: Self) {
        self.verdicts += other.verdicts;
        self.rejected += other.rejected;
        self.mismatched += other.mismatched;
        self.undecodable += other.undecodable;
        for (why, count) in other.unanswered {
            *self.unanswered.entry(why).or_default() += count;
        }
    }
}

/// The lines of some cases, and what came of these.
#[derive(Default)]
struct Block {
    lines: Vec<u8>,
    recording: Recording,
}

struct Recorder<'r> {
    made: &'r Pair,
    asked: &'r Pair,
    generator: &'r Generator,
    chunk_len: u64,
    settings: &'r RecordSettings,
}

impl Recorder<'_> {
    fn block(&self, (start, end): (u64, u64)) -> anyhow::Result<Block> {
        let mut block = Block::default();
        for number in start..end {
            let (chunk, index) = (number / self.chunk_len, number % self.chunk_len);
            let Some(made) = self.generator.case(chunk, self.settings.seed, index) else { continue };
            if let Some(verdict) = self.verdict(number, made.case, &mut block.recording) {
                serde_json::to_writer(&mut block.lines, &verdict)?;
                block.lines.push(b'\n');
            }
        }
        Ok(block)
    }

    fn verdict(&self, number: u64, mut case: Case<'static>, recording: &mut Recording) -> Option<Fixture> {
        self.made.define_options(&mut case.options);
        let arena = Arena::new();
        let subject = &self.made.id.subject;
        let Ok((objects, _)) = self.made.form.objects(subject, &case, &Sent::default(), &arena) else {
            recording.undecodable += 1;
            return None;
        };
        let value = |node: &Node<'_>| to_value_with_empty(objects.schema, objects.root, node);
        let (object, old_object) = (value(&objects.new), objects.old.as_ref().map(value));
        let question =
            Question { operation: case.operation, objects, options: &case.options, subresource: &subject.subresource };
        let mut errors = |side| match consult(self.asked.oracle(side), &question) {
            Ok(answer) => Some(answer.errors.into_vec()),
            Err(why) => {
                // What panicked stands in the first line, and the rest differs from case to case.
                let why = why.to_string();
                let first = why.lines().next().unwrap_or_default();
                *recording.unanswered.entry(format!("{side}: {first}")).or_default() += 1;
                None
            }
        };
        let (handwritten, declarative) = (errors(Side::Reference)?, errors(Side::Candidate)?);
        let mismatches = self.mismatches(&handwritten, &declarative);
        recording.verdicts += 1;
        recording.rejected += u64::from(!handwritten.is_empty());
        recording.mismatched += u64::from(mismatches.as_ref().is_some_and(|found| !found.is_empty()));
        Some(Fixture {
            id: format!("seed-{}-case-{number}", self.settings.seed),
            kubernetes: self.settings.kubernetes.clone(),
            api_version: subject.api_version.clone(),
            kind: subject.kind.clone(),
            types: None,
            subresource: subject.subresource.clone(),
            operation: case.operation,
            options: FixtureOptions::States(case.options.iter().map(|(name, on)| (name.to_owned(), on)).collect()),
            normalization_rules: Vec::new(),
            object,
            old_object,
            expect: Expect {
                handwritten: Some(handwritten),
                declarative: Some(declarative),
                mismatches,
                ..Expect::default()
            },
        })
    }

    /// The mismatches, where errors are compared as Kubernetes compares them.
    fn mismatches(&self, reference: &[FieldError], candidate: &[FieldError]) -> Option<Vec<Value>> {
        let Comparator::Kubernetes(_) = &self.asked.comparator else { return None };
        let comparison = self.asked.comparator.errors(reference, candidate);
        let found = mismatches(&comparison, reference, candidate);
        Some(found.map(|mismatch| as_recorded(&mismatch)).collect())
    }
}

fn as_recorded(Mismatch { direction, error }: &Mismatch<'_>) -> Value {
    let kind = if *direction == Direction::Extra { "extra" } else { "unmatched" };
    json!({"kind": kind, "type": error.error_type, "field": error.field, "origin": error.origin})
}

#[cfg(test)]
mod tests {
    use super::{RecordSettings, Recording, record};
    use crate::catalogue::{OracleDescription, PairDescription};
    use crate::conform::{self, ConformSettings};
    use std::num::{NonZeroU64, NonZeroUsize};
    use std::path::Path;
    use takeover_harness::readiness::CandidateMay;

    fn recorded(reference: OracleDescription, candidate: OracleDescription, file: &Path) -> anyhow::Result<Recording> {
        let described = PairDescription {
            name: "recorded".to_owned(),
            api_version: "discovery.k8s.io/v1".to_owned(),
            kind: "EndpointSlice".to_owned(),
            subresource: String::new(),
            types: None,
            go_types: None,
            reference,
            candidate,
            compare: None,
            candidate_may: CandidateMay::Agree,
        };
        let cases = NonZeroU64::new(300).expect("not zero");
        let threads = NonZeroUsize::new(3).expect("not zero");
        record(&described, &RecordSettings { kubernetes: "1.36".to_owned(), cases, seed: 7, threads }, file)
    }

    #[test]
    fn what_this_program_answers_conforms_to_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let [plain, packed] = ["v.jsonl", "v.jsonl.gz"].map(|name| folder.path().join(name));
        let first = recorded(OracleDescription::Builtin, OracleDescription::Tags, &plain).expect("is recorded");
        assert_eq!(recorded(OracleDescription::Builtin, OracleDescription::Tags, &packed).expect("is recorded"), first);
        assert_eq!(first.verdicts + first.undecodable, 300);
        assert!(first.rejected > 20 && first.unanswered.is_empty(), "{first:?}");
        let agreements =
            [plain, packed].map(|file| conform::run(&[file], &ConformSettings::default()).expect("is read"));
        for agreement in agreements {
            assert!(agreement.agrees(), "{agreement:?}");
            // Decoding, both sides and their mismatches.
            assert_eq!(agreement.compared(), 4 * first.verdicts);
        }
    }

    #[test]
    fn verdicts_of_a_wrong_side_do_not_conform() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("v.jsonl");
        let recording = recorded(OracleDescription::Tags, OracleDescription::Builtin, &file).expect("is recorded");
        let agreement = conform::run(&[file], &ConformSettings::default()).expect("is read");
        assert!(recording.verdicts > 0 && !agreement.agrees());
    }
}
