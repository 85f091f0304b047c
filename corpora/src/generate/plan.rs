//! The systematic part: every rule × class × operation, in every way a class can stand in an update.

use super::draft::{Deviation, Target, What};
use super::rules::{Place, Segment};
use serde_json::Value;
use std::fmt;
use takeover_harness::case::Operation;
use takeover_harness::rule::{Boundary, Rule, Sample};

/// How a planted value stands in its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// In the object of a create.
    Created,
    /// In the new object; the old one holds something else.
    Changed,
    /// In both objects, which are the same.
    Kept,
    /// In both objects, which differ elsewhere.
    KeptBeside,
    /// In the old object; the new one holds something else.
    Mended,
    /// In the new object; the old one lacks a parent of it.
    Appeared,
    /// A list in both objects, in the old one the other way round.
    Reordered,
}

impl Mode {
    /// Every mode, in the order in which the generator visits them.
    pub const ALL: [Mode; 7] =
        [Mode::Created, Mode::Changed, Mode::Kept, Mode::Appeared, Mode::Mended, Mode::KeptBeside, Mode::Reordered];

    /// Whether a sample can stand so.
    fn takes(self, sample: &Sample) -> bool {
        match (self, sample) {
            (Self::Reordered, Sample::Value(Value::Array(items))) => items.iter().ne(items.iter().rev()),
            (Self::Reordered, _) => false,
            _ => true,
        }
    }

    /// The operation of such a case.
    #[must_use]
    pub fn operation(self) -> Operation {
        if self == Self::Created { Operation::Create } else { Operation::Update }
    }

    /// The mode in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Kept => "kept",
            Self::KeptBeside => "kept beside a change",
            Self::Mended => "mended",
            Self::Appeared => "appeared",
            Self::Reordered => "reordered",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing to plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Position of the rule.
    pub(super) rule: usize,
    /// Position of its class.
    pub(super) class: usize,
    /// What the other object of an update holds; by default what was there.
    pub(super) other: Option<usize>,
    pub(super) mode: Mode,
    /// Put the rule's options in the state in which it does not run.
    pub(super) switched_off: bool,
}

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
    pub(super) fn plans(self, mode: Mode) -> Vec<Plan> {
        let plan = |(rule, class): (u32, u32)| Plan {
            rule: rule as usize,
            class: class as usize,
            other: None,
            mode,
            switched_off: false,
        };
        match self {
            Self::Nested { outer, inner } => vec![plan(outer), plan(inner)],
            Self::Crowded { inner } => vec![plan(inner)],
        }
    }

    /// What else to do.
    pub(super) fn deviation(self, mode: Mode) -> Option<Deviation> {
        let target = if mode == Mode::Kept { Target::Both } else { Target::New };
        matches!(self, Self::Crowded { .. }).then_some(Deviation { target, what: What::Around })
    }
}

/// Every pair of breaking classes of which one can stand inside the other, and every one that can stand in a list.
pub(super) fn compounds(rules: &[Rule], places: &[Option<Place>]) -> Vec<Compound> {
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
pub(super) fn systematic(rules: &[Rule], places: &[Option<Place>]) -> Vec<Plan> {
    let mut plans = Vec::new();
    let placed = || rules.iter().zip(places).enumerate().filter(|(_, (_, place))| place.is_some());
    for mode in Mode::ALL {
        for (index, (rule, _)) in placed() {
            let classes = rule.boundaries.iter().enumerate().filter(|(_, boundary)| mode.takes(&boundary.sample));
            for (class, _) in classes {
                plans.push(Plan { rule: index, class, other: None, mode, switched_off: false });
            }
        }
    }
    for (index, (rule, _)) in placed() {
        for class in 0..rule.boundaries.len() {
            if !rule.options.is_empty() {
                for mode in [Mode::Created, Mode::Changed] {
                    plans.push(Plan { rule: index, class, other: None, mode, switched_off: true });
                }
            }
            // A rule of updates tells pairs of values apart, not values.
            let others = (0..rule.boundaries.len()).filter(|other| rule.update_only && *other != class);
            plans.extend(others.map(|other| Plan {
                rule: index,
                class,
                other: Some(other),
                mode: Mode::Changed,
                switched_off: false,
            }));
        }
    }
    plans
}
