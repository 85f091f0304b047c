//! What the tags are compiled with: the types, the place of a tag, and the rules and complaints it leads to. The tags themselves are
//! registered in `tags`, above this module.

pub(crate) mod build;
pub(crate) mod context;
pub(crate) mod problem;
pub(crate) mod rule;
pub(crate) mod shape;

pub use context::TagScope;
pub use problem::Diagnostic;
