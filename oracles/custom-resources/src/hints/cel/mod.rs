//! CEL rules as rules, with values on both sides of what their expressions tell apart.

mod absent;
mod reading;
mod samples;
mod settled;
mod values;
mod wanted;

pub(crate) use absent::absent;
pub(crate) use settled::{Settled, settled};

pub(super) use samples::{OfRule, join, of_rule, uses_old};
