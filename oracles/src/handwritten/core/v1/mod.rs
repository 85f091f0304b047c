//! Kinds of `v1`, and the pod template that workload kinds embed.

pub mod annotations;
pub mod defaults;
pub mod image;
pub mod pod_spec;
pub mod pod_template;
pub mod replication_controller;
pub mod resources;
pub mod scheduling;
pub mod security;
pub mod volume_defaults;
