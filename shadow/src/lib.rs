//! The comparison beside live traffic: an admission webhook that allows whatever it is asked, and compares both sides afterwards.
//!
//! The flow of a review through the modules: [`server`] takes its body, [`admission`] reads what the answer needs and answers; a
//! bounded queue of [`intake`] holds the body until a thread of [`work`] makes a case of it and judges it; [`ledger`] adds up what
//! they gather, and [`metrics`] say how all of it fares. [`settings`] may change meanwhile. Audit logs on disk come in through
//! [`tail`].
//!
//! **Architecture Invariant: harmless.** Nothing between the arrival of a review and its answer waits for an oracle, a disk or a
//! lock that an oracle may hold, unless the operator asked for answers that depend on oracles ([`Mode`]); and whatever fails on
//! that way, the answer allows.

pub mod admission;
pub mod api_server;
pub mod certificate;
pub mod client;
pub mod cluster;
pub mod cluster_certificate;
pub mod comparison;
pub mod export;
pub mod exposition;
pub mod folder;
pub mod intake;
pub mod ledger;
pub mod load;
pub mod merge;
pub mod metrics;
pub mod openmetrics;
pub mod plan;
mod resources;
mod samples;
pub mod selftest;
pub mod server;
pub mod settings;
pub mod settings_file;
pub mod state;
pub mod tail;
mod validity;
pub mod work;

use serde::{Deserialize, Serialize};

/// What answers depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// On nothing: every review is allowed before it is compared.
    #[default]
    Shadow,
    /// Every review is allowed; the answer waits for a while, and warns of what the declarative side would refuse.
    Warn,
    /// The answer waits for a while and is that of the authority; without a judgement in time, it allows.
    Enforce,
}

impl Mode {
    /// Whether answers wait for judgements.
    #[must_use]
    pub fn waits(self) -> bool {
        self != Self::Shadow
    }
}
