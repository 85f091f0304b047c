//! The subjects: `model` is what is known of each, `table` prints them, `coverage` is a document about all.

mod coverage;
mod model;
mod table;

use crate::form::Form;

pub use coverage::coverage;
pub use model::{LevelCounts, SubjectEntry, SubjectList, SubjectRule};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<SubjectList>] = &[table::FORM, Form::json("For machines: one JSON object")];
