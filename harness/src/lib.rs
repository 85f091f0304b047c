//! The engine of Takeover: runs a reference and a candidate validator over the same Kubernetes objects and gathers
//! evidence of their equivalence. It knows errors, oracles, comparison and evidence, and no Kubernetes kind.
//!
//! The flow of a case through the modules: [`case`] → [`subject`] (decode by [`schema`] into an [`object::Node`]) →
//! two [`oracle::Oracle`]s → [`error::ErrorList`]s.

pub mod authority;
pub mod case;
pub mod compare;
pub mod error;
pub mod evidence;
pub mod judge;
pub mod metrics;
pub mod object;
pub mod oracle;
pub mod path;
pub mod readiness;
pub mod rule;
pub mod runner;
pub mod schema;
pub mod subject;
