//! Kinds of `flowcontrol.apiserver.k8s.io`.

pub mod conversion;
pub mod defaults;
pub mod priority_level;
pub mod queuing;
