//! What can be wrong with the answers of a reference.

use super::Control;
use crate::side::Side;

/// A fault of the reference, planted in its answers: handwritten code cannot be mutated from outside, but its answers can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFault {
    /// The reference lacks the error that agrees with the rule's.
    Dropped,
    /// It reports the error at the parent.
    Moved,
    /// It reports the error where the rule has nothing to say.
    Added,
}

impl ReferenceFault {
    /// Every fault.
    pub const ALL: [Self; 3] = [Self::Dropped, Self::Moved, Self::Added];

    /// What the control of the fault is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dropped => "error dropped",
            Self::Moved => "error at its parent",
            Self::Added => "error added",
        }
    }
}

impl Control {
    /// Whether only a case that both sides reject alike can expose the control.
    #[must_use]
    pub fn shows_by_agreement(&self) -> bool {
        self.side == Side::Reference && self.name != ReferenceFault::Added.name()
    }
}
