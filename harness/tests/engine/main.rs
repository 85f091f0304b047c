//! The engine from the outside: judging, evidence and running, with oracles that lie, panic and babble.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop at the first surprise, and their oracles panic"
)]

mod allocations;
mod controls;
mod evidence;
mod fakes;
mod judge;
mod memory;
mod runner;
