//! Oracles that are asked in batches: the same bytes as one case at a time, in fewer calls, and honest about what goes wrong.

use crate::fakes::{
    COUNT, Fake, count, counting, create, declarative, gathered_of, handwritten, honest_reference, judged, only,
    oracle, pair, rules_with_minimum,
};
use serde_json::json;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use takeover_harness::case::{Case, Operation, Provenance};
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome, consult};
use takeover_harness::metrics::Metrics;
use takeover_harness::object::Arena;
use takeover_harness::oracle::{
    Answer, BatchAnswers, BatchOracle, BatchQuestion, Batched, Oracle, OracleFailure, Precision, Question,
};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{
    Budget, CaseSource, Cases, Chunk, FixedCases, Input, Part, Run, Steering, Unusable, chunk_seed,
};
use takeover_harness::side::{BySide, Side};
use takeover_harness::subject::{PairId, SubjectId};

const FREE: Steering<'_> = Steering { stop: &|| false, progress: &|_| {} };

const CHUNK: u64 = 30;

/// How many questions each call held.
type Calls = Arc<Mutex<Vec<usize>>>;

/// What an oracle does in a batch beside answering.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    Honest,
    /// Leaves counts of 3 without an answer.
    Loses,
    /// Exchanges the answers to the first two questions.
    Swaps,
    /// Answers one question more than it was asked.
    Babbles,
    /// Answers the first question twice.
    Repeats,
    /// Fails when a count of 3 is in the batch.
    Breaks,
}

/// Another oracle, asked in batches.
struct Remote {
    inner: Box<dyn Oracle>,
    size: usize,
    habit: Habit,
    calls: Calls,
}

impl BatchOracle for Remote {
    fn precision(&self) -> Precision {
        Precision { batch: NonZeroUsize::new(self.size).unwrap(), ..self.inner.precision() }
    }

    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        self.calls.lock().unwrap().push(asked.len());
        for (index, BatchQuestion { question, view }) in asked.iter().enumerate() {
            let three = count(question) == 3;
            if self.habit == Habit::Breaks && three {
                return Err(OracleFailure::new("the connection broke"));
            }
            if self.habit == Habit::Loses && three {
                continue;
            }
            let index = match (self.habit, index) {
                (Habit::Swaps, 0) if asked.len() > 1 => 1,
                (Habit::Swaps, 1) => 0,
                _ => index,
            };
            let mut answer = Answer::new();
            match self.inner.answer(question, view, &mut answer) {
                Ok(()) => answers.give(index, answer),
                Err(failure) => answers.fail(index, failure),
            }
        }
        match self.habit {
            Habit::Babbles => answers.give(asked.len(), Answer::new()),
            Habit::Repeats => answers.give(0, Answer::new()),
            _ => {}
        }
        Ok(())
    }
}

fn remote(inner: Box<dyn Oracle>, size: usize, habit: Habit) -> (Box<dyn Oracle>, Calls) {
    let calls = Calls::default();
    (Box::new(Batched(Remote { inner, size, habit, calls: Arc::clone(&calls) })), calls)
}

fn reference() -> Box<dyn Oracle> {
    Box::new(Fake(|question: &Question<'_>, answer: &mut Answer| {
        match count(question) {
            negative if negative < 0 => answer.push(handwritten("count", "minimum")),
            5 => return Err(OracleFailure::new("five is too hard")),
            6 => return Err(OracleFailure::panic("as the model does")),
            _ => {}
        }
        Ok(())
    }))
}

/// Misses -4 and less, is alone at 0, panics at 7.
fn candidate() -> Box<dyn Oracle> {
    oracle(|question, answer| {
        answer.reach(COUNT);
        assert!(count(question) < 7, "too large");
        if (-3..1).contains(&count(question)) {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    })
}

/// Every fate a case can have: cases of all answers, some with numbers, what does not decode, what is no case.
fn recorded(cases: u64) -> impl Iterator<Item = Input<'static>> + Send {
    (0..cases).map(|line| {
        let provenance = Provenance::File { path: "things.yaml".into(), document: line + 1, line };
        let of = |case: Case<'static>| Case { provenance: provenance.clone(), ..case };
        let value = i64::try_from(chunk_seed(3, line) % 13).unwrap() - 5;
        match line % 11 {
            3 => Input::Unusable(Unusable {
                subject: Some((0, Operation::Create)),
                undecodable: false,
                reason: "too large".into(),
                message: format!("line {line}"),
                provenance,
            }),
            5 => Input::Case { subject: 0, case: of(create(json!({"unknown": line}))), shows: Vec::new() },
            7 => Input::Case { subject: 9, case: of(counting(value)), shows: Vec::new() },
            8 | 9 => Input::Numbered {
                subject: 0,
                case: of(counting(value)),
                content: value.unsigned_abs() * 2 + u64::from(value < 0),
            },
            _ => Input::Case { subject: 0, case: of(counting(value)), shows: Vec::new() },
        }
    })
}

/// Cases whose counts follow from the chunk, and from which cases of it were kept, where `window` cases have been made since.
struct Heeding {
    window: u64,
    kept: Mutex<BTreeSet<(u64, u64)>>,
}

struct HeedingCases<'h> {
    source: &'h Heeding,
    chunk: Chunk,
    next: u64,
    kept: u64,
}

impl CaseSource for Heeding {
    fn chunk_len(&self) -> u64 {
        CHUNK
    }

    fn cases<'c>(&'c self, chunk: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        Box::new(HeedingCases { source: self, chunk, next: 0, kept: 0 })
    }
}

impl<'c> Cases<'c> for HeedingCases<'_> {
    fn next<'a>(&mut self, _: &'a Arena) -> Option<Input<'a>>
    where
        'c: 'a,
    {
        let Chunk { number, seed, .. } = self.chunk;
        let (index, kept) = (self.next, self.kept);
        let heeds = index.is_multiple_of(self.source.window);
        self.next += 1;
        let value = i64::try_from(chunk_seed(seed, if heeds { 100 * kept + index } else { index }) % 13).unwrap() - 5;
        let planted = if heeds { format!("{kept} kept") } else { String::new() };
        let provenance = Provenance::Generated { seed, chunk: number, index, planted };
        Some(Input::Case { subject: 0, case: Case { provenance, ..counting(value) }, shows: Vec::new() })
    }

    fn ahead(&self) -> u64 {
        self.source.window - self.next % self.source.window
    }

    fn keep(&mut self, index: u64) {
        self.kept += 1;
        assert!(self.source.kept.lock().unwrap().insert((self.chunk.number, index)), "each is kept once");
    }
}

fn on<T>(pairs: &[Pair], threads: usize, work: impl FnOnce(&Run<'_>) -> T) -> T {
    let judges: Vec<Judge<'_>> = pairs.iter().map(Judge::new).collect();
    work(&Run::new(&judges, NonZeroUsize::new(threads).unwrap()).with_controls())
}

fn run_recorded(pair: Pair, threads: usize) -> Evidence {
    on(&[pair], threads, |run| run.recorded(&mut recorded(1000), Part::default(), FREE).unwrap().evidence)
}

fn run_generated(pair: Pair, window: u64, threads: usize) -> (String, BTreeSet<(u64, u64)>) {
    let source = Heeding { window, kept: Mutex::default() };
    let run = |run: &Run<'_>| run.generated(&source, 7, Budget::Cases(995), Part::default(), FREE).unwrap().evidence;
    let evidence = on(&[pair], threads, run);
    (evidence.to_json().unwrap(), source.kept.into_inner().unwrap())
}

/// The pair whose oracles are asked one question at a time.
fn one_by_one() -> Pair {
    let far = |inner| remote(inner, 1, Habit::Honest).0;
    pair(far(reference()), far(candidate()))
}

/// Pairs of which one side or both are asked in batches.
fn batching() -> Vec<(String, Pair)> {
    let mut pairs = Vec::new();
    for size in [2, 3, 7, 64, 1000] {
        let far = |inner| remote(inner, size, Habit::Honest).0;
        let one = |inner| remote(inner, 1, Habit::Honest).0;
        pairs.push((format!("the reference by {size}"), pair(far(reference()), one(candidate()))));
        pairs.push((format!("the candidate by {size}"), pair(one(reference()), far(candidate()))));
        let other = remote(candidate(), size + 2, Habit::Honest).0;
        pairs.push((format!("both by {size} and more"), pair(far(reference()), other)));
    }
    pairs
}

#[test]
fn recorded_cases_in_batches_give_the_same_bytes() {
    let evidence = run_recorded(one_by_one(), 1);
    let once = evidence.to_json().unwrap();
    let create = evidence.pairs().next().unwrap().operation(Operation::Create);
    let counts = create.counts;
    let every = [counts.agreed_accept, counts.agreed_reject, counts.missing, counts.extra, counts.panicked];
    assert!(every.iter().all(|count| *count > 0), "{counts:?}");
    assert!(create.failures.reference > 0 && create.panics.len() == 2 && !create.undecodable.is_empty());
    for (name, pair) in batching() {
        assert!(run_recorded(pair, 1).to_json().unwrap() == once, "{name}");
    }
    for (name, pair) in batching() {
        assert!(run_recorded(pair, 3).to_json().unwrap() == once, "{name}, on three threads");
    }
}

#[test]
fn generated_cases_in_batches_give_the_same_bytes_and_keep_the_same_cases() {
    for window in [1, 4, CHUNK] {
        let once = run_generated(one_by_one(), window, 1);
        // At the end of a chunk nobody asks any more.
        assert_eq!(once.1.iter().any(|(_, index)| *index > 3), window < CHUNK, "something new comes late, too");
        assert!(window == CHUNK || once.0.contains(" kept\""), "{window} ahead: a case that heeds others is seen");
        for (name, pair) in batching() {
            assert!(run_generated(pair, window, 2) == once, "{name}, {window} ahead");
        }
    }
}

#[test]
fn a_call_is_made_for_each_full_batch_and_for_what_is_left_at_the_end_of_a_chunk() {
    let counts = || (0..150).map(|_| Input::Case { subject: 0, case: counting(1), shows: Vec::new() });
    for (size, expected) in
        [(64, vec![64, 64, 22]), (40, vec![40, 24, 40, 24, 22]), (1000, vec![64, 64, 22]), (1, vec![1; 150])]
    {
        let (candidate, calls) = remote(rules_with_minimum(0), size, Habit::Honest);
        let pairs = [pair(honest_reference(), candidate)];
        on(&pairs, 1, |run| run.recorded(&mut counts(), Part::default(), FREE).unwrap());
        assert_eq!(*calls.lock().unwrap(), expected, "{size}");
    }
    for (window, expected) in [(1, vec![1; 60]), (4, [vec![4; 7], vec![2]].concat().repeat(2)), (30, vec![30; 2])] {
        let (candidate, calls) = remote(rules_with_minimum(0), 64, Habit::Honest);
        let source = Heeding { window, kept: Mutex::default() };
        let pairs = [pair(honest_reference(), candidate)];
        on(&pairs, 1, |run| run.generated(&source, 7, Budget::Cases(60), Part::default(), FREE).unwrap());
        assert_eq!(*calls.lock().unwrap(), expected, "{window} ahead");
    }
}

/// Counts from 0 to 9, ten times.
fn tens() -> impl Iterator<Item = Input<'static>> + Send {
    (0..100).map(|index| Input::Case { subject: 0, case: counting(index % 10), shows: Vec::new() })
}

/// The evidence of counts from 0 to 9, ten times, with a candidate of this habit that is asked five at a time; and its calls.
fn of_habit(habit: Habit) -> (Evidence, Vec<usize>) {
    let (candidate, calls) = remote(rules_with_minimum(0), 5, habit);
    let pairs = [pair(honest_reference(), candidate)];
    let evidence = on(&pairs, 1, |run| run.recorded(&mut tens(), Part::default(), FREE).unwrap().evidence);
    let calls = calls.lock().unwrap().clone();
    (evidence, calls)
}

#[test]
fn what_goes_wrong_in_a_batch_is_counted_for_the_questions_that_it_leaves_unanswered() {
    for (habit, failed, message) in [
        (Habit::Honest, 0, ""),
        (Habit::Loses, 10, "the oracle left the question without an answer"),
        (Habit::Babbles, 100, "the oracle answered a question that it was not asked"),
        (Habit::Repeats, 100, "the oracle answered a question twice"),
        // The chunk of 64 ends with a batch of four, which holds a three.
        (Habit::Breaks, 49, "the connection broke"),
    ] {
        let (evidence, calls) = of_habit(habit);
        let create = only(&evidence).operation(Operation::Create);
        assert_eq!(create.failures, BySide { reference: 0, candidate: failed }, "{message}");
        assert_eq!((create.counts.cases, create.counts.compared), (100, 100 - failed), "{message}");
        assert_eq!(create.counts.agreed_accept, create.counts.compared, "{message}");
        assert_eq!(calls.len(), 21, "nothing is asked again: {message}");
        if failed > 0 {
            let skipped = &create.skipped["the candidate could not judge"];
            assert_eq!((skipped.count, skipped.first.message.as_str()), (failed, message));
        }
    }
}

#[test]
fn a_failed_batch_of_one_side_spares_the_other_and_each_counts_its_own() {
    let (reference, _) = remote(honest_reference(), 5, Habit::Loses);
    let (candidate, _) = remote(rules_with_minimum(0), 4, Habit::Babbles);
    let pairs = [pair(reference, candidate)];
    let evidence = on(&pairs, 1, |run| run.recorded(&mut tens(), Part::default(), FREE).unwrap().evidence);
    let failures = only(&evidence).operation(Operation::Create).failures;
    assert_eq!(failures, BySide { reference: 10, candidate: 100 });
}

#[test]
fn answers_that_are_exchanged_are_found_to_differ() {
    let found = |habit| {
        let (candidate, _) = remote(rules_with_minimum(0), 2, habit);
        let pairs = [pair(honest_reference(), candidate)];
        let mut counts = (-10..10).map(|index| {
            let value = if index % 2 == 0 { 1 } else { -1 };
            Input::Case { subject: 0, case: counting(value), shows: Vec::new() }
        });
        on(&pairs, 1, |run| run.recorded(&mut counts, Part::default(), FREE).unwrap().evidence.disagreed())
    };
    assert_eq!((found(Habit::Honest), found(Habit::Swaps)), (0, 20));
}

#[test]
fn a_panic_in_a_batch_is_laid_to_the_case_that_causes_it() {
    let panics = oracle(|question, _| assert!(count(question) != 3, "three"));
    let (candidate, calls) = remote(panics, 5, Habit::Honest);
    let pairs = [pair(honest_reference(), candidate)];
    let evidence = on(&pairs, 1, |run| run.recorded(&mut tens(), Part::default(), FREE).unwrap().evidence);
    let create = only(&evidence).operation(Operation::Create);
    assert_eq!((create.counts.panicked, create.counts.agreed_accept), (10, 90));
    assert_eq!(create.panics["candidate"].first.place.index, 3);
    let one_by_one = calls.lock().unwrap().iter().filter(|asked| **asked == 1).count();
    assert_eq!(one_by_one, 9 * 5 + 4 + 1, "the batches that hold a three, and the last");
}

#[test]
fn one_pair_in_batches_and_another_without_keep_to_themselves() {
    struct Both;
    impl CaseSource for Both {
        fn chunk_len(&self) -> u64 {
            CHUNK
        }
        fn cases<'c>(&'c self, Chunk { number, seed, .. }: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
            Box::new(FixedCases((0..CHUNK).map(move |index| {
                let provenance = Provenance::Generated { seed, chunk: number, index, planted: String::new() };
                let case = Case { provenance, ..counting(i64::try_from(chunk_seed(seed, index) % 13).unwrap() - 5) };
                Input::Case { subject: usize::from(index % 3 == 1), case, shows: Vec::new() }
            })))
        }
    }
    let far = PairId::named(SubjectId::new("v1", "Thing"), "far").unwrap();
    let run = |candidate_of_far: Box<dyn Oracle>| {
        let asked = Arc::new(Mutex::new(0_u64));
        let counted = Arc::clone(&asked);
        let near = candidate();
        let near = Fake(move |question: &Question<'_>, answer: &mut Answer| {
            *counted.lock().unwrap() += 1;
            near.answer(question, &takeover_harness::oracle::View::none(), answer)
        });
        let pairs =
            [pair(reference(), Box::new(near)), Pair { id: far.clone(), ..pair(reference(), candidate_of_far) }];
        let evidence =
            on(&pairs, 1, |run| run.generated(&Both, 7, Budget::Cases(300), Part::default(), FREE).unwrap().evidence);
        let asked = *asked.lock().unwrap();
        (evidence.to_json().unwrap(), asked)
    };
    let (far, calls) = remote(candidate(), 8, Habit::Honest);
    let batched = run(far);
    assert!(batched == run(remote(candidate(), 1, Habit::Honest).0));
    let calls = calls.lock().unwrap();
    assert!(calls.iter().filter(|asked| **asked > 1).all(|asked| *asked == 8 || *asked == 2), "{calls:?}");
}

#[test]
fn single_questions_are_batches_of_one() {
    let (candidate, calls) = remote(rules_with_minimum(0), 100, Habit::Honest);
    let pair = pair(honest_reference(), candidate);
    let arena = Arena::new();
    let case = counting(-1);
    let prepared = pair.prepare(&case, &arena).unwrap();
    let answer = consult(pair.oracle(Side::Candidate), &prepared.question).unwrap();
    assert_eq!((answer.errors.len(), answer.reached.contains(COUNT)), (1, true));
    let (verdict, record) = judged(&pair, &case);
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedReject));
    assert_eq!(record.candidate.errors.len(), 1);
    let one_by_one = gathered_of(&pair, [counting(1), counting(2)]);
    assert_eq!(only(&one_by_one).operation(Operation::Create).counts.agreed_accept, 2);
    assert_eq!(*calls.lock().unwrap(), [1; 4]);
    for (habit, message) in [
        (Habit::Loses, "the oracle left the question without an answer"),
        (Habit::Babbles, "the oracle answered a question that it was not asked"),
        (Habit::Breaks, "the connection broke"),
    ] {
        let (candidate, _) = remote(rules_with_minimum(0), 100, habit);
        let (verdict, _) = judged(&crate::fakes::pair(honest_reference(), candidate), &counting(3));
        assert!(
            matches!(&verdict, Judgement::Unable { side: Side::Candidate, failure } if failure.to_string() == message),
            "{verdict:?}"
        );
    }
}

#[test]
fn each_case_is_shown_with_its_share_of_the_time_of_its_batch() {
    let (candidate, _) = remote(rules_with_minimum(0), 5, Habit::Honest);
    let pair = pair(honest_reference(), candidate);
    let ticks = Mutex::new(0);
    let clock = || {
        let mut ticks = ticks.lock().unwrap();
        *ticks += 100;
        *ticks
    };
    let judges = [Judge::new(&pair).with_clock(&clock)];
    let cases: Vec<Case<'static>> = (0..10).map(counting).collect();
    let mut record = CaseRecord::new();
    record.set_timed(true);
    let mut seen = Vec::new();
    judges[0].cases_then(&cases, &mut Arena::new(), &mut record, |index, _, compared, record| {
        assert_eq!(compared.unwrap().question.objects.new.field(3).int(), i64::try_from(index).unwrap());
        seen.push((index, record.nanos(Side::Reference), record.nanos(Side::Candidate)));
    });
    assert_eq!(seen, (0..10).map(|index| (index, 100, 20)).collect::<Vec<_>>());
    let metrics = Metrics::new("").unwrap();
    let run = Run::new(&judges, NonZeroUsize::MIN).metrics(&metrics);
    run.recorded(&mut tens(), Part::default(), FREE).unwrap();
    let text = metrics.text().unwrap();
    let line = "takeover_oracle_seconds_count{side=\"candidate\",validation_identifier=\"thing_create\"} 2";
    assert!(text.lines().any(|found| found == line), "once a chunk:\n{text}");
}
