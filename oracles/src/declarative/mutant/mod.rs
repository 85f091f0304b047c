//! Controls: the rules of a candidate with one fault planted in one of them.
//!
//! A comparison that agrees proves little unless it would have noticed a fault. Every tag registers the faults its rule could
//! have, next to its semantics; they are planted in a copy of the compiled program, so that evaluation knows nothing of them.

mod apply;
mod change;
mod list;
mod mutated;
mod site;

pub use change::Mutant;
pub use mutated::Mutated;
