//! Kinds of the group `discovery.k8s.io`.

mod endpoint_slice;
mod endpoint_slice_v1beta1;

pub use endpoint_slice::EndpointSlices;
pub use endpoint_slice_v1beta1::EndpointSlicesV1beta1;
