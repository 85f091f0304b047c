//! Before a run judges: its workers, its generators, and whether the harness would notice a fault.

use super::distrusted::Distrusted;
use crate::isolate::{JudgingNotes, WorkerPool, WorkerPoolError};
use crate::pairs::{Generators, self_check};
use crate::plan::RunPlan;
use crate::say::Say;
use serde_json::Value;
use takeover_corpora::recorded::{accepted, cases_of};
use takeover_harness::compare::Matcher;
use takeover_harness::subject::Subject;

/// The workers of a run; none is started before it is needed.
pub(super) fn worker_pool<'s>(plan: &RunPlan, subjects: &[Subject], say: Say<'s>) -> WorkerPool<'s> {
    let isolated = |subject: &Subject| (subject.id.clone(), plan.isolation.takes(&subject.id));
    let on_end = move |line: &str, words: Option<&str>| {
        let words = words.map_or_else(String::new, |words| format!("; it said `{words}`"));
        say(&format!("warning: {line}{words}"));
    };
    WorkerPool::new(plan.judging.clone(), plan.worker, subjects.iter().map(isolated).collect(), Box::new(on_end))
}

/// The generators of the subjects, once the harness has shown on their cases that it would notice a fault.
pub(super) fn checked_generators(
    plan: &RunPlan,
    subjects: &[Subject],
    matchers: &[Matcher<'_>],
    pool: &WorkerPool<'_>,
    notes: &JudgingNotes,
) -> anyhow::Result<Generators> {
    let builtin: Vec<_> = subjects.iter().map(cases_of).collect();
    let accepted = |index: usize, objects: Vec<Value>| -> Result<Vec<Value>, WorkerPoolError> {
        if pool.takes(index) {
            let chosen = pool.accept(index)?.into_iter().filter_map(|at| usize::try_from(at).ok());
            return Ok(chosen.filter_map(|at| objects.get(at).cloned()).collect());
        }
        let Some(subject) = subjects.get(index) else { return Ok(Vec::new()) };
        notes.at(Some(index));
        let accepted = objects.into_iter().filter(|object| accepted(subject, object)).collect();
        notes.at(None);
        Ok(accepted)
    };
    let generators = Generators::new(subjects, &builtin, plan.judging.seed, accepted)?;
    for (index, ((subject, matcher), cases)) in subjects.iter().zip(matchers).zip(&builtin).enumerate() {
        let fault = if pool.takes(index) {
            pool.check(index)?
        } else {
            let generated = generators.sample(index);
            notes.at(Some(index));
            self_check::check(subject, matcher, cases.iter().chain(&generated)).err()
        };
        notes.at(None);
        if let Some(fault) = fault {
            return Err(Distrusted(format!("{}: {fault}", subject.id)).into());
        }
    }
    Ok(generators)
}
