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
    /// What texts are to begin with, to end with, and to contain.
    pub(super) begins: Vec<String>,
    pub(super) ends: Vec<String>,
    pub(super) contains: Vec<String>,
    /// What texts are split at; [`Wanted::each`] is a piece.
    pub(super) separators: Vec<String>,
    /// Keys of a map.
    pub(super) key: Option<Box<Wanted>>,
    pub(super) members: BTreeMap<String, Wanted>,
    /// Whether it is a list whose elements a rule compares, or an element of one.
    pub(super) paired: bool,
    /// Elements of a list, values of a map, or pieces of a text.
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
const MOST_VALUES: usize = 40;

impl Wanted {
    /// The place that these steps lead to.
    pub(super) fn at(&mut self, steps: &[Step]) -> &mut Self {
        match steps.split_first() {
            None => self,
            Some((Step::Member(name), rest)) => self.members.entry(name.clone()).or_default().at(rest),
            Some((Step::Each, rest)) => self.each.get_or_insert_with(Box::default).at(rest),
            Some((Step::Key, rest)) => self.key.get_or_insert_with(Box::default).at(rest),
        }
    }

    /// Whether nothing is told apart.
    pub(super) fn is_empty(&self) -> bool {
        let Self { values, sizes, patterns, begins, ends, contains, separators, key, members, each, .. } = self;
        values.is_empty()
            && sizes.is_empty()
            && [patterns, begins, ends, contains, separators].into_iter().all(Vec::is_empty)
            && key.is_none()
            && members.is_empty()
            && each.is_none()
    }

    /// Adds a value.
    pub(super) fn value(&mut self, steps: &[Step], value: Value) {
        push(&mut self.at(steps).values, value);
    }

    /// Adds a number of elements, members or characters.
    pub(super) fn size(&mut self, steps: &[Step], size: i64) {
        if size >= 0 {
            push(&mut self.at(steps).sizes, size);
        }
    }

    /// Adds what another expression tells apart of the same value.
    pub(super) fn join(&mut self, other: Self) {
        let Self { values, sizes, patterns, begins, ends, contains, separators, key, members, paired, each } = other;
        values.into_iter().for_each(|value| push(&mut self.values, value));
        sizes.into_iter().for_each(|size| push(&mut self.sizes, size));
        let texts = [
            (patterns, &mut self.patterns),
            (begins, &mut self.begins),
            (ends, &mut self.ends),
            (contains, &mut self.contains),
            (separators, &mut self.separators),
        ];
        for (from, to) in texts {
            from.into_iter().for_each(|text| push(to, text));
        }
        self.paired |= paired;
        for (name, below) in members {
            self.members.entry(name).or_default().join(below);
        }
        for (from, to) in [(key, &mut self.key), (each, &mut self.each)] {
            from.into_iter().for_each(|below| to.get_or_insert_with(Box::default).join(*below));
        }
    }
}

/// Adds one more, if there are not too many.
pub(super) fn push<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if all.len() < MOST_VALUES && !all.contains(&one) {
        all.push(one);
    }
}
