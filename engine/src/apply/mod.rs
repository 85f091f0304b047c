//! Apply configurations of the types that a person names, the schemas that servers publish of them, and the fields that typed clients send
//! unset.

mod extensions;
mod generate;
mod published;
mod zeroes;

pub use generate::{ApplyError, Generated, generate};
pub use published::{Mistake, Published, published};
pub use zeroes::{ZeroCount, ZeroField, ZeroFields, zero_fields};
