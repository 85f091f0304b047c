//! Inputs become a corpus.
//!
//! Redaction takes two passes, for what is secret in the last object may stand open in the first. The first pass replaces by
//! place and writes to a temporary file that has no name; the second looks in that for everything the first one replaced, replaces
//! it there too, judges each case again, and leaves out those that are not judged as before.

use super::jury::{Jury, pairs};
use super::output::Output;
use super::reading::{CorpusInputs, CorpusReading};
use crate::ending::Ending;
use crate::say::Say;
use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use takeover_corpora::load::{Document, LoadedCase, cases};
use takeover_corpora::redact::{Hunt, Key, Originals, RedactionSettings, Redactor, Survivors};
use takeover_corpora::select::{Dedup, Sample, Selection};
use takeover_corpora::store::{StoredVerdict, line_of};
use takeover_harness::case::Provenance;
use takeover_harness::pair::Pair;
use takeover_harness::schema::Kind;

/// Most sorts of changed verdicts that are named; all cases are counted.
const MOST_NAMED: usize = 20;

/// What to import, and how.
pub struct Import<'s> {
    /// What is read.
    pub inputs: CorpusInputs,
    /// The corpus to write; none for a dry run.
    pub out: Option<PathBuf>,
    /// How to redact; none to keep what is secret.
    pub redaction: Option<Redaction>,
    /// How many of the cases.
    pub sample: Option<Sample>,
    /// Which cases count as repeated.
    pub dedup: Option<Dedup>,
    /// Called with a message for everything that cannot be read.
    pub say: Say<'s>,
}

/// How to redact.
pub struct Redaction {
    /// Makes the replacements.
    pub key: Key,
    /// What is replaced.
    pub settings: RedactionSettings,
}

/// The result. Fields are only ever added.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Cases that were read: `written + left out`.
    pub cases: u64,
    /// Cases in the corpus.
    pub written: u64,
    /// Cases that are not, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Documents and files that could not be read, by reason.
    pub unreadable: BTreeMap<String, u64>,
    /// Recorded requests that gave no case, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
    /// Cases in the corpus by how they were judged; those of kinds that nothing can judge under `not judged`.
    pub verdicts: BTreeMap<String, u64>,
    /// What was redacted; none if redaction was off.
    pub redaction: Option<Redacted>,
}

/// What was redacted.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Redacted {
    /// Texts that were replaced by where they stand or what they look like.
    pub replaced: u64,
    /// Texts elsewhere that contained one of those, and were changed too.
    pub repeated: u64,
    /// Different originals that were searched for in everything that is written.
    pub searched: usize,
    /// Originals that were not searched for, because they are words of Kubernetes itself.
    pub known_words: usize,
    /// Different originals that were not searched for, because they are shorter than six bytes.
    pub short: usize,
    /// Originals found when what was written was read again: none, for cases that would hold one are left out.
    pub surviving: u64,
    /// Originals that remain in the output on purpose, by the reason.
    pub kept: BTreeMap<&'static str, u64>,
    /// Originals within moments in time, addresses, quantities and longer numbers of what is written, which keep their form.
    pub in_forms: u64,
    /// Replacements that are, by chance, the original of another text.
    pub by_chance: u64,
    /// Cases that would be judged otherwise than before, and are left out.
    pub judged_otherwise: u64,
    /// The first of each sort, with where it is from.
    pub first: Vec<String>,
}

impl Redacted {
    /// Adds the originals that remain in a case.
    fn count(&mut self, survivors: Survivors) {
        let kept = survivors.kept;
        self.in_forms += kept.in_forms;
        self.by_chance += survivors.by_chance;
        for (reason, count) in [
            ("within times, addresses, quantities and longer numbers", kept.in_forms),
            ("within certificates and requests for them", kept.in_certificates),
            ("as `apiVersion` or `kind`, or in a file named by it", kept.in_kinds),
            ("in names of fields", kept.in_fields),
            ("as words of Kubernetes itself", kept.as_words),
        ] {
            if count > 0 {
                *self.kept.entry(reason).or_default() += count;
            }
        }
    }
}

impl Imported {
    /// Returns how the command ends.
    pub fn ending(&self) -> Ending {
        if self.cases == 0 {
            Ending::NothingCompared
        } else if self
            .redaction
            .as_ref()
            .is_some_and(|redacted| redacted.judged_otherwise > 0 || redacted.surviving > 0)
        {
            Ending::Findings
        } else if self.unreadable.is_empty() {
            Ending::Clean
        } else {
            Ending::Unreadable
        }
    }

    fn leave_out(&mut self, reason: &str) {
        *self.left_out.entry(reason.to_owned()).or_default() += 1;
    }
}

/// Imports.
///
/// # Errors
/// Returns an error when inputs do not exist, the corpus cannot be written, or there is no room for the first pass.
pub fn import(plan: &Import<'_>) -> anyhow::Result<Imported> {
    let pairs = pairs(plan.inputs.types.as_deref())?;
    let mut jury = Jury::new(&pairs);
    let mut imported = Imported::default();
    let settings = plan.redaction.as_ref().map(|redaction| redaction.settings);
    let mut hunted = None;
    let mut output = plan.out.as_deref().map(|place| Output::new(place, settings)).transpose()?;
    match &plan.redaction {
        None => read(plan, &mut jury, &mut imported, |line, verdict, imported| {
            finish(line, verdict.as_ref(), &mut output, imported)
        })?,
        Some(redaction) => {
            let (spool, originals) = first_pass(plan, redaction, &mut jury, &mut imported)?;
            let words = words(&pairs);
            let known = |word: &str| words.contains(word);
            let hunt = Hunt::new(redaction.key.clone(), originals, &known)
                .context("too many replacements to check that no secret is left")?;
            second_pass(spool, &hunt, &mut jury, &mut output, &mut imported)?;
            hunted = Some(hunt);
        }
    }
    if let Some(output) = output {
        let surviving =
            output.finish(|written| hunted.as_ref().map_or(Ok(0), |hunt| surviving(written, hunt, plan)))?;
        if let Some(redacted) = &mut imported.redaction {
            redacted.surviving = surviving;
        }
    }
    Ok(imported)
}

/// Originals that stand in a corpus as it was written, other than in what keeps its form.
fn surviving(corpus: &Path, hunt: &Hunt, plan: &Import<'_>) -> anyhow::Result<u64> {
    let written = CorpusInputs { files: vec![corpus.to_owned()], ..plan.inputs.clone() };
    let mut surviving = 0;
    for loaded in CorpusReading::new(&written, plan.say)? {
        surviving += survivors(&mut line_of(&loaded), hunt).found;
    }
    Ok(surviving)
}

/// Shows `use_line` the line of every case that is chosen, with its verdict.
fn read(
    plan: &Import<'_>,
    jury: &mut Jury<'_>,
    imported: &mut Imported,
    mut use_line: impl FnMut(Value, Option<StoredVerdict>, &mut Imported) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut selection = Selection::new(plan.sample, plan.dedup);
    if selection.needs_count() {
        if plan.inputs.files.iter().any(|path| path.as_os_str() == "-") {
            anyhow::bail!(
                "--sample with a number reads the inputs twice, but standard input can be read only once: use a share, such as 10%"
            );
        }
        selection.count(CorpusReading::new(&plan.inputs, plan.say)?);
    }
    let mut reading = CorpusReading::new(&plan.inputs, plan.say)?;
    for mut loaded in reading.by_ref() {
        imported.cases += 1;
        if let Err(left_out) = selection.admit(&loaded) {
            imported.leave_out(left_out.reason());
            continue;
        }
        let verdict = jury.verdict(&loaded);
        loaded.verdict.clone_from(&verdict);
        use_line(line_of(&loaded), verdict, imported)?;
    }
    imported.unreadable = reading.unreadable;
    imported.skipped = reading.skipped;
    Ok(())
}

fn finish(
    line: Value,
    verdict: Option<&StoredVerdict>,
    output: &mut Option<Output>,
    imported: &mut Imported,
) -> anyhow::Result<()> {
    if let Some(output) = output {
        output.case(&line)?;
    }
    imported.written += 1;
    let outcome = verdict.map_or("not judged", |verdict| verdict.outcome.split(':').next().unwrap_or_default());
    *imported.verdicts.entry(outcome.to_owned()).or_default() += 1;
    Ok(())
}

/// Replaces by place. The result still contains originals in other places.
fn first_pass(
    plan: &Import<'_>,
    redaction: &Redaction,
    jury: &mut Jury<'_>,
    imported: &mut Imported,
) -> anyhow::Result<(File, Originals)> {
    let room = || "failed to write a temporary file".to_owned();
    let mut spool = GzEncoder::new(BufWriter::new(tempfile::tempfile().with_context(room)?), Compression::fast());
    let mut redactor = Redactor::new(redaction.key.clone(), redaction.settings);
    read(plan, jury, imported, |mut line, _, _| {
        for object in objects(&mut line) {
            redactor.object(object);
        }
        serde_json::to_writer(&mut spool, &line).with_context(room)?;
        spool.write_all(b"\n").with_context(room)
    })?;
    let buffer = spool.finish().with_context(room)?;
    let mut file = buffer.into_inner().map_err(std::io::IntoInnerError::into_error).with_context(room)?;
    file.rewind().with_context(room)?;
    let replaced = redactor.replaced();
    imported.redaction = Some(Redacted { replaced, ..Redacted::default() });
    Ok((file, redactor.into_originals()))
}

/// Replaces originals in all other places, and judges the case again.
fn second_pass(
    spool: File,
    hunt: &Hunt,
    jury: &mut Jury<'_>,
    output: &mut Option<Output>,
    imported: &mut Imported,
) -> anyhow::Result<()> {
    let mut redacted = imported.redaction.take().unwrap_or_default();
    (redacted.searched, redacted.known_words, redacted.short) = (hunt.quarry(), hunt.left_alone(), hunt.short());
    let mut changes = BTreeSet::new();
    for text in BufReader::new(GzDecoder::new(BufReader::new(spool))).lines() {
        let text = text.context("failed to read a temporary file")?;
        let mut line: Value = serde_json::from_str(&text).context("a temporary file is damaged")?;
        for object in objects(&mut line) {
            redacted.repeated += hunt.object(object);
        }
        for field in PLACES {
            if let Some(Value::String(text)) = line.get_mut(field) {
                redacted.repeated += u64::from(hunt.place(text));
            }
        }
        let survivors = survivors(&mut line, hunt);
        if survivors.found > 0 {
            imported.leave_out("a redacted value would remain");
            continue;
        }
        let Some(loaded) = read_again(line.clone()) else {
            imported.leave_out("not a case after redaction");
            continue;
        };
        let verdict = jury.verdict(&loaded);
        if verdict != loaded.verdict {
            redacted.judged_otherwise += 1;
            imported.leave_out("judged differently after redaction");
            let change = changed(&loaded, verdict.as_ref());
            if changes.len() < MOST_NAMED && changes.insert(change.clone()) {
                let origin = loaded.origin.as_deref().unwrap_or_default();
                redacted.first.push(format!("{origin}: {change}"));
            }
            continue;
        }
        redacted.count(survivors);
        finish(line, verdict.as_ref(), output, imported)?;
    }
    imported.redaction = Some(redacted);
    Ok(())
}

/// Fields of a line that say where a case is from.
const PLACES: [&str; 2] = ["provenance", "name"];

/// Returns the originals that remain in a line.
fn survivors(line: &mut Value, hunt: &Hunt) -> Survivors {
    let mut all = Survivors::default();
    for object in objects(line) {
        all += hunt.survivors(object);
    }
    for text in PLACES.iter().filter_map(|field| line.get(field)?.as_str()) {
        all += hunt.survivors_in_place(text);
    }
    all
}

/// The objects of a line.
fn objects(line: &mut Value) -> impl Iterator<Item = &mut Value> {
    let members = line.as_object_mut().into_iter().flat_map(|line| line.iter_mut());
    members.filter(|(name, _)| matches!(name.as_str(), "object" | "oldObject")).map(|(_, object)| object)
}

/// The case as whoever reads the corpus will have it.
fn read_again(line: Value) -> Option<LoadedCase> {
    let text = |name: &str| line.get(name).and_then(Value::as_str).map(str::to_owned);
    let document = Document {
        provenance: Provenance::File { path: String::new(), document: 0, line: 0 },
        api_version: text("apiVersion")?,
        kind: text("kind")?,
        value: line,
    };
    cases([Ok(document)]).next()?.ok()
}

fn changed(loaded: &LoadedCase, now: Option<&StoredVerdict>) -> String {
    let shown = |verdict: Option<&StoredVerdict>| match verdict {
        Some(verdict) => {
            let errors: Vec<&str> = verdict.reference.iter().chain(&verdict.candidate).map(String::as_str).collect();
            format!("{} [{}]", verdict.outcome, errors.join("; "))
        }
        None => "not judged".to_owned(),
    };
    format!("{} {} was {}, is {}", loaded.kind, loaded.case.operation, shown(loaded.verdict.as_ref()), shown(now))
}

/// Names of fields and kinds: they stand in every object of theirs and are nobody's secret.
pub(crate) fn words(pairs: &[Pair]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for pair in pairs {
        words.extend([pair.id.subject.kind.clone(), pair.id.subject.api_version.clone()]);
    }
    if let Some(pair) = pairs.first() {
        for (_, ty) in pair.form.schema.iter() {
            if let Kind::Struct(fields) = &ty.kind {
                words.extend(fields.fields.iter().map(|field| field.json_name.to_string()));
            }
        }
    }
    words
}
