//! Costs: estimates before an expression runs, and limits.

pub(crate) mod actual;
mod estimate;
mod functions;
pub mod limits;
mod path;
mod range;

pub use estimate::estimate;
pub use range::Range;
