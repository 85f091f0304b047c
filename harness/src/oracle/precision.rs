//! What the answers of an oracle can say.

use std::num::NonZeroUsize;

/// What an oracle says beyond accepting or rejecting.
///
/// A comparison is only as precise as the less precise of the two oracles; what one of them cannot say never counts as agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// What an answer consists of.
    pub detail: Detail,
    /// Whether its errors name their origin.
    pub origins: bool,
    /// Whether its errors carry the marks that say which of them take part in a comparison: as a reference, "covered by
    /// declarative"; as a candidate, the lifecycle level. An error without mark is then one that nobody expects on the other
    /// side.
    pub marks: bool,
    /// Whether it says which rules looked at a value. If not, a rule counts as reached where its field is set.
    pub reached: bool,
    /// Whether the same question always gets the same answer.
    pub steady: bool,
    /// Whether it answers any question, rather than the recorded one alone. The causes of differences are found by asking others.
    pub answers_any: bool,
    /// How many questions it takes at once, at most.
    pub batch: NonZeroUsize,
}

/// What an answer consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Field errors.
    Errors,
    /// The object as the oracle changed it.
    Object,
    /// Accepted or rejected, with an error without a field for each check that rejects.
    Reasons,
    /// Accepted or rejected.
    Decision,
}

impl Detail {
    /// Whether an answer may tell which of its checks reject: by its errors, or by its reason.
    #[must_use]
    pub fn shows_checks(self) -> bool {
        !matches!(self, Self::Object)
    }
}

impl Precision {
    /// Everything that Kubernetes' own validators say.
    pub const KUBERNETES: Self = Self { origins: true, marks: true, reached: true, ..Self::ERRORS };

    /// Errors by type and field, and nothing else.
    pub const ERRORS: Self = Self {
        detail: Detail::Errors,
        origins: false,
        marks: false,
        reached: false,
        steady: true,
        answers_any: true,
        batch: NonZeroUsize::MIN,
    };

    /// Objects.
    pub const OBJECTS: Self = Self { detail: Detail::Object, ..Self::ERRORS };

    /// Decisions.
    pub const DECISIONS: Self = Self { detail: Detail::Decision, ..Self::ERRORS };
}

impl Default for Precision {
    fn default() -> Self {
        Self::ERRORS
    }
}
