//! What compiling tags works with: the types, the place of a tag, the rules and complaints that come of it. The tags themselves are
//! registered further up.

pub(crate) mod build;
pub(crate) mod context;
pub(crate) mod problem;
pub(crate) mod rule;
pub(crate) mod shape;

pub use context::TagScope;
pub use problem::Diagnostic;
