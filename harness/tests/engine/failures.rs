//! Oracles that give no answer: counted by side, and a criterion of readiness.

use crate::fakes::{
    COUNT, Fake, count, counting, gathered_of, handwritten, honest_reference, only, pair, rules_with_minimum,
};
use takeover_harness::case::{Case, Operation};
use takeover_harness::evidence::{Evidence, PairEvidence};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Question};
use takeover_harness::pair::Pair;
use takeover_harness::readiness::{ReadinessPolicy, RuleView, assess, assess_pair};
use takeover_harness::rule::Rule;
use takeover_harness::side::{BySide, Side};

/// Asks for the rates alone: no class, no planted fault, and as many answers as the default policy asks for.
fn policy() -> ReadinessPolicy {
    ReadinessPolicy {
        min_accepts: 10,
        min_rejects: 5,
        min_per_class: 0,
        min_kept: 0,
        min_exposed: 0.0,
        max_mismatch_rate: 0.1,
        ..ReadinessPolicy::default()
    }
}

/// Times out on counts that are at least this; as both sides of the pair it answers alike.
fn flaky(from: i64, covers: bool) -> Box<dyn Oracle> {
    Box::new(Fake(move |question: &Question<'_>, answer: &mut Answer| {
        if count(question) >= from {
            return Err(OracleFailure::new("timed out"));
        }
        answer.reach(COUNT);
        if count(question) < 0 {
            let error = if covers {
                handwritten("count", "minimum")
            } else {
                crate::fakes::declarative(COUNT, "count", "minimum")
            };
            answer.push(error);
        }
        Ok(())
    }))
}

/// A thousand cases: 20 that are rejected, the others accepted, counts upwards from -20.
fn cases() -> impl Iterator<Item = Case<'static>> {
    (-20..980).map(counting)
}

fn rule_verdict(pair: &Pair, evidence: &PairEvidence, policy: &ReadinessPolicy) -> (String, Vec<String>) {
    let rule = Rule { boundaries: Vec::new(), ..pair.rules[COUNT.index()].clone() };
    let view = RuleView {
        rule: &rule,
        evidence: vec![(Operation::Create, &evidence.operation(Operation::Create).rules[COUNT.index()])],
        controls: Vec::new(),
        disagreements: Vec::new(),
        overflowing: Vec::new(),
        answers: evidence.answers(),
        compared_by: evidence.compared_by(),
        matter: takeover_harness::compare::Matter::Errors,
    };
    let verdict = assess(&view, policy).verdict;
    (verdict.to_string(), verdict.reasons().to_vec())
}

fn pair_verdict(evidence: &PairEvidence, policy: &ReadinessPolicy) -> (String, Vec<String>) {
    let verdict = assess_pair(evidence, policy, &[]).verdict;
    (verdict.to_string(), verdict.reasons().to_vec())
}

#[test]
fn an_oracle_that_fails_on_nine_cases_in_ten_leaves_too_little_evidence() {
    for (side, pair) in [
        (Side::Candidate, pair(honest_reference(), flaky(80, false))),
        (Side::Reference, pair(flaky(80, true), rules_with_minimum(0))),
    ] {
        let evidence = gathered_of(&pair, cases());
        let of = only(&evidence);
        let mut failures = BySide::default();
        *failures.of_mut(side) = 900;
        let create = of.operation(Operation::Create);
        assert_eq!(create.failures, failures);
        assert_eq!((create.counts.cases, create.counts.compared), (1000, 100));
        assert_eq!(create.skipped[&format!("the {side} could not judge")].count, 900);
        assert_eq!((of.answers().asked, of.answers().failures), (1000, failures));
        let said = format!("the {side} gave no answer in 900 of 1,000 cases");
        // What was compared would do.
        let patient = ReadinessPolicy { max_failures: 0.9, ..policy() };
        for (verdict, patiently) in [
            (rule_verdict(&pair, of, &policy()), rule_verdict(&pair, of, &patient)),
            (pair_verdict(of, &policy()), pair_verdict(of, &patient)),
        ] {
            assert_eq!(verdict, ("INSUFFICIENT".to_owned(), vec![said.clone()]));
            assert_eq!(patiently.0, "READY", "{:?}", patiently.1);
            assert!(patiently.1.contains(&said), "it is said all the same: {:?}", patiently.1);
        }
        assert_eq!(rule_verdict(&pair, of, &ReadinessPolicy { max_failures: 0.899, ..policy() }).0, "INSUFFICIENT");
    }
}

#[test]
fn a_question_that_cannot_be_put_is_skipped_with_its_reason_and_is_no_failure() {
    let choosy = Box::new(Fake(|question: &Question<'_>, answer: &mut Answer| match count(question) {
        10.. => Err(OracleFailure::declined("it takes no large counts", format!("{} is large", count(question)))),
        _ => {
            answer.reach(COUNT);
            Ok(())
        }
    }));
    let evidence = gathered_of(&pair(honest_reference(), choosy), cases());
    let of = only(&evidence);
    let create = of.operation(Operation::Create);
    assert_eq!((create.failures, of.answers().asked), (BySide::default(), create.counts.compared));
    let skipped = &create.skipped["the candidate cannot be asked: it takes no large counts"];
    assert!(skipped.first.message.ends_with(" is large"), "{}", skipped.first.message);
    assert_eq!(skipped.count, create.counts.cases - create.counts.compared);
    assert!(skipped.count > 0);
}

#[test]
fn failures_below_the_limit_are_said_and_matter_to_nothing() {
    let pair = pair(honest_reference(), flaky(970, false));
    let evidence = gathered_of(&pair, cases());
    let of = only(&evidence);
    assert_eq!(of.operation(Operation::Create).failures, BySide { reference: 0, candidate: 10 });
    for verdict in [rule_verdict(&pair, of, &policy()), pair_verdict(of, &policy())] {
        assert_eq!(verdict.0, "READY", "{:?}", verdict.1);
        assert!(verdict.1.contains(&"the candidate gave no answer in 10 of 1,000 cases".to_owned()), "{:?}", verdict.1);
    }
    let strict = ReadinessPolicy { max_failures: 0.0, ..policy() };
    assert_eq!(pair_verdict(of, &strict).0, "INSUFFICIENT");
}

#[test]
fn failures_merge_like_sums_and_read_back() {
    let pair = pair(flaky(10, true), flaky(5, false));
    let whole = gathered_of(&pair, (-2..12).map(counting));
    let failures = BySide { reference: 2, candidate: 7 };
    assert_eq!(only(&whole).operation(Operation::Create).failures, failures, "each side counts its own");
    let mut twice = whole.clone();
    twice.merge(whole.clone()).unwrap();
    let twice = Evidence::from_json(&twice.to_json().unwrap()).unwrap();
    assert_eq!(only(&twice).operation(Operation::Create).failures, BySide { reference: 4, candidate: 14 });
}

#[test]
fn more_failures_than_skipped_cases_are_a_lie() {
    let pair = pair(honest_reference(), flaky(5, false));
    let text = gathered_of(&pair, (0..8).map(counting)).to_json().unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file["subjects"][0]["create"]["failures"]["reference"] = 4.into();
    let refusal = Evidence::from_json(&file.to_string()).unwrap_err().to_string();
    assert!(refusal.contains("`failures of an oracle are at most the skipped cases`: 3 is not 4"), "{refusal}");
}

#[test]
fn a_panic_of_what_the_oracle_models_is_no_failure_to_answer() {
    let panics = Fake(|_: &Question<'_>, _: &mut Answer| Err(OracleFailure::panic("nil pointer")));
    let evidence = gathered_of(&pair(honest_reference(), Box::new(panics)), (0..8).map(counting));
    let create = only(&evidence).operation(Operation::Create);
    assert_eq!((create.failures, create.counts.panicked), (BySide::default(), 8));
}

#[test]
fn a_case_with_too_many_errors_is_not_compared_and_no_failure() {
    /// Complains of everything often, and of more with every count.
    fn babbling(more: i64) -> Box<dyn Oracle> {
        crate::fakes::oracle(move |question, answer| {
            answer.reach(COUNT);
            for _ in 0..count(question) + more {
                answer.push(handwritten("count", "minimum"));
            }
        })
    }
    let most = i64::try_from(takeover_harness::error::ErrorList::MOST).unwrap();
    for (reference, candidate, reason) in [
        (1, 0, "too many errors from the reference"),
        (0, 1, "too many errors from the candidate"),
        (5, 5, "too many errors from the reference"),
    ] {
        let pair = pair(babbling(reference), babbling(candidate));
        let cases = [0, 1, most].into_iter().map(counting);
        let evidence = gathered_of(&pair, cases);
        let evidence = only(&evidence);
        let create = evidence.operation(Operation::Create);
        assert_eq!(create.skipped.keys().map(String::as_str).collect::<Vec<_>>(), [reason]);
        let seen = &create.skipped[reason];
        assert_eq!(seen.count, 1);
        assert!(seen.first.message.starts_with("reports 10000 errors and "), "{}", seen.first.message);
        assert_eq!(create.failures, BySide::default());
        assert_eq!(create.counts.compared, 2);
    }
}

#[test]
fn a_case_that_is_too_large_is_skipped_before_anybody_is_asked() {
    let asked = crate::fakes::oracle(|_, _| panic!("asked"));
    let pair = pair(asked, rules_with_minimum(0));
    let mut large = counting(1);
    let many = vec![0; takeover_harness::form::Form::MOST_VALUES];
    large.object = serde_json::json!({"kind": "Thing", "apiVersion": "v1", "many": many}).into();
    let evidence = gathered_of(&pair, [large]);
    let create = only(&evidence).operation(Operation::Create);
    let skipped = &create.skipped["too large"];
    assert_eq!((skipped.count, create.counts.panicked), (1, 0));
    assert_eq!(skipped.first.message, "its objects have 50004 values; at most 50000 are judged");
}
