//! The run folder of a server: evidence that outlives it, and that `merge` reads.

use crate::export;
use crate::ledger::{Ledger, Production, ProductionRun};
use crate::plan::ShadowPlan;
use crate::server::{Checkpoint, Keep};
use crate::tail::{LinesAtHand, Position};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use takeover_engine::run_folder::{self, RunFolder};
use takeover_harness::evidence::Evidence;
use takeover_harness::format::{Format, FormatMark};

/// The format of `run.json`, and of the layout of the run folder.
const FORMAT: Format =
    Format { name: "shadow-run", major: 1, minor: 1, remedy: "have a server of this version start a new folder" };

/// What went into the run.
const RECORD: &str = "run.json";

/// Up to where the evidence covers the logs that are followed. Written before the evidence: it holds the positions of the evidence that
/// is there and those of the one that is about to be, so that whichever of the two is found after a crash, its positions are known.
const POSITIONS: &str = "positions.json";

/// What tells the run folder of a server from others.
const COMMAND: &str = "shadow";

/// Evidence.
pub(crate) const EVIDENCE: &str = "evidence.json";

/// Days and replicas. Written after the evidence, so that it never claims more; but what began is named before.
pub(crate) const PRODUCTION: &str = "production.json";

/// `run.json` of a server.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    #[serde(alias = "formatVersion")]
    format: FormatMark,
    /// [`COMMAND`].
    command: String,
    /// Version of this program.
    takeover: String,
    subjects: Vec<String>,
    replica: String,
    /// Of what several servers saw: the folder of types that they judged by; none for the built-in ones.
    #[serde(default, alias = "idl", skip_serializing_if = "Option::is_none")]
    pub(crate) types: Option<PathBuf>,
}

impl Record {
    /// The record of a server that begins.
    fn new(subjects: Vec<String>, replica: &str) -> Self {
        Self {
            format: FORMAT.mark(),
            command: COMMAND.to_owned(),
            takeover: env!("CARGO_PKG_VERSION").to_owned(),
            subjects,
            replica: replica.to_owned(),
            types: None,
        }
    }

    /// The record of what several of them saw.
    pub(crate) fn merged(subjects: Vec<String>, types: Option<&Path>) -> Self {
        Self { types: types.map(Path::to_owned), ..Self::new(subjects, "merged") }
    }

    /// The record of the server, or servers, that the folder `root` is of; none when it is of anything else.
    pub(crate) fn of(root: &Path) -> Option<Self> {
        run_folder::read_json::<Self>(root, RECORD).ok().filter(|record| record.command == COMMAND)
    }
}

/// Whether the folder `root` is what one server left, of which there is no report.
pub fn is_of_one_server(root: &Path) -> bool {
    Record::of(root).is_some() && !root.join("report.json").is_file()
}

/// Whether the run in `root` is that of a server, or a file of what one knows.
pub fn is_shadow(root: &Path) -> bool {
    root.is_file() || Record::of(root).is_some()
}

/// The run folder of a server.
pub struct Folder {
    folder: RunFolder,
    written: Mutex<Written>,
}

/// What was written last.
#[derive(Default)]
struct Written {
    positions: Option<Positions>,
    production: Production,
}

/// Positions in logs, by their paths.
pub type PositionsByPath = BTreeMap<PathBuf, Position>;

/// Positions, and which evidence they belong to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Positions {
    /// Hash of the file of evidence.
    evidence: String,
    logs: PositionsByPath,
}

/// What a server leaves.
type Left = (Evidence, Production);

/// What an earlier server left, if there was one.
pub type Before = Option<Left>;

impl Folder {
    /// The folder of this replica below `root`, and what an earlier server left there. What this server cannot go on with, for other
    /// rules or for damage, is moved aside and left as it is.
    ///
    /// # Errors
    /// When the folder is in use or cannot be written.
    pub fn open(
        root: &Path,
        plan: &ShadowPlan,
        now: jiff::Timestamp,
    ) -> anyhow::Result<(Self, Before, PositionsByPath)> {
        let place = root.join(file_name(&plan.replica));
        let next = next(&place);
        if !place.exists() && next.join(PRODUCTION).is_file() {
            // An earlier start was cut off before the last rename below.
            replace(&next, &place)?;
        }
        remove(&next)?;
        let (folder, before, logs) = match earlier(&place, plan)? {
            Some(Earlier { folder, positions, usable: Ok(before) }) => {
                folder.write_json(RECORD, &record(plan))?;
                let logs = positions.as_ref().map(|positions| positions.logs.clone()).unwrap_or_default();
                let written = Mutex::new(Written { positions, production: before.1.clone() });
                (Self { folder, written }, Some(before), logs)
            }
            Some(Earlier { folder, positions, usable: Err(why) }) => {
                let aside = aside(&place, now);
                tracing::warn!("earlier evidence is moved to `{}`: {why:#}", aside.display());
                // What that evidence covers is not counted again beside it.
                let logs = positions.map(|positions| positions.logs).unwrap_or_default();
                // INVARIANT: wherever this is cut off, the next start finds the positions: in the old folder, or in the new one under
                // either name.
                let new = Self::create(&next, plan, &logs)?;
                drop(folder);
                replace(&place, &aside)?;
                (new.rename(&next, &place)?, None, logs)
            }
            None => {
                if place.exists() {
                    // Nothing, or what is left of a start that wrote no evidence; anything else is refused here.
                    drop(RunFolder::create(&place, true)?);
                    remove(&place)?;
                }
                let logs = PositionsByPath::new();
                (Self::create(&next, plan, &logs)?.rename(&next, &place)?, None, logs)
            }
        };
        Ok((folder, before, logs))
    }

    /// Which lines of logs are at hand, and which are left out.
    ///
    /// # Errors
    /// When that cannot be read or written.
    pub fn lines_at_hand(&self) -> anyhow::Result<LinesAtHand> {
        let place = self.folder.path();
        LinesAtHand::open(place).with_context(|| format!("failed to open the notes in `{}`", place.display()))
    }

    /// A new folder in which nothing was seen yet, up to these positions. It gets its name when it has every file, so that no crash leaves
    /// one without the others.
    fn create(place: &Path, plan: &ShadowPlan, logs: &PositionsByPath) -> anyhow::Result<Self> {
        let created = Self { folder: RunFolder::create(place, true)?, written: Mutex::default() };
        created.folder.write_json(RECORD, &record(plan))?;
        let (evidence, production) = Ledger::new(plan, None)?.copy();
        created.write(&Checkpoint { evidence, production, positions: logs.clone() })?;
        Ok(created)
    }

    /// Gives a folder that is made ready its name.
    fn rename(self, next: &Path, place: &Path) -> anyhow::Result<Self> {
        let Self { folder, written } = self;
        drop(folder);
        replace(next, place)?;
        Ok(Self { folder: RunFolder::reopen(place)?, written })
    }

    fn write_production(&self, production: &Production) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec_pretty(production)?;
        text.push(b'\n');
        self.folder.write_durable(PRODUCTION, &text)
    }

    fn write(&self, checkpoint: &Checkpoint) -> anyhow::Result<()> {
        let evidence = checkpoint.evidence.to_json()?;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Positions { evidence: hash(evidence.as_bytes()), logs: checkpoint.positions.clone() };
        let both: Vec<&Positions> = written.positions.iter().chain([&next]).collect();
        // Those that are there name the evidence that they belong to, also where no log is followed any more.
        let are_there = self.folder.path().join(POSITIONS).is_file();
        if are_there || both.iter().any(|positions| !positions.logs.is_empty()) {
            self.folder.write_durable(POSITIONS, &serde_json::to_vec_pretty(&both)?)?;
        }
        let mut begun = written.production.clone();
        for (origin, run) in &checkpoint.production.runs {
            let begins = || ProductionRun { replica: run.replica.clone(), ..ProductionRun::default() };
            begun.runs.entry(origin.clone()).or_insert_with(begins);
        }
        if begun != written.production {
            // INVARIANT: evidence never holds a start that is not named beside it, or `merge` could count that start twice.
            self.write_production(&begun)?;
            written.production = begun;
        }
        self.folder.write_durable(EVIDENCE, evidence.as_bytes())?;
        written.positions = Some(next);
        self.write_production(&checkpoint.production)?;
        written.production.clone_from(&checkpoint.production);
        Ok(())
    }
}

impl Keep for Folder {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        self.write(checkpoint).map_err(|error| format!("{error:#}"))
    }
}

fn record(plan: &ShadowPlan) -> Record {
    Record::new(plan.ids().iter().map(ToString::to_string).collect(), &plan.replica)
}

/// The folder of an earlier server, held.
struct Earlier {
    folder: RunFolder,
    /// Those of its evidence.
    positions: Option<Positions>,
    /// What it left, or why this server cannot go on with that.
    usable: anyhow::Result<Left>,
}

/// What an earlier server left; none when there was no server.
fn earlier(place: &Path, plan: &ShadowPlan) -> anyhow::Result<Option<Earlier>> {
    if !place.join(RECORD).is_file() {
        return Ok(None);
    }
    let folder = RunFolder::reopen(place)?;
    if !place.join(EVIDENCE).is_file() {
        // It was ended before it wrote anything.
        return Ok(None);
    }
    let usable = || {
        let (evidence, production) = read(place)?;
        Ledger::new(plan, Some((evidence.clone(), production.clone())))?;
        Ok((evidence, production))
    };
    let (positions, usable) = (positions(place)?, usable());
    Ok(Some(Earlier { folder, positions, usable }))
}

/// The positions of the evidence that is there; the newest, where it was changed since. None when there are none.
///
/// # Errors
/// When they are damaged: to begin anywhere else would count twice or lose.
fn positions(place: &Path) -> anyhow::Result<Option<Positions>> {
    let file = place.join(POSITIONS);
    if !file.is_file() {
        return Ok(None);
    }
    let known: Vec<Positions> = run_folder::read_json(place, POSITIONS)
        .with_context(|| format!("remove `{}` to start at the end of the logs", file.display()))?;
    let place = place.join(EVIDENCE);
    let content = std::fs::read(&place).with_context(|| format!("failed to read `{}`", place.display()))?;
    let evidence = hash(&content);
    let newest = known.last().cloned();
    // Reading may have gone on without anything to record.
    let of_evidence = known.into_iter().rev().find(|positions| positions.evidence == evidence);
    if of_evidence.is_none() {
        tracing::warn!("`{}` is damaged: logs are read from the newest known positions", place.display());
    }
    Ok(of_evidence.or(newest))
}

fn hash(evidence: &[u8]) -> String {
    blake3::hash(evidence).to_hex().to_string()
}

/// Evidence and days in the run folder of a server, or in a file that its page gave.
///
/// # Errors
/// When a file is missing or damaged.
pub(crate) fn read(place: &Path) -> anyhow::Result<Left> {
    if place.is_file() {
        let failed = || format!("failed to read `{}`", place.display());
        let text = takeover_engine::bounded::text(place, takeover_engine::bounded::EVIDENCE).with_context(failed)?;
        return export::from_json(&text).with_context(failed);
    }
    let failed = || format!("failed to parse `{}`", place.join(RECORD).display());
    FORMAT.check_json(run_folder::read(place, RECORD)?).with_context(failed)?;
    let evidence = Evidence::from_json(&run_folder::read(place, EVIDENCE)?)
        .with_context(|| format!("failed to parse `{}`", place.join(EVIDENCE).display()))?;
    Ok((evidence, run_folder::read_json(place, PRODUCTION)?))
}

/// A replica's name as the name of a folder.
fn file_name(replica: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' };
    let name: String = replica.chars().map(safe).collect();
    if name.trim_matches('.').is_empty() { "server".to_owned() } else { name }
}

/// Where the folder is made ready that takes the place of this one.
fn next(place: &Path) -> PathBuf {
    place.with_file_name(format!(".{}.next", place.file_name().unwrap_or_default().to_string_lossy()))
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove `{}`", folder.display()))
        }
        _ => Ok(()),
    }
}

fn replace(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::rename(from, to).with_context(|| format!("failed to move `{}` to `{}`", from.display(), to.display()))
}

/// Where evidence goes that nobody can go on with.
fn aside(place: &Path, now: jiff::Timestamp) -> PathBuf {
    let time = now.strftime("%Y%m%dT%H%M%SZ");
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (0_u32..)
        .map(|number| if number == 0 { format!("{name}.{time}") } else { format!("{name}.{time}.{number}") })
        .map(|name| place.with_file_name(name))
        .find(|aside| !aside.exists())
        .unwrap_or_else(|| place.with_extension("aside"))
}

/// Whether a folder of this name is evidence that a server has moved aside, or makes ready.
pub(crate) fn is_aside(name: &str) -> bool {
    let is_time = |part: &str| part.len() == 16 && part.ends_with('Z') && part.chars().nth(8) == Some('T');
    name.starts_with('.') || name.split('.').skip(1).any(is_time)
}

#[cfg(test)]
mod tests;
