//! What is judged: pairs, where their generated cases come from, and whether the harness would notice a fault in them.

pub(crate) mod self_check;
mod source;
mod of_plan;

pub(crate) use source::{Generators, SAMPLE};
pub use of_plan::pairs;
