//! The end of a shard that is kept in a storage: its result is stored, and what follows from it is left to whoever merges.

use super::envelope::ShardResult;
use super::keeper::ShardKeeper;
use crate::ending::Ending;
use crate::run::conclude::{ConcludedRun, JudgedRun};
use crate::run::host::RunHost;
use crate::run::record::RunRecord;
use crate::run::redaction::redacted;
use crate::run::unwritten::Unwritten;
use crate::run_folder::RunFolder;
use takeover_harness::exception::Excuses;
use takeover_harness::text::plural;
use takeover_reports::Criteria;
use takeover_reports::run::Unfinished;

/// Stores what was judged, if that is all of the shard: otherwise the checkpoint is what is left.
pub(in crate::run) fn conclude_shard(
    record: &mut RunRecord,
    judged: &JudgedRun<'_>,
    (far, is_whole): (Unfinished, bool),
    mut unwritten: Unwritten,
    (folder, keeper): (&RunFolder, &ShardKeeper),
    host: &RunHost<'_>,
) -> ConcludedRun {
    let evidence = judged.evidence.clone();
    let evidence = if record.plan.raw { evidence } else { redacted(evidence, judged.pairs) };
    let excuses = Excuses::of(&record.plan.exceptions, &evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    let mut report = takeover_reports::build(&evidence, judged.pairs, record.plan.judging.seed, &[], criteria);
    report.shard = record.plan.shard_name();
    let (shard, place) = (record.plan.shard, keeper.location());
    let stopped = host.stop.asked();
    if is_whole && stopped.is_none() && !unwritten.is_some() {
        record.finished = true;
        let result = ShardResult { record: record.clone(), health: judged.health.to_vec(), evidence };
        match keeper.finish(&result) {
            Ok(again) => {
                let cases = plural(result.evidence.cases(), "case");
                let whose = if again { "another process had stored the result before" } else { "the result is stored" };
                (host.say)(&format!("shard {shard} of `{place}` is finished: {cases}; {whose}"));
            }
            Err(error) => {
                record.finished = false;
                unwritten.note(Err::<(), _>(error));
            }
        }
        unwritten.note(folder.write_json("run.json", record));
    } else {
        report.unfinished = Some(Unfinished { not_minimised: evidence.findings(), ..far });
        (host.say)(&format!("shard {shard} of `{place}` is not finished: start the same command again to resume it"));
    }
    let ending = stopped.map_or(Ending::Clean, Ending::Stopped);
    ConcludedRun { report, ending, unwritten: unwritten.into_error() }
}
