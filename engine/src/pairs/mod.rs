//! What is judged: pairs, where their generated cases come from, and whether the harness would notice a fault in them.

mod chosen;
mod filling;
pub mod message;
mod of_plan;
mod probe;
mod probing_progress;
mod repair;
pub(crate) mod self_check;
mod source;

pub use chosen::ChosenPairs;
pub use of_plan::{announce, announce_pairs, announced_pairs, mark_unshown, one_pair, pairs};
pub(crate) use probe::probed;
pub(crate) use probing_progress::shown;
pub use probing_progress::{Preparation, ProbingProgress, show_probing};
pub(crate) use source::{Generators, generator, sample};
