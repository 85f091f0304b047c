//! Kinds of the API group `apps`: workloads, which keep pods running.

pub(crate) mod claims;
pub mod daemon_set;
pub mod deployment;
mod deprecated;
mod members;
pub mod replica_set;
mod rolling_update;
mod selected_pods;
pub mod stateful_set;
mod status;
