//! Kinds of the API group `apps`: workloads, which keep pods running.

pub mod daemon_set;
pub mod deployment;
mod deprecated;
mod members;
mod rolling_update;
mod selected_pods;
mod status;
