//! Would this program notice? Planted divergences in whole comparisons, and oracles that misbehave in whole runs.

mod applies;
mod crds;
mod defaults;
mod divergence;
mod fakes;
mod planted;
mod policies;

pub use applies::OfApply;
pub use crds::{OfKind, kinds_of};
pub use defaults::OfDefaults;
pub use divergence::{Divergences, FoundFault, Tally};
pub use fakes::{FAKES, Sound};
pub use policies::OfPolicies;
