//! CEL rules of a schema (`x-kubernetes-validations`): where they run, what their errors say, which only warn, and what they may cost.
//!
//! The language itself is behind [`Cel`]: whoever implements it compiles the rules of a node and evaluates them one by one; the walk
//! over objects, the budget and the errors are here. [`Compiler`] implements it as API servers do.

mod compiler;
mod errors;
mod language;
mod tree;
mod walk;

pub use compiler::{Compiler, NodeLanguage};
pub(crate) use errors::failure;
pub use language::{Bounds, Cel, Compiled, Message, Old, Outcome, Program, Ran};
pub use tree::RuleTree;
pub use walk::{Found, OfRules};
