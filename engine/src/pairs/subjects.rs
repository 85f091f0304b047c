//! From what is asked for to subjects, in a run and in its workers alike.

use crate::plan::{Isolation, JudgingPlan};
use takeover_harness::error::ErrorList;
use takeover_harness::oracle::{Oracle, OracleFailure, Prepared};
use takeover_harness::subject::Subject;

/// The subjects of a plan. Where an oracle may end the process, none is there to be asked by accident.
///
/// # Errors
/// When there are none of that name, their rules do not compile, or the types do not load.
pub fn subjects(plan: &JudgingPlan, isolation: &Isolation) -> anyhow::Result<Vec<Subject>> {
    let registry = plan.registry()?;
    let ids = plan.ids()?;
    if let Isolation::Some(names) = isolation
        && let Some(unknown) = names.iter().find(|name| !ids.iter().any(|id| id.to_string() == **name))
    {
        anyhow::bail!("--isolate: there is no subject `{unknown}` in this run; it is named as `subjects` prints it");
    }
    let one = |id| {
        if !isolation.takes(id) {
            return plan.subject(&registry, id);
        }
        let subject = plan.sound_subject(&registry, id)?;
        Ok(Subject { reference: Box::new(OutOfProcess), candidate: Box::new(OutOfProcess), ..subject })
    };
    ids.iter().map(one).collect()
}

/// Stands where an oracle must not be asked: its subject is judged in worker processes only.
struct OutOfProcess;

impl Oracle for OutOfProcess {
    fn validate(&self, _: &Prepared<'_>, _: &mut ErrorList) -> Result<(), OracleFailure> {
        Err(OracleFailure::new("this subject is judged in worker processes"))
    }
}
