//! Controls: the rules of a candidate with one fault planted in one of them.
//!
//! A comparison that agrees proves little unless it would have noticed a fault. Every tag registers the faults its rule could
//! have, next to its semantics; they are planted in a copy of the compiled program, so that evaluation knows nothing of them.
//! [`Mutated`] is the whole candidate with one fault; [`Controls`] judge all mutants next to their rules, each by the part of
//! the program that its rule has a say in.

mod apply;
mod change;
mod controls;
mod list;
mod mutated;
mod restrict;
mod site;
mod updates;

pub use change::Mutant;
pub use controls::{Controls, LazyControls};
pub use mutated::Mutated;
