//! What every tag does, fact by fact: Go source, operation, object, old object, and all errors with all their parts.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests stop at the first surprise")]

mod collections;
mod custom;
mod defaults;
mod hostile;
mod laws;
mod lifecycle;
mod mutants;
mod places;
mod refused;
mod relations;
mod scalars;
mod support;
mod updates;
mod vectors;
