//! How a planted value stands in its case.

use serde_json::Value;
use std::fmt;
use takeover_harness::case::Operation;
use takeover_harness::rule::Sample;

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

    /// Whether a sample can be planted in this mode.
    pub(super) fn takes(self, sample: &Sample) -> bool {
        match (self, sample) {
            (Self::Reordered, Sample::Value(Value::Array(items))) => items.len() > 1,
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
            Self::Mended => "bad stored value corrected",
            Self::Appeared => "newly set",
            Self::Reordered => "reordered",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
