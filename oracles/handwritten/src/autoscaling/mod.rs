//! Kinds of `autoscaling`.

pub mod behavior;
pub mod conversion;
pub mod defaults;
pub mod horizontal_pod_autoscaler;
pub mod metrics;
pub mod round_trip;
pub mod scale;
pub mod target;
