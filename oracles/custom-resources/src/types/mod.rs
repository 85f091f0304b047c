//! From structural schemas to the type graph.

mod build;
mod meta;

pub(crate) use build::of_kind;
