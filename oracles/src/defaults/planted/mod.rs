//! Faults planted in all that a server sets in objects of a kind: code and markers in turn.
//!
//! `sites` are the fields that it sets, `fault` is what can be wrong at one, `engine` reports what is set and which laws that breaks, and
//! `controls` knows which cases show a fault.

mod controls;
mod engine;
mod fault;
mod sites;

pub use engine::Planted;
