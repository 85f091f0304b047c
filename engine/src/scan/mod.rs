//! Stored objects against rules that are not enforced yet: what would happen if they were.
//!
//! `plan` says what to scan, `source` brings objects of files or of a cluster, `subjects` finds what judges them, `judge` asks about one
//! object, and `scanning` adds up the report and notes where it stands.

mod judge;
mod plan;
mod scanning;
mod source;
mod subjects;

pub use plan::{ScanPlan, ScanSource};
pub use scanning::{ScanProgress, scan};
