//! The forms of a run's report, each in a file of its own.

mod github;
mod html;
mod junit;
mod markdown;
mod sarif;
mod screen;
mod table;

use crate::form::Form;
use crate::run::model::RunReport;

pub use html::html;
pub use table::{not_compared, table};

/// Every form, in the order in which `--help` lists them. To add one, add a file beside these and a line here.
pub static FORMS: &[Form<RunReport>] = &[
    screen::FORM,
    table::FORM,
    Form::json("For machines: one JSON object, see reports/schema/report.v3.json").kept(),
    markdown::FORM,
    junit::FORM,
    sarif::FORM,
    github::FORM,
    html::FORM,
];
