//! Pairs that compare defaults.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

mod faults;
mod kinds;
mod own_types;
mod planted;
mod shop;
