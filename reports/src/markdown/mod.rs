//! The report as Markdown for a pull request: of bounded length, and nothing in it can leave its place, mention a person or close
//! an issue.

mod escape;
mod write;

pub use escape::{code, fenced};
pub use write::{Budgeted, COMMENT, markdown};
