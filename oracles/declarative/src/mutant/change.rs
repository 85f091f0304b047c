//! A mutant and what it changes.

use crate::eval::Check;
use crate::eval::program::Correlation;
use std::fmt;
use std::sync::Arc;
use takeover_harness::rule::RuleId;

/// One rule with one fault.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The rule.
    pub rule: RuleId,
    /// What is wrong with it, unique among the mutants of the rule: `bound one higher`.
    pub name: String,
    /// The tag that registers the fault, without prefix; empty for faults that every rule can have.
    pub tag: &'static str,
    /// Why no case can show it; `None` when a case can.
    pub equivalent: Option<&'static str>,
    pub(super) change: Change,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// What a mutant changes.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Every check of the rule finds nothing.
    Dropped,
    /// Every error of the rule has another part.
    Error(Part),
    /// One check of the rule is another one.
    Check {
        /// Which, in the order of the program.
        nth: usize,
        /// What stands in for it.
        check: Arc<dyn Check>,
    },
    /// The rule stops nothing.
    StopsNothing,
    /// The rule also judges what an update leaves as it was.
    Unratcheted,
    /// The wrapper runs the rule in the other state of the option.
    OptionInverted,
    /// The rule runs whatever the state of the option.
    OptionIgnored,
    /// Elements of the old list are found otherwise for this rule.
    Correlation(Correlation),
    /// Elements of the old list are not found by any rule of the place.
    CorrelationOfPlace,
    /// The rule runs on another element.
    OtherElement,
    /// The rule runs in another mode.
    OtherMode,
    /// What runs outside of all modes runs in them too.
    EveryMode,
}

/// A part of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Type,
    Origin,
    Path,
}
