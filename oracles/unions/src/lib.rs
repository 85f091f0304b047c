//! Unions (KEP-1027): structs of which one member at a time is meant, and what becomes of them when clients and servers are of different
//! versions.
//!
//! [`read`] takes [`Union`]s out of Go types and schemas. [`normalise`] clears members as the KEP has it, when the discriminator has
//! changed, and [`validate`] judges what is left. [`play`] sends every request of every client to every server and says what is stored.

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
