//! Kinds of the group `certificates.k8s.io`.

mod condition_diff;
mod curve;
mod hash;
mod line_diff;
mod pem;
mod read;
mod recent;
mod request_steps;
mod rsa;
mod signature;
pub mod signer_name;
pub mod signing_request;
mod x509;
