//! The gate: holds a run against what the project committed to, which is its exceptions, its baseline and its floor.
//!
//! `holding` decides and has no side effects; `baseline` and `propose` read and write the files.

mod baseline;
mod holding;
mod propose;
mod run_plan;

pub use baseline::Baseline;
pub use holding::{HeldRun, hold};
pub use propose::{ProposalDetails, proposals};
pub use run_plan::run_plan;
