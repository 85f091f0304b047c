//! Before a run judges: its workers, its generators, and whether the harness would notice a fault.

use super::distrusted::Distrusted;
use crate::isolate::{JudgingNotes, WorkerPool, WorkerPoolError};
use crate::pairs::{Generators, self_check};
use crate::plan::RunPlan;
use crate::say::Say;
use serde_json::Value;
use takeover_corpora::recorded::{accepted, cases_of};
use takeover_harness::pair::Pair;

/// The workers of a run; none is started before it is needed.
pub(super) fn worker_pool<'s>(plan: &RunPlan, pairs: &[Pair], say: Say<'s>) -> WorkerPool<'s> {
    let isolated = |pair: &Pair| (pair.id.clone(), plan.isolation.takes(&pair.id));
    let on_end = move |line: &str, words: Option<&str>| {
        let words = words.map_or_else(String::new, |words| format!("; it said `{words}`"));
        say(&format!("warning: {line}{words}"));
    };
    WorkerPool::new(plan.judging.clone(), plan.worker, pairs.iter().map(isolated).collect(), Box::new(on_end))
}

/// The generators of the pairs, once the harness has shown on their cases that it would notice a fault.
pub(super) fn checked_generators(
    plan: &RunPlan,
    pairs: &[Pair],
    pool: &WorkerPool<'_>,
    notes: &JudgingNotes,
) -> anyhow::Result<Generators> {
    let builtin: Vec<_> = pairs.iter().map(cases_of).collect();
    let accepted = |index: usize, objects: Vec<Value>| -> Result<Vec<Value>, WorkerPoolError> {
        if pool.takes(index) {
            let chosen = pool.accept(index)?.into_iter().filter_map(|at| usize::try_from(at).ok());
            return Ok(chosen.filter_map(|at| objects.get(at).cloned()).collect());
        }
        let Some(pair) = pairs.get(index) else { return Ok(Vec::new()) };
        notes.at(Some(index));
        let accepted = objects.into_iter().filter(|object| accepted(pair, object)).collect();
        notes.at(None);
        Ok(accepted)
    };
    let generators = Generators::new(pairs, &builtin, &plan.judging, accepted)?;
    for (index, (pair, cases)) in pairs.iter().zip(&builtin).enumerate() {
        let fault = if pool.takes(index) {
            pool.check(index)?
        } else {
            let generated = generators.sample(index, pair);
            notes.at(Some(index));
            self_check::check(pair, cases.iter().chain(&generated)).err()
        };
        notes.at(None);
        if let Some(fault) = fault {
            return Err(Distrusted(format!("{}: {fault}", pair.id)).into());
        }
    }
    Ok(generators)
}
