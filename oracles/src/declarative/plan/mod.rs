//! From types with tags to a program: discovery compiles tags to rules per type, lowering lays them out per path.

pub(crate) mod build;
pub(crate) mod discover;
pub(crate) mod lower;
pub(crate) mod problem;
pub(crate) mod program;
pub(crate) mod rule;
mod samples;
pub(crate) mod shape;

pub use problem::Diagnostic;
