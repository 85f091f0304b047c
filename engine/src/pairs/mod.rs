//! What is judged: pairs, where their generated cases come from, and whether the harness would notice a fault in them.

pub mod message;
mod of_plan;
mod probe;
mod repair;
pub(crate) mod self_check;
mod source;

pub(crate) use of_plan::{announce, one_pair};
pub use of_plan::{mark_unshown, pairs};
pub(crate) use probe::probed;
pub(crate) use source::{Generators, SAMPLE};
