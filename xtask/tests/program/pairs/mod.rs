//! Pairs that are described rather than built in: whole runs with external oracles.

mod broken;
mod builtin;
mod commands;
mod crd;
mod defaults;
mod gate;
pub(crate) mod http;
pub(crate) mod lab;
mod misbehaviour;
mod mistakes;
mod nulls;
mod one_by_one;
mod policy;
mod recorded;
mod runs;
mod scratch;
mod server;
mod validate;
mod webhook;
