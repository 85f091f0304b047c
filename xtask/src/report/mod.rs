//! The report of a run that is over.

mod read;
mod sources;

pub use read::read;
