//! Judges single cases in worker processes, because their oracles may end a process.

use super::isolated_case::IsolatedCase;
use super::pool::{EndListener, WorkerPool};
use crate::plan::{JudgingPlan, WorkerLimits};
use takeover_harness::case::Case;
use takeover_harness::evidence::CasePlace;
use takeover_harness::runner::RemoteJudgeError;

/// Judges cases in processes of their own.
pub struct IsolatedJudge(WorkerPool<'static>);

impl IsolatedJudge {
    /// Returns a judge of all subjects of `plan`, in their order. Starts a process only when it is needed, and calls `on_end`
    /// for each that ends.
    ///
    /// # Errors
    /// Returns an error when there are no such subjects.
    pub fn new(plan: JudgingPlan, limits: WorkerLimits, on_end: EndListener<'static>) -> anyhow::Result<Self> {
        let subjects = plan.ids(&plan.catalogue()?)?.into_iter().map(|id| (id, true)).collect();
        Ok(Self(WorkerPool::new(plan, limits, subjects, on_end)))
    }

    /// The evidence of a case of the subject with this index. Waits for as long as its oracles may take.
    ///
    /// # Errors
    /// Returns an error when no process can judge it, which says why.
    pub fn judge(&self, subject: usize, place: CasePlace, case: &Case) -> Result<IsolatedCase, RemoteJudgeError> {
        self.0.case(subject, place, case)
    }
}
