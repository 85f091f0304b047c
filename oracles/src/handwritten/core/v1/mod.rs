//! Kinds of `v1`, and the pod template that workload kinds embed.

pub mod annotations;
pub mod container;
pub mod container_env;
pub mod container_mounts;
pub mod container_ports;
pub mod container_resources;
pub mod container_security;
pub mod defaults;
pub mod downward_api;
pub mod image;
pub mod local_path;
pub mod pod_spec;
pub mod pod_template;
pub mod probes;
pub mod replication_controller;
pub mod resources;
pub mod scheduling;
pub mod security;
pub mod volume;
pub mod volume_claim;
pub mod volume_defaults;
pub mod volume_files;
pub mod volume_projected;
pub mod volume_sources;
pub mod windows;
