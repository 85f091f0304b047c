//! Oracles that are processes: small programs pose as them.

#![cfg(test)]

mod conduct;
mod conformance;
mod misbehaviour;
mod support;
