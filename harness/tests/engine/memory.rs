//! What came before is counted again without asking the oracles, and nothing shows but the time.

use crate::fakes::{COUNT, Fake, count, create, declarative, handwritten, pair};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use takeover_harness::case::{Case, Operation, Payload, Provenance};
use takeover_harness::error::FieldError;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::oracle::{Answer, OracleFailure, Precision, Question, WithPrecision};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Assembly, Chunks, Input, Part, Run, Shard, Steering};

const FREE: Steering<'_> = Steering { stop: &|| false, progress: &|_| {} };

/// Contents of every fate: accepted, rejected by both, by one side, delegated, not migrated, undecodable, declined, panicking.
fn contents() -> Vec<Value> {
    let count = |count: i64| json!({"apiVersion": "v1", "kind": "Thing", "count": count});
    let mut contents: Vec<Value> = (-6..10).map(count).collect();
    contents.push(json!({"apiVersion": "v1", "kind": "Thing", "unknown": true}));
    contents.push(json!({"apiVersion": "v1", "kind": "Other"}));
    contents
}

/// Counts how often its reference is asked.
fn counting_pair(asked: &Arc<AtomicU64>) -> Pair {
    let asked = Arc::clone(asked);
    let reference = Fake(move |question: &Question<'_>, answer: &mut Answer| {
        asked.fetch_add(1, Ordering::Relaxed);
        match count(question) {
            negative if negative < 0 => answer.push(handwritten("count", "minimum")),
            5 => answer.push(handwritten("inner", "judged")),
            6 => answer.push(FieldError { covered_by_declarative: false, ..handwritten("name", "own") }),
            7 => return Err(OracleFailure::new("seven is too hard")),
            8 => return Err(OracleFailure::panic("as the model does")),
            _ => {}
        }
        Ok(())
    });
    // Nobody asks about other cases to learn why two answers differ.
    let precision = Precision { answers_any: false, ..Precision::KUBERNETES };
    let candidate = WithPrecision(precision, |question: &Question<'_>, answer: &mut Answer| {
        answer.reach(COUNT);
        assert!(count(question) < 9, "too large");
        if (-3..1).contains(&count(question)) {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    });
    pair(Box::new(reference), Box::new(candidate))
}

/// Every content a hundred times, as creations and as updates, with numbers or without.
fn inputs(numbered: bool) -> impl Iterator<Item = Input<'static>> + Send {
    let contents = contents();
    (0..3600u64).map(move |line| {
        let content = line / 2 % 18;
        let value = contents[usize::try_from(content).unwrap()].clone();
        // What comes again comes as text.
        let object =
            if line < 36 { Payload::from(value) } else { Payload::Json(value.to_string().into_bytes().into()) };
        let operation = if line % 2 == 0 { Operation::Create } else { Operation::Update };
        let old = (operation == Operation::Update).then(|| object.clone());
        let provenance = Provenance::File { path: "things.yaml".into(), document: line + 1, line };
        let case = Case { operation, object, old, provenance, ..create(json!({})) };
        match numbered && line >= 36 {
            true => Input::Numbered { subject: 0, case, content },
            false => Input::Case { subject: 0, case, shows: Vec::new() },
        }
    })
}

fn run(numbered: bool, jobs: usize, part: Part) -> (Evidence, u64) {
    let asked = Arc::new(AtomicU64::new(0));
    let pair = counting_pair(&asked);
    let judges = [Judge::new(&pair)];
    let run = Run::new(&judges, NonZeroUsize::new(jobs).unwrap()).with_controls();
    let evidence = run.recorded(&mut inputs(numbered), part, FREE).unwrap().evidence;
    (evidence, asked.load(Ordering::Relaxed))
}

#[test]
fn evidence_is_the_same_bytes_whether_contents_are_known_or_not() {
    let (evidence, asked) = run(false, 1, Part::default());
    let known = evidence.to_json().unwrap();
    let things = evidence.pairs().next().unwrap();
    for operation in Operation::ALL {
        let seen = things.operation(operation);
        let counts = seen.counts;
        let every = [counts.agreed_accept, counts.agreed_reject, counts.missing, counts.extra, counts.panicked];
        assert!(every.iter().all(|count| *count >= 100), "{counts:?}");
        assert_eq!((seen.undecodable.len(), seen.skipped.len(), seen.unmigrated.len()), (2, 1, 1));
        assert!(seen.delegated.reference == 100 && !seen.signatures.is_empty() && seen.panics.len() == 2, "{seen:?}");
    }
    assert!(things.controls().iter().enumerate().any(|(control, _)| things.exposed(control).is_some()));
    for jobs in [1, 2, 3] {
        let (again, less) = run(true, jobs, Part::default());
        assert_eq!(again.to_json().unwrap(), known, "{jobs} jobs");
        assert!(less < asked / 3, "{less} of {asked} with {jobs} jobs");
    }
}

#[test]
fn panics_and_what_an_oracle_declines_are_asked_about_again() {
    let (_, asked) = run(true, 1, Part::default());
    // 7, 8 and 9 every time; the other 13 that decode when they come first, and when they first have a number.
    assert_eq!(asked, 2 * (3 * 100 + 13 * 2));
}

#[test]
fn shards_and_runs_that_go_on_come_to_the_same_evidence() {
    let whole = run(false, 1, Part::default()).0.to_json().unwrap();
    let mut shards = Assembly::default();
    for shard in "1/3".parse::<Shard>().unwrap().all() {
        shards.add(shard, run(true, 2, Part { shard, done: Chunks::default() }).0).unwrap();
    }
    assert_eq!(shards.sum().unwrap().to_json().unwrap(), whole);

    let done = |chunks: std::ops::Range<u64>| {
        let mut done = Chunks::default();
        chunks.for_each(|chunk| _ = done.insert(chunk));
        Part { shard: Shard::WHOLE, done }
    };
    let mut pieces = run(true, 2, done(20..100)).0;
    pieces.merge(run(true, 2, done(0..20)).0).unwrap();
    assert_eq!(pieces.to_json().unwrap(), whole);
}
