//! What promote decides: `model` holds the data, and `text` explains it beside the patch.

mod model;
mod text;

use crate::form::Form;

pub use model::{ExcusedFinding, FORMAT_VERSION, IdleLine, MovedLine, PromotionReport, StayingLine, TwinCheck};
pub use text::text;

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<PromotionReport>] = &[
    Form::new("patch", "The patch, with the rest for people on standard error", "patch", |report, _| {
        Ok(report.patch.clone())
    }),
    Form::json("For machines: one JSON object with everything, including the patch"),
];
