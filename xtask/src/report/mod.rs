//! The report of a run that is over.

mod read;

pub use read::read;
