//! Causes in lists: stored items are found by key, and a stored list may be invalid as a whole.

use super::{causes, oracle, plain, update};
use serde_json::{Value, json};
use takeover_harness::compare::{Cause, Comparator, Direction, Relation};
use takeover_harness::error::ErrorType;
use takeover_harness::oracle::{Answer, Oracle, Question};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;

fn pair(reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Pair {
    let id = SubjectId::new("v1", "Thing");
    Pair { comparator: Comparator::Decision, ..Pair::new(id, crate::made_objects::made(), reference, candidate) }
}

/// The named items of both objects.
fn items(question: &Question<'_>) -> (Vec<Value>, Option<Vec<Value>>) {
    let of = &question.objects;
    let value = |node| takeover_harness::object::to_value(of.schema, of.root, node);
    let keyed = |object: Value| object["keyed"].as_array().cloned().unwrap_or_default();
    (keyed(value(&of.new)), of.old.as_ref().map(|old| keyed(value(old))))
}

fn bad(answer: &mut Answer, at: usize) {
    answer.push(plain(ErrorType::Invalid, "keyed"));
    let field = format!("keyed[{at}].name");
    answer.errors.as_mut_slice().iter_mut().for_each(|error| error.field.clone_from(&field));
}

/// Rejects upper-case names unless what is stored excuses them.
fn rejects(is_excused: fn(&Value, Option<&[Value]>) -> bool) -> Box<dyn Oracle> {
    oracle(move |question, answer| {
        let (new, old) = items(question);
        let is_bad = |item: &Value| item["name"].as_str().unwrap_or_default().contains(char::is_uppercase);
        let found = new.iter().position(|item| is_bad(item) && !is_excused(item, old.as_deref()));
        found.into_iter().for_each(|at| bad(answer, at));
    })
}

#[test]
fn a_stored_item_that_moved_is_a_stored_value() {
    let by_key = || rejects(|item, old| old.is_some_and(|old| old.iter().any(|known| known["name"] == item["name"])));
    let on_creates = || rejects(|_, old| old.is_some());
    let strict = || rejects(|_, _| false);
    let moved = || {
        let old = json!({"keyed": [{"name": "a"}, {"name": "B"}]});
        // The item changes in another member as well.
        update(old, json!({"keyed": [{"name": "B", "value": "x"}, {"name": "a"}]}))
    };
    let cause = |candidate| {
        causes(&pair(strict(), candidate), &moved()).into_iter().map(|(.., cause)| cause).collect::<Vec<_>>()
    };
    assert_eq!(cause(by_key()), [Cause::Ratchets]);
    assert_eq!(cause(on_creates()), [Cause::CreateOnly]);
    let brought = update(json!({"keyed": [{"name": "a"}]}), json!({"keyed": [{"name": "a"}, {"name": "B"}]}));
    let found = causes(&pair(strict(), on_creates()), &brought);
    assert_eq!(found, [(Direction::Missing, Relation::New, Cause::CreateOnly)]);
    assert_eq!(causes(&pair(strict(), by_key()), &brought), []);
}

#[test]
fn a_list_that_was_bad_before_is_let_be_and_not_judged_on_creates_only() {
    let tags = |object: Value| -> Vec<String> {
        let tags = object["tags"].as_array().into_iter().flatten();
        tags.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let repeats = |tags: &[String]| (1..tags.len()).find(|at| tags[..*at].contains(&tags[*at]));
    let objects = move |question: &Question<'_>| {
        let of = &question.objects;
        let value = |node| takeover_harness::object::to_value(of.schema, of.root, node);
        (tags(value(&of.new)), of.old.as_ref().map(|old| tags(value(old))))
    };
    let twice = |answer: &mut Answer, at: usize| {
        answer.push(plain(ErrorType::Duplicate, "tags"));
        let field = format!("tags[{at}]");
        answer.errors.as_mut_slice().iter_mut().for_each(|error| error.field.clone_from(&field));
    };
    // It does not mind empty tags.
    let reference = || {
        oracle(move |question, answer| {
            let (new, _) = objects(question);
            if let Some(at) = repeats(&new).filter(|at| !new[*at].is_empty()) {
                twice(answer, at);
            }
        })
    };
    let candidate = oracle(move |question, answer| {
        let (new, old) = objects(question);
        let was_bad = old.is_some_and(|old| repeats(&old).is_some());
        if let Some(at) = repeats(&new).filter(|_| !was_bad) {
            twice(answer, at);
        }
    });
    let on_creates = oracle(move |question, answer| {
        let (new, old) = objects(question);
        if let Some(at) = repeats(&new).filter(|_| old.is_none()) {
            twice(answer, at);
        }
    });
    let pair = |candidate| pair(reference(), candidate);
    let of = |old: Value, new: Value| update(json!({"tags": old}), json!({"tags": new}));
    let changed = of(json!(["", ""]), json!(["a", "a"]));
    assert_eq!(causes(&pair(candidate), &changed), [(Direction::Missing, Relation::New, Cause::Ratchets)]);
    let brought = of(json!(["a", "b"]), json!(["a", "a"]));
    assert_eq!(causes(&pair(on_creates), &brought), [(Direction::Missing, Relation::Kept, Cause::CreateOnly)]);
}
