//! What single rules do not tell: bad values that become other bad ones, and values beside those of other fields of their struct.

use super::mode::Mode;
use super::planting::{Planting, Target};
use super::rules::{RulePlace, Segment, join};
use super::systematic::Book;
use serde_json::Value;
use std::collections::HashMap;
use takeover_harness::rule::{Boundary, Rule, Sample, Specificity};

/// Of a rule, so many bad values become other bad ones.
const MOST_DRIFTING: usize = 3;
/// Values of a field that are tried beside values of the others of its struct.
const MOST_OF_FIELD: usize = 6;
/// Values of all those others.
const MOST_OF_OTHERS: usize = 16;

/// Bad values of one rule that are combined with selecting rules.
const MOST_SELECTED: usize = 3;
/// Classes of selecting rules that are combined with one bad value.
const MOST_SELECTING: usize = 24;

/// Values that say what the rest of their struct means, true and false and those of enumerations, by the path of the struct.
pub(super) struct Siblings<'k> {
    by_struct: HashMap<Box<str>, Vec<Named<'k>>>,
    /// Every class of the selecting rules: position of the rule, and of the class.
    selecting: Vec<(usize, usize)>,
    /// The first class that each of them accepts.
    pub(super) accepting: Vec<(usize, usize)>,
}

/// The place of a rule, with its position and the class that names a value.
type Named<'k> = (&'k RulePlace, (usize, usize));

impl<'k> Siblings<'k> {
    /// Those that the rules at these positions name.
    pub(super) fn new(book: Book<'k>, which: &'k [usize]) -> Self {
        let mut by_struct: HashMap<Box<str>, Vec<Named<'k>>> = HashMap::new();
        let (mut selecting, mut accepting) = (Vec::new(), Vec::new());
        for (index, rule, place) in book.of(which) {
            if rule.selects {
                selecting.extend((0..rule.boundaries.len()).map(|class| (index, class)));
                accepting.extend(rule.boundaries.iter().position(|class| !class.breaks).map(|class| (index, class)));
            }
            let Some((Segment::Member(_), around)) = place.segments.split_last() else { continue };
            let named = (0..).zip(&rule.boundaries).filter(|(_, boundary)| is_mode(rule, boundary));
            let named: Vec<Named<'k>> = named.map(|(class, _)| (place, (index, class))).collect();
            if !named.is_empty() {
                by_struct.entry(join(around)).or_default().extend(named);
            }
        }
        Self { by_struct, selecting, accepting }
    }

    /// Those of the other fields of the struct around `place`.
    fn beside(&self, place: &RulePlace) -> impl Iterator<Item = (usize, usize)> {
        let around = place.segments.split_last().map(|(_, around)| join(around));
        let all = around.and_then(|around| self.by_struct.get(&around)).into_iter().flatten();
        all.filter(|(other, _)| other.field != place.field).map(|(_, class)| *class)
    }
}

fn is_empty(sample: &Sample) -> bool {
    match sample {
        Sample::Absent => true,
        Sample::Value(Value::String(text)) => text.is_empty(),
        Sample::Value(Value::Array(items)) => items.is_empty(),
        Sample::Value(Value::Object(members)) => members.is_empty(),
        _ => false,
    }
}

fn is_mode(rule: &Rule, boundary: &Boundary) -> bool {
    match &boundary.sample {
        Sample::Value(Value::Bool(_)) => true,
        Sample::Value(Value::String(_)) => rule.specificity == Specificity::Whole && !boundary.breaks,
        _ => false,
    }
}

/// Values that break these rules and become other ones, which mostly are bad as well.
pub(super) fn drifting(book: Book<'_>, which: &[usize]) -> Vec<Planting> {
    let mut plantings = Vec::new();
    for (index, rule, _) in book.of(which).filter(|(_, rule, _)| !rule.update_only) {
        let breaks = |boundary: &Boundary| boundary.breaks && matches!(boundary.sample, Sample::Value(_));
        let classes = (0..).zip(&rule.boundaries).filter(|(_, boundary)| breaks(boundary)).map(|(class, _)| class);
        for class in classes.take(MOST_DRIFTING) {
            let drifts = [Target::Old, Target::New].map(Some);
            plantings.extend(drifts.map(|drifts| Planting { drifts, ..Planting::new(index, class, Mode::Kept) }));
        }
    }
    plantings
}

/// Values of these rules in objects that all selecting rules accept, then bad values combined with each class of the selecting rules.
pub(super) fn selected(
    book: Book<'_>,
    which: &[usize],
    siblings: &Siblings<'_>,
    mode: Mode,
) -> Vec<(Planting, Option<Planting>)> {
    if siblings.selecting.is_empty() {
        return Vec::new();
    }
    let are_accepting = !siblings.accepting.is_empty();
    let (mut plantings, mut combined) = (Vec::new(), Vec::new());
    for (index, rule, place) in book.of(which).filter(|(_, rule, _)| !rule.selects && !rule.update_only) {
        let is_elsewhere = |other: usize| {
            let other = book.places.get(other).and_then(Option::as_ref);
            other.is_some_and(|other| other.field != place.field)
        };
        let mut bad = 0;
        for (class, boundary) in rule.boundaries.iter().enumerate() {
            let value = Planting { selected: true, ..Planting::new(index, class, mode) };
            plantings.extend(are_accepting.then_some((value, None)));
            if boundary.breaks && bad < MOST_SELECTED {
                bad += 1;
                let elsewhere = siblings.selecting.iter().filter(|(other, _)| is_elsewhere(*other));
                let beside = elsewhere.take(MOST_SELECTING).map(|(rule, class)| Planting::new(*rule, *class, mode));
                combined.extend(beside.map(|other| (value, Some(other))));
            }
        }
    }
    plantings.extend(combined);
    plantings
}

/// Values of the field at `place` that may be bad, as rules at these positions have them, each beside every mode of its struct.
pub(super) fn in_modes(
    book: Book<'_>,
    (place, which): (&RulePlace, &[usize]),
    siblings: &Siblings<'_>,
    mode: Mode,
) -> Vec<[Planting; 2]> {
    let beside: Vec<(usize, usize)> = siblings.beside(place).take(MOST_OF_OTHERS).collect();
    if beside.is_empty() {
        return Vec::new();
    }
    let mut turns = Vec::new();
    for (index, rule, _) in book.of(which).filter(|(_, rule, _)| !rule.update_only) {
        // The reference may reject what is empty, though this rule does not.
        let may_be_bad = |boundary: &Boundary| boundary.breaks || is_empty(&boundary.sample);
        let classes = (0..).zip(&rule.boundaries).filter(|(_, boundary)| may_be_bad(boundary)).map(|(class, _)| class);
        turns.extend(classes.enumerate().map(|(turn, class)| {
            let is_set = rule.boundaries.get(class).is_none_or(|boundary| !is_empty(&boundary.sample));
            ((is_set, turn), Planting::new(index, class, mode))
        }));
    }
    // What is absent or empty in one mode is what another asks for.
    turns.sort_by_key(|(turn, _)| *turn);
    let values = turns.into_iter().take(MOST_OF_FIELD);
    values
        .flat_map(|(_, value)| beside.iter().map(move |(rule, class)| [value, Planting::new(*rule, *class, mode)]))
        .collect()
}
