//! A case after preparation, successful or not.

use super::case_record::{CaseRecord, Judgement, OraclePanic, Outcome};
use super::guard::Panic;
use crate::pair::{Prepared, Unprepared};

/// The result of preparing a case.
pub(super) struct Ready<'a>(pub(super) Result<Result<Prepared<'a>, Unprepared>, Panic>);

impl Ready<'_> {
    pub(super) fn prepared(&self) -> Option<&Prepared<'_>> {
        self.0.as_ref().ok()?.as_ref().ok()
    }

    /// What was compared; `None` when the case was not compared.
    pub(super) fn compared(&self, verdict: &Judgement) -> Option<&Prepared<'_>> {
        self.prepared().filter(|_| matches!(verdict, Judgement::Compared(_)))
    }

    /// Has the case judged, if it could be prepared.
    pub(super) fn judged(
        &self,
        record: &mut CaseRecord,
        judge: impl FnOnce(&Prepared<'_>, &mut CaseRecord) -> Judgement,
    ) -> Judgement {
        match &self.0 {
            Ok(Ok(prepared)) => {
                let verdict = judge(prepared, record);
                record.dropped = prepared.sent.dropped();
                verdict
            }
            Ok(Err(unprepared)) => {
                record.clear();
                Judgement::Unprepared(unprepared.clone())
            }
            Err(panic) => {
                record.clear();
                record.panics.push(OraclePanic { side: None, panic: panic.clone() });
                Judgement::Compared(Outcome::Panicked)
            }
        }
    }
}
