//! Unions (KEP-1027): members of a struct that exclude each other, and what is lost when clients and servers have different versions.
//!
//! [`read`] finds [`Union`]s in Go types and schemas. [`normalise`] clears members as the KEP defines, if the discriminator has changed,
//! and [`validate`] validates the result. [`play`] sends every request of every client to every server and compares what is stored.

mod normalise;
pub mod play;
pub mod read;
mod sample;
mod union;
mod validate;
mod written;

pub use normalise::normalise;
pub use union::{Discriminator, Member, Origin, Selected, Union};
pub use validate::validate;
pub use written::{fields_extension, written};
