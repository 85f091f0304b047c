//! Evidence: every case counted once, parts that merge like sums, files that cannot lie.

use crate::fakes::{COUNT, NAME, count, counting, create, declarative, gathered, handwritten, oracle, pair};
use proptest::prelude::*;
use serde_json::json;
use takeover_harness::case::{Case, Operation, Provenance};
use takeover_harness::compare::{Candidates, Comparator, Direction, Matcher, Semantics};
use takeover_harness::error::FieldError;
use takeover_harness::evidence::{CasePlace, Evidence, EvidenceError, FORMAT, PairEvidence, Sighting, StoredCase};
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Added, Assembly, AssemblyError, Shard};

/// A pair whose sides do something else for each `count` from 0 to 9.
pub(crate) fn erratic() -> Pair {
    let reference = oracle(|question, answer| match count(question) {
        1 | 2 | 6 => answer.push(handwritten("count", "minimum")),
        3 => answer.push(FieldError { covered_by_declarative: false, ..handwritten("name", "") }),
        4 => panic!("reference"),
        7 => answer.push(handwritten("inner", "")),
        8 => {
            answer.push(handwritten("list[0]", "minimum"));
            answer.push(handwritten("list[1]", "minimum"));
        }
        _ => {}
    });
    let candidate = oracle(|question, answer| {
        if count(question) != 9 {
            answer.reach(COUNT);
        }
        match count(question) {
            1 => answer.push(declarative(COUNT, "count", "minimum")),
            4 | 5 => panic!("candidate"),
            6 => answer.push(declarative(NAME, "name", "format=name")),
            9 => answer.push(FieldError { stability: None, ..declarative(NAME, "name", "") }),
            _ => {}
        }
    });
    pair(reference, candidate)
}

pub(crate) fn case(kind: i64, update: bool) -> Case<'static> {
    let mut case = if kind < 10 { counting(kind) } else { create(json!({ "nonsense": kind })) };
    if update {
        case.operation = Operation::Update;
        case.old = (kind % 2 == 0).then(|| json!({}).into());
    }
    case
}

pub(crate) fn numbered(kinds: &[(i64, bool)]) -> Vec<(u64, Case<'static>)> {
    (0..).zip(kinds.iter().map(|(kind, update)| case(*kind, *update))).collect()
}

#[test]
fn every_case_is_counted_once_and_by_rule() {
    let pair = erratic();
    let kinds: Vec<(i64, bool)> = (0..12).map(|kind| (kind, false)).collect();
    let evidence = gathered(&pair, &numbered(&kinds));
    let of = evidence.pair(&pair.id).unwrap();
    let create = of.operation(Operation::Create);
    let counts = create.counts;
    assert_eq!((counts.cases, counts.compared), (12, 10));
    assert_eq!((counts.agreed_accept, counts.agreed_reject), (4, 1), "kinds 0, 3, 7 and 9; kind 1");
    assert_eq!((counts.missing, counts.extra, counts.panicked), (3, 0, 2), "kinds 2, 6, 8; kinds 4, 5");
    assert_eq!((counts.missing_errors, counts.extra_errors), (4, 1));
    assert_eq!(create.undecodable["unknown field"].count, 2);
    assert_eq!((create.panics["reference"].count, create.panics["candidate"].count), (1, 2));
    assert_eq!((create.delegated.reference, create.delegated.candidate), (1, 0));
    let unmigrated: Vec<(&str, u64)> =
        create.unmigrated.iter().map(|(shape, errors)| (shape.field.as_str(), errors.errors)).collect();
    assert_eq!(unmigrated, [("name", 1)]);
    let rule = of.rule(Operation::Create, COUNT);
    assert_eq!((rule.compared, rule.agreed_accept, rule.agreed_reject), (9, 4, 1));
    assert_eq!((rule.missing, rule.extra, rule.panicked, rule.not_reached), (2, 0, 2, 1));
    let rule = of.rule(Operation::Create, NAME);
    assert_eq!((rule.compared, rule.extra, rule.not_reached), (1, 1, 8));
    assert_eq!(create.rules[NAME.index()].set_aside, 1, "kind 9 comes from a standard rule");
    evidence.check().unwrap();
}

#[test]
fn findings_are_grouped_by_signature_with_first_and_smallest() {
    let pair = erratic();
    let mut large = counting(8);
    large.object = json!({"apiVersion": "v1", "kind": "Thing", "count": 8, "name": "a long name"}).into();
    let evidence = gathered(&pair, &[(5, counting(8)), (3, large.clone()), (7, counting(8))]);
    let create = evidence.pair(&pair.id).unwrap().operation(Operation::Create).clone();
    assert_eq!(create.signatures.len(), 1);
    let (signature, found) = create.signatures.iter().next().unwrap();
    assert_eq!(signature.to_string(), "v1 Thing create new missing lost-twin FieldValueInvalid list[*] minimum");
    assert_eq!(signature.direction, Direction::Missing);
    assert_eq!((found.cases, found.errors), (3, 6));
    assert_eq!(found.first.place, CasePlace::generated(0, 3));
    assert_eq!(found.first.message, "list[0]: Invalid value: 1: bad");
    assert_eq!(found.smallest.sighting.place, CasePlace::generated(1, 1), "the earliest of the smallest");
    assert_eq!(found.smallest.case.to_case(large.provenance), counting(8));
}

#[test]
fn an_oracle_that_babbles_fills_no_memory_and_every_partition_keeps_the_same() {
    let candidate = oracle(|question, answer| {
        for index in 0..9 {
            let field = format!("f{}", (count(question) * 7919 + index * 104_729) % 2003);
            let long = FieldError { detail: "x".repeat(5000).into(), ..declarative(NAME, &field, "y") };
            answer.push(long);
            answer.push(FieldError { field, ..declarative(NAME, "", "") });
        }
    });
    let reference = oracle(|question, answer| {
        let field = format!("g{}", count(question) % 1501);
        answer.push(FieldError { covered_by_declarative: false, ..handwritten(&field, "") });
    });
    let pair = pair(reference, candidate);
    let all: Vec<(u64, Case<'static>)> =
        (0..1600).map(|index| (index, counting(i64::try_from(index).unwrap()))).collect();
    let whole = gathered(&pair, &all);
    let create = whole.pair(&pair.id).unwrap().operation(Operation::Create);
    assert_eq!((create.signatures.len(), create.unmigrated.len()), (1000, 1000));
    assert_eq!(create.counts.extra_errors, 1600 * 18);
    assert!(create.beyond.extra > 0 && create.beyond.unmigrated > 0);
    assert!(create.signatures.values().all(|found| found.first.message.chars().count() <= 2001));
    let (even, odd): (Vec<_>, Vec<_>) = all.into_iter().partition(|(index, _)| index % 2 == 0);
    let mut merged = gathered(&pair, &odd);
    merged.merge(gathered(&pair, &even)).unwrap();
    assert_eq!(merged.to_json().unwrap(), whole.to_json().unwrap());
}

#[test]
fn evidence_reads_back_and_damaged_files_are_refused() {
    let pair = erratic();
    let kinds: Vec<(i64, bool)> = (0..12).flat_map(|kind| [(kind, false), (kind, true)]).collect();
    let mut evidence = gathered(&pair, &numbered(&kinds));
    let provenance = Provenance::File { path: "a.yaml".into(), document: 1, line: 1 };
    evidence.record_outside(
        "unknown kind",
        Sighting { place: CasePlace::default(), provenance, message: "`Other`".into() },
    );
    assert_eq!(evidence.cases(), 25);
    let text = evidence.to_json().unwrap();
    assert_eq!(Evidence::from_json(&text).unwrap(), evidence);
    assert_eq!(Evidence::from_json(&text).unwrap().to_json().unwrap(), text);
    let refused = |text: &str| Evidence::from_json(text).unwrap_err().to_string();
    assert!(refused(&text[..text.len() / 2]).starts_with("the evidence is damaged"), "cut off");
    for (major, said) in [
        (1, "the evidence cannot be read: too old: `evidence` of format 1."),
        (3, "the evidence cannot be read: too new"),
    ] {
        let other = text.replacen("\"major\": 2", &format!("\"major\": {major}"), 1);
        assert!(refused(&other).starts_with(said), "{}", refused(&other));
    }
    let minor = format!("\"minor\": {}", FORMAT.minor);
    let newer = text.replacen(&minor, "\"minor\": 99", 1).replacen("\"semantics\"", "\"later\": 1, \"semantics\"", 1);
    assert!(text.contains(&minor));
    assert_eq!(
        Evidence::from_json(&newer).unwrap(),
        evidence,
        "a newer minor version, with a member that is not known"
    );
}

#[test]
fn evidence_that_breaks_a_law_is_refused_by_name() {
    let pair = erratic();
    let kinds: Vec<(i64, bool)> = (0..12).map(|kind| (kind, false)).collect();
    let text = gathered(&pair, &numbered(&kinds)).to_json().unwrap();
    let counts = "/subjects/0/create/counts";
    let rule = "/subjects/0/create/rules/0";
    let outcomes = "compared = agreed + incomparable + disagreed + panicked";
    let own = "compared = agreed + disagreed + panicked";
    type Lies = &'static [(&'static str, i64)];
    let rows: [(&str, Lies, &str); 12] = [
        (counts, &[("cases", 13)], "cases = compared + undecodable + skipped"),
        (counts, &[("agreedAccept", 5)], outcomes),
        (counts, &[("missingErrors", 5)], "missing errors = errors of missing signatures + beyond"),
        (counts, &[("extraErrors", 0)], "extra errors = errors of extra signatures + beyond"),
        (counts, &[("mismatches", 4)], "mismatches are at least the differences"),
        ("/subjects/0/create/panics/reference", &[("count", 3)], "panicked cases have one or two panics"),
        ("/subjects/0/create/panics/candidate", &[("count", 0)], "panicked cases have one or two panics"),
        (rule, &[("agreedAccept", 5)], own),
        (rule, &[("notReached", 2)], "compared cases = compared + not reached + set aside"),
        (rule, &[("agreedAccept", 0), ("missing", 6)], "missing is at most the missing cases"),
        (rule, &[("agreedAccept", 0), ("extra", 4)], "extra is at most the cases with differences"),
        (rule, &[("agreedAccept", 0), ("panicked", 6)], "panicked is at most the panicked cases"),
    ];
    for (place, lies, law) in rows {
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (member, lie) in lies {
            file.pointer_mut(place).unwrap()[member] = json!(lie);
        }
        let refusal = Evidence::from_json(&file.to_string()).unwrap_err().to_string();
        assert!(refusal.contains(&format!("breaks the law `{law}`")), "{place} {lies:?}: {refusal}");
    }
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file.pointer_mut("/subjects/0/create/rules").unwrap().as_array_mut().unwrap().pop();
    let refusal = Evidence::from_json(&file.to_string()).unwrap_err().to_string();
    assert!(refusal.contains("`rules counted = rules named`: 1 is not 2"), "{refusal}");
}

#[test]
fn a_signature_names_every_rule_that_it_is_laid_to() {
    let candidate = oracle(|question, answer| {
        let rule = if count(question) == 1 { NAME } else { COUNT };
        answer.push(declarative(rule, "shared", "y"));
    });
    let pair = pair(oracle(|_, _| {}), candidate);
    let evidence = gathered(&pair, &[(0, counting(0)), (1, counting(1))]);
    let create = evidence.pair(&pair.id).unwrap().operation(Operation::Create);
    let found = create.signatures.values().next().unwrap();
    assert_eq!((found.cases, found.rules.iter().copied().collect::<Vec<_>>()), (2, vec![COUNT, NAME]));
}

#[test]
fn parts_that_compared_otherwise_do_not_merge() {
    let pair = erratic();
    let mut evidence = gathered(&pair, &[]);
    let shadow = Comparator::Kubernetes(Matcher::new(Semantics::V1_37).candidates(Candidates::All));
    let shadow = gathered(&Pair { comparator: shadow, ..erratic() }, &[]);
    let refusal = evidence.merge(shadow).unwrap_err();
    assert!(matches!(&refusal, EvidenceError::OtherComparator { pair: of, .. } if *of == pair.id), "{refusal}");
    let mut fewer = erratic();
    fewer.rules.pop();
    let fewer = PairEvidence::of(&Judge::new(&fewer));
    assert!(matches!(evidence.add(fewer), Err(EvidenceError::OtherRules(id)) if id == pair.id));
}

#[test]
fn an_assembly_of_shards_takes_no_contradiction_and_knows_what_is_missing() {
    let pair = erratic();
    let [one, two] = ["1/3", "2/3"].map(|shard| shard.parse::<Shard>().unwrap());
    let mut assembly = Assembly::default();
    assert!(assembly.missing().next().is_none() && assembly.clone().sum().is_none());
    assembly.add(two, gathered(&pair, &numbered(&[(1, true)]))).unwrap();
    assert_eq!(
        assembly.add(two, gathered(&pair, &[])).unwrap_err(),
        AssemblyError::Contradiction(two),
        "the same shard with other evidence"
    );
    let quarter: Shard = "1/4".parse().unwrap();
    assert_eq!(
        assembly.add(quarter, gathered(&pair, &[])).unwrap_err(),
        AssemblyError::OtherCut { known: 3, given: 4 }
    );
    assert_eq!(assembly.missing().map(|shard| shard.to_string()).collect::<Vec<_>>(), ["1/3", "3/3"]);
    assembly.add(one, gathered(&pair, &[])).unwrap();
    assert_eq!(assembly.shards().collect::<Vec<_>>(), [one, two]);
}

#[test]
fn numbers_in_examples_read_back_to_the_last_bit() {
    // Read without care, these come out as their neighbours.
    for number in ["51.24817837550540", "-93.3113703768803", "31.245270191439438", "121.48791951161945"] {
        let object: serde_json::Value = serde_json::from_str(number).unwrap();
        let stored = StoredCase::from(&Case { object: object.into(), ..case(0, false) });
        let text = serde_json::to_string(&stored).unwrap();
        let again: StoredCase = serde_json::from_str(&text).unwrap();
        assert_eq!(again.object.as_f64(), number.parse().ok(), "{number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_partition_in_any_order_merges_to_the_whole(
        kinds in prop::collection::vec((0..12i64, any::<bool>(), 0..3usize), 0..24),
        order in Just([0usize, 1, 2]).prop_shuffle(),
    ) {
        let pair = erratic();
        let all: Vec<(u64, Case<'static>)> = numbered(&kinds.iter().map(|(kind, update, _)| (*kind, *update)).collect::<Vec<_>>());
        let whole = gathered(&pair, &all);
        whole.check().unwrap();
        let part = |part: usize| {
            let of = all.iter().zip(&kinds).filter(|(_, (_, _, to))| *to == part);
            gathered(&pair, &of.map(|(case, _)| case.clone()).collect::<Vec<_>>())
        };
        let [a, b, c] = order.map(part);
        let mut left = a.clone();
        left.merge(b.clone()).unwrap();
        left.merge(c.clone()).unwrap();
        let mut right = c;
        right.merge(b).unwrap();
        let mut associated = a;
        associated.merge(right).unwrap();
        let bytes = whole.to_json().unwrap();
        prop_assert_eq!(left.to_json().unwrap(), bytes.clone());
        prop_assert_eq!(associated.to_json().unwrap(), bytes);
    }

    #[test]
    fn shards_in_any_order_and_any_number_of_times_are_counted_once(
        kinds in prop::collection::vec((0..12i64, any::<bool>()), 0..24),
        given in prop::collection::vec(0..4u64, 0..12),
        order in Just([0, 1, 2, 3u64]).prop_shuffle(),
    ) {
        let pair = erratic();
        let all = numbered(&kinds);
        let shards: Vec<Shard> = (1..=4).map(|number| format!("{number}/4").parse().unwrap()).collect();
        let mut assembly = Assembly::default();
        for (at, index) in given.iter().chain(&order).enumerate() {
            let shard = shards[*index as usize];
            let of: Vec<_> = all.iter().filter(|(index, _)| shard.turn(index / 4).is_some()).cloned().collect();
            let before = given.iter().chain(&order).take(at).any(|earlier| earlier == index);
            let added = assembly.add(shard, gathered(&pair, &of)).unwrap();
            prop_assert_eq!(added, if before { Added::Again } else { Added::New });
        }
        prop_assert_eq!(assembly.missing().count(), 0);
        let sum = assembly.sum().unwrap();
        prop_assert_eq!(sum.to_json().unwrap(), gathered(&pair, &all).to_json().unwrap());
    }
}
