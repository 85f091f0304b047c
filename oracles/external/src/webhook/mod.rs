//! Validating and mutating admission webhooks, asked with AdmissionReview v1.
