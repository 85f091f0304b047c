//! Everything that judges: the declarative engine and the handwritten references.
//!
//! INVARIANT: [`declarative`] and [`handwritten`] share the error model, the path type and the decoded object of
//! `takeover-harness`, and nothing else.

pub mod declarative;
pub mod handwritten;
pub mod registry;
