//! Why two answers differ, found by asking again.

mod lists;

use crate::fakes::{
    COUNT, Fake, NAME, count, counting, create, declarative, gathered_of, handwritten, judged, only, oracle, pair,
    plain, strangers, things,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use takeover_harness::case::{Case, Operation, Payload};
use takeover_harness::compare::{Cause, Comparator, Direction, Relation};
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::judge::{CaseRecord, Judgement, OraclePanic, Outcome};
use takeover_harness::oracle::{Answer, Decision, Oracle, OracleFailure, Precision, Question, WithPrecision};
use takeover_harness::pair::Pair;
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;

fn thing(members: Value) -> Value {
    let mut thing = json!({"apiVersion": "v1", "kind": "Thing"});
    thing.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    thing
}

fn update(old: Value, new: Value) -> Case<'static> {
    Case { operation: Operation::Update, old: Some(Payload::from(thing(old))), ..create(thing(new)) }
}

fn old_count(question: &Question<'_>) -> Option<i64> {
    question.objects.old.map(|old| old.field(3).int())
}

fn name(question: &Question<'_>) -> String {
    question.objects.new.field(2).text().to_owned()
}

/// The direction, relation and cause of every difference.
fn found(record: &CaseRecord) -> Vec<(Direction, Relation, Cause)> {
    record.differences.iter().map(|of| (of.direction, of.relation, of.cause.unwrap())).collect()
}

fn causes(pair: &Pair, case: &Case) -> Vec<(Direction, Relation, Cause)> {
    found(&judged(pair, case).1)
}

/// Rejects a negative count, whatever was stored.
fn strict() -> Box<dyn Oracle> {
    oracle(|question, answer| {
        if count(question) < 0 {
            answer.push(handwritten("count", "minimum"));
        }
    })
}

#[test]
fn a_rule_that_lets_stored_values_be_ratchets_and_one_that_lets_all_be_reports_less() {
    let ratcheting = oracle(|question, answer| {
        answer.reach(COUNT);
        if count(question) < 0 && old_count(question) != Some(count(question)) {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    });
    let ratcheting = pair(strict(), ratcheting);
    let kept = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    assert_eq!(causes(&ratcheting, &kept), [(Direction::Missing, Relation::Kept, Cause::Ratchets)]);
    let changed = update(json!({"count": -2}), json!({"count": -1}));
    assert_eq!(causes(&ratcheting, &changed), []);

    let lax = pair(strict(), oracle(|_, answer| answer.reach(COUNT)));
    assert_eq!(causes(&lax, &kept), [(Direction::Missing, Relation::Kept, Cause::ReportsLess)]);
    assert_eq!(causes(&lax, &changed), [(Direction::Missing, Relation::Changed, Cause::ReportsLess)]);
    assert_eq!(causes(&lax, &counting(-1)), [(Direction::Missing, Relation::New, Cause::ReportsLess)]);
    let added = update(json!({}), json!({"count": -1}));
    assert_eq!(causes(&lax, &added), [(Direction::Missing, Relation::New, Cause::ReportsLess)]);
}

/// Rejects a negative count on creates.
fn on_creates() -> Box<dyn Oracle> {
    oracle(|question, answer| {
        answer.reach(COUNT);
        if question.objects.old.is_none() && count(question) < 0 {
            answer.push(FieldError { covered_by_declarative: true, ..declarative(COUNT, "count", "minimum") });
        }
    })
}

#[test]
fn a_side_that_judges_creates_only_is_told_from_one_that_ratchets() {
    let always = || {
        oracle(|question, answer| {
            answer.reach(COUNT);
            if count(question) < 0 {
                answer.push(FieldError { covered_by_declarative: true, ..declarative(COUNT, "count", "minimum") });
            }
        })
    };
    let kept = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    let changed = update(json!({"count": -2}), json!({"count": -1}));
    let brought = update(json!({"count": 1}), json!({"count": -1}));
    for (reference, candidate, direction) in
        [(always(), on_creates(), Direction::Missing), (on_creates(), always(), Direction::Extra)]
    {
        let pair = pair(reference, candidate);
        assert_eq!(causes(&pair, &kept), [(direction, Relation::Kept, Cause::CreateOnly)]);
        assert_eq!(causes(&pair, &changed), [(direction, Relation::Changed, Cause::CreateOnly)]);
        assert_eq!(causes(&pair, &brought), [(direction, Relation::Changed, Cause::CreateOnly)]);
        assert_eq!(causes(&pair, &counting(-1)), []);
    }
}

#[test]
fn a_rejection_of_another_field_on_creates_does_not_tell_that_a_check_is_for_creates_only() {
    let by_decision =
        |candidate: Box<dyn Oracle>| Pair { comparator: Comparator::Decision, ..pair(strict(), candidate) };
    // It rejects a name on creates only, and no count.
    let of_names = || {
        oracle(|question, answer| {
            answer.reach(NAME);
            if question.objects.old.is_none() && name(question) == "bad" {
                answer.push(declarative(NAME, "name", "format"));
            }
        })
    };
    let brought = update(json!({"count": 1, "name": "bad"}), json!({"count": -1, "name": "bad"}));
    let kept = update(json!({"count": -1, "name": "bad"}), json!({"count": -1, "name": "bad"}));
    for (case, relation) in [(&brought, Relation::Changed), (&kept, Relation::Kept)] {
        assert_eq!(
            causes(&by_decision(of_names()), case),
            [(Direction::Missing, relation, Cause::ReportsLess)],
            "{relation:?}"
        );
        assert_eq!(
            causes(&by_decision(on_creates()), case),
            [(Direction::Missing, relation, Cause::CreateOnly)],
            "{relation:?}"
        );
    }
}

#[test]
fn a_side_that_ratchets_may_reject_the_value_in_its_own_words() {
    // No value that is tried in place of the kept one satisfies it.
    let demanding = oracle(|question, answer| {
        answer.reach(COUNT);
        if count(question) < 987_654_321_987 && old_count(question) != Some(count(question)) {
            answer.push(FieldError { error_type: ErrorType::NotSupported, ..declarative(COUNT, "count", "") });
        }
    });
    let pair = Pair { comparator: Comparator::Decision, ..pair(strict(), demanding) };
    let kept = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    assert_eq!(causes(&pair, &kept), [(Direction::Missing, Relation::Kept, Cause::Ratchets)]);

    // What objects to every change, and to an unset value, judges no kept one.
    let immutable = oracle(|question, answer| {
        answer.reach(COUNT);
        if count(question) == 0 || old_count(question).is_some_and(|old| old != count(question)) {
            answer.push(FieldError { error_type: ErrorType::Forbidden, ..declarative(COUNT, "count", "immutable") });
        }
    });
    let pair = Pair { candidate: immutable, ..pair };
    assert_eq!(causes(&pair, &kept), [(Direction::Missing, Relation::Kept, Cause::ReportsLess)]);
}

#[test]
fn what_another_error_of_the_silent_side_hides_is_stopped_by_it() {
    let both = |name_first: bool| {
        oracle(move |question, answer| {
            answer.reach(COUNT);
            if name(question) == "bad" {
                answer.push(FieldError { short_circuit: name_first, ..declarative(NAME, "name", "format=name") });
                if name_first {
                    return;
                }
            }
            if count(question) < 0 {
                answer.push(declarative(COUNT, "count", "minimum"));
            }
        })
    };
    let reference = || {
        oracle(|question, answer| {
            if name(question) == "bad" {
                answer.push(handwritten("name", "format=name"));
            }
            if count(question) < 0 {
                answer.push(handwritten("count", "minimum"));
            }
        })
    };
    let case = create(thing(json!({"count": -1, "name": "bad"})));
    let (_, record) = judged(&pair(reference(), both(true)), &case);
    assert_eq!(found(&record), [(Direction::Missing, Relation::New, Cause::Stopped)]);
    let stopped_by = record.differences[0].stopped_by.as_ref().unwrap();
    assert_eq!((stopped_by.field.as_str(), stopped_by.origin.as_str()), ("name", "format=name"));
    assert!(!record.deciding, "the name is refused whatever becomes of the count");
    assert_eq!(causes(&pair(reference(), both(false)), &case), []);
}

#[test]
fn a_lost_mark_is_told_from_a_check_that_is_missing() {
    let unmarked = oracle(|question, answer| {
        if count(question) < 0 {
            answer.push(FieldError { covered_by_declarative: false, ..handwritten("count", "minimum") });
        }
    });
    let rules = || {
        oracle(|question, answer| {
            answer.reach(COUNT);
            if count(question) < 0 {
                answer.push(declarative(COUNT, "count", "minimum"));
            }
        })
    };
    let (_, record) = judged(&pair(unmarked, rules()), &counting(-1));
    assert_eq!(found(&record), [(Direction::Extra, Relation::New, Cause::Unmarked)]);
    assert!(!record.deciding, "both sides refuse it");
    let (_, record) = judged(&pair(oracle(|_, _| {}), rules()), &counting(-1));
    assert_eq!(found(&record), [(Direction::Extra, Relation::New, Cause::ReportsMore)]);
    assert!(record.deciding);
    let nameless = oracle(|question, answer| {
        if count(question) < 0 {
            answer.push(handwritten("count", ""));
        }
    });
    let [missing, extra] = causes(&pair(nameless, rules()), &counting(-1))[..] else { panic!("two differences") };
    assert_eq!((missing.2, extra.2), (Cause::Unmarked, Cause::Unmarked), "an error without origin matches nothing");
}

#[test]
fn an_error_of_another_check_at_the_same_place_is_no_unmarked_one() {
    // As for names: the format is judged on creates, and updates reject every change first, in an error without origin.
    let reference = oracle(|question, answer| match question.operation {
        Operation::Create if name(question) == "Bad" => answer.push(handwritten("name", "format")),
        Operation::Update if question.objects.old.is_some() => {
            answer.push(FieldError { covered_by_declarative: false, ..handwritten("name", "") });
        }
        _ => {}
    });
    let candidate = oracle(|question, answer| {
        answer.reach(NAME);
        if name(question) == "Bad" {
            answer.push(declarative(NAME, "name", "format"));
        }
    });
    let case = update(json!({"name": "old"}), json!({"name": "Bad"}));
    let expected = [(Direction::Extra, Relation::Changed, Cause::Stopped)];
    assert_eq!(causes(&pair(reference, candidate), &case), expected);
}

#[test]
fn errors_that_come_and_go_together_differ_in_type_place_or_origin() {
    let refusing = |error: FieldError| {
        oracle(move |question, answer| {
            answer.reach(COUNT);
            if count(question) < 0 {
                answer.push(error.clone());
            }
        })
    };
    let own = declarative(COUNT, "count", "minimum");
    for (reference, cause) in [
        (handwritten("count", "lowest"), Cause::OtherOrigin),
        (FieldError { error_type: ErrorType::Forbidden, ..handwritten("count", "minimum") }, Cause::OtherType),
        (handwritten("name", "minimum"), Cause::OtherPlace),
    ] {
        let causes = causes(&pair(refusing(reference), refusing(own.clone())), &counting(-1));
        let sides: Vec<_> = causes.iter().map(|(direction, _, cause)| (*direction, *cause)).collect();
        assert_eq!(sides, [(Direction::Missing, cause), (Direction::Extra, cause)]);
    }
}

#[test]
fn two_errors_of_one_case_that_have_nothing_to_do_with_each_other_are_no_partners() {
    let reference = oracle(|question, answer| {
        if count(question) < 0 {
            answer.push(handwritten("count", "minimum"));
        }
    });
    let candidate = oracle(|question, answer| {
        answer.reach(NAME);
        if name(question) == "bad" {
            answer.push(declarative(NAME, "name", "minimum"));
        }
    });
    let case = create(thing(json!({"count": -1, "name": "bad"})));
    let expected = [
        (Direction::Missing, Relation::New, Cause::ReportsLess),
        (Direction::Extra, Relation::New, Cause::ReportsMore),
    ];
    assert_eq!(causes(&pair(reference, candidate), &case), expected);
}

#[test]
fn a_check_that_says_it_is_covered_by_no_rule_lost_its_twin() {
    let reference = oracle(|_, answer| answer.push(handwritten("list[3]", "unique")));
    let causes = causes(&pair(reference, oracle(|_, _| {})), &counting(1));
    assert_eq!(causes, [(Direction::Missing, Relation::New, Cause::LostTwin)]);
}

#[test]
fn an_answer_that_another_one_follows_is_unsteady() {
    let turn = AtomicU64::new(0);
    let fickle = oracle(move |_, answer| {
        if turn.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    });
    let causes = causes(&pair(oracle(|_, _| {}), fickle), &counting(1));
    assert_eq!(causes, [(Direction::Extra, Relation::New, Cause::Unsteady)]);
}

#[test]
fn decisions_have_causes_too() {
    let by = |reject: fn(&Question<'_>) -> bool| {
        Box::new(WithPrecision(Precision::DECISIONS, move |question: &Question<'_>, answer: &mut Answer| {
            if reject(question) {
                answer.push(plain(ErrorType::Invalid, "count"));
            }
        }))
    };
    let pair = Pair {
        comparator: Comparator::Decision,
        ..Pair::new(
            SubjectId::new("v1", "Thing"),
            things(),
            by(|question| count(question) < 0),
            by(|question| count(question) < 0 && old_count(question) != Some(count(question))),
        )
    };
    let kept = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    let [(direction, _, cause)] = causes(&pair, &kept)[..] else { panic!("one difference") };
    assert_eq!((direction, cause), (Direction::Missing, Cause::Ratchets));
    assert_eq!(causes(&pair, &counting(-1)), []);
}

#[test]
fn who_answers_recorded_cases_alone_is_not_asked_about_others() {
    let recorded = Precision { answers_any: false, ..Precision::KUBERNETES };
    let candidate = WithPrecision(recorded, |question: &Question<'_>, answer: &mut Answer| {
        assert_eq!(count(question), -1, "only what is recorded");
        answer.reach(COUNT);
    });
    let (_, record) = judged(&pair(strict(), Box::new(candidate)), &counting(-1));
    assert_eq!(record.differences.iter().map(|difference| difference.cause).collect::<Vec<_>>(), [None]);
}

/// A reference that rejects what is negative, against a candidate that ends so when it is asked about a create of `asked`.
fn deadly(asked: i64, end: fn() -> Result<(), OracleFailure>) -> Pair {
    let candidate = move |question: &Question<'_>, answer: &mut Answer| {
        answer.reach(COUNT);
        if old_count(question).is_none() && count(question) == asked { end() } else { Ok(()) }
    };
    pair(strict(), Box::new(Fake(candidate)))
}

#[test]
fn an_oracle_that_panics_on_a_variant_counts_as_panicked_and_the_difference_stays() {
    let case = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    let died = || Err(OracleFailure::death("the process exited with code 7"));
    let sound = deadly(7, died);
    assert_eq!(causes(&sound, &case), [(Direction::Missing, Relation::Kept, Cause::ReportsLess)]);

    // After a panic the inquiry goes on; what ends a process, or gives no answer in time, ends it.
    type End = fn() -> Result<(), OracleFailure>;
    let ends: [(End, &str, Option<Cause>); 3] = [
        (died, "the process exited with code 7", None),
        (|| Err(OracleFailure::late("no answer within 10 s")), "no answer within 10 s", None),
        (|| panic!("index out of bounds"), "index out of bounds", Some(Cause::ReportsLess)),
    ];
    for (end, message, cause) in ends {
        let spoilt = deadly(-1, end);
        let (judgement, record) = judged(&spoilt, &case);
        assert_eq!(judgement, Judgement::Compared(Outcome::Panicked), "{message}");
        let [difference] = &record.differences[..] else { panic!("{message}: {:?}", record.differences) };
        assert_eq!((difference.direction, difference.cause), (Direction::Missing, cause), "{message}");
        let [OraclePanic { side: Some(Side::Candidate), panic }] = &record.panics[..] else {
            panic!("{message}: {:?}", record.panics)
        };
        assert_eq!(panic.message, message);
        let variant = record.panicked_variant.as_deref().unwrap();
        assert_eq!((variant.operation, variant.old.as_ref()), (Operation::Create, None), "as it was asked");

        let evidence = gathered_of(&spoilt, std::iter::once(case.clone()));
        evidence.check().unwrap();
        let [created, updated] = Operation::ALL.map(|operation| only(&evidence).operation(operation));
        assert_eq!((updated.counts.panicked, updated.counts.missing, updated.counts.missing_errors), (1, 0, 1));
        assert_eq!((updated.signatures.len(), updated.panics.len()), (1, 0), "{message}: the difference is no panic");
        assert_eq!(
            (created.counts.cases, created.panics["candidate"].count),
            (0, 1),
            "{message}: filed as it was asked"
        );
        assert_eq!(created.panics["candidate"].smallest.case.old_object, None, "the finding has the variant");
    }
}

#[test]
fn a_question_that_the_oracle_cannot_judge_on_a_variant_is_no_panic() {
    let case = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    let unable = deadly(-1, || Err(OracleFailure::new("does not judge it")));
    assert_eq!(causes(&unable, &case), [(Direction::Missing, Relation::Kept, Cause::ReportsLess)]);
}

/// Rejects counts below 0 with a text alone, whatever is stored.
fn denies(reason: &'static str) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::DECISIONS, move |question: &Question<'_>, answer: &mut Answer| {
        let reject = count(question) < 0;
        answer.decision = Some(if reject { Decision::Reject(reason.into()) } else { Decision::Accept });
    }))
}

#[test]
fn a_rejected_create_is_a_ratchet_only_where_the_candidate_looks_at_the_same_value() {
    let kept = || update(json!({"count": -1, "name": ""}), json!({"count": -1, "name": "bad"}));
    // The candidate looks at a count that comes or changes, or at the name.
    let of_count = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 && old_count(question) != Some(count(question)) {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
    };
    let of_name = |question: &Question<'_>, answer: &mut Answer| {
        if question.objects.old.is_none() && name(question) == "bad" {
            answer.push(plain(ErrorType::Invalid, "name"));
        }
    };
    // The reason says which field it is about, or it does not.
    for (reason, path) in [("count is too low", "count"), ("too few", "<nil>")] {
        for (candidate, cause) in [(oracle(of_count), "ratchets"), (oracle(of_name), "reports-less")] {
            let pair = strangers(denies(reason), candidate);
            let evidence = gathered_of(&pair, [kept()]);
            let signatures: Vec<String> =
                only(&evidence).operation(Operation::Update).signatures.keys().map(ToString::to_string).collect();
            let (relation, said) = if path == "count" { ("kept", "is too low") } else { ("changed", reason) };
            let expected = format!("v1 Thing update {relation} missing {cause} Decision {path} {said}");
            assert_eq!(signatures, [expected]);
        }
    }
}

#[test]
fn a_value_that_a_default_brings_back_is_no_new_one() {
    // An absent count is -1.
    let effective = |count: Option<i64>| count.map(|count| if count == 0 { -1 } else { count });
    let ratcheting = oracle(move |question, answer| {
        answer.reach(COUNT);
        let new = effective(Some(count(question)));
        if new < Some(0) && effective(old_count(question)) != new {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    });
    let kept = update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    assert_eq!(causes(&pair(strict(), ratcheting), &kept), [(Direction::Missing, Relation::Kept, Cause::Ratchets)]);
}

#[test]
fn checks_of_one_place_are_told_apart_by_their_words() {
    let says = |answer: &mut Answer, detail: &str| {
        let detail = detail.to_owned();
        answer.push(FieldError { detail: detail.into(), ..plain(ErrorType::Invalid, "count") });
    };
    let candidate = oracle(move |question, answer| {
        if count(question) < 0 && old_count(question) != Some(count(question)) {
            says(answer, "is too low");
        }
        if question.objects.old.is_none() && name(question) == "odd" {
            says(answer, "does not go with the name");
        }
    });
    let pair = Pair { comparator: Comparator::Decision, ..pair(strict(), candidate) };
    let kept = update(json!({"count": -1, "name": "odd"}), json!({"count": -1, "name": "odd", "inner": "x"}));
    assert_eq!(causes(&pair, &kept), [(Direction::Missing, Relation::Kept, Cause::Ratchets)]);
}

#[test]
fn a_reason_goes_with_an_error_though_another_reason_stays() {
    let reference = WithPrecision(Precision::DECISIONS, |question: &Question<'_>, answer: &mut Answer| {
        let reasons = [(count(question) < 0, "too few"), (name(question) == "bad", "no such name")];
        let said: Vec<&str> = reasons.into_iter().filter(|(is_said, _)| *is_said).map(|(_, reason)| reason).collect();
        let text = said.join("; ");
        answer.decision = Some(if said.is_empty() { Decision::Accept } else { Decision::Reject(text.into()) });
    });
    let candidate = oracle(|question, answer| {
        if count(question) < 0 && old_count(question) != Some(count(question)) {
            answer.push(plain(ErrorType::Invalid, "count"));
        }
    });
    let pair = strangers(Box::new(reference), candidate);
    let kept = update(json!({"count": -1, "name": "bad"}), json!({"count": -1, "name": "bad", "inner": "x"}));
    let found: Vec<Cause> = causes(&pair, &kept).into_iter().map(|(.., cause)| cause).collect();
    assert_eq!(found, [Cause::Ratchets, Cause::ReportsLess]);
}

#[test]
fn a_changed_value_is_let_be_by_no_side_that_ratchets() {
    // What it minds depends on the stored count.
    let minding = |minds: fn(i64, Option<i64>) -> bool| {
        let candidate = oracle(move |question, answer| {
            if count(question) < 0 && minds(count(question), old_count(question)) {
                answer.push(plain(ErrorType::Invalid, "count"));
            }
        });
        Pair { comparator: Comparator::Decision, ..strangers(denies("count is too low"), candidate) }
    };
    let of = |pair: &Pair, old: i64| causes(pair, &update(json!({"count": old}), json!({"count": -1})));
    let creates = minding(|_, old| old.is_none());
    let where_good = minding(|_, old| old.is_none_or(|old| old >= 0));
    // Once it is set, it may be anything.
    let first = minding(|_, old| old.is_none_or(|old| old == 0));
    assert_eq!(of(&first, 3), [(Direction::Missing, Relation::Changed, Cause::CreateOnly)]);
    for old in [3, -7] {
        assert_eq!(of(&creates, old), [(Direction::Missing, Relation::Changed, Cause::CreateOnly)], "{old}");
    }
    assert_eq!(of(&where_good, -7), [(Direction::Missing, Relation::Changed, Cause::ReportsLess)], "bad before");
    assert_eq!(of(&where_good, 3), []);
    // A reason without a field is about the object, in which the count is kept.
    let kept = || update(json!({"count": -1, "name": "a"}), json!({"count": -1, "name": "b"}));
    for (minds, cause) in [
        ((|count, old| old != Some(count)) as fn(i64, Option<i64>) -> bool, Cause::Ratchets),
        (|_, old| old.is_none(), Cause::CreateOnly),
    ] {
        let pair = Pair { reference: denies("too few"), ..minding(minds) };
        assert_eq!(causes(&pair, &kept()), [(Direction::Missing, Relation::Changed, cause)]);
    }
}
