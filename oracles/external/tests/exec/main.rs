//! Oracles that are processes: small programs pose as them.

mod conduct;
mod misbehaviour;
mod support;
