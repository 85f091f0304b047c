//! The language of policies: variables with their types, and compiled expressions.

mod environment;
mod expression;

pub(crate) use environment::Environments;
pub(crate) use expression::Expression;
