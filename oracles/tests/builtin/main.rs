//! The built-in oracles from the outside. One program, because each would link everything anew.

mod apply;
mod apply_laws;
mod defaults;
mod expected;
mod filled;
mod handwritten;
mod independence;
mod registry;
mod replication_controller;
mod replication_controller_golden;
mod strategy;
