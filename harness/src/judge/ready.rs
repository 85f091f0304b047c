//! A case after preparation, successful or not.

use super::case_record::{CaseRecord, Judgement, OraclePanic, Outcome};
use super::guard::Panic;
use crate::form::Sent;
use crate::object::Node;
use crate::pair::{Prepared, Unprepared};

/// The result of preparing a case.
pub(super) struct Ready<'a> {
    pub(super) prepared: Result<Result<Prepared<'a>, Unprepared>, Panic>,
    pub(super) sent: Sent<'a>,
}

impl Ready<'_> {
    pub(super) fn prepared(&self) -> Option<&Prepared<'_>> {
        self.prepared.as_ref().ok()?.as_ref().ok()
    }

    /// What was compared, and the object as it was sent; `None` when the case was not compared.
    pub(super) fn compared(&self, verdict: &Judgement) -> Option<(&Prepared<'_>, Node<'_>)> {
        self.prepared()
            .filter(|_| matches!(verdict, Judgement::Compared(_)))
            .map(|prepared| (prepared, self.sent.object))
    }

    /// Has the case judged, if it could be prepared.
    pub(super) fn judged(
        &self,
        record: &mut CaseRecord,
        judge: impl FnOnce(&Prepared<'_>, &mut CaseRecord) -> Judgement,
    ) -> Judgement {
        match &self.prepared {
            Ok(Ok(prepared)) => {
                let verdict = judge(prepared, record);
                record.dropped = self.sent.dropped;
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
