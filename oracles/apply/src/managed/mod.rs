//! Who owns the fields of an object: its `managedFields`, through updates and applies.

mod annotation;
mod cap;
mod conflict;
pub(crate) mod entries;
mod field_manager;
mod kind;
mod metadata;
mod owner;
mod steps;
mod times;

pub use conflict::{Conflict, Conflicts};
pub use entries::{EntriesError, ManagedFields, Owned};
pub use field_manager::{FieldManager, Refusal, Request};
pub use kind::{CustomType, ObjectType};
pub use owner::{Operation, Owner};
pub use times::{are_alike_but_for_managers, without_new_times};
