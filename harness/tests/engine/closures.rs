//! Validators that know nothing of Kubernetes' marks: plain functions, compared as far as they can be and no further.

use crate::fakes::{
    COUNT, NAME, count, counting, declarative, gathered_of, judged, only, oracle, pair, plain, strangers,
};
use proptest::prelude::*;
use serde_json::json;
use takeover_harness::case::Operation;
use takeover_harness::compare::{Candidates, Comparator, ComparedBy, Matcher, Participation, Semantics, Unset};
use takeover_harness::error::{ErrorType, FieldError, Stability};
use takeover_harness::judge::{Judgement, Outcome, RuleMark};
use takeover_harness::oracle::{Answer, Decision, Oracle, Precision, Question, WithPrecision};
use takeover_harness::pair::Pair;
use takeover_harness::readiness::{ReadinessPolicy, assess_pair};
use takeover_harness::side::BySide;

/// Rejects negative counts.
fn strict() -> Box<dyn Oracle> {
    Box::new(|question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
    })
}

fn lax() -> Box<dyn Oracle> {
    Box::new(|_: &Question<'_>, _: &mut Answer| {})
}

/// As many accepts and rejects as the default policy asks for, and more.
fn assessed(pair: &Pair) -> (String, Vec<String>) {
    let evidence = gathered_of(pair, (-100..300).map(counting));
    let verdict = assess_pair(only(&evidence), &ReadinessPolicy::default(), &[]).verdict;
    (verdict.to_string(), verdict.reasons().to_vec())
}

fn kubernetes(participation: Participation) -> Comparator {
    Comparator::Kubernetes(Matcher::new(Semantics::V1_37).participation(participation))
}

const MARKED: Participation = Participation::Marked(Candidates::Leveled);

/// Every way to compare functions that report errors.
fn comparators() -> Vec<Comparator> {
    vec![
        Comparator::Fields { origin: false },
        Comparator::Fields { origin: true },
        Comparator::Verbatim,
        Comparator::Decision,
        Comparator::Objects { unset: Unset::Told },
        Comparator::Objects { unset: Unset::Distinct },
        Comparator::Objects { unset: Unset::Empty },
        kubernetes(MARKED),
        kubernetes(Participation::Marked(Candidates::All)),
        kubernetes(Participation::All),
    ]
}

#[test]
fn functions_are_compared_by_field() {
    assert_eq!(strangers(strict(), lax()).comparator.name(), ComparedBy::Fields { origin: false });
}

#[test]
fn a_function_that_always_accepts_is_blocked_on_either_side() {
    let (verdict, reasons) = assessed(&strangers(strict(), lax()));
    assert_eq!(
        (verdict.as_str(), reasons.as_slice()),
        ("BLOCKED", ["100 cases that only the reference rejects, on create".to_owned()].as_slice())
    );
    let (verdict, reasons) = assessed(&strangers(lax(), strict()));
    assert_eq!(verdict, "BLOCKED");
    assert_eq!(reasons, ["100 cases that only the candidate rejects, on create"]);
}

#[test]
fn no_comparator_calls_a_function_that_always_accepts_ready() {
    for comparator in comparators() {
        for sides in [[strict(), lax()], [lax(), strict()]] {
            let [reference, candidate] = sides;
            let pair = Pair { comparator: comparator.clone(), ..strangers(reference, candidate) };
            let (verdict, reasons) = assessed(&pair);
            assert!(["BLOCKED", "INSUFFICIENT"].contains(&verdict.as_str()), "{comparator:?}: {verdict} {reasons:?}");
            assert_ne!(judged(&pair, &counting(-1)).0, Judgement::Compared(Outcome::AgreedAccept), "{comparator:?}");
            assert_ne!(judged(&pair, &counting(-1)).0, Judgement::Compared(Outcome::AgreedReject), "{comparator:?}");
        }
    }
}

#[test]
fn errors_without_marks_are_not_agreed_on_where_marks_are_asked_for() {
    for (reference, candidate, incomparable) in [
        (strict(), lax(), BySide { reference: 1, candidate: 0 }),
        (lax(), strict(), BySide { reference: 0, candidate: 1 }),
        (strict(), strict(), BySide { reference: 1, candidate: 1 }),
    ] {
        let pair = Pair { comparator: kubernetes(MARKED), ..strangers(reference, candidate) };
        let (verdict, bench) = judged(&pair, &counting(-1));
        assert_eq!(verdict, Judgement::Compared(Outcome::Incomparable));
        assert_eq!((bench.comparable, bench.incomparable), (BySide::default(), incomparable));
        assert!(bench.differences.is_empty());
        assert_eq!(judged(&pair, &counting(0)).0, Judgement::Compared(Outcome::AgreedAccept), "silence is comparable");
        let (verdict, reasons) = assessed(&pair);
        assert_eq!(verdict, "INSUFFICIENT");
        assert!(reasons.contains(&"0 of 20 agreed rejects".to_owned()), "{reasons:?}");
        let side = if incomparable.reference > 0 { "reference" } else { "candidate" };
        let said = format!("100 of 100 errors and rejections of the {side} cannot be compared");
        assert!(reasons.contains(&said), "{reasons:?}");
    }
}

#[test]
fn an_oracle_that_marks_its_errors_leaves_the_others_out_on_purpose() {
    let marking = Box::new(WithPrecision(Precision::KUBERNETES, |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
    }));
    let pair = Pair { comparator: kubernetes(MARKED), ..strangers(marking, lax()) };
    let (verdict, bench) = judged(&pair, &counting(-1));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedAccept), "a check that has not been migrated");
    assert_eq!((bench.unmigrated.len(), bench.incomparable), (1, BySide::default()));
}

#[test]
fn a_rule_that_looked_accepts_nothing_in_a_case_in_which_something_cannot_be_compared() {
    let rules = oracle(|question, answer| {
        answer.reach(COUNT);
        if count(question) > 0 {
            answer.push(declarative(NAME, "name", "format=name"));
        }
    });
    // Whether the reference means what the rule on `count` says is not known, whatever else differs.
    let pair = Pair { comparator: kubernetes(MARKED), ..pair(says_invalid_of_count(), rules) };
    for (value, outcome, of_name) in [(0, Outcome::Incomparable, None), (1, Outcome::Extra, Some(Outcome::Extra))] {
        let (verdict, bench) = judged(&pair, &counting(value));
        assert_eq!(verdict, Judgement::Compared(outcome));
        let mut marks = vec![(COUNT, RuleMark::SetAside)];
        marks.extend(of_name.map(|outcome| (NAME, RuleMark::Compared(outcome))));
        assert_eq!(bench.marks(), marks);
    }
}

fn says_invalid_of_count() -> Box<dyn Oracle> {
    Box::new(|_: &Question<'_>, answer: &mut Answer| answer.push(plain(ErrorType::Invalid, "count")))
}

#[test]
fn errors_of_one_field_that_differ_in_type_are_two() {
    let says = |error_type| -> Box<dyn Oracle> {
        Box::new(move |_: &Question<'_>, answer: &mut Answer| answer.push(plain(error_type, "count")))
    };
    let pair = strangers(says(ErrorType::Invalid), says(ErrorType::Required));
    let (verdict, bench) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Missing));
    let fields: Vec<String> = bench.differences.iter().map(|of| format!("{} {}", of.direction, of.what)).collect();
    assert_eq!(fields, ["missing count: Invalid value: 1: bad", "extra count: Required value: bad"]);
}

#[test]
fn origins_count_only_where_both_say_them() {
    let says = |origin: &'static str, origins: bool| -> Box<dyn Oracle> {
        let answer = move |_: &Question<'_>, answer: &mut Answer| {
            answer.push(plain(ErrorType::Invalid, "count").with_origin(origin));
        };
        Box::new(WithPrecision(Precision { origins, ..Precision::ERRORS }, answer))
    };
    for (reference, candidate, outcome) in [
        (says("a", true), says("b", true), Outcome::Missing),
        (says("a", true), says("a", true), Outcome::AgreedReject),
        (says("a", true), says("", false), Outcome::AgreedReject),
        (says("a", false), says("b", false), Outcome::AgreedReject),
    ] {
        assert_eq!(judged(&strangers(reference, candidate), &counting(0)).0, Judgement::Compared(outcome));
    }
}

#[test]
fn repeated_errors_are_one() {
    let says = |times: usize| -> Box<dyn Oracle> {
        Box::new(move |_: &Question<'_>, answer: &mut Answer| {
            (0..times).for_each(|_| answer.push(plain(ErrorType::Invalid, "count")));
        })
    };
    for (reference, candidate, outcome, mismatches) in [
        (1, 3, Outcome::AgreedReject, 0),
        (3, 1, Outcome::AgreedReject, 0),
        (3, 0, Outcome::Missing, 1),
        (0, 2, Outcome::Extra, 1),
    ] {
        let (verdict, bench) = judged(&strangers(says(reference), says(candidate)), &counting(0));
        assert_eq!((verdict, bench.mismatches()), (Judgement::Compared(outcome), mismatches));
    }
}

/// Answers with what it is given by count.
pub(crate) fn scripted(precision: Precision, answers: &[Answer]) -> Box<dyn Oracle> {
    let answers = answers.to_vec();
    Box::new(WithPrecision(precision, move |question: &Question<'_>, answer: &mut Answer| {
        let said = usize::try_from(count(question)).ok().and_then(|at| answers.get(at)).cloned().unwrap_or_default();
        *answer = said;
    }))
}

/// Any error of a few types, fields and origins; its text tells it from others.
pub(crate) fn any_error() -> impl Strategy<Value = FieldError> {
    (0..3usize, 0..4usize, 0..3usize, 0..100u8).prop_map(|(error_type, field, origin, detail)| {
        let error_type = [ErrorType::Invalid, ErrorType::Required, ErrorType::TooLong][error_type];
        let field = ["spec.a", "spec.list[0].b", "spec.list[1].b", "<nil>"][field];
        let error = FieldError { detail: format!("detail {detail}").into(), ..plain(error_type, field) };
        error.with_origin(["minimum", "maximum", "format=x"][origin])
    })
}

/// Any answer that consists of errors, a decision, an object, or some of them.
pub(crate) fn any_answer() -> impl Strategy<Value = Answer> {
    let errors = prop::collection::vec(any_error(), 0..6);
    let decision = prop_oneof![
        3 => Just(None),
        1 => Just(Some(Decision::Accept)),
        1 => (0..3u8).prop_map(|reason| Some(Decision::Reject(format!("reason {reason}").into()))),
    ];
    let object = prop_oneof![Just(None), (0..3i64).prop_map(|count| Some(json!({"count": count})))];
    (errors, decision, object).prop_map(|(errors, decision, object)| Answer {
        errors: errors.into(),
        decision,
        object,
        ..Answer::new()
    })
}

/// The same with the marks of both sides.
fn marked(mut answer: Answer) -> Answer {
    for error in answer.errors.as_mut_slice() {
        error.covered_by_declarative = true;
        error.stability = Some(Stability::Alpha);
    }
    answer
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_same_validator_on_both_sides_never_differs_however_it_is_compared(
        answers in prop::collection::vec(any_answer(), 1..5),
    ) {
        let marked: Vec<Answer> = answers.iter().cloned().map(marked).collect();
        // Before 1.37, what takes part on one side alone is asked of errors without marks.
        let one_sided = kubernetes(Participation::Marked(Candidates::All)).name();
        let plain = comparators().into_iter().filter(|comparator| comparator.name() != one_sided);
        let all = plain.map(|of| (of, &answers)).chain(comparators().into_iter().map(|of| (of, &marked)));
        for (comparator, answers) in all {
            let sides = [0, 1].map(|_| scripted(Precision::ERRORS, answers));
            let [reference, candidate] = sides;
            let pair = Pair { comparator: comparator.clone(), ..strangers(reference, candidate) };
            let evidence = gathered_of(&pair, (0..).zip(answers).map(|(at, _)| counting(at)));
            prop_assert_eq!(evidence.disagreed(), 0, "{:?}", comparator);
            let create = only(&evidence).operation(Operation::Create);
            prop_assert_eq!(create.counts.mismatches, 0, "{:?}", comparator);
            prop_assert!(create.signatures.is_empty());
        }
    }

    #[test]
    fn whoever_rejects_alone_is_never_agreed_with(answers in prop::collection::vec(any_answer(), 1..5)) {
        let silent = || scripted(Precision::ERRORS, &[]);
        for comparator in comparators() {
            for (at, answer) in (0..).zip(&answers).filter(|(_, answer)| answer.rejects()) {
                let given = || scripted(Precision::ERRORS, &answers);
                for [reference, candidate] in [[given(), silent()], [silent(), given()]] {
                    let pair = Pair { comparator: comparator.clone(), ..strangers(reference, candidate) };
                    let Judgement::Compared(outcome) = judged(&pair, &counting(at)).0 else { panic!("compared") };
                    let agreed = matches!(outcome, Outcome::AgreedAccept | Outcome::AgreedReject);
                    prop_assert!(!agreed, "{:?}: {:?} of {:?}", comparator, outcome, answer);
                }
            }
        }
    }
}
