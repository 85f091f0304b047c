//! What a case is made to show: classes of rules to plant, and deviations beside them.

use super::mode::Mode;

/// A class of a rule to plant in a case, and how it is to stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Planting {
    /// Position of the rule.
    pub(super) rule: usize,
    /// Position of its class.
    pub(super) class: usize,
    /// What the other object of an update holds; by default what was there.
    pub(super) other: Option<usize>,
    pub(super) mode: Mode,
    /// The object of an update in which the value then changes once more, along its type.
    pub(super) drifts: Option<Target>,
    /// Put the rule's options in the state in which it does not run.
    pub(super) switched_off: bool,
    /// Keep what a longer list has there beyond the sample.
    pub(super) extends: bool,
    /// In a list, put it into an item behind another one.
    pub(super) behind: bool,
    /// In an object that all selecting rules accept.
    pub(super) selected: bool,
}

impl Planting {
    /// The class of a rule alone, in this mode.
    pub(super) fn new(rule: usize, class: usize, mode: Mode) -> Self {
        let (switched_off, extends, behind, selected) = (false, false, false, false);
        Self { rule, class, other: None, mode, drifts: None, switched_off, extends, behind, selected }
    }
}

/// What a case is made to show.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    pub(super) plantings: Vec<Planting>,
    pub(super) deviations: Vec<Deviation>,
}

/// Something to make beside what is planted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation {
    pub(super) target: Target,
    pub(super) what: What,
}

/// Which objects of a case a deviation is made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    New,
    Both,
    Old,
}

/// What deviates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Anything, along the types.
    Anywhere,
    /// The value at the place of the rule with this position, along its type.
    At(usize),
    /// The value of the field with this position, along its type.
    Field(usize),
    /// The length of a list in which a class was planted.
    Around,
}
