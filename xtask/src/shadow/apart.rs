//! Oracles in worker processes, as those of a soak.

use crate::output::printable;
use takeover_engine::isolate::{Crew, Limits as WorkerLimits, Setting};
use takeover_harness::case::Case;
use takeover_harness::evidence::Place;
use takeover_harness::subject::SubjectId;
use takeover_shadow::work::{Elsewhere, Judged};

/// The workers of a server.
pub struct Apart(Crew);

impl Apart {
    /// Workers for all of these subjects, which are those of `setting` in their order.
    pub fn new(setting: Setting, limits: WorkerLimits, subjects: &[SubjectId]) -> Self {
        let subjects = subjects.iter().map(|id| (id.clone(), true)).collect();
        Self(Crew::new(setting, limits, subjects).telling(log))
    }
}

/// What a process said last may hold values of objects, and is left out.
fn log(line: &str, _: Option<&str>) {
    tracing::warn!("{}", printable(line));
}

impl Elsewhere for Apart {
    fn judge(&self, subject: usize, place: Place, case: &Case) -> Result<Judged, String> {
        let (evidence, cost) = self.0.case(subject, place, case).map_err(|error| error.to_string())?;
        Ok(Judged { evidence, cost })
    }
}
