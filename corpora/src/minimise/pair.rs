//! Places in a pair of objects, and edits of one or both of them at the same place.

use serde_json::Value;
use std::sync::Arc;

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Member(String),
    Item(usize),
}

/// Which of the two objects an edit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    Object,
    Old,
}

impl Side {
    /// Together first: what is dropped from both keeps an update the update it was.
    pub(super) const ALL: [Side; 3] = [Side::Both, Side::Object, Side::Old];
}

/// A change at a place.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// Take the member or item away.
    Remove,
    /// Take `count` items away, from item `from` on.
    Cut { from: usize, count: usize },
    /// Take the member of this key away from every item.
    RemoveFromItems(String),
    /// Put this value.
    Put(Value),
    /// Give the member this key.
    Rename(String),
}

/// The object of a case and its stored object, both as trees. A copy shares what no edit changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) object: Arc<Value>,
    pub(super) old: Option<Arc<Value>>,
}

impl Pair {
    /// The value at `path` of the object, else of the old object.
    pub(super) fn at(&self, path: &[Step]) -> Option<&Value> {
        at(&self.object, path).or_else(|| at(self.old.as_ref()?, path))
    }

    /// The values at `path` in the chosen objects, where they exist.
    pub(super) fn on(&self, side: Side, path: &[Step]) -> impl Iterator<Item = &Value> {
        let object = (side != Side::Old).then_some(&*self.object);
        let old = if side == Side::Object { None } else { self.old.as_deref() };
        [object, old].into_iter().flatten().filter_map(|value| at(value, path))
    }

    /// A copy with `edit` made at `path` on `side`; none when that changes nothing.
    pub(super) fn edited(&self, side: Side, path: &[Step], edit: &Edit) -> Option<Pair> {
        let mut copy = self.clone();
        let mut changed = false;
        let mut edit = |value: &mut Arc<Value>| {
            // To copy what has nothing there would be in vain.
            changed |= at(value, path).is_some() && apply(Arc::make_mut(value), path, edit);
        };
        if side != Side::Old {
            edit(&mut copy.object);
        }
        if side != Side::Object {
            copy.old.iter_mut().for_each(edit);
        }
        changed.then_some(copy)
    }

    /// A copy in which every text `from` reads `to`.
    pub(super) fn reworded(&self, from: &str, to: &str) -> Pair {
        let mut copy = self.clone();
        for value in std::iter::once(&mut copy.object).chain(&mut copy.old) {
            reword(Arc::make_mut(value), from, to);
        }
        copy
    }

    /// Every place below the root in either object: outer places before inner ones, later items before earlier ones, so that
    /// removing an item leaves the places still to come where they are.
    pub(super) fn places(&self) -> Vec<Vec<Step>> {
        let mut places = Vec::new();
        let mut path = Vec::new();
        gather(Some(&self.object), self.old.as_deref(), &mut path, &mut places);
        places
    }
}

fn gather(a: Option<&Value>, b: Option<&Value>, path: &mut Vec<Step>, places: &mut Vec<Vec<Step>>) {
    let known = |key: &str| a.and_then(|value| value.get(key)).is_some();
    for key in keys(a).chain(keys(b).filter(|key| !known(key))) {
        path.push(Step::Member(key.clone()));
        places.push(path.clone());
        gather(a.and_then(|value| value.get(key)), b.and_then(|value| value.get(key)), path, places);
        path.pop();
    }
    for index in (0..items(a).len().max(items(b).len())).rev() {
        path.push(Step::Item(index));
        places.push(path.clone());
        gather(items(a).get(index), items(b).get(index), path, places);
        path.pop();
    }
}

fn keys(value: Option<&Value>) -> impl Iterator<Item = &String> {
    value.and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys)
}

fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Member(key) => value.as_object()?.get(key),
        Step::Item(index) => value.as_array()?.get(*index),
    })
}

fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Member(key) => value.as_object_mut()?.get_mut(key),
        Step::Item(index) => value.as_array_mut()?.get_mut(*index),
    })
}

fn apply(root: &mut Value, path: &[Step], edit: &Edit) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    match edit {
        Edit::Put(new) => match at_mut(root, path) {
            Some(value) if value != new => {
                value.clone_from(new);
                true
            }
            _ => false,
        },
        Edit::Cut { from, count } => match at_mut(root, path) {
            Some(Value::Array(items)) if *from < items.len() => {
                let end = from.saturating_add(*count).min(items.len());
                items.drain(*from..end);
                true
            }
            _ => false,
        },
        Edit::RemoveFromItems(key) => match at_mut(root, path) {
            Some(Value::Array(items)) => {
                let members = items.iter_mut().filter_map(Value::as_object_mut);
                members.filter_map(|members| members.remove(key)).count() > 0
            }
            _ => false,
        },
        Edit::Remove => match (at_mut(root, parents), last) {
            (Some(Value::Object(members)), Step::Member(key)) => members.remove(key).is_some(),
            (Some(Value::Array(items)), Step::Item(index)) if *index < items.len() => {
                items.remove(*index);
                true
            }
            _ => false,
        },
        Edit::Rename(new) => match (at_mut(root, parents), last) {
            (Some(Value::Object(members)), Step::Member(key)) if !members.contains_key(new) => {
                members.remove(key).is_some_and(|value| members.insert(new.clone(), value).is_none())
            }
            _ => false,
        },
    }
}

fn reword(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => to.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| reword(item, from, to)),
        Value::Object(members) => members.values_mut().for_each(|member| reword(member, from, to)),
        _ => {}
    }
}
