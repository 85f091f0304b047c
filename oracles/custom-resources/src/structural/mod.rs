//! Structural schemas: what a CRD says of the values of its objects.

mod json;
mod node;

pub use node::{Additional, CelRule, Checks, ListType, MapType, SchemaType, Structural};
pub use takeover_cel::library::pattern::{Pattern, PatternError};
