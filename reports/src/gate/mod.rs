//! The result of a gate: `model` holds the data, `advice` says what to do about it, and each of the other files writes one form.

mod advice;
mod github;
mod model;
mod table;

use crate::form::Form;

pub use model::{FailureReason, GateFailure, GateReport};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<GateReport>] = &[table::FORM, Form::json("For machines: one JSON object"), github::FORM];
