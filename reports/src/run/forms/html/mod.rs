//! The report as one HTML file that needs nothing else: style, script and charts are in it, and its content security policy forbids
//! every request.

mod chart;
mod data;
mod page;
mod view;

pub use page::html;

use crate::form::{Form, FormError};
use crate::run::model::RunReport;

/// For a browser.
pub(super) const FORM: Form<RunReport> =
    Form::new("html", "One self-contained file, with filters and charts", "html", |report, _| {
        html(report).map_err(FormError::of)
    })
    .kept();
