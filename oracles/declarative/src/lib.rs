//! The declarative engine: Go types with `+k8s:` tags in, field errors out.
//!
//! [`idl`] (Go source → type graph with tag lines) → [`grammar`] and [`tags`] (tag lines → rules) → `plan` (rules →
//! program) → `eval` (program + object → errors), behind [`Declarative`]. `compile` is what tags compile with, below them.

mod compile;
mod defaults;
mod eval;
pub mod formats;
pub mod grammar;
pub mod idl;
pub mod lint;
mod mutant;
mod oracle;
mod plan;
pub mod reference;
mod settings;
pub mod tags;

pub use compile::Diagnostic;
pub use defaults::DeclaredDefaults;
pub use mutant::{Controls, LazyControls, Mutant, Mutated};
pub use oracle::{Declarative, SwitchedOn};
pub use settings::{CompileSettings, CustomValidation, CustomValidations, CustomValue};
