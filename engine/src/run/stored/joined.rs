//! How a process joins a run that is kept in a storage.

use super::envelope::{Checkpointed, checkpoint_name, result_name};
use crate::plan::RunPlan;
use crate::run::record::{RunRecord, SharedSettings};
use crate::run::recorded_parts::StoredInputs;
use crate::run::state;
use crate::run_folder::RunFolder;
use crate::storage::{Condition, Location, OpenStorage, Storage};
use anyhow::Context as _;
use std::path::Path;
use takeover_harness::format::Format;

/// The object that says what is run.
const SETTINGS: &str = "soak.json";

/// What this process has to do for its shard.
#[derive(Debug)]
pub enum Joined {
    /// All of it.
    Begin,
    /// What the checkpoint leaves over, which is in the folder now: so many generated cases are done.
    Resume(u64),
    /// Nothing: its result is there.
    Finished,
}

/// Joins the run at `to` with the shard of `plan`, and brings its checkpoint, if there is one, to `folder`.
///
/// # Errors
/// Returns an error when the storage cannot be used, another run is kept there, or the checkpoint is damaged.
pub fn join(plan: &RunPlan, to: &Location, folder: &Path, open: &dyn OpenStorage) -> anyhow::Result<Joined> {
    plan.check_inputs()?;
    let storage = open.open(to)?;
    agree(plan, storage.as_ref(), open)?;
    let shard = plan.shard;
    if storage.find(&result_name(shard))?.is_some() {
        // Left by a process that was slower than another one with the same shard.
        storage.remove(&checkpoint_name(shard))?;
        return Ok(Joined::Finished);
    }
    let name = checkpoint_name(shard);
    let Some(stored) = storage.read(&name)? else { return Ok(Joined::Begin) };
    let damaged = || format!("cannot resume from `{}`", to.join(&name));
    let checkpointed = Checkpointed::decode(&stored.content).with_context(damaged)?;
    let record = RunRecord::from_json(&checkpointed.record).with_context(damaged)?;
    state::check_same(&state::bound(&record.plan), &state::bound(plan))
        .map_err(|difference| anyhow::anyhow!("cannot resume from `{}`: {difference}", to.join(&name)))?;
    let done = checkpointed.state().with_context(damaged)?.cases;
    let into = RunFolder::create(folder, true)?;
    into.write_private(state::FILE, checkpointed.checkpoint.as_bytes())?;
    // Last of all: a folder with a record is one to resume.
    into.write("run.json", checkpointed.record.as_bytes())?;
    Ok(Joined::Resume(done))
}

/// Sees that whatever is kept there is of the same run.
fn agree(plan: &RunPlan, storage: &dyn Storage, open: &dyn OpenStorage) -> anyhow::Result<()> {
    const FORMAT: Format = Format { name: "soak", major: 1, minor: 0, remedy: "choose another --out" };
    let place = storage.location();
    let inputs = StoredInputs::list(&plan.recorded, open)?;
    let ours = SharedSettings::of(plan, inputs.marks(), FORMAT.mark());
    let text = takeover_reports::json(&ours)?;
    // Reading costs less than writing, and the first shard alone has to write.
    let mut found = storage.read(SETTINGS)?;
    if found.is_none() {
        storage.write(SETTINGS, text.into_bytes(), &Condition::Absent)?;
        found = storage.read(SETTINGS)?;
    }
    let found = found.with_context(|| format!("`{}` is gone since it was written", place.join(SETTINGS)))?;
    let damaged = || format!("failed to parse `{}`", place.join(SETTINGS));
    let raw: serde_json::Value = serde_json::from_slice(&found.content).with_context(damaged)?;
    FORMAT.check_value(&raw).with_context(damaged)?;
    let theirs: SharedSettings = serde_json::from_value(raw).with_context(damaged)?;
    theirs.check_same(&ours).map_err(|difference| {
        anyhow::anyhow!("`{place}` holds another run: {difference}; choose another --out, or remove what is there")
    })
}
