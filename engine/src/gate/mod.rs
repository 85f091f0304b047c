//! The gate: a run held against what the project committed to – its exceptions, its baseline and its floor.
//!
//! `holding` decides, purely; `baseline` and `propose` are the files; `table`, `github` are what is printed.

mod advice;
mod baseline;
mod github;
mod holding;
mod propose;
mod run;
mod table;

pub use baseline::Baseline;
pub use github::github;
pub use holding::{Held, hold};
pub use propose::{Details, proposals};
pub use run::soak_afresh;
pub use table::table;
