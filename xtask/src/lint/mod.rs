//! Lint over files of the user: which packages a path means, and the forms of the report.
//!
//! `inputs` finds packages and their import paths, `report` is what was found and its JSON form, `table`, `sarif` and `github`
//! print it.

mod github;
mod inputs;
mod report;
mod sarif;
mod table;

pub use github::github;
pub use inputs::{read_exceptions, resolve};
pub use report::{Listing, Report};
pub use sarif::sarif;
pub use table::{listing, table};
