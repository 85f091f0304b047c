//! A run: judges recorded and generated cases on every subject, and ends in evidence, findings and a report.

mod checkpoint;
mod conclude;
mod distrusted;
mod finding_file;
mod findings;
mod finished;
mod health;
mod host;
mod inputs;
mod judge;
mod merge;
mod minimising;
mod prepare;
mod record;
mod recorded_subjects;
mod redaction;
mod resume;
mod standard_input;
mod start;
mod state;
mod unfinished;
mod unwritten;
mod whereabouts;

pub use conclude::{ConcludedRun, ending};
pub use distrusted::Distrusted;
pub use finding_file::{judging_again, pair_of_finding, run_of_finding};
pub use finished::{FinishedRun, same_rules};
pub use host::{RunHost, RunProgress, Unseen};
pub(crate) use inputs::{Offered, RunInputs};
pub use merge::{ShardMerge, merge};
pub use recorded_subjects::recorded_subjects;
pub use resume::{ResumedRun, judging_of, resume};
pub use start::{default_folder, run};
pub use unfinished::unfinished;
pub use whereabouts::whereabouts;
