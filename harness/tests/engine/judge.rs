//! Judging: agreement, disagreement, attribution, and oracles that misbehave.

use crate::fakes::{
    COUNT, Fake, NAME, count, counting, create, declarative, handwritten, honest_reference, judged, oracle, pair,
    rules_with_minimum,
};
use regex::Regex;
use serde_json::json;
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::{Candidates, Comparator, Direction, Matcher, Semantics};
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome, RuleMark};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Question, View};
use takeover_harness::rule::{Rule, RuleId};
use takeover_harness::side::Side;

/// A candidate that reports these errors of every object.
fn saying(errors: Vec<FieldError>) -> Box<dyn Oracle> {
    oracle(move |_, answer| errors.iter().for_each(|error| answer.push(error.clone())))
}

fn silent() -> Box<dyn Oracle> {
    saying(Vec::new())
}

#[test]
fn agreeing_sides_agree_to_accept_and_to_reject() {
    let pair = pair(honest_reference(), rules_with_minimum(0));
    let (verdict, record) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedAccept));
    assert_eq!(record.marks(), []);
    let (verdict, record) = judged(&pair, &counting(-1));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedReject));
    assert_eq!(record.marks(), [(COUNT, RuleMark::Compared(Outcome::AgreedReject))]);
    assert!(record.differences.is_empty());
    assert!(record.reference.errors.iter().all(|error| error.from_imperative), "marked as handwritten");
}

#[test]
fn a_missing_error_is_laid_to_the_rule_that_should_have_reported_it() {
    let pair = pair(honest_reference(), silent());
    let (verdict, record) = judged(&pair, &counting(-1));
    assert_eq!(verdict, Judgement::Compared(Outcome::Missing));
    assert_eq!(record.differences.len(), 1);
    assert_eq!(
        (record.differences[0].direction, record.differences[0].rules.as_slice()),
        (Direction::Missing, [COUNT].as_slice())
    );
    assert_eq!(record.marks(), [(COUNT, RuleMark::Compared(Outcome::Missing))]);
    assert_eq!(record.mismatches(), 1);
}

#[test]
fn a_missing_error_is_laid_to_no_rule_that_an_option_switches_off() {
    let mut pair = pair(honest_reference(), silent());
    let first = pair.rules.iter().find(|rule| rule.id == COUNT).unwrap().clone();
    let other = RuleId(u32::try_from(pair.rules.len()).unwrap());
    let options = |on| vec![("Zero".to_owned(), on)];
    pair.rules.push(Rule { id: other, options: options(false), ..first });
    pair.rules.iter_mut().filter(|rule| rule.id == COUNT).for_each(|rule| rule.options = options(true));
    for (state, rules) in [(Some(true), vec![COUNT]), (Some(false), vec![other]), (None, vec![COUNT, other])] {
        let mut case = counting(-1);
        state.into_iter().for_each(|on| case.options.set("Zero", on));
        let (_, record) = judged(&pair, &case);
        assert_eq!(record.differences[0].rules, rules, "{state:?}");
    }
}

#[test]
fn an_extra_error_is_laid_to_the_rule_that_made_it() {
    let pair = pair(honest_reference(), rules_with_minimum(1));
    let (verdict, record) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Extra));
    assert_eq!(record.differences[0].direction, Direction::Extra);
    assert_eq!(record.differences[0].rules, [COUNT]);
}

#[test]
fn attribution_asks_for_type_path_and_origin_after_normalisation() {
    let rows = [
        (ErrorType::Invalid, "count", "minimum", vec![COUNT]),
        (ErrorType::Invalid, "old[3].count", "minimum", vec![COUNT]),
        (ErrorType::TooLong, "count", "minimum", vec![]),
        (ErrorType::Invalid, "other", "minimum", vec![]),
        (ErrorType::Invalid, "count", "maximum", vec![]),
    ];
    let count = Regex::new("^count$").unwrap();
    for (error_type, field, origin, rules) in rows {
        let mut pair = pair(saying(vec![FieldError { error_type, ..handwritten(field, origin) }]), silent());
        let matcher = Matcher::new(Semantics::V1_37);
        let matcher = matcher.normalization(vec![(count.clone(), "old[7].count".to_owned())]);
        pair.comparator = Comparator::Kubernetes(matcher);
        let mut record = CaseRecord::new();
        let verdict = Judge::new(&pair).case(&counting(0), &mut Arena::new(), &mut record);
        assert_eq!(verdict, Judgement::Compared(Outcome::Missing));
        assert_eq!(record.differences[0].rules, rules, "{error_type} {field} {origin}");
    }
}

#[test]
fn an_error_below_a_short_circuited_one_is_excused_and_both_sides_reject() {
    let above = declarative(NAME, "name", "format=name");
    let reference = saying(vec![handwritten("name", "format=name"), handwritten("name.inner", "x")]);
    let candidate = saying(vec![FieldError { short_circuit: true, ..above }]);
    let mut pair = pair(reference, candidate);
    pair.comparator = Comparator::Kubernetes(Matcher::new(Semantics::V1_37).short_circuit(true));
    let mut record = CaseRecord::new();
    let verdict = Judge::new(&pair).case(&counting(0), &mut Arena::new(), &mut record);
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedReject));
    assert_eq!(record.comparison.excused, [1]);
}

#[test]
fn the_worst_that_befell_a_rule_counts_and_missing_is_worse_than_extra() {
    let reference = saying(vec![handwritten("count", "minimum")]);
    let candidate = saying(vec![
        declarative(COUNT, "elsewhere", "minimum"),
        declarative(NAME, "name", "format=name"),
        FieldError { stability: None, ..declarative(NAME, "name", "standard") },
    ]);
    let pair = pair(reference, candidate);
    let (verdict, record) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Missing));
    let compared = RuleMark::Compared;
    assert_eq!(record.marks(), [(COUNT, compared(Outcome::Missing)), (NAME, compared(Outcome::Extra))]);
}

#[test]
fn errors_of_standard_rules_are_set_aside_unless_every_error_takes_part() {
    let error = FieldError { stability: None, ..declarative(NAME, "name", "format=name") };
    let mut pair = pair(silent(), saying(vec![error]));
    let (verdict, record) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedAccept));
    assert_eq!(record.marks(), [(NAME, RuleMark::SetAside)]);
    pair.comparator = Comparator::Kubernetes(Matcher::new(Semantics::V1_35).candidates(Candidates::All));
    let (verdict, _) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Extra));
}

#[test]
fn delegated_paths_are_counted_and_not_compared() {
    let reference =
        saying(vec![handwritten("inner", "minimum"), handwritten("count", "minimum"), handwritten("inner.a", "x")]);
    let candidate =
        saying(vec![declarative(NAME, "inner[0].b", "format=name"), declarative(COUNT, "count", "minimum")]);
    let pair = pair(reference, candidate);
    let (verdict, record) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedReject));
    assert_eq!((record.delegated.reference, record.delegated.candidate), (2, 1));
    let fields: Vec<&str> = record.reference.errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["count"]);
    assert_eq!(record.marks(), [(COUNT, RuleMark::Compared(Outcome::AgreedReject)), (NAME, RuleMark::SetAside)]);
}

#[test]
fn a_babbling_candidate_is_counted_and_laid_to_nobody() {
    let pair = pair(silent(), saying(vec![declarative(RuleId(99), "]][.nonsense[", "")]));
    let (verdict, record) = judged(&pair, &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Extra));
    assert_eq!(record.differences[0].rules, []);
    assert_eq!(record.marks(), []);
}

#[test]
fn a_panicking_candidate_costs_one_case_and_becomes_an_internal_error() {
    let candidate = oracle(|question, answer| {
        answer.reach(COUNT);
        answer.push(declarative(NAME, "name", "format=name"));
        assert!(count(question) >= 0, "count is {}", count(question));
        answer.errors.clear();
    });
    let pair = pair(honest_reference(), candidate);
    let judge = Judge::new(&pair);
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    assert_eq!(judge.case(&counting(-7), &mut arena, &mut record), Judgement::Compared(Outcome::Panicked));
    assert_eq!(record.panics.len(), 1);
    assert_eq!(record.panics[0].side, Some(Side::Candidate));
    assert_eq!(record.panics[0].panic.message, "count is -7");
    assert!(record.panics[0].panic.place.contains("judge.rs:"), "{}", record.panics[0].panic.place);
    let errors = record.candidate.errors.as_slice();
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].error_type, errors[0].field.as_str()), (ErrorType::Internal, "<nil>"));
    assert_eq!(errors[0].detail, "panic during declarative validation: count is -7");
    assert!(record.differences.is_empty());
    assert_eq!(record.mismatches(), 1, "Kubernetes still counts the handwritten error as unmatched");
    assert_eq!(record.marks(), [(COUNT, RuleMark::Compared(Outcome::Panicked))]);
    assert_eq!(judge.case(&counting(3), &mut arena, &mut record), Judgement::Compared(Outcome::AgreedAccept));
    assert!(record.panics.is_empty(), "nothing of the case before is left");
}

#[test]
fn both_sides_may_panic_in_one_case_with_any_payload() {
    let reference = oracle(|_, _| std::panic::panic_any(42));
    let candidate = oracle(|_, _| panic!("literal"));
    let (verdict, record) = judged(&pair(reference, candidate), &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Panicked));
    let messages: Vec<&str> = record.panics.iter().map(|panic| panic.panic.message.as_str()).collect();
    assert_eq!(messages, ["a value that is not text", "literal"]);
}

#[test]
fn a_panic_while_the_object_is_taken_in_costs_one_case() {
    struct Clumsy;
    impl Oracle for Clumsy {
        fn view<'a>(&self, _: &Objects<'a>, _: &'a Arena) -> Result<View<'a>, OracleFailure> {
            panic!("no view")
        }
        fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
            Ok(())
        }
    }
    let (verdict, record) = judged(&pair(Box::new(Clumsy), silent()), &counting(0));
    assert_eq!(verdict, Judgement::Compared(Outcome::Panicked));
    assert_eq!((record.panics[0].side, record.panics[0].panic.message.as_str()), (None, "no view"));
}

#[test]
fn what_cannot_be_compared_says_why() {
    let declines = Box::new(Fake(|_: &Question<'_>, _: &mut Answer| Err(OracleFailure::new("no such feature"))));
    let pair = pair(declines, silent());
    let update = Case { operation: Operation::Update, ..counting(0) };
    let old = Case { old: Some(json!({"nope": 1}).into()), ..update.clone() };
    for (case, reason) in [
        (counting(0), "the reference could not judge"),
        (create(json!({"nope": 1})), "unknown field"),
        (create(json!({"count": "x"})), "wrong type"),
        (create(json!({"kind": "Other"})), "wrong kind"),
        (update, "update without old object"),
        (old, "old object: unknown field"),
    ] {
        let (verdict, _) = judged(&pair, &case);
        assert_eq!(verdict.reason().map(|(reason, _)| reason).as_deref(), Some(reason));
    }
}

#[test]
fn a_clock_times_each_side() {
    let pair = pair(silent(), silent());
    let ticks = std::sync::atomic::AtomicU64::new(0);
    let clock = || {
        let tick = ticks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        [0, 10, 35][usize::try_from(tick).unwrap()]
    };
    let judge = Judge::new(&pair).with_clock(&clock);
    let mut record = CaseRecord::new();
    record.set_timed(true);
    assert_eq!(judge.case(&counting(0), &mut Arena::new(), &mut record), Judgement::Compared(Outcome::AgreedAccept));
    assert_eq!((record.nanos(Side::Reference), record.nanos(Side::Candidate)), (10, 25));
}
