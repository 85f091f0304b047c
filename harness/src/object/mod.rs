//! Decoded objects: the one form that both oracles judge.
//!
//! A [`Node`] is a value of a Go type in canonical form, kept in an [`Arena`]: the zero value of a value-type field and an
//! absent field are the same, null and absent are the same, as Go's decoding has it. A list or map that is given and empty is not
//! absent, as in Go an empty slice is not nil; the two are [`equal()`] all the same, and printing leaves out both where a member has
//! `omitempty`.
//!
//! A [`Tree`] is JSON before decoding, in an arena, too. Copies of it share everything that neither changes.

mod decode;
mod edit;
mod encode;
mod equal;
mod from_node;
mod node;
mod order;
mod quantity;
mod share;
mod time;
mod tree;

pub use decode::{
    Decoded, FieldValidation, Misfit, Undecodable, as_go_reads, from_bytes, from_bytes_with, from_tree_beside,
    from_tree_with, from_value, from_value_with, text_as_go_reads, without_negative_zeros,
};
pub(crate) use edit::KnownChange;
pub use edit::{ContextFree, Edit, KnownChanges, replaced};
pub(crate) use encode::to_value_at;
pub use encode::{to_value, to_value_as_set, to_value_with_empty};
pub use equal::{equal, identical};
pub use from_node::{FromNode, IntOrString, Map, Misread, TypedNode};
pub use node::{Arena, ArenaVec, Json, Node};
pub use order::{InOrder, Order};
pub use quantity::{Amount, Quantity, QuantityError};
pub(crate) use share::share;
pub use time::Instant;
pub use tree::{Members, NewMembers, Number, Tree};
