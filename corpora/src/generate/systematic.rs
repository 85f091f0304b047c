//! The systematic part: every rule × class × operation, in every way a class can stand in an update.

use super::mode::Mode;
use super::planting::{Deviation, Planting, Target, What};
use super::rules::{RulePlace, Segment};
use serde_json::Value;
use takeover_harness::rule::{Boundary, Rule, Sample};

/// Two faults of which the one hides the other from a validator that stops at the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compound {
    /// Two rules and a class of each that breaks it, the second below the place of the first.
    Nested {
        /// Position of the outer rule and its class.
        outer: (u32, u32),
        /// Position of the inner rule and its class.
        inner: (u32, u32),
    },
    /// A rule inside items of lists and a class that breaks it; a list around has many items.
    Crowded {
        /// Position of the rule and its class.
        inner: (u32, u32),
    },
}

impl Compound {
    /// How the faults can stand in a case, in the order in which the generator visits them.
    pub(super) const MODES: [Mode; 3] = [Mode::Created, Mode::Changed, Mode::Kept];

    /// What to plant.
    pub(super) fn plantings(self, mode: Mode) -> Vec<Planting> {
        let planting = |(rule, class): (u32, u32)| Planting::new(rule as usize, class as usize, mode);
        match self {
            Self::Nested { outer, inner } => vec![planting(outer), planting(inner)],
            Self::Crowded { inner } => vec![planting(inner)],
        }
    }

    /// What else to do.
    pub(super) fn deviation(self, mode: Mode) -> Option<Deviation> {
        let target = if mode == Mode::Kept { Target::Both } else { Target::New };
        matches!(self, Self::Crowded { .. }).then_some(Deviation { target, what: What::Around })
    }
}

/// Every pair of breaking classes of which one can stand inside the other, and every one that can stand in a list.
pub(super) fn compounds(rules: &[Rule], places: &[Option<RulePlace>]) -> Vec<Compound> {
    let breaking = |rule: &Rule| -> Vec<u32> {
        let breaks = |boundary: &Boundary| boundary.breaks && !rule.update_only && !rule.after_default;
        (0..).zip(&rule.boundaries).filter(|(_, boundary)| breaks(boundary)).map(|(class, _)| class).collect()
    };
    let placed: Vec<_> = (0..)
        .zip(rules.iter().zip(places))
        .filter_map(|(index, (rule, place))| Some((index, rule, place.as_ref()?, breaking(rule))))
        .filter(|(.., classes)| !classes.is_empty())
        .collect();
    let mut compounds = Vec::new();
    for (inner, _, place, classes) in &placed {
        if place.segments.contains(&Segment::Each) {
            compounds.extend(classes.iter().map(|class| Compound::Crowded { inner: (*inner, *class) }));
        }
    }
    for (outer, rule, around, outer_classes) in &placed {
        for (inner, _, place, inner_classes) in &placed {
            if place.segments.len() == around.segments.len() || !place.segments.starts_with(&around.segments) {
                continue;
            }
            for outer_class in outer_classes {
                // Nothing stands in what is absent.
                let sample = rule.boundaries.get(*outer_class as usize).map(|boundary| &boundary.sample);
                if sample.is_none_or(|sample| *sample == Sample::Absent) {
                    continue;
                }
                compounds.extend(inner_classes.iter().map(|inner_class| Compound::Nested {
                    outer: (*outer, *outer_class),
                    inner: (*inner, *inner_class),
                }));
            }
        }
    }
    compounds
}

/// Everything there is to plant once: by modes, so that the first cases already touch every class.
pub(super) fn systematic(rules: &[Rule], places: &[Option<RulePlace>]) -> Vec<Planting> {
    let mut plantings = Vec::new();
    let placed = || rules.iter().zip(places).enumerate().filter(|(_, (_, place))| place.is_some());
    for mode in Mode::ALL {
        for (index, (rule, _)) in placed() {
            let classes = rule.boundaries.iter().enumerate().filter(|(_, boundary)| mode.takes(&boundary.sample));
            for (class, _) in classes {
                plantings.push(Planting::new(index, class, mode));
            }
        }
    }
    for (index, (rule, _)) in placed() {
        for class in 0..rule.boundaries.len() {
            if !rule.options.is_empty() {
                for mode in [Mode::Created, Mode::Changed] {
                    plantings.push(Planting { switched_off: true, ..Planting::new(index, class, mode) });
                }
            }
            // A rule of updates tells pairs of values apart, not values.
            let others = (0..rule.boundaries.len()).filter(|other| rule.update_only && *other != class);
            plantings.extend(
                others.map(|other| Planting { other: Some(other), ..Planting::new(index, class, Mode::Changed) }),
            );
        }
    }
    plantings
}

/// How many rules at or below the place of another are planted together with it.
const MOST_BESIDE: usize = 3;

/// For every rule a value that breaks it, together with one that breaks a rule which it may keep from running: one at its place, or
/// the nearest below. `updates_only` says that there are no creates.
pub(super) fn pairs(rules: &[Rule], places: &[Option<RulePlace>], updates_only: bool) -> Vec<[Planting; 2]> {
    let breaking = |rule: &Rule, list: bool| {
        let breaks = |boundary: &Boundary| {
            let fits = match &boundary.sample {
                Sample::Value(Value::Array(_)) => true,
                sample => !list && *sample != Sample::Absent,
            };
            boundary.breaks && fits && !rule.update_only && !rule.after_default
        };
        rule.boundaries.iter().position(breaks)
    };
    let placed = || {
        let placed = rules.iter().zip(places).enumerate();
        placed.filter_map(|(index, (rule, place))| Some((index, rule, place.as_ref()?)))
    };
    let mut pairs = Vec::new();
    for (outer, rule, around) in placed() {
        let Some(outer_class) = breaking(rule, false) else { continue };
        let mode = match updates_only {
            false => Mode::Created,
            true if around.guard.is_some() => Mode::Appeared,
            true => Mode::Changed,
        };
        let depth = around.segments.len();
        let mut inner: Vec<(usize, usize, usize)> = placed()
            .filter(|(index, _, place)| *index != outer && place.segments.starts_with(&around.segments))
            .filter_map(|(index, rule, place)| {
                let below = place.segments.len() - depth;
                Some((below, index, breaking(rule, below == 0)?))
            })
            .collect();
        inner.sort_unstable();
        pairs.extend(inner.into_iter().take(MOST_BESIDE).map(|(below, inner, class)| {
            [
                Planting::new(outer, outer_class, mode),
                Planting { extends: below == 0, ..Planting::new(inner, class, mode) },
            ]
        }));
    }
    pairs
}

/// How many steps it is to the innermost place around `place` where a rule judges updates: it may stop every change of what is
/// there, but not that it appears.
pub(super) fn guard(rules: &[Rule], places: &[Option<RulePlace>], place: &RulePlace) -> Option<usize> {
    let around =
        rules.iter().zip(places).filter(|(rule, _)| rule.update_only).filter_map(|(_, around)| around.as_ref());
    let around = around.map(|around| &around.segments);
    let around = around.filter(|around| around.len() < place.segments.len() && place.segments.starts_with(around));
    around.map(Vec::len).filter(|len| *len > 0).max()
}
