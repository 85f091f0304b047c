//! Apply configurations of the types that a person names, and the fields that typed clients send unset.

mod generate;
mod zeroes;

pub use generate::{ApplyError, Generated, generate};
pub use zeroes::{ZeroCount, ZeroField, ZeroFields, zero_fields};
