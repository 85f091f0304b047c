//! What stored objects mean to rules that are not enforced yet: `model` adds up the counts, and `text` writes them for people.

mod model;
mod text;

use crate::form::Form;

pub use model::{FORMAT_VERSION, RuleScan, ScanReport, StoredObject, SubjectScan};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<ScanReport>] = &[text::FORM, Form::json("For machines: one JSON object")];
