//! What an API server and the shadow server counted of the same requests: `model` holds the counts, and `text` writes them for people.

mod model;
mod text;

use crate::form::Form;

pub use model::{
    ClusterReport, ClusterVerdict, FORMAT_VERSION, MismatchCount, ReviewCounts, SentCounts, Variant, VariantReport,
};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<ClusterReport>] = &[text::FORM, Form::json("For machines: one JSON object")];
