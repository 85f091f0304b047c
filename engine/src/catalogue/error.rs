//! Why there is no such pair.

use std::path::PathBuf;
use takeover_harness::side::Side;
use takeover_harness::subject::{PairId, PairNameError, SubjectId};
use takeover_harness::text::nearest;
use takeover_oracles::registry::RegistryError;

/// What this build lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this build has no HTTPS")]
pub struct NotBuilt;

impl NotBuilt {
    /// # Errors
    /// Returns an error when this build cannot ask webhooks and servers.
    pub(crate) fn check() -> Result<(), Self> {
        if takeover_external::HAS_HTTPS { Ok(()) } else { Err(Self) }
    }
}

/// Why a pair cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// No kind of the types has a default.
    #[error("no kind of the types has a default: no `+default` marker sets one")]
    NoDefaults,
    /// No kind of the types has objects that can be applied.
    #[error("no kind of the types has objects that can be applied")]
    NothingToApply,
    /// The built-in catalogue has none, or the types do not load.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The name of a pair is no name.
    #[error("a pair needs a name: {0}")]
    Name(#[from] PairNameError),
    /// Two pairs have the same name.
    #[error("there are two pairs `{0}`")]
    Twice(Box<PairId>),
    /// Types that cannot be read.
    #[error("failed to read the types of `{pair}` from `{}`: {reason}", .place.display())]
    Types {
        /// The pair.
        pair: Box<PairId>,
        /// Where they should be.
        place: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A pair does not name the types of a kind that is not built in.
    #[error(
        "`{0}` is not a built-in kind: name its types, with `types` in takeover.toml or --types on the command line (a Go package, CRD manifests or an OpenAPI v3 document)"
    )]
    NoTypes(SubjectId),
    /// Types without the kind.
    #[error("`{}` declares no `{subject}`{}", .place.display(), declared(subject, .known))]
    NoKind {
        /// The kind that the pair names.
        subject: Box<SubjectId>,
        /// Where the types are.
        place: PathBuf,
        /// The kinds that they declare.
        known: Vec<String>,
    },
    /// A name behind `#` that no pair of the kind has.
    #[error("there is no pair `{asked}`: {}", pairs_of(.known))]
    NoPair {
        /// The name that was given.
        asked: String,
        /// The pairs of the kind.
        known: Vec<PairId>,
    },
    /// `--types` beside a pair that names its types itself.
    #[error(
        "--types does not replace the types of `{0}`, which the settings describe: change its `types` there, name other kinds with --kind, or describe the pair with --reference and --candidate"
    )]
    OwnTypes(Box<PairId>),
    /// A side that this build cannot ask.
    #[error("a side of `{0}` is a webhook or a server")]
    NotBuilt(Box<PairId>, #[source] NotBuilt),
    /// A side that cannot be made.
    #[error("the {side} of `{pair}` cannot be asked: {reason}")]
    Oracle {
        /// The pair.
        pair: Box<PairId>,
        /// The side.
        side: Side,
        /// What is wrong.
        reason: String,
    },
    /// A comparison that the sides do not allow.
    #[error("`{pair}` cannot be compared by `{level}`: {reason}")]
    Compare {
        /// The pair.
        pair: Box<PairId>,
        /// The level that the pair names.
        level: &'static str,
        /// What is missing.
        reason: String,
    },
    /// Neither side judges anything.
    #[error("nothing judges `{pair}`: {reason}")]
    NothingJudges {
        /// The pair.
        pair: Box<PairId>,
        /// Why not.
        reason: String,
    },
}

impl CatalogueError {
    /// Whether it is that no side judges anything, so that there is nothing to compare.
    #[must_use]
    pub fn is_nothing_to_compare(&self) -> bool {
        matches!(self, Self::NothingJudges { .. })
    }
}

fn declared(subject: &SubjectId, known: &[String]) -> String {
    if let Some(near) = nearest(&format!("`{subject}`"), known.iter().map(String::as_str)) {
        return format!(": did you mean {near}?");
    }
    match known {
        [] => "; it declares no kind at all".to_owned(),
        known => format!("; it declares {}", known.join(", ")),
    }
}

fn pairs_of(known: &[PairId]) -> String {
    match known {
        [one] => format!("did you mean `{one}`?"),
        known => {
            let names: Vec<String> = known.iter().map(|id| format!("`{id}`")).collect();
            format!("the pairs of this kind are {}", names.join(", "))
        }
    }
}
