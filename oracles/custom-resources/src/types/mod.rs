//! From structural schemas to the type graph.

mod build;
mod int_or_string;
mod meta;

pub(crate) use build::of_kind;
