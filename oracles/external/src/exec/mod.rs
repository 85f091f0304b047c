//! Oracles that are processes: they read questions from standard input and write answers to standard output.
//!
//! [`Exec`] starts them, asks them, and survives whatever they do. A process that breaks the protocol, dies or takes too long is
//! ended with everything that it started; the questions that waited for it are asked again, each by itself, so that only those
//! fail that are at fault.

mod asking;
pub mod conformance;
mod error;
mod oracle;
mod pool;
mod process;
mod settings;
mod trouble;

pub use error::{ExecError, ExecErrorKind};
pub use oracle::Exec;
pub use pool::Incident;
pub use settings::ExecSettings;
