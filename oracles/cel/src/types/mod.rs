//! Static types of CEL, the declared functions of the environment, and types declared by a schema.

mod declarations;
mod declared;
mod libraries;
mod mapping;
mod signature;
mod standard;
mod ty;

pub use declarations::{Function, function, identifier, well_known};
pub use declared::{DeclaredField, DeclaredType, Shape};
pub use mapping::Mapping;
pub(crate) use mapping::most_general;
pub use signature::Overload;
pub use ty::{Kind, Type};
