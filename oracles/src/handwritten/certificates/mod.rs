//! Kinds of the group `certificates.k8s.io`.

mod condition_diff;
mod pem;
mod request_steps;
mod signer_name;
pub mod signing_request;
mod x509;
