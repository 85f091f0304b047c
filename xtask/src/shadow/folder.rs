//! The run folder of a server: evidence that outlives it, and that `merge` reads.

use crate::run_folder::{self, RunFolder};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use takeover_harness::evidence::Evidence;
use takeover_shadow::export;
use takeover_shadow::ledger::{Ledger, Production};
use takeover_shadow::server::{Checkpoint, Keep};
use takeover_shadow::state::Plan;
use takeover_shadow::tail::Position;

/// Version of the layout.
const FORMAT_VERSION: u32 = 1;

/// Up to where the evidence covers the logs that are followed. Written before the evidence: it holds the positions of the evidence that
/// is there and those of the one that is about to be, so that whichever of the two is found after a crash, its positions are known.
const POSITIONS: &str = "positions.json";

/// What tells the run folder of a server from others.
const COMMAND: &str = "shadow";

/// Evidence.
pub(super) const EVIDENCE: &str = "evidence.json";

/// Days and replicas. Written after the evidence, so that it never claims more.
const PRODUCTION: &str = "production.json";

/// `run.json` of a server.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    format_version: u32,
    /// [`COMMAND`].
    command: String,
    /// Version of this program.
    takeover: String,
    subjects: Vec<String>,
    replica: String,
    /// Of what several servers saw: the folder of types that they judged by; none for the built-in ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) idl: Option<PathBuf>,
}

impl Record {
    /// The record of a server that begins.
    fn new(subjects: Vec<String>, replica: &str) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            command: COMMAND.to_owned(),
            takeover: env!("CARGO_PKG_VERSION").to_owned(),
            subjects,
            replica: replica.to_owned(),
            idl: None,
        }
    }

    /// The record of what several of them saw.
    pub(super) fn merged(subjects: Vec<String>, idl: Option<&Path>) -> Self {
        Self { idl: idl.map(Path::to_owned), ..Self::new(subjects, "merged") }
    }

    /// The record of the server, or servers, that the folder `root` is of; none when it is of anything else.
    pub(super) fn of(root: &Path) -> Option<Self> {
        run_folder::read_json::<Self>(root, "run.json").ok().filter(|record| record.command == COMMAND)
    }
}

/// Whether the folder `root` is what one server left, of which there is no report.
pub fn is_of_one_server(root: &Path) -> bool {
    Record::of(root).is_some() && !root.join("report.json").is_file()
}

/// Whether the run in `root` is that of a server, or a file of what one knows.
pub(super) fn is_shadow(root: &Path) -> bool {
    root.is_file() || Record::of(root).is_some()
}

/// The run folder of a server.
pub struct Folder {
    folder: RunFolder,
    /// What was written last.
    written: Mutex<Option<Positions>>,
}

/// Positions in logs, by their paths.
pub type PositionsByPath = BTreeMap<PathBuf, Position>;

/// Positions, and which evidence they belong to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
    pub fn open(root: &Path, plan: &Plan, now: jiff::Timestamp) -> anyhow::Result<(Self, Before, PositionsByPath)> {
        let place = root.join(file_name(&plan.replica));
        let next = next(&place);
        if !place.exists() && next.join(PRODUCTION).is_file() {
            // An earlier start was cut off between the two renames below.
            replace(&next, &place)?;
        }
        let (folder, before, logs) = match earlier(&place, plan)? {
            Some(Earlier { folder, written, usable: Ok(before) }) => {
                folder.write_json("run.json", &record(plan))?;
                let logs = written.as_ref().map(|written| written.logs.clone()).unwrap_or_default();
                (Self { folder, written: Mutex::new(written) }, Some(before), logs)
            }
            Some(Earlier { folder, written, usable: Err(why) }) => {
                let aside = aside(&place, now);
                tracing::warn!("earlier evidence is moved to `{}`: {why:#}", aside.display());
                // What that evidence covers is not counted again beside it.
                let logs = written.map(|written| written.logs).unwrap_or_default();
                // INVARIANT: wherever this is cut off, the next start finds the positions: in the old folder, or in the new one under
                // either name.
                let Self { folder: new, written } = Self::create(&next, plan, &logs)?;
                drop((folder, new));
                replace(&place, &aside)?;
                replace(&next, &place)?;
                (Self { folder: RunFolder::reopen(&place)?, written }, None, logs)
            }
            None => (Self::create(&place, plan, &PositionsByPath::new())?, None, PositionsByPath::new()),
        };
        if next.exists() {
            std::fs::remove_dir_all(&next).with_context(|| format!("failed to remove `{}`", next.display()))?;
        }
        Ok((folder, before, logs))
    }

    /// A new folder in which nothing was seen yet, up to these positions. It has every file from the beginning, so that no crash leaves
    /// one without the others.
    fn create(place: &Path, plan: &Plan, logs: &PositionsByPath) -> anyhow::Result<Self> {
        let created = Self { folder: RunFolder::create(place)?, written: Mutex::new(None) };
        created.folder.write_json("run.json", &record(plan))?;
        let (evidence, production) = Ledger::new(plan, None)?.copy();
        created.write(&Checkpoint { evidence, production, positions: logs.clone() })?;
        Ok(created)
    }

    fn write(&self, checkpoint: &Checkpoint) -> anyhow::Result<()> {
        let evidence = checkpoint.evidence.to_json()?;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Positions { evidence: hash(evidence.as_bytes()), logs: checkpoint.positions.clone() };
        let both: Vec<&Positions> = written.iter().chain([&next]).collect();
        if both.iter().any(|positions| !positions.logs.is_empty()) {
            self.folder.write_durable(POSITIONS, &serde_json::to_vec_pretty(&both)?)?;
        }
        self.folder.write_durable(EVIDENCE, evidence.as_bytes())?;
        *written = Some(next);
        self.folder.write_json(PRODUCTION, &checkpoint.production)?;
        Ok(())
    }
}

impl Keep for Folder {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        self.write(checkpoint).map_err(|error| format!("{error:#}"))
    }
}

fn record(plan: &Plan) -> Record {
    Record::new(plan.ids().iter().map(ToString::to_string).collect(), &plan.replica)
}

/// The folder of an earlier server, held.
struct Earlier {
    folder: RunFolder,
    /// The positions of its evidence.
    written: Option<Positions>,
    /// What it left, or why this server cannot go on with that.
    usable: anyhow::Result<Left>,
}

/// What an earlier server left; none when there was no server.
fn earlier(place: &Path, plan: &Plan) -> anyhow::Result<Option<Earlier>> {
    if !place.join("run.json").is_file() {
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
    let (written, usable) = (positions(place)?, usable());
    Ok(Some(Earlier { folder, written, usable }))
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
        .with_context(|| format!("remove `{}` to begin at the end of the logs", file.display()))?;
    let place = place.join(EVIDENCE);
    let content = std::fs::read(&place).with_context(|| format!("failed to read `{}`", place.display()))?;
    let evidence = hash(&content);
    let newest = known.last().cloned();
    // Reading may have gone on without anything to record.
    let of_evidence = known.into_iter().rev().find(|positions| positions.evidence == evidence);
    if of_evidence.is_none() {
        tracing::warn!("`{}` is not as it was written: logs are read from the newest known positions", place.display());
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
pub(super) fn read(place: &Path) -> anyhow::Result<Left> {
    if place.is_file() {
        let failed = || format!("failed to read `{}`", place.display());
        let text = std::fs::read_to_string(place).with_context(failed)?;
        return export::from_json(&text).with_context(failed);
    }
    let evidence = Evidence::from_json(&run_folder::read(place, EVIDENCE)?)
        .with_context(|| format!("failed to understand `{}`", place.join(EVIDENCE).display()))?;
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

#[cfg(test)]
mod tests {
    use super::{Folder, PositionsByPath, file_name, read};
    use crate::shadow::What;
    use takeover_harness::authority::{LifecycleGates, LifecycleRelease, Policy};
    use takeover_harness::case::Provenance;
    use takeover_harness::compare::Semantics;
    use takeover_harness::evidence::{Evidence, Place, Sighting};
    use takeover_shadow::Mode;
    use takeover_shadow::ledger::Ledger;
    use takeover_shadow::server::{Checkpoint, Keep as _};
    use takeover_shadow::tail::Position;

    fn what(kind: &str) -> What {
        What {
            kinds: vec![kind.to_owned()],
            idl: None,
            semantics: Semantics::V1_37,
            authority: Policy::Lifecycle(LifecycleGates::of(LifecycleRelease::V1_37)),
            mode: Mode::Shadow,
            replica: "pod/a".to_owned(),
            isolated: false,
            plants: Vec::new(),
        }
    }

    #[test]
    fn a_server_goes_on_with_its_evidence_and_moves_that_of_other_rules_aside() {
        let root = tempfile::tempdir().unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let plan = what("ReplicationController").plan().unwrap();
        let (folder, before, _) = Folder::open(root.path(), &plan, now).unwrap();
        assert!(before.is_none());
        let place = root.path().join("pod_a");
        let (evidence, production) = Ledger::new(&plan, None).unwrap().copy();
        let checkpoint = Checkpoint {
            evidence: evidence.clone(),
            production: production.clone(),
            positions: PositionsByPath::default(),
        };
        folder.keep(&checkpoint).unwrap();
        let in_use = Folder::open(root.path(), &plan, now).err().unwrap().to_string();
        assert!(in_use.contains("in use"), "{in_use}");
        drop(folder);

        let (folder, before, _) = Folder::open(root.path(), &plan, now).unwrap();
        assert_eq!(before, Some((evidence, production)));
        drop(folder);
        std::fs::write(place.join("evidence.json"), "{").unwrap();
        read(&place).unwrap_err();
        let (_folder, before, _) = Folder::open(root.path(), &plan, now).unwrap();
        assert!(before.is_none());
        assert_eq!(std::fs::read_to_string(root.path().join("pod_a.19700101T000000Z/evidence.json")).unwrap(), "{");
    }

    #[test]
    fn whatever_a_crash_leaves_the_positions_are_those_of_the_evidence_that_is_there() {
        let root = tempfile::tempdir().unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let plan = what("ReplicationController").plan().unwrap();
        let place = root.path().join("pod_a");
        let (mut evidence, production) = Ledger::new(&plan, None).unwrap().copy();
        let at = |offset| {
            let position = Position { offset, ..Position::default() };
            PositionsByPath::from([("audit.log".into(), position)])
        };
        let (folder, _, none) = Folder::open(root.path(), &plan, now).unwrap();
        assert!(none.is_empty());
        let keep = |offset, evidence: &Evidence| {
            let (evidence, production) = (evidence.clone(), production.clone());
            folder.keep(&Checkpoint { evidence, production, positions: at(offset) }).unwrap();
            std::fs::read(place.join("evidence.json")).unwrap()
        };
        let first = keep(1, &evidence);
        let sighting = Sighting {
            place: Place::default(),
            provenance: Provenance::File { path: "a".to_owned(), document: 1, line: 1 },
            message: String::new(),
        };
        evidence.record_outside("anything", sighting);
        let second = keep(2, &evidence);
        drop(folder);
        let found = || Folder::open(root.path(), &plan, now).unwrap().2;
        assert_eq!(found(), at(2));
        // It ended between the two files.
        std::fs::write(place.join("evidence.json"), &first).unwrap();
        assert_eq!(found(), at(1));
        std::fs::write(place.join("evidence.json"), &second).unwrap();
        assert_eq!(found(), at(2));
        // Somebody changed it: the newest are as near as can be known.
        std::fs::write(place.join("evidence.json"), [first.as_slice(), b"\n"].concat()).unwrap();
        assert_eq!(found(), at(2));
        std::fs::write(place.join("positions.json"), "[").unwrap();
        let error = Folder::open(root.path(), &plan, now).err().unwrap();
        assert!(format!("{error:#}").contains("positions.json"), "{error:#}");
    }

    #[test]
    fn evidence_that_is_moved_aside_leaves_its_positions_wherever_the_move_is_cut_off() {
        let root = tempfile::tempdir().unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let plan = |semantics| What { semantics, ..what("ReplicationController") }.plan().unwrap();
        let (old, new) = (plan(Semantics::V1_36), plan(Semantics::V1_37));
        let position = Position { offset: 7, ..Position::default() };
        let positions = PositionsByPath::from([("audit.log".into(), position)]);
        let (folder, _, _) = Folder::open(root.path(), &old, now).unwrap();
        let (evidence, production) = Ledger::new(&old, None).unwrap().copy();
        folder.keep(&Checkpoint { evidence, production, positions: positions.clone() }).unwrap();
        drop(folder);
        // Each server ends before its first checkpoint.
        let goes_on = || {
            let (folder, before, logs) = Folder::open(root.path(), &new, now).unwrap();
            drop(folder);
            assert_eq!(logs, positions);
            before.is_some()
        };
        assert!(!goes_on());
        assert!(goes_on());
        let aside = root.path().join("pod_a.19700101T000000Z");
        read(&aside).unwrap();
        // Between the two renames there is the new folder alone, under its first name.
        let (place, next) = (root.path().join("pod_a"), root.path().join(".pod_a.next"));
        std::fs::rename(&place, &next).unwrap();
        assert!(goes_on());
        // Before them, there is the old one, and of the new one perhaps a part.
        std::fs::create_dir(&next).unwrap();
        std::fs::copy(place.join("run.json"), next.join("run.json")).unwrap();
        assert!(goes_on());
        assert!(!next.exists());
    }

    #[test]
    fn a_new_folder_can_be_read_before_anything_was_seen() {
        let root = tempfile::tempdir().unwrap();
        let plan = what("ReplicationController").plan().unwrap();
        drop(Folder::open(root.path(), &plan, jiff::Timestamp::UNIX_EPOCH).unwrap());
        let (evidence, production) = read(&root.path().join("pod_a")).unwrap();
        assert_eq!((evidence.cases(), production.comparisons()), (0, 0));
    }

    #[test]
    fn a_replica_whose_name_is_no_folder_gets_one() {
        for (replica, name) in [("shadow-7d9-x", "shadow-7d9-x"), ("../a", ".._a"), ("..", "server"), ("", "server")] {
            assert_eq!(file_name(replica), name);
        }
    }
}
