//! Go source to type graph.

mod model;

pub use model::{Constant, ConstantValue, FieldInfo, Idl, Package, Position, TagLine, TypeInfo};
