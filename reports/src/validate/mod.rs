//! What a server would say of objects: `model` is the data, `text` writes it for people.

mod model;
mod text;

use crate::form::Form;

pub(crate) use text::problem_lines;

pub use model::{
    Complaint, Enforcement, JudgedBy, Problem, ProblemKind, RuleNote, Undecoded, ValidatedObject, ValidationReport,
    ValidationTotals, Validity,
};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<ValidationReport>] = &[text::FORM, Form::json("For machines: one JSON object")];
