//! Checks whether a program speaks the protocol, one named check at a time.
//!
//! Each check starts the program anew, so that none depends on what another did to it.

mod checks;
mod example;
mod report;
mod session;

pub use checks::check;
pub use example::ExampleQuestion;
pub use report::{Check, CheckOutcome, Conformance};
