//! Kinds of the group `networking.k8s.io`.

pub mod ingress_class;
pub mod ip_address;
pub mod network_policy;
