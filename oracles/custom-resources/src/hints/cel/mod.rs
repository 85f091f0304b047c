//! CEL rules as rules, with values on both sides of what their expressions tell apart.

mod reading;
mod samples;
mod values;
mod wanted;

pub(super) use samples::{OfRule, join, of_rule, uses_old};
