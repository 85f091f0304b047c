//! CEL rules as rules, with values on both sides of what their expressions tell apart.

mod absent;
mod agreement;
mod choice;
mod compared;
mod constants;
mod larger;
mod near;
mod parts;
mod reading;
mod samples;
mod settled;
mod together;
mod unbounded;
mod values;
mod wanted;
mod weaker;

pub(crate) use absent::{Kept, absent};
pub(crate) use agreement::agree;
pub(crate) use samples::uses_old;
pub(crate) use settled::{Settled, implies, settled};
pub(crate) use unbounded::{lacks, unbounded};

pub(super) use choice::{Patience, choose};
pub(super) use samples::{OfRule, of_rule};
pub(super) use together::{join, mend};
