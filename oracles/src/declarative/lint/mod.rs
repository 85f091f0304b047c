//! Lint: what is doubtful about tags although most of it compiles.
//!
//! `model` (which types are looked at, their lines parsed) → `rules` (one file per family, listed in [`LINTS`]) →
//! [`Finding`]s, minus [`Exceptions`] → [`Report`].

mod chain;
mod exceptions;
mod excerpt;
mod finding;
mod model;
mod registry;
mod release;
mod rules;
mod run;
mod scope;
mod sink;
#[cfg(test)]
mod tests;
mod version;

pub use exceptions::{Exceptions, ExceptionsError, shipped_exceptions};
pub use excerpt::Excerpt;
pub use finding::{Finding, Level};
pub use registry::{LINTS, Lint, Origin, lookup};
pub use release::Release;
pub use run::{Report, Settings, lint};
