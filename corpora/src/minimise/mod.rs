//! From a case that shows something to the smallest case that still shows it, and to text that people read.

mod pair;
mod shrink;
mod weight;
mod yaml;

pub use shrink::{Ended, Limits, Minimised, minimise};
pub use yaml::to_yaml;
