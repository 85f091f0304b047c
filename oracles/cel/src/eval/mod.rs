//! Plans and runs expressions.

mod attribute;
mod bounds;
mod fold;
mod plan;
mod planner;
mod program;
mod run;

pub use bounds::{Bindings, Limits, Members};
pub use program::{CompileError, Evaluation, Program};
