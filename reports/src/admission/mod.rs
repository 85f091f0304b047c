//! What a server with admission policies would answer to requests: `model` is the data, `text` writes it for people.

mod model;
mod text;

use crate::form::Form;

pub use model::{AdmissionReport, AdmissionTotals, Refusal, RequestedObject};

/// Every form, under the names that `validate` has for them.
pub static FORMS: &[Form<AdmissionReport>] = &[text::FORM, Form::json("For machines: one JSON object")];
