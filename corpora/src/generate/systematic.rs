//! What can be planted of rules: every class in every way it can stand in a case, and classes that break together.

use super::mode::Mode;
use super::planting::{Deviation, Planting, Target, What};
use super::rules::{RulePlace, Segment};
use serde_json::Value;
use takeover_harness::case::Operation;
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

/// Rules with their places, of which some are meant.
#[derive(Clone, Copy)]
pub(super) struct Book<'b> {
    pub(super) rules: &'b [Rule],
    pub(super) places: &'b [Option<RulePlace>],
}

impl<'b> Book<'b> {
    /// The rules at these positions that stand somewhere.
    pub(super) fn of(self, which: &'b [usize]) -> impl Iterator<Item = (usize, &'b Rule, &'b RulePlace)> + Clone {
        which
            .iter()
            .filter_map(move |index| Some((*index, self.rules.get(*index)?, self.places.get(*index)?.as_ref()?)))
    }
}

/// Every breaking class of `outers` with every one of `inners` that can stand inside it, and every one of `outers` that can stand in a
/// list.
pub(super) fn compounds(book: Book<'_>, outers: &[usize], inners: &[usize]) -> Vec<Compound> {
    let breaking = |rule: &Rule| -> Vec<u32> {
        let breaks = |boundary: &Boundary| boundary.breaks && !rule.update_only && !rule.after_default;
        (0..).zip(&rule.boundaries).filter(|(_, boundary)| breaks(boundary)).map(|(class, _)| class).collect()
    };
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let mut compounds = Vec::new();
    for (index, rule, place) in book.of(outers) {
        if place.segments.contains(&Segment::Each) {
            let inner = |class| Compound::Crowded { inner: (number(index), class) };
            compounds.extend(breaking(rule).into_iter().map(inner));
        }
    }
    for (outer, rule, around) in book.of(outers) {
        // Nothing stands in what is absent.
        let there = |class: &u32| {
            rule.boundaries.get(*class as usize).is_some_and(|boundary| boundary.sample != Sample::Absent)
        };
        let outer_classes: Vec<u32> = breaking(rule).into_iter().filter(there).collect();
        for (inner, rule, place) in book.of(inners) {
            if place.segments.len() == around.segments.len() || !place.segments.starts_with(&around.segments) {
                continue;
            }
            let inner_classes = breaking(rule);
            for outer_class in &outer_classes {
                compounds.extend(inner_classes.iter().map(|inner_class| Compound::Nested {
                    outer: (number(outer), *outer_class),
                    inner: (number(inner), *inner_class),
                }));
            }
        }
    }
    compounds
}

/// Every class of these rules once in each of `modes`, by modes, so that the first cases already touch every class. The rules take turns,
/// each beginning with a class that breaks it and one that keeps it, as those show the most.
pub(super) fn singles(book: Book<'_>, which: &[usize], modes: &[Mode]) -> Vec<Planting> {
    let mut plantings = Vec::new();
    for mode in modes {
        let mut of_mode: Vec<(usize, Planting)> = Vec::new();
        for (index, rule, _) in book.of(which) {
            let classes: Vec<usize> = (0..)
                .zip(&rule.boundaries)
                .filter(|(_, boundary)| mode.takes(&boundary.sample))
                .map(|(class, _)| class)
                .collect();
            let first = |breaks: bool| {
                let mut classes = classes.iter();
                classes.find(|class| rule.boundaries.get(**class).is_some_and(|boundary| boundary.breaks == breaks))
            };
            let ends = [first(true), first(false)];
            let others = classes.iter().filter(|class| !ends.contains(&Some(*class)));
            let turns = ends.into_iter().flatten().chain(others).enumerate();
            of_mode.extend(turns.map(|(turn, class)| (turn, Planting::new(index, *class, *mode))));
        }
        of_mode.sort_by_key(|(turn, _)| *turn);
        plantings.extend(of_mode.into_iter().map(|(_, planting)| planting));
    }
    plantings
}

/// Of a rule that an old value may change, so many values are tried as old and new ones.
const MOST_CHANGES: usize = 8;

/// What else there is to plant of single rules: options in the other state, pairs of values, and items behind good ones.
pub(super) fn variants(book: Book<'_>, which: &[usize], operations: &[Operation]) -> Vec<Planting> {
    let mut plantings = Vec::new();
    for (index, rule, place) in book.of(which) {
        let in_list = place.segments.contains(&Segment::Each);
        for (class, boundary) in rule.boundaries.iter().enumerate() {
            if !rule.options.is_empty() {
                for mode in [Mode::Created, Mode::Changed] {
                    plantings.push(Planting { switched_off: true, ..Planting::new(index, class, mode) });
                }
            }
            // A rule that reads the old value tells pairs of values apart.
            let changes = match (rule.update_only, rule.reads_old && class < MOST_CHANGES) {
                (true, _) => rule.boundaries.len(),
                (false, true) => rule.boundaries.len().min(MOST_CHANGES),
                (false, false) => 0,
            };
            let others = (0..changes).filter(|other| *other != class);
            plantings.extend(
                others.map(|other| Planting { other: Some(other), ..Planting::new(index, class, Mode::Changed) }),
            );
            if in_list && boundary.breaks {
                for mode in [Mode::Created, Mode::Changed] {
                    plantings.push(Planting { behind: true, ..Planting::new(index, class, mode) });
                }
            }
        }
    }
    plantings.retain(|planting| operations.contains(&planting.mode.operation()));
    plantings
}

/// How many rules at or below the place of another are planted together with it.
const MOST_BESIDE: usize = 3;

/// For every rule of `outers` a value that breaks it, together with one that breaks a rule of `inners` which it may keep from running:
/// one at its place, or the nearest below. `updates_only` says that there are no creates.
pub(super) fn pairs(book: Book<'_>, outers: &[usize], inners: &[usize], updates_only: bool) -> Vec<[Planting; 2]> {
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
    let mut pairs = Vec::new();
    for (outer, rule, around) in book.of(outers) {
        let Some(outer_class) = breaking(rule, false) else { continue };
        let mode = match updates_only {
            false => Mode::Created,
            true if around.guard.is_some() => Mode::Appeared,
            true => Mode::Changed,
        };
        let depth = around.segments.len();
        let mut inner: Vec<(usize, usize, usize, usize)> = book
            .of(inners)
            .enumerate()
            .filter(|(_, (index, _, place))| *index != outer && place.segments.starts_with(&around.segments))
            .filter_map(|(order, (index, rule, place))| {
                let below = place.segments.len() - depth;
                Some((below, order, index, breaking(rule, below == 0)?))
            })
            .collect();
        inner.sort_unstable();
        pairs.extend(inner.into_iter().take(MOST_BESIDE).map(|(below, _, inner, class)| {
            [
                Planting::new(outer, outer_class, mode),
                Planting { extends: below == 0, ..Planting::new(inner, class, mode) },
            ]
        }));
    }
    pairs
}

/// How many steps it is to the innermost place around `place` where a rule of `which` judges updates: it may stop every change of what
/// is there, but not that it appears.
pub(super) fn guard(book: Book<'_>, which: &[usize], place: &RulePlace) -> Option<usize> {
    let around = book.of(which).filter(|(_, rule, _)| rule.update_only).map(|(_, _, around)| &around.segments);
    let around = around.filter(|around| around.len() < place.segments.len() && place.segments.starts_with(around));
    around.map(Vec::len).filter(|len| *len > 0).max()
}
