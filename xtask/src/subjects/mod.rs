//! The subjects and what is known of each: rules, twins, delegated parts, agreement with recorded verdicts.
//!
//! `cases` collects the objects that ship with the program, `catalogue` judges them, `render` and `coverage` print.

mod cases;
mod catalogue;
mod coverage;
mod render;

pub use catalogue::catalogue;
pub use coverage::markdown;
pub use render::{details, table};
