//! Apply configurations (KEP-2155): the types of what an applier sends. Every field is optional, and one that is set is sent, also if
//! it has its zero value.
//!
//! `read` makes the [`Configurations`] of kinds from their Go types or schemas, [`rust`] and [`openapi`] write them, and
//! [`Configurations::take`] turns an object into a configuration. [`zeroes`] lists the fields that Go types send
//! although nobody set them.

mod model;
mod names;
pub mod openapi;
mod read;
pub mod rust;
mod take;
pub mod zeroes;

pub use model::{Configuration, Configurations, Member, Merging, Object, Shape};
pub use read::{Quoted, Root};
pub use take::Misfit;
