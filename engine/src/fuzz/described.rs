//! Fuzzing of pairs that a project describes: streams of choices become cases, and streams that bring new answers are changed further.

use super::checks::Broken;
use super::finds::{case_of, heading, named};
use super::mutate::Mutator;
use super::plan::{FuzzPlan, Fuzzed};
use crate::pairs::ChosenPairs;
use crate::run_folder::write_whole;
use anyhow::Context as _;
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use takeover_corpora::generate::Generator;
use takeover_corpora::load;
use takeover_corpora::minimise::{Limits, minimise, to_yaml};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::compare::{NoteKind, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, ObservedCheck};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::{ReadinessPolicy, Treat};

/// Streams that are tried first, whatever time that takes.
const FIRST: usize = 64;

/// Inputs from one state of the corpus.
const ROUND: usize = 64;

/// The number of finds after which a pair is done: more are seldom looked at, and often have the same cause.
const MOST_FINDS: usize = 20;

/// Most streams that are kept because they brought new answers.
const MOST_KEPT: usize = 2_000;

/// Most trials to make a find smaller.
const MOST_TRIALS: u32 = 1_000;

/// Fuzzes the described pairs of `chosen`, one after the other, and writes finds below `out`. What the policy tolerates is no find.
///
/// # Errors
/// Returns an error when a pair cannot be made, or a find cannot be written.
pub fn run_described(
    plan: &FuzzPlan,
    chosen: &ChosenPairs,
    policy: &ReadinessPolicy,
    out: &Path,
) -> anyhow::Result<Fuzzed> {
    let mut fuzzed = Fuzzed {
        driver: "pairs: random choices, guided by new answers".to_owned(),
        executions: 0,
        time: Duration::ZERO,
        coverage: None,
        finds: Vec::new(),
        accepted: Vec::new(),
    };
    let share = plan.time / u32::try_from(chosen.described.len()).unwrap_or(u32::MAX).max(1);
    for id in &chosen.described {
        let pair = chosen.pair(id)?;
        let begin = Instant::now();
        let found = Fuzzing { pair: &pair, plan, policy, end: begin + share, shared: Mutex::default() }.run();
        fuzzed.executions += found.executions;
        fuzzed.time += begin.elapsed();
        // What is found is made smaller for at most as long as it was looked for.
        let until = Instant::now() + share.max(Duration::from_secs(5));
        let folder = out.join(id.name.as_str());
        for (broken, case) in found.found.values() {
            let case = smallest(&pair, policy, broken, case, until);
            fuzzed.finds.push(write(&pair, broken, &case, &folder)?);
        }
    }
    Ok(fuzzed)
}

/// What the threads that fuzz a pair share.
#[derive(Default)]
struct Shared {
    executions: u64,
    /// Streams that brought new answers.
    kept: Vec<Vec<u8>>,
    /// Answers that were seen.
    seen: BTreeSet<Seen>,
    found: BTreeMap<String, (Broken, Case<'static>)>,
}

/// What the answers to a case look like.
type Seen = (Vec<ObservedCheck>, Vec<ObservedCheck>, bool, bool);

/// A pair that is fuzzed.
struct Fuzzing<'f> {
    pair: &'f Pair,
    plan: &'f FuzzPlan,
    policy: &'f ReadinessPolicy,
    end: Instant,
    shared: Mutex<Shared>,
}

impl Fuzzing<'_> {
    fn run(self) -> Shared {
        let generator = Generator::of(self.pair, accepted_objects(self.pair, &cases_of(self.pair)), self.plan.seed);
        std::thread::scope(|scope| {
            for job in 0..self.plan.jobs.get() {
                let (fuzzing, generator) = (&self, &generator);
                scope.spawn(move || fuzzing.work(job, generator));
            }
        });
        self.shared.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, job: usize, generator: &Generator) {
        let judge = Judge::new(self.pair);
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let mut random = ChaCha8Rng::seed_from_u64(self.plan.seed);
        random.set_stream(job as u64);
        for number in 0..FIRST {
            let mut stream = vec![0; if number == 0 { 0 } else { Generator::STREAM }];
            random.fill_bytes(&mut stream);
            if !self.try_stream(stream, generator, &judge, &mut arena, &mut record) {
                return;
            }
        }
        loop {
            let mut kept = self.lock().kept.clone();
            kept.push(Vec::new());
            let mut own = ChaCha8Rng::seed_from_u64(random.next_u64());
            own.set_stream(job as u64);
            let mut mutator = Mutator::new(&kept, &[], Generator::STREAM, own);
            for _ in 0..ROUND {
                if Instant::now() >= self.end
                    || !self.try_stream(mutator.input(), generator, &judge, &mut arena, &mut record)
                {
                    return;
                }
            }
        }
    }

    /// Judges the case of a stream; whether there may be more finds.
    fn try_stream(
        &self,
        stream: Vec<u8>,
        generator: &Generator,
        judge: &Judge<'_>,
        arena: &mut Arena,
        record: &mut CaseRecord,
    ) -> bool {
        let case = generator.case_of(&stream).case;
        let judgement = judge.case(&case, arena, record);
        let checks = |errors: &[FieldError]| -> Vec<ObservedCheck> {
            let checks: BTreeSet<ObservedCheck> = errors.iter().map(ObservedCheck::of).collect();
            checks.into_iter().collect()
        };
        let (reference, candidate) = (&record.reference, &record.candidate);
        let seen = (
            checks(reference.errors.as_slice()),
            checks(candidate.errors.as_slice()),
            reference.rejects(),
            candidate.rejects(),
        );
        let broken = broken(self.pair, self.policy, &case, &judgement, record);
        let mut shared = self.lock();
        shared.executions += 1;
        if judgement.is_comparison() && shared.kept.len() < MOST_KEPT && shared.seen.insert(seen) {
            shared.kept.push(stream);
        }
        if let Some(broken) = broken {
            shared.found.entry(broken.what.clone()).or_insert((broken, case));
        }
        shared.found.len() < MOST_FINDS
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What does not hold on a case that was just judged: an oracle panics, gives no answer or another one when it is asked again, or the
/// sides differ in what the policy does not tolerate.
fn broken(
    pair: &Pair,
    policy: &ReadinessPolicy,
    case: &Case,
    judgement: &Judgement,
    record: &CaseRecord,
) -> Option<Broken> {
    let of = |what: String, detail: String| Some(Broken { what, detail });
    if let Judgement::Unable { side, failure } = judgement {
        return of(format!("the {side} could not judge"), failure.to_string());
    }
    if let Some(panicked) = record.panics.first() {
        let side = panicked.side.map_or_else(|| "decoding".to_owned(), |side| format!("the {side}"));
        return of(format!("{side} panicked"), panicked.panic.to_string());
    }
    if let Some(noted) = record.notes.iter().find(|noted| noted.note.kind == NoteKind::Unsteady) {
        return of("a side gives two answers to the same case".to_owned(), noted.said.clone());
    }
    let mut differences = record
        .differences
        .iter()
        .map(|difference| (Signature::of(&pair.id, case.operation, difference), difference.what.to_string()));
    let is_find = |(signature, _): &(Signature, String)| {
        policy.candidate_of(&pair.id).tolerates(signature.direction).is_none()
            && policy.causes.of(signature).0 != Treat::Tolerate
    };
    differences.find(is_find).and_then(|(signature, detail)| of(signature.to_string(), detail))
}

/// The smallest case that breaks in the same way, as far as the time goes.
fn smallest(pair: &Pair, policy: &ReadinessPolicy, broken_by: &Broken, case: &Case, until: Instant) -> Case<'static> {
    let judge = Judge::new(pair);
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut same = |case: &Case| {
        if Instant::now() > until {
            return false;
        }
        let judgement = judge.case(case, &mut arena, &mut record);
        broken(pair, policy, case, &judgement, &record).is_some_and(|other| other.what == broken_by.what)
    };
    let case = Some(named(case, &pair.id.subject)).filter(&mut same).unwrap_or_else(|| case.clone());
    minimise(&case, Limits { calls: MOST_TRIALS }, same).case
}

/// Writes a find as a case that the loaders read; returns its file.
fn write(pair: &Pair, broken: &Broken, case: &Case, folder: &Path) -> anyhow::Result<PathBuf> {
    let subject = &pair.id.subject;
    let text = format!("{}{}", heading(broken), to_yaml(&load::document_of(case, &subject.subresource)));
    // A case that would be read otherwise is of no use.
    case_of(text.as_bytes(), "a find")
        .with_context(|| format!("a failing input of `{}` cannot be written", pair.id))?;
    fs::create_dir_all(folder).with_context(|| format!("failed to create `{}`", folder.display()))?;
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let file = folder.join(format!("{}.yaml", hash.get(..12).unwrap_or_default()));
    write_whole(&file, text.as_bytes())?;
    Ok(file)
}
