//! Mistakes that people make in expressions: `<` for `<=`, a dropped operand, a constant that is one off, `self` for `oldSelf`.

mod expression;
mod operands;
mod tokens;

pub use expression::{Mistake, mistakes};
pub use operands::{operands, reads_old};
