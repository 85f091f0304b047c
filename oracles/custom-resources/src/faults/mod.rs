//! Faults planted in the rules of a kind: would a run notice if a constraint or a CEL rule were another one?
//!
//! Each constraint and each CEL rule has the mistakes that people make: bounds that are one off, a value of an enum too few, `<` for `<=`,
//! a dropped operand, `self` for `oldSelf`. A faulty schema or rule is judged like the sound one; evaluation knows nothing of it.
//! [`Faults`] judge all of them next to their rules, [`Judged`] a whole request.

mod controls;
mod edit;
mod fault;
mod judged;
mod sites;

pub use controls::{Faults, LazyFaults};
pub use fault::Fault;
pub use judged::Judged;
