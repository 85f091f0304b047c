//! The subjects: `model` holds what is known about each, `table` prints them, and `coverage` writes a document about all of them.

mod coverage;
mod model;
mod table;

use crate::form::Form;

pub use coverage::coverage;
pub use model::{DescribedPairEntry, LevelCounts, SubjectEntry, SubjectList, SubjectRelease, SubjectRule};

/// Every form, in the order in which `--help` lists them.
pub static FORMS: &[Form<SubjectList>] = &[table::FORM, Form::json("For machines: one JSON object")];
