//! What is judged: subjects, where their generated cases come from, and whether the harness would notice a fault in them.

pub(crate) mod self_check;
mod source;
mod subjects;

pub(crate) use source::{Generators, SAMPLE};
pub use subjects::subjects;
