//! Measures what both sides, the harness and a replay cost, and how soon planted faults are found.

pub mod blind;
pub mod custom;
mod defaulting;
mod described;
mod measure;
pub mod replay;
pub mod samples;
mod sides;
mod silent;

pub use defaulting::of_kind as defaulting_of;
pub use described::{NothingMeasured, described};
pub use sides::{Row, Workload, padded, run};
