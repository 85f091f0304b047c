//! The findings of run folders as a table for people, by cause: `rows` gathers them, `notation` makes long values short, `markdown`
//! writes them.

mod markdown;
mod notation;
mod rows;

pub use markdown::markdown;
