//! A running server, as an API server and an operator see it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise, and say what they skip"
)]

mod answers;
mod audit;
mod connections;
mod ending;
mod faults;
mod ledger;
mod load;
mod pages;
mod prometheus;
mod running;
mod things;
