//! Kubernetes' field errors: type, path, bad value, detail, origin and marks.

mod kind;
mod list;
mod value;

pub use kind::{ErrorType, Stability};
pub use list::{ErrorList, FieldError};
pub use value::{BadValue, SharedJson};
