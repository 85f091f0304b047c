//! Rules of a structural schema: what API servers make of each, and why they refuse some.

mod compile;
mod field_path;
mod refusal;
mod rule;
mod walk;

pub use compile::{Compiled, CompiledRule, NodeCompiler, RuleError};
pub use field_path::{FieldPathError, normalized};
pub use refusal::{Refusal, RefusalKind};
pub use rule::Rule;
pub use walk::{NodeRules, SchemaRules, compile_schema};
