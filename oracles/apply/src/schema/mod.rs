//! What merging has to know of a type: scalar, list or map; which lists are maps and sets, and what is one piece.

mod go_types;
mod graph;
mod metadata;
mod openapi;

pub use go_types::{GoMerging, builtin_lists, of_go, of_go_with};
pub use graph::{Atom, Declared, ListKind, ListType, MapType, Scalar, Schema, TypeId};
pub use openapi::{SchemaError, of_crd};
