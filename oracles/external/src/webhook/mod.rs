//! Admission webhooks as oracles: any server that answers an `AdmissionReview` of `admission.k8s.io/v1` over HTTP or HTTPS.
//!
//! A webhook is asked as an API server asks it, always as a dry run. What it says becomes an answer by [`Answers`]:
//!
//! | the webhook | `Errors` | `Decision` | `Object` |
//! |---|---|---|---|
//! | allows | no errors | accept | accept, with the object that its patch makes |
//! | denies, with causes | field errors | reject | reject |
//! | denies with a message | reject, which no comparison of errors can use | reject | reject |
//!
//! Causes are the field errors in `response.status.details.causes`. A denial in which one cause has a type that Kubernetes does
//! not have counts as one without causes. Warnings and audit annotations are ignored.
//!
//! The objects of a question are decoded and defaulted, as an API server has them when it calls webhooks. The state of feature
//! gates is not sent: a review has no place for it.

mod breaker;
mod failure;
mod oracle;
mod patch;
mod request;
mod resource;
mod review;
mod settings;
#[cfg(test)]
mod tests;

pub use failure::WebhookError;
pub use oracle::Webhook;
pub use settings::{Answers, User, WebhookSettings};
