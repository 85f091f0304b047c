//! Measures what both sides, the harness and a replay cost, and how soon planted faults are found.

pub mod against;
pub mod blind;
pub mod custom;
mod defaulting;
mod described;
mod generated;
mod measure;
mod of_crd;
mod of_defaults;
pub mod replay;
mod row;
pub mod samples;
mod sides;
mod silent;
mod source;

pub use described::{NothingMeasured, described};
pub use of_crd::of_crd;
pub use of_defaults::of_defaults;
pub use row::Row;
pub use sides::{Workload, padded, run};
