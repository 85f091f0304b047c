//! What lint found: `model` holds the data, and each of the other files writes one form.

mod github;
mod model;
mod sarif;
mod table;

use crate::form::Form;

pub use model::{Excerpt, FORMAT_VERSION, LintAbout, LintFinding, LintList, LintPosition, LintReport, LintSummary};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<LintReport>] =
    &[table::FORM, Form::json("For machines: one JSON object"), sarif::FORM, github::FORM];

/// Every form of the list of lints.
pub static LIST_FORMS: &[Form<LintList>] = &[table::LIST, Form::json("For machines: one JSON object")];
