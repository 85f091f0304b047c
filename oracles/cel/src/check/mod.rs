//! Static checks of an expression: types, overloads, and what API servers check of literals.

mod calls;
mod checked;
mod checker;
mod environment;
mod format_clauses;
mod literals;
mod stages;

pub use checked::{CheckErrors, Checked, Reference};
pub use environment::Environment;
pub use stages::check;
