//! Running: the same evidence on any number of threads, exact budgets, and sources that end badly.

use crate::fakes::{COUNT, count, counting, declarative, honest_reference, oracle, pair, rules_with_minimum};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use takeover_harness::case::{Case, Operation, Provenance};
use takeover_harness::compare::Direction;
use takeover_harness::evidence::{CasePlace, Evidence, Stream};
use takeover_harness::judge::Judge;
use takeover_harness::metrics::Metrics;
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{
    Budget, CaseSource, Cases, Chunk, Chunks, Ended, FixedCases, Input, Part, Progress, RemoteCases, RemoteJudge,
    RemoteJudgeError, Run, RunError, RunResult, Shard, Steering, Tally, Unusable, chunk_seed,
};

const CHUNK: u64 = 10;

/// Counts derived from the chunk's seed; every chunk has more cases than it is asked for.
struct Counts {
    panic_at: Option<u64>,
}

impl CaseSource for Counts {
    fn chunk_len(&self) -> u64 {
        CHUNK
    }

    fn cases<'c>(&'c self, Chunk { number, seed, .. }: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        Box::new(FixedCases((0..2 * CHUNK).map(move |index| {
            assert_ne!(self.panic_at, Some(number * CHUNK + index), "source");
            let value = i64::try_from(chunk_seed(seed, index) % 9).unwrap() - 4;
            let planted = format!("count {value}");
            let provenance = Provenance::Generated { seed, chunk: number, index, planted };
            Input::Case { subject: 0, case: Case { provenance, ..counting(value) }, shows: Vec::new() }
        })))
    }
}

/// Agrees but for counts of 0 (extra) and -4 (missing), and panics at 4.
fn faulty() -> Pair {
    let candidate = oracle(|question, answer| {
        answer.reach(COUNT);
        assert!(count(question) < 4, "too large");
        if (-3..1).contains(&count(question)) {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    });
    pair(honest_reference(), candidate)
}

fn jobs(jobs: usize) -> NonZeroUsize {
    NonZeroUsize::new(jobs).unwrap()
}

const FREE: Steering<'_> = Steering { stop: &|| false, progress: &|_| {} };

fn generated(threads: usize, seed: u64, budget: Budget, control: Steering<'_>) -> RunResult {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    Run::new(&judges, jobs(threads))
        .generated(&Counts { panic_at: None }, seed, budget, Part::default(), control)
        .unwrap()
}

#[test]
fn one_thread_or_many_once_or_twice_the_evidence_is_the_same_bytes() {
    let bytes = |threads, seed| {
        let result = generated(threads, seed, Budget::Cases(995), FREE);
        assert_eq!(result.ended, Ended::Complete);
        assert!(result.evidence.disagreed() > 0);
        result.evidence.to_json().unwrap()
    };
    let once = bytes(1, 7);
    for threads in [1, 2, 3, 8] {
        assert_eq!(bytes(threads, 7), once, "{threads} threads");
    }
    assert_ne!(bytes(1, 8), once, "another seed gives other cases");
}

#[test]
fn a_budget_of_cases_is_exact() {
    for cases in [0, 1, 9, 10, 11, 250] {
        assert_eq!(generated(3, 1, Budget::Cases(cases), FREE).evidence.cases(), cases);
    }
}

#[test]
fn a_stopped_run_keeps_a_prefix_that_a_budget_of_as_many_cases_repeats() {
    let asked = AtomicU64::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 12;
    let stopped = generated(3, 5, Budget::UntilStopped, Steering { stop: &stop, ..FREE });
    assert_eq!(stopped.ended, Ended::Stopped);
    let cases = stopped.evidence.cases();
    assert_eq!(cases, 12 * CHUNK);
    assert_eq!(generated(1, 5, Budget::Cases(cases), FREE).evidence, stopped.evidence);
}

#[test]
fn progress_is_told_after_each_chunk_with_the_evidence_so_far() {
    let told = AtomicU64::new(0);
    let progress = |progress: &Progress<'_>| {
        assert_eq!(progress.evidence.cases(), progress.cases);
        progress.evidence.check().unwrap();
        told.fetch_add(1, Ordering::Relaxed);
        assert_eq!(told.load(Ordering::Relaxed), progress.chunks);
    };
    generated(2, 1, Budget::Cases(95), Steering { progress: &progress, ..FREE });
    assert_eq!(told.into_inner(), 10);
}

#[test]
fn a_source_that_panics_ends_the_run_and_what_was_gathered_stays() {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let run = Run::new(&judges, jobs(1));
    let result = run.generated(&Counts { panic_at: Some(23) }, 1, Budget::Cases(100), Part::default(), FREE).unwrap();
    assert!(
        matches!(&result.ended, Ended::SourcePanicked(panic) if panic.message.contains("source")),
        "{:?}",
        result.ended
    );
    assert_eq!(result.evidence.cases(), 23);
}

/// A stream of recorded inputs: cases, broken documents of the subject, and objects of no subject.
fn recorded() -> impl Iterator<Item = Input<'static>> + Send {
    (0..300u64).map(|line| {
        let provenance = Provenance::File { path: "things.yaml".into(), document: line + 1, line };
        let unusable = |subject, undecodable, reason: &str| {
            Input::Unusable(Unusable {
                subject,
                undecodable,
                reason: reason.into(),
                message: format!("line {line}"),
                provenance: provenance.clone(),
            })
        };
        match line % 10 {
            7 => unusable(Some((0, Operation::Create)), true, "not YAML"),
            8 => unusable(Some((0, Operation::Update)), false, "too large"),
            9 => unusable(None, false, "unknown kind"),
            _ => Input::Case {
                subject: usize::from(line % 10 == 6),
                case: Case { provenance, ..counting(i64::try_from(line % 6).unwrap() - 2) },
                shows: Vec::new(),
            },
        }
    })
}

fn run_recorded(threads: usize) -> Evidence {
    let pair = pair(honest_reference(), rules_with_minimum(0));
    let judges = [Judge::new(&pair)];
    Run::new(&judges, jobs(threads)).recorded(&mut recorded(), Part::default(), FREE).unwrap().evidence
}

#[test]
fn recorded_inputs_are_all_counted_whatever_they_are() {
    let evidence = run_recorded(2);
    assert_eq!(evidence.cases(), 300);
    assert_eq!(evidence.compared(), 180);
    let things = evidence.pairs().next().unwrap();
    assert_eq!(things.operation(Operation::Create).undecodable["not YAML"].count, 30);
    assert_eq!(things.operation(Operation::Update).skipped["too large"].count, 30);
    let outside: Vec<(&str, u64)> =
        evidence.outside().iter().map(|(reason, found)| (reason.as_str(), found.count)).collect();
    assert_eq!(outside, [("unknown kind", 30), ("unknown subject", 30)]);
    assert_eq!(evidence.outside()["unknown kind"].first.message, "line 9");
    assert_eq!(evidence.to_json().unwrap(), run_recorded(1).to_json().unwrap());
}

#[test]
fn no_two_cases_of_a_run_have_one_place() {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let run = Run::new(&judges, jobs(2));
    let mut inputs = (0..CHUNK).map(|_| Input::Case { subject: 0, case: counting(-4), shows: Vec::new() });
    let recorded = run.recorded(&mut inputs, Part::default(), FREE).unwrap().evidence;
    let made = generated(2, 3, Budget::Cases(200), FREE).evidence;
    let first = |evidence: &Evidence| {
        let create = evidence.pair(&pair.id).unwrap().operation(Operation::Create);
        let missing = create.signatures.iter().find(|(signature, _)| signature.direction == Direction::Missing);
        missing.unwrap().1.first.place
    };
    assert_eq!(first(&recorded), CasePlace::recorded(0, 0));
    assert_eq!(first(&made).stream, Stream::Generated);
    let mut whole = made.clone();
    whole.merge(recorded).unwrap();
    assert_eq!(first(&whole), CasePlace::recorded(0, 0), "what was given is run first");
}

#[test]
fn metrics_count_what_the_evidence_counts() {
    let pair = faulty();
    let ticks = AtomicU64::new(0);
    let clock = || ticks.fetch_add(1000, Ordering::Relaxed);
    let judges = [Judge::new(&pair).with_clock(&clock)];
    let metrics = Metrics::new("").unwrap();
    let run = Run::new(&judges, jobs(2)).metrics(&metrics);
    let evidence =
        run.generated(&Counts { panic_at: None }, 3, Budget::Cases(200), Part::default(), FREE).unwrap().evidence;
    let create = evidence.pair(&pair.id).unwrap().operation(Operation::Create);
    let counts = create.counts;
    let text = metrics.text().unwrap();
    for (series, value) in [
        ("declarative_validation_mismatch_total".to_owned(), counts.mismatches),
        ("takeover_comparisons_total{outcome=\"missing\",validation_identifier=\"thing_create\"}".to_owned(), counts.missing),
        ("declarative_validation_panic_total".to_owned(), create.panics["candidate"].count),
        ("takeover_comparisons_total{outcome=\"extra\",validation_identifier=\"thing_create\"}".to_owned(), counts.extra),
        (
            "takeover_rule_comparisons_total{outcome=\"extra\",rule=\"count minimum=0\",validation_identifier=\"thing_create\"}"
                .to_owned(),
            create.rules[COUNT.index()].counts.extra,
        ),
        ("takeover_oracle_seconds_count{side=\"candidate\",validation_identifier=\"thing_create\"}".to_owned(), 200 / CHUNK),
    ] {
        assert!(value > 0, "{series} is exercised");
        let line = format!("{series} {value}");
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[test]
fn a_run_without_judges_is_an_error() {
    let run = Run::new(&[], jobs(1));
    assert!(matches!(run.recorded(&mut recorded(), Part::default(), FREE), Err(RunError::NoJudges)));
}

#[test]
fn neighbouring_chunks_have_unrelated_seeds() {
    let seeds: BTreeSet<u64> = (0..100).flat_map(|seed| (0..100).map(move |chunk| chunk_seed(seed, chunk))).collect();
    assert_eq!(seeds.len(), 10_000);
    assert_eq!(chunk_seed(1, 2), chunk_seed(1, 2));
}

/// Runs until `after` chunks are done, then again from what was done, until nothing is left.
fn in_pieces(threads: usize, after: u64, shard: Shard) -> Evidence {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let run = Run::new(&judges, jobs(threads));
    let mut part = Part { shard, done: Chunks::default() };
    let mut whole = Evidence::new();
    loop {
        let asked = AtomicU64::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= after;
        let control = Steering { stop: &stop, ..FREE };
        let result = run.generated(&Counts { panic_at: None }, 7, Budget::Cases(995), part.clone(), control).unwrap();
        whole.merge(result.evidence).unwrap();
        part.done = result.done;
        if result.ended == Ended::Complete {
            return whole;
        }
    }
}

#[test]
fn a_run_in_pieces_gives_the_same_bytes_as_one_in_one_piece() {
    let once = generated(1, 7, Budget::Cases(995), FREE).evidence.to_json().unwrap();
    for (threads, after) in [(1, 1), (2, 7), (3, 40)] {
        assert_eq!(
            in_pieces(threads, after, Shard::WHOLE).to_json().unwrap(),
            once,
            "{threads} threads, {after} chunks"
        );
    }
}

#[test]
fn shards_add_up_to_the_whole_in_any_order_and_in_pieces() {
    let once = generated(1, 7, Budget::Cases(995), FREE).evidence.to_json().unwrap();
    let mut shards: Vec<Evidence> =
        (1..=6).map(|number| in_pieces(2, 3, format!("{number}/6").parse().unwrap())).collect();
    shards.rotate_left(2);
    let mut whole = shards.remove(0);
    for shard in shards {
        whole.merge(shard).unwrap();
    }
    assert_eq!(whole.to_json().unwrap(), once);
}

#[test]
fn a_stopped_run_first_fills_the_gaps_that_an_interrupted_one_left() {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let done: Chunks = serde_json::from_str("[[0,2],[3,4],[6,7]]").unwrap();
    let asked = Steering { stop: &|| true, ..FREE };
    let result = Run::new(&judges, jobs(2))
        .generated(&Counts { panic_at: None }, 1, Budget::UntilStopped, Part { done, ..Part::default() }, asked)
        .unwrap();
    assert_eq!((result.evidence.cases(), result.done.first_gap(), result.ended), (3 * CHUNK, 7, Ended::Stopped));
}

#[test]
fn recorded_cases_are_read_again_and_only_the_missing_chunks_are_judged() {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let run = Run::new(&judges, jobs(2));
    let all = |part: Part| {
        let mut inputs =
            (0..1000).map(|value| Input::Case { subject: 0, case: counting(value % 9 - 4), shows: Vec::new() });
        let result = run.recorded(&mut inputs, part, FREE).unwrap();
        (inputs.next().is_none(), result)
    };
    let (_, once) = all(Part::default());
    assert_eq!((once.evidence.cases(), once.done.len(), once.done.ranges()), (1000, 16, 1));
    let done: Chunks = serde_json::from_str("[[0,3],[5,15]]").unwrap();
    let (read, rest) = all(Part { done, ..Part::default() });
    assert!(read);
    assert_eq!(rest.evidence.cases(), 2 * 64 + 1000 % 64, "two chunks and the last, which is shorter");
    assert_eq!(rest.done, once.done);
    let mut whole = Evidence::new();
    for number in 1..=3 {
        let shard: Shard = format!("{number}/3").parse().unwrap();
        whole.merge(all(Part { shard, done: Chunks::default() }).1.evidence).unwrap();
    }
    assert_eq!(whole.to_json().unwrap(), once.evidence.to_json().unwrap());
}

/// Judges the chunks with an odd number, and every other recorded case, on a tally of its own, and hands the evidence over as
/// text.
struct Other<'s>(&'s Pair);

impl Other<'_> {
    fn evidence<'a>(&self, cases: impl Iterator<Item = (CasePlace, Input<'a>)>) -> Evidence {
        let judges = [Judge::new(self.0)];
        let mut tally = Tally::new(&judges, &[]);
        for (place, input) in cases {
            tally.judge(place, input);
        }
        Evidence::from_json(&tally.take().unwrap().to_json().unwrap()).unwrap()
    }
}

impl RemoteJudge for Other<'_> {
    fn takes(&self, subject: usize) -> bool {
        subject == 0
    }

    fn takes_chunk(&self, chunk: Chunk) -> bool {
        chunk.number % 2 == 1
    }

    fn generated(&self, chunk: Chunk) -> Result<Evidence, RemoteJudgeError> {
        let (source, arena) = (Counts { panic_at: None }, Arena::new());
        let mut cases = source.cases(chunk, &arena);
        let cases = (0..chunk.len).map_while(|index| Some((index, cases.next(&arena)?)));
        Ok(self.evidence(cases.map(|(index, input)| (CasePlace::generated(chunk.number, index), input))))
    }

    fn recorded(&self, cases: RemoteCases) -> Result<Evidence, RemoteJudgeError> {
        Ok(self.evidence(
            cases.into_iter().map(|(place, subject, case)| (place, Input::Case { subject, case, shows: Vec::new() })),
        ))
    }
}

#[test]
fn what_is_judged_elsewhere_adds_up_to_the_same_evidence() {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let other = Other(&pair);
    let run = Run::new(&judges, jobs(2)).elsewhere(&other);
    let result = run.generated(&Counts { panic_at: None }, 7, Budget::Cases(995), Part::default(), FREE).unwrap();
    assert_eq!(result.evidence, generated(1, 7, Budget::Cases(995), FREE).evidence);
    let here = Run::new(&judges, jobs(1)).recorded(&mut recorded(), Part::default(), FREE).unwrap();
    assert_eq!(run.recorded(&mut recorded(), Part::default(), FREE).unwrap().evidence, here.evidence);
}

#[test]
fn a_run_ends_when_evidence_is_not_to_be_had_elsewhere() {
    struct Nowhere;
    impl RemoteJudge for Nowhere {
        fn takes(&self, _: usize) -> bool {
            true
        }
        fn takes_chunk(&self, _: Chunk) -> bool {
            true
        }
        fn generated(&self, _: Chunk) -> Result<Evidence, RemoteJudgeError> {
            Err(RemoteJudgeError::new("no process to be had"))
        }
        fn recorded(&self, _: RemoteCases) -> Result<Evidence, RemoteJudgeError> {
            Err(RemoteJudgeError::new("no process to be had"))
        }
    }
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let run = Run::new(&judges, jobs(2)).elsewhere(&Nowhere);
    let error = run.generated(&Counts { panic_at: None }, 7, Budget::UntilStopped, Part::default(), FREE).unwrap_err();
    assert_eq!(error.to_string(), "no process to be had");
    assert!(run.recorded(&mut recorded(), Part::default(), FREE).is_err());
}

/// The same ten counts in every chunk; notes in each case how many before it were kept, and which cases those were.
#[derive(Default)]
struct Heeding {
    kept: Mutex<BTreeSet<(u64, u64)>>,
}

struct HeedingCases<'h> {
    source: &'h Heeding,
    chunk: Chunk,
    next: u64,
    kept: u64,
}

const HEEDED: [i64; CHUNK as usize] = [1, 2, -1, -2, 0, 0, 1, -4, -4, 3];

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
        let value = *HEEDED.get(usize::try_from(self.next).unwrap())?;
        let planted = format!("count {value} after {} kept", self.kept);
        let Chunk { number, seed, .. } = self.chunk;
        let provenance = Provenance::Generated { seed, chunk: number, index: self.next, planted };
        self.next += 1;
        Some(Input::Case { subject: 0, case: Case { provenance, ..counting(value) }, shows: Vec::new() })
    }

    /// The first five are about one field, the others about another one.
    fn field(&self) -> u64 {
        (self.next - 1) / 5
    }

    fn keep(&mut self, index: u64) {
        self.kept += 1;
        self.source.kept.lock().unwrap().insert((self.chunk.number, index));
    }
}

#[test]
fn a_source_is_told_what_is_new_in_its_chunk_on_any_number_of_threads() {
    let pair = faulty();
    let judges = [Judge::new(&pair)];
    let run = |threads| {
        let source = Heeding::default();
        let run = Run::new(&judges, jobs(threads));
        let result = run.generated(&source, 1, Budget::Cases(20 * CHUNK), Part::default(), FREE).unwrap();
        (result.evidence.to_json().unwrap(), source.kept.into_inner().unwrap())
    };
    let (evidence, kept) = run(1);
    // The reference rejects for the first time among the cases of each field. What the candidate says makes nothing new.
    let expected: BTreeSet<(u64, u64)> = (0..20).flat_map(|chunk| [2, 7].map(|index| (chunk, index))).collect();
    assert_eq!(kept, expected);
    assert!(evidence.contains("count -4 after 1 kept"), "{evidence}");
    for threads in [2, 5] {
        assert!(run(threads) == (evidence.clone(), expected.clone()), "{threads} threads");
    }
}
