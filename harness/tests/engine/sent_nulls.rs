//! Pairs of defaults see nulls, zeros and empty values as they were sent, and nothing that was not.

use crate::fakes::{create, judged};
use crate::made_objects::made;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use takeover_harness::compare::{Difference, Matter};
use takeover_harness::object::to_value;
use takeover_harness::oracle::{Answer, Oracle, Precision, Question, WithPrecision};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;

/// Answers with the object that it is given, changed.
fn maker(make: impl Fn(&mut Value) + Send + Sync + 'static) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::OBJECTS, move |question: &Question<'_>, answer: &mut Answer| {
        let objects = &question.objects;
        let mut object = objects.given().unwrap_or_else(|| to_value(objects.schema, objects.root, &objects.new));
        make(&mut object);
        answer.object = Some(object);
    }))
}

fn pair(matter: Matter, candidate: Box<dyn Oracle>) -> Pair {
    Pair { matter, ..Pair::new(SubjectId::new("v1", "Made"), made(), maker(|_| {}), candidate) }
}

/// What an oracle is given of an object.
fn given(matter: Matter, sent: &Value) -> Value {
    let (_, record) = judged(&pair(matter, maker(|_| {})), &create(sent.clone()));
    record.answer(takeover_harness::side::Side::Candidate).object.clone().unwrap()
}

#[test]
fn defaulters_are_given_what_was_sent_and_nothing_that_was_not() {
    for sent in [
        json!({}),
        json!({"count": 0, "name": "", "list": [], "labels": {}, "ref": {}, "limit": 0, "written": []}),
        json!({"count": null, "name": null, "list": null, "labels": null, "ref": null, "limit": null, "written": null}),
        json!({"list": [{"name": "a", "value": null}, {"name": ""}, null], "labels": {"a": null, "b": ""}}),
        json!({"ref": {"name": null, "value": "x"}, "limits": {"cpu": "1"}}),
    ] {
        assert_eq!(given(Matter::Objects, &sent), sent);
    }
}

#[test]
fn other_oracles_are_given_the_decoded_object() {
    let sent = json!({"count": null, "limit": null, "name": ""});
    assert_eq!(given(Matter::Errors, &sent), json!({"written": null}));
}

#[test]
fn a_null_that_was_sent_is_no_difference_unless_null_is_a_value_there() {
    let drops = || maker(|object| object.as_object_mut().unwrap().retain(|_, value| !value.is_null()));
    let found = |nulls: &[&str], sent: Value| {
        let nulls: BTreeSet<String> = nulls.iter().map(|path| (*path).to_owned()).collect();
        let (_, record) = judged(&Pair { nulls, ..pair(Matter::Objects, drops()) }, &create(sent));
        let said = |of: &Difference| format!("{} {}", of.direction, of.what.field());
        record.differences.iter().map(said).collect::<Vec<_>>()
    };
    let sent = || json!({"limit": null, "ref": null});
    assert_eq!(found(&[], sent()), Vec::<String>::new());
    assert_eq!(found(&["limit"], sent()), ["missing limit"]);
    // Nobody sent this one.
    let adds = maker(|object| object["limit"] = Value::Null);
    let (_, record) = judged(&pair(Matter::Objects, adds), &create(json!({})));
    assert_eq!(record.differences.len(), 1);
}

#[test]
fn a_difference_of_defaulters_has_its_cause_by_what_was_sent() {
    let of = |sent: Value, reference: Value, candidate: Value| {
        let set = |values: Value| {
            maker(move |object| {
                for (name, value) in values.as_object().unwrap() {
                    object[name] = value.clone();
                }
                object.as_object_mut().unwrap().retain(|_, value| *value != "gone");
            })
        };
        let pair = Pair { reference: set(reference), ..pair(Matter::Objects, set(candidate)) };
        let (_, record) = judged(&pair, &create(sent));
        let said = |of: &Difference| format!("{} {} {}", of.direction, of.what.field(), of.cause.unwrap());
        record.differences.iter().map(said).collect::<Vec<_>>()
    };
    for (sent, reference, candidate, found) in [
        (json!({}), json!({"limit": 5}), json!({}), "missing limit not-defaulted"),
        (json!({}), json!({}), json!({"limit": 5}), "extra limit not-defaulted"),
        (json!({}), json!({"limit": 5}), json!({"limit": 6}), "differs limit other-default"),
        (json!({}), json!({"limit": 0}), json!({"limit": 6}), "differs limit other-default"),
        (json!({"limit": 0}), json!({"limit": 5}), json!({"limit": 6}), "differs limit other-default"),
        (json!({"limit": 0}), json!({"limit": 5}), json!({}), "differs limit defaults-zero"),
        (json!({"list": []}), json!({}), json!({"list": [{"name": "a"}]}), "extra list[0] defaults-zero"),
        (json!({"limit": null}), json!({}), json!({"limit": 5}), "differs limit defaults-null"),
        (json!({"limit": null}), json!({"limit": "gone"}), json!({"limit": 5}), "extra limit defaults-null"),
        (json!({"limit": 3}), json!({}), json!({"limit": 5}), "differs limit changed-by-default"),
        (json!({"limit": 3}), json!({"limit": "gone"}), json!({}), "extra limit changed-by-default"),
        (
            json!({"ref": {"name": "a"}}),
            json!({}),
            json!({"ref": {"name": "b"}}),
            "differs ref.name changed-by-default",
        ),
        (
            json!({"ref": {"name": "a"}}),
            json!({}),
            json!({"ref": {"name": "a", "value": "b"}}),
            "extra ref.value not-defaulted",
        ),
        (json!({}), json!({"written": []}), json!({}), "missing written empty-or-absent"),
    ] {
        assert_eq!(of(sent.clone(), reference.clone(), candidate.clone()), [found], "{sent} {reference} {candidate}");
    }
}
