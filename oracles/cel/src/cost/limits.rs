//! Limits of API servers on costs.

/// Highest estimated cost of one expression, multiplied by how often it may run.
pub const PER_EXPRESSION_ESTIMATE: u64 = 10_000_000;
/// Highest estimated cost of all expressions of one schema.
pub const PER_SCHEMA_ESTIMATE: u64 = 100_000_000;
/// Highest actual cost of one evaluation.
pub const PER_CALL: u64 = 1_000_000;
/// Highest actual cost of all evaluations for one object.
pub const PER_OBJECT: u64 = 10_000_000;
/// Largest request in bytes, from which sizes are guessed.
pub const REQUEST_BYTES: i64 = 3_145_728;
