//! What a run, a server and the processes that they start are asked to do.

mod assumed_mark;
mod isolation;
mod judging;
mod plant;
mod run_plan;

pub(crate) use assumed_mark::check_marks;
pub use assumed_mark::{AssumedMark, NotAMark};
pub use isolation::{Isolation, WorkerLimits};
pub use judging::JudgingPlan;
pub use plant::Plant;
pub use run_plan::{RunBudget, RunContinuation, RunKeeping, RunOrder, RunPlan};
