//! Judges the parts of recorded inputs in storages that are this shard's.

use super::checkpoint::Checkpoint;
use super::distrusted::Distrusted;
use super::host::RunHost;
use super::inputs::{Offered, RunInputs};
use super::judge::{findings, tell_trouble};
use super::recorded_parts::InputPart;
use super::state::{State, StoredPartsDone};
use crate::plan::RunPlan;
use takeover_corpora::load::{Limits, load};
use takeover_corpora::select::Selection;
use takeover_harness::evidence::Evidence;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Ended, Part, Progress, Run, Shard, Steering};

/// Chunks of a part are counted from here, so that no two parts, and no other recorded input, have the same.
fn first_chunk(part: u64) -> u64 {
    (part + 1) << 32
}

/// Judges the parts that an earlier part of the run left over, and adds what they show to `evidence`. Says whether all are judged.
///
/// # Errors
/// Returns the errors of [`super::judge::judge_recorded`].
#[expect(clippy::too_many_arguments, reason = "as of the other inputs, and what is gathered part by part")]
pub(super) fn judge_stored(
    plan: &RunPlan,
    pairs: &[Pair],
    run: &Run<'_>,
    parts: &[InputPart],
    evidence: &mut Evidence,
    state: &mut State,
    checkpoint: &Checkpoint,
    host: &RunHost<'_>,
) -> anyhow::Result<bool> {
    let stop = || checkpoint.is_faulty() || host.stop.asked().is_some();
    let offered = Offered { nothing: true, builtin: false, some_kinds: !plan.judging.kinds.is_empty() };
    let limits = Limits { document_bytes: (plan.max_document as usize) << 20, ..Limits::default() };
    for (number, part) in (0..).zip(parts) {
        let Some(turn) = plan.shard.turn(number).filter(|turn| *turn >= state.stored.parts) else { continue };
        if stop() {
            return Ok(false);
        }
        let cases = load(part.inputs(), limits).remembering().cases().doubtful(plan.doubtful);
        let selection = Selection::new(plan.sample, None);
        let mut stream = RunInputs::new(cases, pairs, offered, selection, host.say);
        let before = &*evidence;
        let progress = |progress: &Progress<'_>| {
            tell_trouble(checkpoint, host);
            host.progress.recorded(before.cases() + progress.cases, findings(before, progress.evidence));
            checkpoint.pass(progress.evidence, || {
                let stored = StoredPartsDone { chunks: progress.done.clone(), ..state.stored.clone() };
                State { stored, ..state.clone() }
            });
        };
        let own = Part { shard: Shard::WHOLE, done: state.stored.chunks.clone() };
        let steering = Steering { stop: &stop, progress: &progress };
        let result = run.recorded_from(first_chunk(number), &mut stream, own, steering)?;
        if let Ended::SourcePanicked(panic) = &result.ended {
            return Err(Distrusted(format!("reading the recorded objects panicked: {panic}")).into());
        }
        let unreadable = state.stored.unreadable + stream.unreadable();
        checkpoint.gathered(result.evidence.clone())?;
        evidence.merge(result.evidence)?;
        if matches!(result.ended, Ended::Stopped) {
            state.stored.chunks = result.done;
            return Ok(false);
        }
        state.stored = StoredPartsDone { parts: turn + 1, unreadable, ..StoredPartsDone::default() };
    }
    Ok(true)
}
