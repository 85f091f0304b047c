//! Makes pairs from what a plan asks for, in the same way for a run and for its workers.

use crate::plan::{Isolation, JudgingPlan};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;

/// The pairs of a plan. Where an oracle may end the process, none is there to be asked by accident.
///
/// # Errors
/// Returns an error when there are none of that name, their rules do not compile, or the types do not load.
pub fn pairs(plan: &JudgingPlan, isolation: &Isolation) -> anyhow::Result<Vec<Pair>> {
    let registry = plan.registry()?;
    let ids = plan.ids(&registry)?;
    if let Isolation::Some(names) = isolation
        && let Some(unknown) = names.iter().find(|name| !ids.iter().any(|id| id.to_string() == **name))
    {
        anyhow::bail!("--isolate: there is no subject `{unknown}` in this run; it is named as `subjects` prints it");
    }
    let one = |id: &PairId| {
        if !isolation.takes(id) {
            return plan.pair(&registry, id);
        }
        let pair = plan.sound_pair(&registry, id)?;
        let absent = |side| Box::new(OutOfProcess(pair.oracle(side).precision()));
        Ok(Pair { reference: absent(Side::Reference), candidate: absent(Side::Candidate), ..pair })
    };
    ids.iter().map(one).collect()
}

/// Takes the place of an oracle that must not be asked here, because its subject is judged in worker processes only. It has the
/// same precision as the oracle.
struct OutOfProcess(Precision);

impl Oracle for OutOfProcess {
    fn precision(&self) -> Precision {
        self.0
    }

    fn answer(&self, _: &Question<'_>, _: &View, _: &mut Answer) -> Result<(), OracleFailure> {
        Err(OracleFailure::new("this subject is judged in worker processes"))
    }
}
