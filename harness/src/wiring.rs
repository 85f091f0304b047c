//! Whether the servers of a release serve a subject, and whether they run its rules.

use crate::release::Release;
use std::fmt;

/// How the servers of a release serve a version of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// Without being asked to.
    ByDefault,
    /// When `--runtime-config` enables the version.
    WhenEnabled,
    /// No longer, from this release on.
    NotSince(Release),
}

impl fmt::Display for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByDefault => f.write_str("by default"),
            Self::WhenEnabled => f.write_str("when enabled"),
            Self::NotSince(release) => write!(f, "not since {release}"),
        }
    }
}

/// Whether the strategy of a kind runs its declarative rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// On create and on update.
    Yes,
    /// Never: the rules are generated, and nothing calls them.
    No,
    /// It is not known here.
    Unknown,
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        })
    }
}

/// How a release treats a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wiring {
    /// The release.
    pub release: Release,
    /// Whether it serves the version.
    pub serving: Serving,
    /// Whether the strategy runs the rules.
    pub running: Running,
}

impl Wiring {
    /// Why no server of the release shows what the rules say; none where a server can.
    #[must_use]
    pub fn obstacle(self) -> Option<String> {
        match (self.serving, self.running) {
            (Serving::NotSince(release), _) => Some(format!("no longer served since {release}")),
            (_, Running::No) => Some(format!("the strategy of {} runs no declarative rules", self.release)),
            _ => None,
        }
    }
}

/// Why the rules of a pair show in no server of the newest modelled release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unshown {
    /// Why.
    pub because: String,
    /// Whether reports keep the pair out of their headline figures: it was judged along with pairs that do show.
    pub apart: bool,
}

#[cfg(test)]
mod tests {
    use super::{Running, Serving, Wiring};
    use crate::release::Release;

    #[test]
    fn what_is_not_served_or_not_run_is_in_the_way() {
        let wiring = |serving, running| Wiring { release: Release::V1_36, serving, running };
        let gone = Serving::NotSince(Release::of_minor(25));
        for (wiring, said) in [
            (wiring(Serving::ByDefault, Running::Yes), None),
            (wiring(Serving::WhenEnabled, Running::Yes), None),
            (wiring(Serving::ByDefault, Running::Unknown), None),
            (wiring(gone, Running::Yes), Some("no longer served since 1.25")),
            (wiring(gone, Running::No), Some("no longer served since 1.25")),
            (wiring(Serving::ByDefault, Running::No), Some("the strategy of 1.36 runs no declarative rules")),
        ] {
            assert_eq!(wiring.obstacle().as_deref(), said, "{wiring:?}");
        }
    }
}
