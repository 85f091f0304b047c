//! What the oracles of a pair that a project describes cost, one question at a time and in batches, beside decoding.

use super::measure::{Work, measure};
use super::row::{Row, row};
use super::sides::{Memory, Workload, alone, asked, decode_all};
use std::hint::black_box;
use std::time::{Duration, Instant};
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::{Case, Operation};
use takeover_harness::evidence::{CasePlace, PairEvidence};
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{BatchQuestion, Oracle};
use takeover_harness::pair::{Pair, Prepared};
use takeover_harness::side::{BySide, Side};
use takeover_harness::text::{grouped, plural};

/// Seed of the cases: the same every time.
const SEED: u64 = 5;

/// Most cases that are measured.
const MOST_CASES: usize = 256;

/// Most cases that are generated for them.
const MOST_GENERATED: usize = 4_000;

/// How many rounds of how much work there are at least: what a case may cost follows from it.
const LEAST_ROUNDS: u32 = 6 * 7;

/// Why nothing of a pair was measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NothingMeasured {
    /// An oracle gave no answer.
    #[error("the {side} ({name}) answers none of {cases}: {failure}", cases = plural(*.cases, "generated case"))]
    NoAnswer {
        /// Which one.
        side: Side,
        /// What it is called.
        name: String,
        /// How many cases it was asked about.
        cases: u64,
        /// Why it did not answer the first of them.
        failure: String,
    },
    /// Every case is refused by a side, or was not answered.
    #[error(
        "both sides accept none of {}: the reference rejects {}, the candidate {}, and {} could not be judged",
        plural(*.cases, "generated case"), grouped(.refused.reference), grouped(.refused.candidate), grouped(*.unanswered)
    )]
    NoneAccepted {
        /// How many were tried.
        cases: u64,
        /// How many each side refuses.
        refused: BySide<u64>,
        /// How many were not judged by both.
        unanswered: u64,
    },
}

/// Measures the oracles of `pair`, which are called as `names` says, for about `time`. Cases are generated, and both sides accept them;
/// the more an answer costs, the fewer they are.
///
/// # Errors
/// Returns an error when there is no such case.
pub fn described(pair: &Pair, names: &BySide<String>, time: Duration) -> Result<Vec<Row>, NothingMeasured> {
    let mut tried = Tried::default();
    let workload = Workload::of_cases(accepted(pair, time, &mut tried));
    let arena = Arena::new();
    let prepared: Vec<(&Case, Prepared<'_>)> =
        workload.cases().filter_map(|case| Some((case, pair.prepare(case, &arena).ok()?))).collect();
    if prepared.is_empty() {
        return Err(tried.nothing(names));
    }
    let judge = Judge::new(pair);
    let mut named = vec!["decode and default, from JSON bytes".to_owned()];
    let mut works: Vec<Work<'_>> = vec![Box::new(|| decode_all(pair, &workload))];
    for side in Side::ALL {
        let (oracle, name) = (pair.oracle(side), names.of(side));
        for operation in Operation::ALL {
            let of_operation = prepared.iter().filter(|(case, _)| case.operation == operation);
            let chosen: Vec<&Prepared<'_>> = of_operation.map(|(_, prepared)| prepared).collect();
            if !chosen.is_empty() {
                named.push(format!("{side} alone ({name}), {operation}"));
                works.push(alone(oracle, Memory::Cold, asked(side, &chosen)));
            }
        }
        let size = oracle.precision().batch.get();
        if oracle.batch().is_some() && size > 1 {
            named.push(format!("{side} alone ({name}), up to {size} at once"));
            works.push(at_once(oracle, size, side, &prepared));
        }
    }
    named.push("JSON bytes to recorded verdict".to_owned());
    works.push(whole(&judge, &workload));
    let measured = measure(time, &mut works);
    drop(works);
    let decode = measured.first().map_or(f64::NAN, |decode| decode.median_ns);
    Ok(named.into_iter().zip(measured).map(|(what, measured)| row(&pair.id, what, measured, decode)).collect())
}

/// What came of the cases that were tried.
#[derive(Default)]
struct Tried {
    cases: u64,
    refused: BySide<u64>,
    unanswered: BySide<u64>,
    /// The first failure or panic of each side.
    failure: BySide<Option<String>>,
    /// How many could not be prepared.
    unprepared: u64,
}

impl Tried {
    fn note(&mut self, verdict: &Judgement, record: &CaseRecord) {
        self.cases += 1;
        let panics = record.panics.iter().filter_map(|of| Some((of.side?, format!("it panics: {}", of.panic.message))));
        let failures = match verdict {
            Judgement::Unable { side, failure } => Some((*side, failure.to_string())),
            _ => None,
        };
        let mut missing = failures.into_iter().chain(panics).peekable();
        if missing.peek().is_some() {
            for (side, why) in missing {
                *self.unanswered.of_mut(side) += 1;
                self.failure.of_mut(side).get_or_insert(why);
            }
        } else if verdict.is_comparison() {
            *self.refused.of_mut(Side::Reference) += u64::from(record.reference.rejects());
            *self.refused.of_mut(Side::Candidate) += u64::from(record.candidate.rejects());
        } else {
            self.unprepared += 1;
        }
    }

    /// Why no case is accepted.
    fn nothing(self, names: &BySide<String>) -> NothingMeasured {
        let Self { cases, refused, unanswered, mut failure, unprepared } = self;
        let silent = Side::ALL.into_iter().find(|side| *unanswered.of(*side) + unprepared == cases);
        if let Some((side, failure)) = silent.and_then(|side| Some((side, failure.of_mut(side).take()?))) {
            let cases = *unanswered.of(side);
            return NothingMeasured::NoAnswer { side, name: names.of(side).clone(), cases, failure };
        }
        let unanswered = unanswered.reference + unanswered.candidate + unprepared;
        NothingMeasured::NoneAccepted { cases, refused, unanswered }
    }
}

/// Generated cases that both sides accept, as many as can be measured in the time.
fn accepted(pair: &Pair, time: Duration, tried: &mut Tried) -> Vec<Case<'static>> {
    let generator = Generator::of(pair, accepted_objects(pair, &cases_of(pair)), SEED);
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let (mut cases, begin) = (Vec::new(), Instant::now());
    let (mut judged, mut most) = (0u32, MOST_CASES);
    let generated = (0..).flat_map(|chunk| generator.chunk(chunk, SEED)).take(MOST_GENERATED);
    for made in generated {
        let verdict = judge.case(&made.case, &mut arena, &mut record);
        judged += 1;
        tried.note(&verdict, &record);
        let cost = begin.elapsed() / judged;
        let affordable = (time / LEAST_ROUNDS).as_nanos() / cost.as_nanos().max(1);
        most = usize::try_from(affordable).unwrap_or(MOST_CASES).clamp(1, MOST_CASES);
        let accepts = !record.reference.rejects() && !record.candidate.rejects() && record.panics.is_empty();
        if verdict.is_comparison() && accepts {
            cases.push(made.case);
        }
        if cases.len() >= most || (begin.elapsed() > time && !cases.is_empty()) {
            break;
        }
    }
    cases.truncate(most);
    cases
}

/// Asks a side about all cases, so many at once, and returns their number.
fn at_once<'w>(oracle: &'w dyn Oracle, size: usize, side: Side, prepared: &'w [(&'w Case, Prepared<'w>)]) -> Work<'w> {
    let asked: Vec<BatchQuestion<'w>> = prepared
        .iter()
        .map(|(_, ready)| BatchQuestion { question: &ready.question, view: ready.views.of(side) })
        .collect();
    Box::new(move || {
        for batch in asked.chunks(size) {
            let _ = black_box(takeover_harness::judge::ask_all(oracle, batch));
        }
        asked.len()
    })
}

/// Judges all cases as a run does, and returns their number.
fn whole<'w>(judge: &'w Judge<'w>, workload: &'w Workload) -> Work<'w> {
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut evidence = PairEvidence::of(judge);
    let texts: Vec<&Case> = workload.texts().collect();
    Box::new(move || {
        for batch in texts.chunks(judge.batch().max(1)) {
            judge.cases_then(batch.iter().copied(), &mut arena, &mut record, |index, verdict, _, record| {
                if let Some(case) = batch.get(index) {
                    evidence.record(CasePlace::default(), case, &verdict, record);
                }
            });
        }
        texts.len()
    })
}

#[cfg(test)]
mod tests {
    use super::described;
    use std::time::Duration;
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::error::FieldError;
    use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Question, View};
    use takeover_harness::pair::Pair;
    use takeover_harness::path::Path;
    use takeover_harness::side::BySide;
    use takeover_oracles::registry::Registry;

    struct Mute;

    impl Oracle for Mute {
        fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
            Err(OracleFailure::new("it is not at home"))
        }
    }

    #[test]
    fn it_is_said_why_nothing_is_measured() {
        let registry = Registry::of_builtin().unwrap();
        let id = registry.find("v1 ReplicationController").unwrap().remove(0);
        let names = BySide { reference: "builtin".to_owned(), candidate: "exec mute".to_owned() };
        let why = |candidate: Box<dyn Oracle>| {
            let pair = Pair { candidate, ..registry.pair(&id.clone().into()).unwrap() };
            described(&pair, &names, Duration::from_millis(50)).unwrap_err().to_string()
        };
        let mute = why(Box::new(Mute));
        assert!(mute.starts_with("the candidate (exec mute) answers none of "), "{mute}");
        assert!(mute.ends_with("generated cases: it is not at home"), "{mute}");
        let strict = why(Box::new(|_: &Question<'_>, answer: &mut Answer| {
            answer.push(FieldError::required(&Path::ROOT, ""));
        }));
        assert!(
            strict.starts_with("both sides accept none of ") && strict.ends_with(" could not be judged"),
            "{strict}"
        );
    }

    #[test]
    fn both_sides_are_measured_on_what_they_accept() {
        let registry = Registry::of_builtin().unwrap();
        let pair = registry.pair(&registry.find("v1 ReplicationController").unwrap().remove(0).into()).unwrap();
        let names = BySide { reference: "builtin".to_owned(), candidate: "tags".to_owned() };
        let rows = described(&pair, &names, Duration::from_millis(100)).unwrap();
        let whats: Vec<&str> = rows.iter().map(|row| row.what.as_str()).collect();
        assert!(whats.contains(&"reference alone (builtin), create"), "{whats:?}");
        assert!(whats.contains(&"candidate alone (tags), create"), "{whats:?}");
        assert!(rows.iter().all(|row| row.median_ns > 0.0 && row.per_second > 0.0), "{rows:?}");
        assert!(rows.iter().all(|row| !row.includes.is_empty()), "{rows:?}");
    }
}
