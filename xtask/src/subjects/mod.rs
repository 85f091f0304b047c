//! The subjects and what is known of each: `cases` collects the objects that ship with the program, `catalogue` judges them.

mod cases;
mod catalogue;

pub use cases::inputs;
pub use catalogue::{catalogue, every, of_pairs};
