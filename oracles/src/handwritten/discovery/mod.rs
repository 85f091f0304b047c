//! Kinds of the group `discovery.k8s.io`.

pub mod endpoint_slice;
mod endpoint_slice_v1beta1;
