//! The report of a run that is over, in every form.

mod read;
mod render;

pub use read::read;
pub use render::{Form, render};
