//! When a reference error and a candidate error say the same.

use crate::error::{ErrorType, FieldError};
use crate::release::Release;
use crate::side::Side;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Whose comparison algorithm runs. The releases differ in two points only: how duplicates among the reference errors are
/// recognised, and whether a candidate error may answer for several reference errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Semantics {
    /// Kubernetes 1.33 to 1.35: duplicates are errors equal in type, field, value, origin and detail; a candidate error is
    /// used up by the first reference error that it matches.
    #[serde(rename = "1.35")]
    V1_35,
    /// Kubernetes 1.36: duplicates are errors that match each other; a candidate error is used up.
    #[serde(rename = "1.36")]
    V1_36,
    /// Kubernetes 1.37: duplicates are errors that match each other; a candidate error answers for every reference error
    /// that it matches.
    #[default]
    #[serde(rename = "1.37")]
    V1_37,
}

impl Semantics {
    /// Every release's algorithm, oldest first.
    pub const ALL: [Semantics; 3] = [Self::V1_35, Self::V1_36, Self::V1_37];

    /// Whether only errors that are equal count as duplicates.
    pub(super) fn dedupes_exactly(self) -> bool {
        self == Self::V1_35
    }

    /// Whether a candidate error answers for one reference error only.
    pub(super) fn uses_up(self) -> bool {
        self != Self::V1_37
    }
}

/// The algorithm that a release of Kubernetes runs.
impl From<Release> for Semantics {
    fn from(release: Release) -> Self {
        if release <= Release::V1_35 {
            Self::V1_35
        } else if release == Release::V1_36 {
            Self::V1_36
        } else {
            Self::V1_37
        }
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_35 => "1.35",
            Self::V1_36 => "1.36",
            Self::V1_37 => "1.37",
        })
    }
}

/// Which candidate errors take part in a comparison. The others are neither matched nor extra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Candidates {
    /// Errors of alpha and beta rules. A standard rule is authoritative and may have no handwritten counterpart, so its
    /// errors are not compared: Kubernetes 1.37, and 1.36 for resources with declarative enforcement.
    #[default]
    Leveled,
    /// Every error: the candidate runs in the shadow of the reference, so that whatever it says has to agree. Kubernetes
    /// 1.33 to 1.35, and 1.36 for resources without declarative enforcement.
    All,
}

impl Candidates {
    /// Whether `error` of the candidate takes part.
    #[must_use]
    pub fn include(self, error: &FieldError) -> bool {
        match self {
            Self::Leveled => error.stability.is_some(),
            Self::All => true,
        }
    }
}

/// Which errors of both sides take part in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Participation {
    /// Only marked errors: those of the reference that are covered by declarative validation, and those of the candidate that are
    /// named here. No error of an oracle without marks takes part.
    Marked(Candidates),
    /// Every error of either side.
    All,
}

impl Default for Participation {
    fn default() -> Self {
        Self::Marked(Candidates::default())
    }
}

impl Participation {
    /// Whether an error of this side takes part.
    #[must_use]
    pub fn includes(self, side: Side, error: &FieldError) -> bool {
        match (self, side) {
            (Self::All, _) => true,
            (Self::Marked(_), Side::Reference) => error.covered_by_declarative,
            (Self::Marked(candidates), Side::Candidate) => candidates.include(error),
        }
    }
}

/// How errors of the two sides are matched as Kubernetes does.
///
/// Two errors match when type and origin are equal and the field is, or becomes so by the first normalisation rule that
/// changes the candidate's field; errors of type Invalid match only with an origin. Bad value, detail and level do not count.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    pub(super) semantics: Semantics,
    pub(super) participation: Participation,
    pub(super) short_circuit: bool,
    answering: bool,
    normalization: Vec<(Regex, String)>,
}

impl Matcher {
    /// A matcher without normalisation and ancestor matching that compares alpha and beta errors.
    #[must_use]
    pub fn new(semantics: Semantics) -> Self {
        Self { semantics, ..Self::default() }
    }

    /// Sets the release whose algorithm compares, and leaves the other settings as they are.
    #[must_use]
    pub fn at(self, semantics: Semantics) -> Self {
        Self { semantics, ..self }
    }

    /// Compares as this release of Kubernetes does: before 1.37, every error of the declarative side takes part.
    #[must_use]
    pub fn as_of(self, semantics: Semantics) -> Self {
        let candidates = if semantics == Semantics::V1_37 { Candidates::Leveled } else { Candidates::All };
        self.at(semantics).candidates(candidates)
    }

    /// Sets which candidate errors take part; reference errors take part if they are covered by declarative validation.
    #[must_use]
    pub fn candidates(self, candidates: Candidates) -> Self {
        self.participation(Participation::Marked(candidates))
    }

    /// Sets which errors take part.
    #[must_use]
    pub fn participation(self, participation: Participation) -> Self {
        Self { participation, ..self }
    }

    /// Sets the normalisation rules of candidate fields, tried in order: pattern and replacement, groups as `$1`. The first
    /// that changes the field counts.
    #[must_use]
    pub fn normalization(self, normalization: Vec<(Regex, String)>) -> Self {
        Self { normalization, ..self }
    }

    /// Sets whether a reference error without partner is excused by a short-circuited candidate error at a strict ancestor.
    #[must_use]
    pub fn short_circuit(self, short_circuit: bool) -> Self {
        Self { short_circuit, ..self }
    }

    /// Lets errors of standard rules answer reference errors that say the same, where only those of alpha and beta rules take part.
    /// Kubernetes 1.37 counts a mismatch until the handwritten code of such a rule is deleted; this tells whether it may be.
    #[must_use]
    pub fn answering(self) -> Self {
        Self { answering: self.participation == Participation::Marked(Candidates::Leveled), ..self }
    }

    /// Whether an error of this side may be the partner of one of the other side.
    #[must_use]
    pub fn may_match(&self, side: Side, error: &FieldError) -> bool {
        self.participation.includes(side, error) || (self.answering && side == Side::Candidate)
    }

    /// Whose algorithm compares.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// Which errors take part.
    #[must_use]
    pub fn participants(&self) -> Participation {
        self.participation
    }

    /// Whether there are normalisation rules.
    pub(super) fn normalizes(&self) -> bool {
        !self.normalization.is_empty()
    }

    /// `field` after the first normalisation rule that changes it; borrowed when none does.
    #[must_use]
    pub fn normalized<'f>(&self, field: &'f str) -> Cow<'f, str> {
        for (pattern, replacement) in &self.normalization {
            if let Cow::Owned(changed) = pattern.replace_all(field, replacement.as_str())
                && changed != field
            {
                return Cow::Owned(changed);
            }
        }
        Cow::Borrowed(field)
    }

    /// Whether the candidate error `got` answers the reference error `want` (ancestor matching aside).
    #[must_use]
    pub fn matches(&self, want: &FieldError, got: &FieldError) -> bool {
        comparable(want, got) && (want.field == got.field || want.field == *self.normalized(&got.field))
    }
}

/// Everything that must be equal but the field.
pub(super) fn comparable(want: &FieldError, got: &FieldError) -> bool {
    want.error_type == got.error_type && want.origin == got.origin && can_match(want)
}

/// An Invalid error without origin matches nothing: its text alone says what was checked.
pub(super) fn can_match(error: &FieldError) -> bool {
    error.error_type != ErrorType::Invalid || !error.origin.is_empty()
}

/// Whether `field` lies strictly below `ancestor`. The object itself, printed as the empty path, is nobody's ancestor.
pub(super) fn is_below(field: &str, ancestor: &str) -> bool {
    !ancestor.is_empty() && field.strip_prefix(ancestor).is_some_and(|rest| rest.starts_with(['.', '[']))
}
