//! What a run is asked to do.

mod plant;
mod run_plan;

pub use plant::Plant;
pub(crate) use run_plan::check_inputs;
pub use run_plan::{Budget, Plan, ids, matcher};
