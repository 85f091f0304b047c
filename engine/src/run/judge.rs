//! Judges the recorded and generated cases of a run on every subject.

use super::checkpoint::Checkpoint;
use super::distrusted::Distrusted;
use super::host::RunHost;
use super::inputs::{self, Offered, RunInputs};
use super::standard_input::StandardInput;
use super::state::State;
use crate::pairs::Generators;
use crate::plan::{RunBudget, RunPlan};
use crate::stop::Stop;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use takeover_corpora::load::{Input, Limits, LoadedCase, load};
use takeover_corpora::select::Selection;
use takeover_harness::evidence::Evidence;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{self, Ended, Part, Progress, Run, Steering};

/// Judges the recorded cases that an earlier part of the run left over.
///
/// # Errors
/// Returns an error when the run cannot be written down, and [`Distrusted`].
pub(super) fn judge_recorded(
    plan: &RunPlan,
    pairs: &[Pair],
    run: &Run<'_>,
    before: &Evidence,
    state: &mut State,
    checkpoint: &Checkpoint,
    host: &RunHost<'_>,
) -> anyhow::Result<Evidence> {
    let cut = Arc::new(AtomicBool::new(false));
    let local = plan.local_inputs();
    let cases = || {
        let mut inputs: Vec<Input> = Vec::new();
        if plan.builtin {
            inputs.extend(takeover_corpora::recorded::inputs());
        }
        inputs.extend(local.iter().map(|name| input(name, host.stop, &cut)));
        let limits = Limits { document_bytes: (plan.max_document as usize) << 20, ..Limits::default() };
        load(inputs, limits).remembering().cases().doubtful(plan.doubtful)
    };
    let offered = Offered {
        nothing: !plan.builtin && local.is_empty(),
        builtin: plan.builtin,
        some_kinds: !plan.judging.kinds.is_empty(),
    };
    let mut selection = Selection::new(plan.sample, plan.dedup);
    if selection.needs_count() {
        let known = |case: &LoadedCase| pairs.iter().any(|pair| inputs::is_of(pair, case));
        selection.count(cases().flatten().take_while(|_| host.stop.asked().is_none()).filter(known));
    }
    let mut stream = RunInputs::new(cases(), pairs, offered, selection, host.say);
    let progress = |progress: &Progress<'_>| {
        tell_trouble(checkpoint, host);
        host.progress.recorded(progress.cases, findings(before, progress.evidence));
        checkpoint.pass(progress.evidence, || State { recorded: progress.done.clone(), ..state.clone() });
    };
    let stop = || checkpoint.is_faulty() || host.stop.asked().is_some();
    let part = Part { shard: plan.shard, done: state.recorded.clone() };
    let result = run.recorded(
        &mut stream.by_ref().take_while(|_| !cut.load(Ordering::Relaxed)),
        part,
        Steering { stop: &stop, progress: &progress },
    )?;
    if let Ended::SourcePanicked(panic) = &result.ended {
        return Err(Distrusted(format!("reading the recorded objects panicked: {panic}")).into());
    }
    state.recorded = result.done;
    // What a stop leaves over is read again.
    state.recorded_all = !matches!(result.ended, Ended::Stopped) && !cut.load(Ordering::Relaxed);
    if state.recorded_all {
        state.unreadable = stream.unreadable();
    }
    Ok(result.evidence)
}

/// Judges the generated cases that an earlier part of the run left over.
///
/// # Errors
/// Returns the errors of [`judge_recorded`].
pub(super) fn judge_generated(
    plan: &RunPlan,
    run: &Run<'_>,
    generators: &Generators,
    before: &Evidence,
    state: &mut State,
    checkpoint: &Checkpoint,
    host: &RunHost<'_>,
) -> anyhow::Result<Evidence> {
    let begin = Instant::now();
    let (spent_before, cases) = (state.spent, state.cases);
    let spent = || spent_before + begin.elapsed();
    let (budget, time) = match plan.budget {
        RunBudget::Cases(cases) => (runner::Budget::Cases(cases), None),
        RunBudget::For(time) => (runner::Budget::UntilStopped, Some(time)),
    };
    // A number of cases is judged in any event, so that the evidence does not depend on when an oracle gave up.
    let ends_early = time.is_some();
    let stop = || {
        let is_over = || time.is_some_and(|time| spent() >= time);
        let is_asked = || host.stop.asked().is_some();
        checkpoint.is_faulty() || is_asked() || is_over() || (ends_early && run.given_up().is_some())
    };
    let progress = |progress: &Progress<'_>| {
        tell_trouble(checkpoint, host);
        generators.settle(progress.chunk);
        host.progress.generated(cases + progress.cases, spent(), findings(before, progress.evidence));
        checkpoint.pass(progress.evidence, || State {
            generated: progress.done.clone(),
            cases: cases + progress.cases,
            spent: spent(),
            health: generators.health(),
            ..state.clone()
        });
    };
    let part = Part { shard: plan.shard, done: state.generated.clone() };
    let result =
        run.generated(generators, plan.judging.seed, budget, part, Steering { stop: &stop, progress: &progress })?;
    if let Ended::SourcePanicked(panic) = &result.ended {
        return Err(Distrusted(format!("the generator panicked: {panic}")).into());
    }
    state.generated = result.done;
    state.cases += result.evidence.cases();
    state.spent = spent();
    state.health = generators.health();
    let is_early = time.is_some_and(|time| state.spent < time) && host.stop.asked().is_none();
    if let Some(why) = run.given_up().filter(|_| is_early) {
        (host.say)(&format!(
            "note: the run ended after {} s, because nothing is left to judge: {why}",
            state.spent.as_secs()
        ));
    }
    Ok(result.evidence)
}

/// Says what the storage of checkpoints had trouble with: the run goes on, and the next checkpoint may be stored.
pub(super) fn tell_trouble(checkpoint: &Checkpoint, host: &RunHost<'_>) {
    for error in checkpoint.trouble() {
        (host.say)(&format!("warning: a checkpoint was not stored; the run goes on: {error:#}"));
    }
}

/// How many findings there are before and now, each counted once.
pub(super) fn findings(before: &Evidence, now: &Evidence) -> u64 {
    before.findings() + now.findings_beside(before)
}

/// The input of this name. `cut` is set where a stop ends the reading of standard input.
fn input(name: &Path, stop: &'static Stop, cut: &Arc<AtomicBool>) -> Input {
    if name.as_os_str() != "-" {
        return Input::named(name);
    }
    match StandardInput::open(stop, Arc::clone(cut)) {
        Ok(bytes) => Input::stream("-", bytes),
        Err(_) => Input::named(name),
    }
}
