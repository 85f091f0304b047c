//! What `soak` is given to choose from.

use clap::ValueEnum;
use takeover_corpora::select::Dedup;
use takeover_engine::catalogue::LawsOf;
use takeover_harness::compare::Semantics;
use takeover_harness::object::FieldValidation;
#[cfg(feature = "whole")]
use takeover_harness::release::Release;
use takeover_oracles::{apply, defaults};

/// What two sides of a kind are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Which objects each side rejects.
    Validation,
    /// Which defaults each side sets.
    Defaults,
    /// Whether server-side apply obeys its laws.
    Apply,
}

impl What {
    /// The laws that a CRD is held to.
    pub fn laws(self) -> Option<LawsOf> {
        match self {
            Self::Validation => None,
            Self::Defaults => Some(LawsOf::Defaults),
            Self::Apply => Some(LawsOf::Apply),
        }
    }

    /// The names of the pairs of these kinds, or of all kinds if the list is empty.
    pub fn of(self, kinds: Vec<String>) -> Vec<String> {
        let pair = match self {
            Self::Validation => return kinds,
            Self::Defaults => defaults::NAME,
            Self::Apply => apply::NAME,
        };
        match kinds.is_empty() {
            true => vec![format!("#{pair}")],
            false => {
                let of_pair = |kind: String| kind.strip_suffix(&format!("#{pair}")).unwrap_or(&kind).to_owned();
                kinds.into_iter().map(|kind| format!("{}#{pair}", of_pair(kind))).collect()
            }
        }
    }
}

/// Releases whose comparison algorithm can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SemanticsName {
    /// Kubernetes 1.33 to 1.35.
    #[value(name = "1.35")]
    V1_35,
    /// Kubernetes 1.36.
    #[value(name = "1.36")]
    V1_36,
    /// Kubernetes 1.37.
    #[default]
    #[value(name = "1.37")]
    V1_37,
}

#[cfg(feature = "whole")]
impl SemanticsName {
    /// That of the release of an API server, such as `v1.36.2`; the default for a version that is none.
    #[must_use]
    pub fn of_version(version: &str) -> Self {
        match Release::of_version(version.trim_start_matches('v')) {
            Ok(release) if release <= Release::V1_35 => Self::V1_35,
            Ok(Release::V1_36) => Self::V1_36,
            _ => Self::default(),
        }
    }
}

impl From<SemanticsName> for Semantics {
    fn from(name: SemanticsName) -> Self {
        match name {
            SemanticsName::V1_35 => Self::V1_35,
            SemanticsName::V1_36 => Self::V1_36,
            SemanticsName::V1_37 => Self::V1_37,
        }
    }
}

/// The request parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FieldValidationName {
    /// Drop and count them.
    Warn,
    /// Reject the object.
    Strict,
}

impl From<FieldValidationName> for FieldValidation {
    fn from(name: FieldValidationName) -> Self {
        match name {
            FieldValidationName::Warn => Self::Warn,
            FieldValidationName::Strict => Self::Strict,
        }
    }
}

/// Which cases count as repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DedupName {
    /// Cases of the same shape.
    Shape,
}

impl From<DedupName> for Dedup {
    fn from(name: DedupName) -> Self {
        match name {
            DedupName::Shape => Self::Shape,
        }
    }
}
