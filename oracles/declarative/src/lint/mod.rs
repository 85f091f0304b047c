//! Lint: what is doubtful about tags although most of it compiles.
//!
//! `model` (which types are looked at, their lines parsed) → `rules` (one file per family, listed by [`lints`]) →
//! [`Finding`]s, minus [`Exceptions`] → [`LintReport`].

mod chain;
mod def;
mod exceptions;
mod excerpt;
mod finding;
mod model;
mod registry;
mod rules;
mod run;
mod scope;
mod settings;
mod sink;
#[cfg(test)]
mod tests;
mod version;

pub use def::{Level, Lint, Origin};
pub use exceptions::{Exceptions, ExceptionsError, shipped_exceptions};
pub use excerpt::Excerpt;
pub use finding::Finding;
pub use registry::{lints, lookup};
pub use run::{LintReport, lint};
pub use settings::LintSettings;
