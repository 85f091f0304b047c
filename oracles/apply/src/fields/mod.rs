//! Sets of fields: which part of an object somebody owns, in memory and as `FieldsV1`.

mod algebra;
mod element;
mod set;
mod text;

pub use element::{Element, Path};
pub use set::FieldSet;
pub use text::FieldsError;
