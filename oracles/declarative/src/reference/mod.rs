//! The reference of all tags, made from their registration: as data, and as Markdown.

mod entry;
mod grammar;
mod markdown;

pub use entry::{Argument, Class, Entry, MarkerEntry, MutantEntry, Reference, Status};
pub use markdown::markdown;
