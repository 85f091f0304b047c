//! What came of a gate: `model` is the data, `advice` what to do about it, a file each writes a form.

mod advice;
mod github;
mod model;
mod table;

use crate::form::Form;

pub use model::{FailureReason, GateFailure, GateReport};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<GateReport>] = &[table::FORM, Form::json("For machines: one JSON object"), github::FORM];
