//! The gate: a run held against what the project committed to – its exceptions, its baseline and its floor.
//!
//! `holding` decides, purely; `baseline` and `propose` are the files.

mod baseline;
mod holding;
mod propose;
mod run_plan;

pub use baseline::Baseline;
pub use holding::{HeldRun, hold};
pub use propose::{ProposalDetails, proposals};
pub use run_plan::run_plan;
