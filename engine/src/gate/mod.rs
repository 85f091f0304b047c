//! The gate: a run held against what the project committed to – its exceptions, its baseline and its floor.
//!
//! `holding` decides, purely; `baseline` and `propose` are the files.

mod baseline;
mod holding;
mod propose;
mod run;

pub use baseline::Baseline;
pub use holding::{Held, exit, hold};
pub use propose::{Details, proposals};
pub use run::soak_afresh;
