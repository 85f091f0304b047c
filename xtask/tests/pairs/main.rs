//! Pairs that are described rather than built in: whole runs with external oracles.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod broken;
mod builtin;
mod gate;
mod lab;
mod misbehaviour;
mod mistakes;
mod runs;
mod validate;
mod webhook;
