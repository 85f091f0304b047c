//! Would this program notice? Planted divergences in whole comparisons, and oracles that misbehave in whole runs.

mod divergence;
mod fakes;

pub use divergence::{Divergences, Tally};
pub use fakes::{FAKES, Fake};
