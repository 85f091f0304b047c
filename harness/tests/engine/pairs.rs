//! Several pairs of one kind in one run: evidence, findings and metrics of their own.

use crate::fakes::{COUNT, NAME, counting, declarative, honest_reference, oracle, pair, plain, rules_with_minimum};
use serde_json::Value;
use std::num::NonZeroUsize;
use takeover_harness::case::{Case, Operation, Provenance};
use takeover_harness::compare::{Candidates, Comparator, Direction, Matcher, Semantics};
use takeover_harness::error::ErrorType;
use takeover_harness::evidence::{Evidence, EvidenceError, PairEvidence};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::metrics::Metrics;
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Question};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{
    Assembly, Budget, CaseSource, Cases, Chunk, Chunks, FixedCases, Input, Part, Run, RunError, Shard, Steering,
};
use takeover_harness::subject::{PairId, SubjectId};

const FREE: Steering<'_> = Steering { stop: &|| false, progress: &|_| {} };

const CHUNK: u64 = 10;

fn named(name: &str) -> PairId {
    PairId::named(SubjectId::new("v1", "Thing"), name).unwrap()
}

/// The pair of the kind, whose rule is too wide by one, and a webhook that is compared with the same reference by fields.
fn pairs() -> [Pair; 2] {
    let webhook = |question: &Question<'_>, answer: &mut Answer| {
        if crate::fakes::count(question) < -2 {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
    };
    let webhook = Pair {
        id: named("webhook"),
        comparator: Comparator::Fields { origin: false },
        ..pair(honest_reference(), Box::new(webhook))
    };
    [pair(honest_reference(), rules_with_minimum(-1)), webhook]
}

/// Counts from -5 to 4 in every chunk, each for both pairs.
struct Both;

impl CaseSource for Both {
    fn chunk_len(&self) -> u64 {
        2 * CHUNK
    }

    fn cases<'c>(&'c self, Chunk { number, seed, .. }: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        Box::new(FixedCases((0..2 * CHUNK).map(move |index| {
            let provenance = Provenance::Generated { seed, chunk: number, index, planted: String::new() };
            let case = counting(i64::try_from(index / 2).unwrap() - 5);
            Input::Case { subject: usize::from(index % 2 == 1), case: Case { provenance, ..case }, shows: Vec::new() }
        })))
    }
}

fn run(threads: usize, part: Part) -> Evidence {
    let pairs = pairs();
    let judges = pairs.each_ref().map(Judge::new);
    let run = Run::new(&judges, NonZeroUsize::new(threads).unwrap()).with_controls();
    run.generated(&Both, 1, Budget::Cases(200), part, FREE).unwrap().evidence
}

fn signatures(evidence: &PairEvidence) -> Vec<(String, u64)> {
    let all = evidence.operation(Operation::Create).signatures.iter();
    all.map(|(signature, found)| (signature.to_string(), found.cases)).collect()
}

#[test]
fn each_pair_has_evidence_and_signatures_of_its_own() {
    let evidence = run(2, Part::default());
    let ids: Vec<String> = evidence.pairs().map(|pair| pair.pair().to_string()).collect();
    assert_eq!(ids, ["v1 Thing", "v1 Thing#webhook"]);
    let unnamed = evidence.pair(&SubjectId::new("v1", "Thing").into()).unwrap();
    let webhook = evidence.pair(&named("webhook")).unwrap();
    for (of, rejects, missing) in [(unnamed, 40, 10), (webhook, 30, 20)] {
        let counts = of.operation(Operation::Create).counts;
        assert_eq!((counts.cases, counts.compared, counts.agreed_accept), (100, 100, 50), "{}", of.pair());
        assert_eq!((counts.agreed_reject, counts.missing, counts.extra), (rejects, missing, 0), "{}", of.pair());
    }
    assert_eq!(
        signatures(unnamed),
        [("v1 Thing create new missing reports-less FieldValueInvalid count minimum".to_owned(), 10)]
    );
    assert_eq!(
        signatures(webhook),
        [("v1 Thing#webhook create new missing reports-less FieldValueInvalid count minimum".to_owned(), 20)]
    );
    assert!(evidence.pair(&named("other")).is_none());
    assert_eq!((evidence.cases(), evidence.compared(), evidence.disagreed()), (200, 200, 30));
    let compared_by: Vec<String> = evidence.compared_by().iter().map(ToString::to_string).collect();
    assert_eq!(compared_by, ["1.37", "by field"]);
    assert_eq!((unnamed.reached_by_presence(), webhook.reached_by_presence()), (false, true));
}

#[test]
fn evidence_of_two_pairs_reads_back_and_names_each_in_its_file() {
    let evidence = run(1, Part::default());
    let text = evidence.to_json().unwrap();
    let again = Evidence::from_json(&text).unwrap();
    assert_eq!(again, evidence);
    assert_eq!(again.to_json().unwrap(), text);
    let file: Value = serde_json::from_str(&text).unwrap();
    let [unnamed, webhook] = [0, 1].map(|at| &file["subjects"][at]);
    assert_eq!(unnamed["subject"].get("pair"), None, "a pair without a name is its subject");
    assert_eq!(webhook["subject"]["pair"], "webhook");
    assert_eq!(webhook["create"]["signatures"][0]["subject"], webhook["subject"]);
}

#[test]
fn shards_of_a_run_of_two_pairs_add_up_to_the_same_bytes_on_any_number_of_threads() {
    let whole = run(1, Part::default()).to_json().unwrap();
    assert_eq!(run(3, Part::default()).to_json().unwrap(), whole);
    let mut shards = Assembly::default();
    for shard in "1/3".parse::<Shard>().unwrap().all() {
        let evidence = run(2, Part { shard, done: Chunks::default() });
        shards.add(shard, Evidence::from_json(&evidence.to_json().unwrap()).unwrap()).unwrap();
    }
    assert_eq!(shards.sum().unwrap().to_json().unwrap(), whole);
}

#[test]
fn a_pair_merges_with_none_but_itself() {
    let [unnamed, webhook] = pairs();
    let part = |pair: &Pair| PairEvidence::of(&Judge::new(pair));
    let mut evidence = Evidence::new();
    evidence.add(part(&unnamed)).unwrap();
    evidence.add(part(&webhook)).unwrap();
    evidence.add(part(&webhook)).unwrap();
    assert_eq!(evidence.pairs().count(), 2);
    let [_, other] = pairs();
    let otherwise = Pair { comparator: Comparator::Decision, ..other };
    let refusal = evidence.add(part(&otherwise)).unwrap_err();
    assert!(matches!(&refusal, EvidenceError::OtherComparator { pair, .. } if *pair == webhook.id), "{refusal}");
    let fewer = Pair { rules: Vec::new(), ..otherwise };
    let fewer = Pair { comparator: Comparator::Fields { origin: false }, ..fewer };
    assert!(matches!(evidence.add(part(&fewer)), Err(EvidenceError::OtherRules(id)) if id == webhook.id));
}

#[test]
fn two_judges_of_one_pair_that_compare_otherwise_run_nothing() {
    let shadow = Comparator::Kubernetes(Matcher::new(Semantics::V1_37).candidates(Candidates::All));
    let [unnamed, _] = pairs();
    let [other, _] = pairs();
    let pairs = [unnamed, Pair { comparator: shadow, ..other }];
    let judges = pairs.each_ref().map(Judge::new);
    let run = Run::new(&judges, NonZeroUsize::MIN);
    let refusal = run.generated(&Both, 1, Budget::Cases(20), Part::default(), FREE).unwrap_err();
    assert!(matches!(refusal, RunError::Evidence(EvidenceError::OtherComparator { .. })), "{refusal}");
}

#[test]
fn metrics_tell_pairs_of_one_kind_apart() {
    let pairs = pairs();
    let judges = pairs.each_ref().map(Judge::new);
    let metrics = Metrics::new("").unwrap();
    let run = Run::new(&judges, NonZeroUsize::MIN).metrics(&metrics);
    run.generated(&Both, 1, Budget::Cases(200), Part::default(), FREE).unwrap();
    let text = metrics.text().unwrap();
    for (identifier, missing) in [("thing_create", 10), ("thing_create#webhook", 20)] {
        let series = format!(
            "takeover_comparisons_total{{outcome=\"missing\",validation_identifier=\"{identifier}\"}} {missing}"
        );
        assert!(text.lines().any(|line| line == series), "{series} is not in\n{text}");
    }
}

#[test]
fn rules_of_one_pair_say_nothing_of_those_of_another() {
    let babbler = oracle(|_, answer| {
        answer.reach(NAME);
        answer.push(declarative(NAME, "name", "format=name"));
    });
    let pairs = [
        pair(honest_reference(), rules_with_minimum(0)),
        Pair { id: named("babbler"), ..pair(honest_reference(), babbler) },
    ];
    let judges = pairs.each_ref().map(Judge::new);
    let run = Run::new(&judges, NonZeroUsize::MIN);
    let evidence = run.generated(&Both, 1, Budget::Cases(20), Part::default(), FREE).unwrap().evidence;
    let counts = |id: &PairId, rule| {
        let counts = evidence.pair(id).unwrap().rule(Operation::Create, rule);
        (counts.compared, counts.agreed_reject, counts.extra, counts.missing)
    };
    assert_eq!((counts(&pairs[0].id, COUNT), counts(&pairs[0].id, NAME)), ((10, 5, 0, 0), (0, 0, 0, 0)));
    assert_eq!((counts(&pairs[1].id, COUNT), counts(&pairs[1].id, NAME)), ((5, 0, 0, 5), (10, 0, 10, 0)));
    let found = evidence.pair(&pairs[1].id).unwrap().operation(Operation::Create);
    assert!(found.signatures.keys().any(|signature| signature.direction == Direction::Extra));
}

#[test]
fn what_a_server_rejects_before_it_asks_either_side_is_skipped_with_the_reason() {
    let small = |question: &Question<'_>, answer: &mut Answer| {
        if crate::fakes::count(question) < 0 {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
    };
    let of = Pair { validation: Some(oracle(small)), ..pair(honest_reference(), rules_with_minimum(-1)) };
    let (judge, mut arena, mut record) = (Judge::new(&of), Arena::new(), CaseRecord::new());
    let judgement = judge.case(&counting(-1), &mut arena, &mut record);
    let (reason, message) = judgement.reason().unwrap();
    assert_eq!(reason, "an API server rejects it before it asks either side");
    assert!(message.starts_with("an API server rejects the object first: count: Invalid value"), "{message}");
    assert!(!judgement.is_undecodable());
    assert!(judge.case(&counting(0), &mut arena, &mut record).is_comparison());
}
