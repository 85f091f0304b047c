//! The engine from the outside: judging, evidence and running, with oracles that lie, panic and babble.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop at the first surprise, and their oracles panic"
)]

mod allocations;
mod batches;
mod causes;
mod closures;
mod controls;
mod decisions;
mod evidence;
mod failures;
mod fakes;
mod judge;
mod made_objects;
mod memory;
mod mirror;
mod pairs;
mod presence;
mod runner;
mod sent_nulls;
mod steady;
