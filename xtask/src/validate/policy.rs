//! Who is returned to the user, as flags say it.

use clap::ValueEnum;
use takeover_harness::authority::{AuthorityPolicy, LifecycleGates, LifecycleRelease, TakeoverGates};

/// Policies by the way in which a rule comes to power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Authority {
    /// Kubernetes 1.37: by the level of each rule. Gates: `DeclarativeValidation`, `DeclarativeValidationBeta` (both on).
    Lifecycle,
    /// Kubernetes 1.33 to 1.35: all rules or none. Gates: `DeclarativeValidation` (on), `DeclarativeValidationTakeover` (off).
    Takeover,
}

/// The policy with `gates` set over its defaults.
///
/// # Errors
/// When the policy has no gate of that name.
pub fn policy(authority: Authority, gates: &[(String, bool)]) -> anyhow::Result<AuthorityPolicy> {
    let mut lifecycle = LifecycleGates::of(LifecycleRelease::V1_37);
    let mut takeover = TakeoverGates::default();
    for (name, on) in gates {
        let gate = match (authority, name.as_str()) {
            (Authority::Lifecycle, "DeclarativeValidation") => &mut lifecycle.declarative_validation,
            (Authority::Lifecycle, "DeclarativeValidationBeta") => &mut lifecycle.beta,
            (Authority::Takeover, "DeclarativeValidation") => &mut takeover.declarative_validation,
            (Authority::Takeover, "DeclarativeValidationTakeover") => &mut takeover.takeover,
            (Authority::Lifecycle, _) => anyhow::bail!(
                "--gate `{name}`: the gates of --authority lifecycle are `DeclarativeValidation` and `DeclarativeValidationBeta`"
            ),
            (Authority::Takeover, _) => anyhow::bail!(
                "--gate `{name}`: the gates of --authority takeover are `DeclarativeValidation` and `DeclarativeValidationTakeover`"
            ),
        };
        *gate = *on;
    }
    Ok(match authority {
        Authority::Lifecycle => AuthorityPolicy::Lifecycle(lifecycle),
        Authority::Takeover => AuthorityPolicy::Takeover(takeover),
    })
}
