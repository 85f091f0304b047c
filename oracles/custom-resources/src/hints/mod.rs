//! Constraints of a schema as rules, with values worth trying.

mod example;
mod rules;
mod texts;

pub(crate) use rules::of_kind;
