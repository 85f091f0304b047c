//! A soak: recorded and generated cases through every subject, to evidence, findings and a report.

mod checkpoint;
mod conclude;
mod findings;
mod finished;
mod health;
mod inputs;
mod isolate;
mod judge;
mod merge;
mod plan;
mod plant;
mod progress;
mod record;
mod resume;
mod self_check;
mod setting;
mod source;
mod start;
mod state;

pub use conclude::{Soaked, exit};
pub use finished::{Finished, same_rules};
pub use inputs::Inputs;
pub use isolate::{Absent, Crew, Limits as WorkerLimits, Post, Setting, Supervised, Watcher, serve, supervise};
pub use merge::{Merge, merge};
pub use plan::{Budget, Plan, ids, matcher};
pub use plant::Plant;
pub use resume::{Continuation, Resumed, kinds_of, resume};
pub use setting::Isolation;
pub use start::{Distrusted, default_folder, run};
