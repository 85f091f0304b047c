//! What is judged: pairs, where their generated cases come from, and whether the harness would notice a fault in them.

mod of_plan;
pub(crate) mod self_check;
mod source;

pub use of_plan::{mark_unshown, pairs};
pub(crate) use source::{Generators, SAMPLE};
