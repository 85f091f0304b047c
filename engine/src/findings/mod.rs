//! The smallest cases of run folders as a table for people: `read` collects them, `group` joins the versions of a kind that
//! differ at the same place, `notation` makes long values short.

mod group;
mod markdown;
mod notation;
mod read;

pub use markdown::markdown;
