//! From JSON to a [`Node`](super::Node), guided by the type graph: decided once, for both oracles.
//!
//! A JSON type that does not fit, and a number out of the Go type's range are errors that name the field; so are unknown and
//! repeated fields, unless [`FieldValidation::Warn`] is asked for.

mod beside;
mod entry;
mod free;
mod misfit;
mod place;
mod typed;
mod zero;

pub use entry::{Decoded, from_bytes, from_bytes_with, from_tree_beside, from_tree_with, from_value, from_value_with};
pub use misfit::{FieldValidation, Misfit, Undecodable};
pub use zero::{as_go_reads, text_as_go_reads, without_negative_zeros};
