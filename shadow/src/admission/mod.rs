//! AdmissionReviews: what the answer needs, and the answer.

mod answer;
mod envelope;

pub use answer::{Answer, Refusal};
pub use envelope::Envelope;

/// The version of AdmissionReview that makes cases.
pub const API_VERSION: &str = "admission.k8s.io/v1";

/// The kind.
pub const KIND: &str = "AdmissionReview";
