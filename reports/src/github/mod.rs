//! The report for GitHub Actions: commands to the runner, which shows them beside the lines of a pull request. The summary of the
//! step is the Markdown.

mod command;
mod write;

pub use command::{Annotation, Place};
pub use write::{SUMMARY, annotations};
