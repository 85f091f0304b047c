//! The built-in pairs: the handwritten reference of each kind against the rules of its types.
//!
//! The two sides are crates of their own that do not depend on each other. They share the error model, the path type and the
//! decoded object of `takeover-harness`, and nothing else.

pub use takeover_declarative as declarative;
pub use takeover_handwritten as handwritten;

pub mod apply;
pub mod defaults;
pub mod merges;
pub mod registry;
pub mod wiring;
