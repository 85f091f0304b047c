//! A pair of decisions: accepted or rejected, and nothing else.

use crate::fakes::{COUNT, NAME, count, counting, create, gathered_of, judged, only, oracle, pair, plain, strangers};
use serde_json::{Value, json};
use takeover_harness::case::Operation;
use takeover_harness::compare::{Comparator, ComparedBy, Direction, Signature, What};
use takeover_harness::error::ErrorType;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::{Judgement, Outcome, RuleMark};
use takeover_harness::oracle::{Answer, Decision, Oracle, Precision, Question, WithPrecision};
use takeover_harness::pair::{Delegated, Pair};
use takeover_harness::readiness::{Disagreement, ReadinessPolicy, Stand, assess_pair};
use takeover_harness::side::BySide;

/// Rejects counts below `minimum`, with a reason of its own.
fn decider(minimum: i64, reason: &'static str) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::DECISIONS, move |question: &Question<'_>, answer: &mut Answer| {
        let accepts = count(question) >= minimum;
        answer.decision = Some(if accepts { Decision::Accept } else { Decision::Reject(reason.into()) });
    }))
}

fn deciders() -> Pair {
    strangers(decider(0, "too few"), decider(-1, "denied by policy"))
}

#[test]
fn oracles_that_decide_are_compared_by_decision() {
    for (reference, candidate) in [
        (Precision::DECISIONS, Precision::DECISIONS),
        (Precision::DECISIONS, Precision::ERRORS),
        (Precision::KUBERNETES, Precision::DECISIONS),
        (Precision::OBJECTS, Precision::ERRORS),
    ] {
        let comparator = Comparator::between(reference, candidate);
        assert_eq!(comparator.name(), ComparedBy::Decision, "{reference:?} {candidate:?}");
    }
    assert_eq!(deciders().comparator.name(), ComparedBy::Decision);
}

#[test]
fn decisions_agree_or_one_side_is_alone_whatever_the_reasons() {
    for (pair, value, outcome, differences) in [
        (deciders(), 0, Outcome::AgreedAccept, None),
        (deciders(), -2, Outcome::AgreedReject, None),
        (deciders(), -1, Outcome::Missing, Some((Direction::Missing, "too few"))),
        (strangers(decider(0, "a"), decider(1, "b")), 0, Outcome::Extra, Some((Direction::Extra, "b"))),
    ] {
        let (verdict, bench) = judged(&pair, &counting(value));
        assert_eq!(verdict, Judgement::Compared(outcome), "{value}");
        let expected = differences.map(|(direction, reason)| {
            (
                direction,
                What::Decision { field: "<nil>".to_owned(), reason: reason.to_owned(), shape: reason.to_owned() },
            )
        });
        let found = bench.differences.iter().map(|difference| (difference.direction, difference.what.clone()));
        assert_eq!(found.collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
        assert_eq!(bench.mismatches(), u64::from(differences.is_some()));
        assert!(bench.incomparable.is_zero(), "a decision can always be compared");
    }
}

#[test]
fn a_finding_of_decisions_is_one_signature_in_text_and_in_the_file() {
    let evidence = gathered_of(&deciders(), [-3, -2, -1, -1, 0, 1].map(counting));
    let create = only(&evidence).operation(Operation::Create);
    assert_eq!((create.counts.missing, create.counts.missing_errors, create.counts.mismatches), (2, 2, 2));
    assert_eq!((create.counts.agreed_accept, create.counts.agreed_reject, create.counts.extra), (2, 2, 0));
    assert_eq!(create.comparable, BySide { reference: 4, candidate: 2 });
    let [(signature, found)] = create.signatures.iter().collect::<Vec<_>>()[..] else { panic!("one signature") };
    assert_eq!(signature.to_string(), "v1 Thing create new missing reports-less Decision <nil> too few");
    assert_eq!(signature.to_string().parse::<Signature>().as_ref(), Ok(signature));
    assert_eq!((found.cases, found.first.message.as_str()), (2, "too few"));
    let text = evidence.to_json().unwrap();
    assert_eq!(Evidence::from_json(&text).unwrap(), evidence);
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["subjects"][0]["comparedBy"], "decision");
    let written = &file["subjects"][0]["create"]["signatures"][0];
    for (member, expected) in [
        ("direction", json!("missing")),
        ("what", json!("decision")),
        ("path", json!("")),
        ("errorType", Value::Null),
        ("operation", json!("create")),
    ] {
        assert_eq!(written[member], expected, "{member}");
    }
}

#[test]
fn a_signature_is_of_an_error_or_of_something_else_and_never_of_both_or_neither() {
    let pair = json!({"apiVersion": "v1", "kind": "Thing"});
    let signature = |more: Value| {
        let mut whole =
            json!({"subject": pair, "operation": "create", "relation": "new", "direction": "extra", "path": "a"});
        whole.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<Signature>(whole)
    };
    assert!(signature(json!({"what": "decision"})).is_ok());
    assert!(signature(json!({"errorType": "FieldValueInvalid"})).is_ok());
    for wrong in [json!({}), json!({"what": "decision", "errorType": "FieldValueInvalid"}), json!({"what": "error"})] {
        assert!(signature(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn errors_decide_where_no_decision_is_said_and_a_decision_overrules_them() {
    let by_errors = oracle(|question, answer| {
        if count(question) < 0 {
            answer.push(plain(ErrorType::Required, "elsewhere"));
        }
        if count(question) == -5 {
            answer.decision = Some(Decision::Accept);
        }
    });
    let pair = strangers(decider(0, "too few"), by_errors);
    for (value, outcome) in [(0, Outcome::AgreedAccept), (-1, Outcome::AgreedReject), (-5, Outcome::Missing)] {
        assert_eq!(judged(&pair, &counting(value)).0, Judgement::Compared(outcome), "{value}");
    }
}

#[test]
fn a_decision_is_laid_to_the_rules_whose_errors_made_it() {
    let rules = oracle(|question, answer| {
        answer.reach(COUNT);
        answer.reach(NAME);
        if count(question) < 0 {
            answer.push(crate::fakes::declarative(COUNT, "count", "minimum"));
        }
    });
    let pair = Pair { comparator: Comparator::Decision, ..pair(decider(-1, "too few"), rules) };
    let (verdict, bench) = judged(&pair, &counting(-1));
    assert_eq!(verdict, Judgement::Compared(Outcome::Extra));
    assert_eq!(bench.differences[0].rules, [COUNT]);
    assert_eq!(bench.marks(), [(COUNT, RuleMark::Compared(Outcome::Extra))]);
    let (verdict, bench) = judged(&pair, &counting(-2));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedReject));
    let agreed = (COUNT, RuleMark::Compared(Outcome::AgreedReject));
    assert_eq!(bench.marks(), [agreed, (NAME, RuleMark::SetAside)], "nobody knows why the reference rejects");
}

#[test]
fn errors_in_delegated_parts_decide_nothing() {
    let inner = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 {
            answer.push(plain(ErrorType::Invalid, "inner"));
        }
    };
    let delegated = vec![Delegated { path: "inner".into(), reason: "judged elsewhere".into() }];
    let pair = Pair { delegated, ..strangers(decider(-9, "too few"), Box::new(inner)) };
    let (verdict, bench) = judged(&pair, &counting(-1));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedAccept));
    assert_eq!(bench.delegated.candidate, 1);
}

#[test]
fn a_pair_of_decisions_is_ready_when_both_decide_alike_often_enough() {
    let counts = |from: i64| (from..300).chain(-50..0).map(counting).collect::<Vec<_>>();
    let assessed = |pair: &Pair| {
        let evidence = gathered_of(pair, counts(0));
        assess_pair(only(&evidence), &ReadinessPolicy::default(), &[]).verdict.to_string()
    };
    assert_eq!(assessed(&strangers(decider(0, "a"), decider(0, "b"))), "READY");
    assert_eq!(assessed(&deciders()), "BLOCKED");
    let evidence = gathered_of(&deciders(), counts(0));
    let excused = |(signature, seen)| Disagreement { signature, seen, stand: Stand::Excused };
    let findings: Vec<_> = only(&evidence).operation(Operation::Create).signatures.iter().map(excused).collect();
    let excused = assess_pair(only(&evidence), &ReadinessPolicy::default(), &findings).verdict;
    assert_eq!(excused.to_string(), "READY", "{:?}", excused.reasons());
}

#[test]
fn an_oracle_of_errors_that_rejects_without_one_cannot_be_compared_by_fields() {
    let bare = |_: &Question<'_>, answer: &mut Answer| answer.decision = Some(Decision::Reject("no".into()));
    let pair = strangers(Box::new(bare), Box::new(bare));
    assert_eq!(pair.comparator.name(), ComparedBy::Fields { origin: false });
    let (verdict, bench) = judged(&pair, &create(json!({})));
    assert_eq!(verdict, Judgement::Compared(Outcome::Incomparable));
    assert_eq!((bench.comparable, bench.incomparable), (BySide::default(), BySide { reference: 1, candidate: 1 }));
}

#[test]
fn a_rejection_by_the_reference_alone_is_no_evidence_for_rules_that_merely_looked() {
    let rules = oracle(|_, answer| answer.reach(COUNT));
    let pair = Pair { comparator: Comparator::Decision, ..pair(decider(0, "too few"), rules) };
    let (verdict, bench) = judged(&pair, &counting(-1));
    assert_eq!(verdict, Judgement::Compared(Outcome::Missing));
    assert_eq!(bench.marks(), [(COUNT, RuleMark::SetAside)]);
}

/// Rejects negative counts at `count` and, from -2 on, at `name` as well.
fn two_checks(question: &Question<'_>, answer: &mut Answer) {
    if count(question) < 0 {
        answer.push(plain(ErrorType::Invalid, "count"));
    }
    if count(question) < -1 {
        answer.push(plain(ErrorType::Required, "name"));
    }
}

#[test]
fn checks_of_a_reference_that_names_fields_are_observed_although_decisions_are_compared() {
    let candidate = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < -2 {
            answer.push(plain(ErrorType::TooLong, "count"));
        }
    };
    let pair = strangers(oracle(two_checks), oracle(candidate));
    let pair = Pair { comparator: Comparator::Decision, ..pair };
    let evidence = gathered_of(&pair, [-3, -2, -1, 0].map(counting));
    let create = only(&evidence).operation(Operation::Create);
    let counts =
        create.observed.checks.iter().map(|(check, of)| (check.field.as_str(), of.refused, of.alone, of.unclear));
    // Of -3 the candidate says something about the count, in its own words, and nobody knows whether it minds the name.
    assert_eq!(counts.collect::<Vec<_>>(), [("count", 3, 2, 0), ("name", 2, 1, 1)]);
    let signatures: Vec<String> = create.signatures.keys().map(ToString::to_string).collect();
    assert_eq!(
        signatures,
        [
            "v1 Thing create new missing reports-less FieldValueRequired name -",
            "v1 Thing create new missing reports-less FieldValueInvalid count -",
        ]
    );
    assert_eq!((create.counts.missing, create.counts.agreed_reject, create.counts.agreed_accept), (2, 1, 1));
}

#[test]
fn a_candidate_that_refuses_what_only_one_check_does_covers_it_wherever_it_says_so() {
    let candidate = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 {
            answer.push(plain(ErrorType::Forbidden, "elsewhere"));
        }
    };
    let pair = Pair { comparator: Comparator::Decision, ..strangers(oracle(two_checks), oracle(candidate)) };
    let evidence = gathered_of(&pair, [-1, 0].map(counting));
    let observed = &only(&evidence).operation(Operation::Create).observed;
    let counts = observed.checks.values().map(|of| (of.refused, of.alone, of.unclear)).collect::<Vec<_>>();
    assert_eq!(counts, [(1, 0, 0)]);
    // What it says there is its answer to a check, if that is the only one.
    let candidate = |_: &Question<'_>, answer: &mut Answer| {
        let path = takeover_harness::path::Path::ROOT;
        answer.push(takeover_harness::error::FieldError::invalid(&path.child("elsewhere"), 1, "is odd"));
    };
    let pair = Pair { comparator: Comparator::Decision, ..strangers(oracle(two_checks), oracle(candidate)) };
    let evidence = gathered_of(&pair, [-2, -1].map(counting));
    let observed = &only(&evidence).operation(Operation::Create).observed;
    let answered = observed.checks.iter().map(|(check, of)| (check.field.as_str(), of.answered.get("is odd").copied()));
    assert_eq!(answered.collect::<Vec<_>>(), [("count", Some(1)), ("name", None)]);
    // Decisions without a reason show no checks.
    let bare = gathered_of(&strangers(decider(0, ""), decider(-1, "")), [-1, 0].map(counting));
    assert!(only(&bare).operation(Operation::Create).observed.checks.is_empty());
}

/// Denies with a text alone: counts below 0 with the count, the name `taken` with the name, unquoted.
fn talks(question: &Question<'_>, answer: &mut Answer) {
    let name = question.objects.new.field(2).text().to_owned();
    let reason = match count(question) {
        below @ ..0 => Some(format!("a count of {below} is below 0")),
        _ if name == "taken-both" => Some(format!("the name {name} is taken; names have no dash")),
        _ if name.starts_with("taken") => Some(format!("the name {name} is taken")),
        _ => None,
    };
    answer.decision = Some(reason.map_or(Decision::Accept, |reason| Decision::Reject(reason.into())));
}

#[test]
fn each_reason_in_plain_text_is_a_check_and_a_finding_of_its_own() {
    let candidate = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
        if count(question) < -1 {
            answer.push(plain(ErrorType::Required, "name"));
        }
    };
    let reference = Box::new(WithPrecision(Precision::DECISIONS, talks));
    let pair = strangers(reference, oracle(candidate));
    let named = |name: &str| create(json!({"name": name}));
    let evidence = gathered_of(&pair, [counting(-1), counting(-2), counting(0), named("taken-1"), named("taken-2")]);
    let created = only(&evidence).operation(Operation::Create);
    let counts = created.observed.checks.iter();
    let counts = counts.map(|(check, of)| {
        (check.type_name(), check.field.as_str(), check.message.as_str(), of.refused, of.alone, of.unclear)
    });
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [
            // Of -2 the candidate names two reasons: either may be the one.
            ("Denied", "", "a count of N is below N", 2, 0, 1),
            ("Denied", "", "the name … is taken", 2, 2, 0),
        ]
    );
    let signatures: Vec<String> = created.signatures.keys().map(ToString::to_string).collect();
    assert_eq!(signatures, ["v1 Thing create new missing reports-less Decision <nil> the name … is taken"]);
    let text = evidence.to_json().unwrap();
    assert_eq!(Evidence::from_json(&text).unwrap(), evidence);
    // Several in one text are several checks.
    let evidence = gathered_of(&pair, [named("taken-1"), named("taken-both")]);
    let checks = &only(&evidence).operation(Operation::Create).observed.checks;
    let counts = checks.iter().map(|(check, of)| (check.message.as_str(), of.alone, of.signatures.len()));
    assert_eq!(counts.collect::<Vec<_>>(), [("names have no dash", 1, 1), ("the name … is taken", 2, 1)]);
}

/// The checks that a pair shows whose reference denies every object with one text, by field and message, with the cases that tell nothing.
fn checks_of(text: &'static str, object: Value, candidate: Box<dyn Oracle>) -> Vec<(String, String, u64)> {
    let denies = move |_: &Question<'_>, answer: &mut Answer| answer.decision = Some(Decision::Reject(text.into()));
    let pair = strangers(Box::new(WithPrecision(Precision::DECISIONS, denies)), candidate);
    let evidence = gathered_of(&pair, [create(object)]);
    let checks = &only(&evidence).operation(Operation::Create).observed.checks;
    checks.iter().map(|(check, of)| (check.field.clone(), check.message.clone(), of.unclear)).collect()
}

#[test]
fn reasons_are_told_apart_where_another_field_begins_and_nowhere_else() {
    for (text, checks) in [
        ("count must be 1 and name must be set", &[("count", "must be N"), ("name", "must be set")][..]),
        (
            "count is 3, name must be set, and inner is bad",
            &[("count", "is N"), ("inner", "is bad"), ("name", "must be set")],
        ),
        ("count and name must be set", &[("count", "and name must be set")]),
        ("count must not be below name and inner is bad", &[("count", "must not be below name"), ("inner", "is bad")]),
        ("count must be one of name and inner is", &[("count", "must be one of name and inner is")]),
        ("count must be set when name is a and inner is b", &[("count", "must be set when name is a and inner is b")]),
        ("2 errors occurred:\n\t* count is bad\n\t* name is bad\n\n", &[("count", "is bad"), ("name", "is bad")]),
        ("Thing rejected:\n- count is bad", &[("count", "is bad")]),
        ("1. count is bad\n2. name is bad", &[("count", "is bad"), ("name", "is bad")]),
        ("denied because:", &[("", "denied because:")]),
        (
            "Thing \"a\" is invalid: [count: Required value, name: Invalid value: \"x\": no, never]",
            &[("count", "Required value"), ("name", "no, never")],
        ),
    ] {
        let mut expected: Vec<(String, String, u64)> =
            checks.iter().map(|(field, message)| ((*field).to_owned(), (*message).to_owned(), 0)).collect();
        expected.sort();
        assert_eq!(checks_of(text, json!({}), oracle(|_, _| {})), expected, "{text}");
    }
}

#[test]
fn a_word_is_a_value_where_the_reason_is_about_it() {
    let held = json!({"name": "host", "count": 1});
    for (text, field, message) in [
        ("name host is taken", "name", "… is taken"),
        ("count is no host", "count", "is no host"),
        ("the host is taken", "", "the … is taken"),
        ("a ghost is no host", "", "a ghost is no …"),
    ] {
        let found = checks_of(text, held.clone(), oracle(|_, _| {}));
        assert_eq!(found, [(field.to_owned(), message.to_owned(), 0)], "{text}");
    }
    let blank = json!({"name": "s a"});
    assert_eq!(checks_of("it is s a", blank.clone(), oracle(|_, _| {}))[0].1, "it is …");
    assert_eq!(checks_of("it is alone", blank, oracle(|_, _| {}))[0].1, "it is alone", "no part of a word");
}

#[test]
fn an_error_at_a_field_answers_no_more_than_one_of_the_checks_there() {
    let at_count = || oracle(|_: &Question<'_>, answer: &mut Answer| answer.push(plain(ErrorType::Invalid, "count")));
    let unclear = |text| checks_of(text, json!({}), at_count()).iter().map(|of| of.2).collect::<Vec<_>>();
    assert_eq!(unclear("count is odd"), [0]);
    assert_eq!(unclear("count is odd; count is low"), [1, 1], "either may be the one");
    assert_eq!(unclear("count is odd; name is bad"), [0, 1]);
    let says_so = |_: &Question<'_>, answer: &mut Answer| {
        answer.decision = Some(Decision::Reject("no".into()));
        let path = takeover_harness::path::Path::ROOT;
        answer.push(takeover_harness::error::FieldError::invalid(&path.child("count"), 1, "is odd"));
    };
    let found = checks_of("count is odd; count is low", json!({}), oracle(says_so));
    let counts = found.iter().map(|(_, message, unclear)| (message.as_str(), *unclear));
    assert_eq!(counts.collect::<Vec<_>>(), [("is low", 1), ("is odd", 0)], "the same words, the same check");
}

#[test]
fn what_the_reference_accepts_of_a_field_is_kept() {
    let pair = strangers(decider(0, "too few"), decider(0, "too few"));
    let mut cases: Vec<_> = [-5, 3, 7].map(counting).into();
    cases.push(create(json!({"name": "a"})));
    let evidence = gathered_of(&pair, cases);
    let count = only(&evidence).accepted_values("count");
    assert_eq!(count.numbers, Some((3.into(), 7.into())), "not what it rejects");
    assert!(count.unset && !count.changed);
    let name = only(&evidence).accepted_values("name");
    assert_eq!((name.texts.iter().map(String::as_str).collect::<Vec<_>>(), name.sizes), (vec!["a"], Some((1, 1))));
}

#[test]
fn a_field_that_a_reason_names_is_not_accepted_and_one_without_a_field_accepts_none() {
    let accepted = |reason: &'static str| {
        let pair = strangers(decider(0, reason), decider(0, reason));
        let evidence = gathered_of(&pair, [-5, 3].map(counting));
        let observed = &only(&evidence).operation(Operation::Create).observed;
        ["count", "kind"].map(|field| observed.fields.get(field).map_or(0, |counts| counts.accepted))
    };
    assert_eq!(accepted("count is too low"), [1, 2]);
    assert_eq!(accepted("too low"), [1, 1], "it may be about any field");
}
