//! Structural schemas: what a CRD says of the values of its objects.

mod json;
mod node;
mod pattern;

pub use node::{Additional, CelRule, Checks, ListType, MapType, SchemaType, Structural};
pub use pattern::{Pattern, PatternError};
