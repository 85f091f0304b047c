//! What a CEL expression tells apart: the values that it speaks of, and what it compares them with.

use serde_json::Value;
use std::collections::BTreeMap;

/// Values of one place that an expression tells apart, and what is told apart below.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Values worth trying.
    pub(super) values: Vec<Value>,
    /// Sizes worth trying: characters, elements or members.
    pub(super) sizes: Vec<i64>,
    /// Patterns that texts are held against.
    pub(super) patterns: Vec<String>,
    /// Keys of a map worth trying.
    pub(super) keys: Vec<String>,
    pub(super) members: BTreeMap<String, Wanted>,
    /// Whether it is a list whose elements a rule compares, or an element of one.
    pub(super) paired: bool,
    /// Elements of a list, or values of a map.
    pub(super) each: Option<Box<Wanted>>,
}

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A member, or an entry of a map.
    Member(String),
    /// An element, or a value of a map.
    Each,
    /// A key of a map.
    Key,
}

/// Values of one place.
const MOST_VALUES: usize = 24;

impl Wanted {
    /// The place that these steps lead to; that of keys is the map.
    pub(super) fn at(&mut self, steps: &[Step]) -> &mut Self {
        match steps.split_first() {
            None | Some((Step::Key, _)) => self,
            Some((Step::Member(name), rest)) => self.members.entry(name.clone()).or_default().at(rest),
            Some((Step::Each, rest)) => self.each.get_or_insert_with(Box::default).at(rest),
        }
    }

    /// Adds a value; at a key of a map, a key.
    pub(super) fn value(&mut self, steps: &[Step], value: Value) {
        let at = self.at(steps);
        match (steps.last(), value) {
            (Some(Step::Key), Value::String(key)) => push(&mut at.keys, key),
            (Some(Step::Key), _) => {}
            (_, value) => push(&mut at.values, value),
        }
    }

    /// Adds a number of elements, members or characters.
    pub(super) fn size(&mut self, steps: &[Step], size: i64) {
        if size < 0 {
            return;
        }
        let at = self.at(steps);
        match steps.last() {
            Some(Step::Key) => push(&mut at.keys, "k".repeat(usize::try_from(size.min(512)).unwrap_or_default())),
            _ => push(&mut at.sizes, size),
        }
    }
}

fn push<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if all.len() < MOST_VALUES && !all.contains(&one) {
        all.push(one);
    }
}
