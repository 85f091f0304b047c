//! From a case that shows something to the smallest case that still shows it, and to text that people read.

mod pair;
mod shrink;
mod weight;

pub use shrink::{Ended, Limits, Minimised, minimise, minimise_by};
pub use takeover_harness::yaml::to_yaml;
