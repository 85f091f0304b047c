//! A generated case with what was planted in it.

use super::mode::Mode;
use takeover_harness::case::Case;
use takeover_harness::rule::RuleId;
use takeover_harness::runner::Shown;

/// A class of a rule that a case was made to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planted {
    /// The rule.
    pub rule: RuleId,
    /// Index of the class in [`takeover_harness::rule::Rule::boundaries`].
    pub class: usize,
    /// How the class stands in the case.
    pub mode: Mode,
    /// Whether a value of the class breaks the rule.
    pub breaks: bool,
}

/// A case and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedCase<'a> {
    /// The case.
    pub case: Case<'a>,
    /// Classes of rules that were planted, in the order of planting. A later plant may have overwritten an earlier one.
    pub planted: Vec<Planted>,
    /// Deviations along the types that were made beside.
    pub deviations: u32,
    /// An update whose objects were made the same.
    pub unchanged: bool,
}

impl Planted {
    /// What it shows; none where it stands in the old object alone.
    fn shown(&self) -> Option<Shown> {
        let kept = match self.mode {
            Mode::Created | Mode::Changed | Mode::Appeared => false,
            Mode::Kept | Mode::KeptBeside => true,
            Mode::Mended | Mode::Reordered => return None,
        };
        Some(Shown { rule: self.rule, class: self.class, kept })
    }
}

impl GeneratedCase<'_> {
    /// The same in memory of its own.
    #[must_use]
    pub fn kept(self) -> GeneratedCase<'static> {
        let Self { case, planted, deviations, unchanged } = self;
        GeneratedCase { case: case.kept(), planted, deviations, unchanged }
    }

    /// The classes that the case was made to show.
    #[must_use]
    pub fn shows(&self) -> Vec<Shown> {
        self.planted.iter().filter_map(Planted::shown).collect()
    }

    /// Whether nothing was done to the object that its rules or types forbid.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.deviations == 0 && self.planted.iter().all(|planted| !planted.breaks)
    }
}
