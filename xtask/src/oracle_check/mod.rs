//! Does a program speak the oracle protocol? `examples` has questions to try it with, and `report` what came of it.

mod examples;
mod report;

pub use examples::{of_files, of_types};
pub use report::{OracleReport, Outcome};
