//! Why a subject cannot be made.

use std::fmt::Write as _;
use takeover_declarative::Diagnostic;
use takeover_declarative::idl::IdlError;
use takeover_handwritten::checks::ListError;
use takeover_harness::release::Release;
use takeover_harness::subject::{PairId, PairNameError, SubjectId};

fn meant(near: Option<&str>) -> String {
    near.map_or_else(
        || {
            "; `takeover subjects` lists the known kinds. For a kind of your own, describe a pair: `takeover init` writes one to takeover.toml, and `soak` takes one by --reference and --candidate".to_owned()
        },
        |near| format!(": did you mean `{near}`? `takeover subjects` lists the known kinds"),
    )
}

/// A subject that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The Go files do not load.
    #[error(transparent)]
    Idl(#[from] IdlError),
    /// No reference is known for it.
    #[error("unknown kind `{asked}`{}", meant(.near.as_deref()))]
    Unknown {
        /// What was asked for.
        asked: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// It is a built-in kind that nothing judges.
    #[error("`{0}` has no handwritten validator in this program; `takeover subjects` lists the kinds that have one")]
    Unjudged(String),
    /// There is a reference for it, and no rule.
    #[error(
        "`{asked}` has no declarative rules, so there is nothing to compare; `takeover validate` validates its objects"
    )]
    NoRules {
        /// What was asked for.
        asked: String,
    },
    /// No reference models this release of the subject.
    #[error("there is no handwritten validator for `{subject}` of Kubernetes {release}")]
    NoReference {
        /// The subject.
        subject: SubjectId,
        /// The release.
        release: Release,
    },
    /// What no pair can be called.
    #[error(transparent)]
    PairName(#[from] PairNameError),
    /// A pair that is not built in.
    #[error(
        "there is no pair `{0}`: after `#`, built-in pairs take one or two releases from 1.35 to 1.37, such as `1.35` or `1.35-1.36`"
    )]
    NoPair(PairId),
    /// A path normalisation rule is not a regular expression, which a test rules out.
    #[error(transparent)]
    Normalization(#[from] regex::Error),
    /// The types lack the kind.
    #[error("the Go types do not declare `{0}`")]
    NotDeclared(SubjectId),
    /// The list of handwritten checks cannot be read, which a test rules out.
    #[error(transparent)]
    Checks(#[from] ListError),
    /// Its tags do not compile.
    #[error("the rules of `{subject}` do not compile:{}", lines(diagnostics))]
    Rules {
        /// The subject.
        subject: String,
        /// Everything that is wrong.
        diagnostics: Vec<Diagnostic>,
    },
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut out, diagnostic| {
        let _ = write!(out, "\n  {diagnostic}");
        out
    })
}
