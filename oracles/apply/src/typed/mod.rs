//! Values with their type: validated, merged, compared, and cut down to a set of fields.

mod atoms;
mod comparison;
mod error;
mod items;
mod members;
mod merge;
mod named;
mod reconcile;
mod remove;
mod side_by_side;
mod validate;

pub use comparison::{Comparison, compare};
pub use error::{Invalid, Problem};
pub use members::field_set;
pub use merge::merge;
pub use named::with_named_fields;
pub use reconcile::reconcile;
pub use remove::{extract, extract_with_keys, remove};
pub use validate::{Duplicates, validate};
