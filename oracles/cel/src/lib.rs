//! CEL as Kubernetes runs it in rules of custom resources.

pub mod check;
pub mod cost;
pub mod eval;
pub mod library;
pub mod mistakes;
pub use takeover_harness::property_names as names;
pub mod rules;
pub mod scalar;
pub mod schema;
mod stack;
pub mod syntax;
pub mod types;
pub mod value;

pub use eval::{Bindings, CompileError, Evaluation, Limits, Members, Program};
