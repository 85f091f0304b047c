//! Feature gates and switches, and what follows from them before any error is looked at.

use crate::compare::{Advice, Candidates, Semantics};
use crate::error::{ErrorType, FieldError, Stability};
use serde::{Deserialize, Serialize};

/// How an API server decides between the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum AuthorityPolicy {
    /// Kubernetes 1.33 to 1.35: all declarative rules or none.
    Takeover(TakeoverGates),
    /// Kubernetes 1.36 on: by the level of each rule.
    Lifecycle(LifecycleGates),
}

/// The gates of 1.33 to 1.35.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TakeoverGates {
    /// `DeclarativeValidation`, on by default. Off: the declarative side does not run.
    pub declarative_validation: bool,
    /// `DeclarativeValidationTakeover`, off by default. On: covered handwritten errors give way to all declarative errors.
    pub takeover: bool,
}

/// The gates and switches of 1.36 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleGates {
    /// Which release.
    pub release: LifecycleRelease,
    /// `DeclarativeValidation`, locked on in both releases: the sides are compared, mismatches are counted.
    pub declarative_validation: bool,
    /// `DeclarativeValidationBeta`, on by default: rules of level beta are enforced.
    pub beta: bool,
    /// The mode of equivalence tests, in which every declarative error is enforced and every covered handwritten error
    /// gives way.
    pub everything_enforced: bool,
}

/// A release of the lifecycle policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum LifecycleRelease {
    /// 1.36, for a resource whose strategy has, or has not, `WithDeclarativeEnforcement`. Without it the declarative side
    /// runs in the shadow of the handwritten one.
    V1_36 {
        /// Whether the resource has the switch.
        enforcement: bool,
    },
    /// 1.37: the lifecycle holds for every resource.
    V1_37,
}

impl Default for TakeoverGates {
    fn default() -> Self {
        Self { declarative_validation: true, takeover: false }
    }
}

impl LifecycleGates {
    /// The defaults of a release.
    #[must_use]
    pub fn of(release: LifecycleRelease) -> Self {
        Self { release, declarative_validation: true, beta: true, everything_enforced: false }
    }

    /// Whether the lifecycle holds for the resource.
    pub(super) fn enforces(self) -> bool {
        match self.release {
            LifecycleRelease::V1_36 { enforcement } => enforcement,
            LifecycleRelease::V1_37 => true,
        }
    }
}

impl AuthorityPolicy {
    /// Whether the declarative side runs at all.
    #[must_use]
    pub fn runs_candidate(self) -> bool {
        match self {
            Self::Takeover(gates) => gates.declarative_validation,
            Self::Lifecycle(gates) => gates.declarative_validation || gates.enforces() || gates.everything_enforced,
        }
    }

    /// Whether the sides are compared and mismatches counted.
    #[must_use]
    pub fn compares(self) -> bool {
        match self {
            Self::Takeover(gates) => gates.declarative_validation,
            Self::Lifecycle(gates) => gates.declarative_validation,
        }
    }

    /// The comparison algorithm of the release.
    #[must_use]
    pub fn semantics(self) -> Semantics {
        match self {
            Self::Takeover(_) => Semantics::V1_35,
            Self::Lifecycle(LifecycleGates { release: LifecycleRelease::V1_36 { .. }, .. }) => Semantics::V1_36,
            Self::Lifecycle(LifecycleGates { release: LifecycleRelease::V1_37, .. }) => Semantics::V1_37,
        }
    }

    /// Which declarative errors are compared.
    #[must_use]
    pub fn candidates(self) -> Candidates {
        match self {
            Self::Lifecycle(gates) if gates.enforces() => Candidates::Leveled,
            Self::Takeover(_) | Self::Lifecycle(_) => Candidates::All,
        }
    }

    /// What the log lines of mismatches advise.
    #[must_use]
    pub fn advice(self) -> Advice {
        match self {
            Self::Takeover(gates) if gates.takeover => Advice::DisableTakeover,
            Self::Lifecycle(gates) if gates.enforces() && gates.beta => Advice::DisableBeta,
            Self::Takeover(_) | Self::Lifecycle(_) => Advice::Handwritten,
        }
    }

    /// Whether a panic of the declarative side becomes an InternalError; otherwise it is only logged and counted.
    #[must_use]
    pub fn reports_panics(self) -> bool {
        match self {
            Self::Takeover(gates) => gates.declarative_validation && gates.takeover,
            Self::Lifecycle(gates) => gates.enforces(),
        }
    }

    /// Whether the user gets the declarative error `error`.
    #[must_use]
    pub fn enforces(self, error: &FieldError) -> bool {
        match self {
            Self::Takeover(gates) => gates.declarative_validation && gates.takeover,
            Self::Lifecycle(gates) if gates.everything_enforced => true,
            Self::Lifecycle(gates) if !gates.enforces() => false,
            Self::Lifecycle(gates) => match error.stability {
                _ if error.error_type == ErrorType::Internal => true,
                None => true,
                Some(Stability::Beta) => gates.beta,
                Some(Stability::Alpha) => false,
            },
        }
    }
}
