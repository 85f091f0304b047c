//! AdmissionReviews: what the answer needs, the answer, and the case.

mod answer;
mod envelope;
mod review;

pub use answer::{Answer, Refusal};
pub use envelope::Envelope;
pub use review::{NoCase, case_of};

/// The version of AdmissionReview that makes cases.
pub const API_VERSION: &str = "admission.k8s.io/v1";

/// The kind.
pub const KIND: &str = "AdmissionReview";
