//! Plans and runs expressions.

mod attribute;
mod fold;
mod plan;
mod planner;
mod program;
mod run;

pub use program::{Bindings, CompileError, Evaluation, Limits, Program};
