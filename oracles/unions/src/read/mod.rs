//! Unions of types: from the tags of Go types, from a list of those without tags, and from schemas.

mod cel;
mod go_tags;
mod go_types;
mod listed;
mod node;
mod schemas;

pub use go_types::{GoUnion, GoUnions, unions_of_go};
pub use schemas::{SchemaUnion, unions_of_schema};
