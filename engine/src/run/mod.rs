//! A soak: recorded and generated cases through every subject, to evidence, findings and a report.

mod checkpoint;
mod conclude;
mod findings;
mod finished;
mod health;
mod inputs;
mod judge;
mod merge;
mod progress;
mod record;
mod resume;
mod start;
mod state;

pub use conclude::{Soaked, exit};
pub use finished::{Finished, same_rules};
pub use inputs::Inputs;
pub use merge::{Merge, merge};
pub use resume::{Continuation, Resumed, kinds_of, resume};
pub use start::{Distrusted, default_folder, run};
