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
        let written = positions(&place)?;
        // Of evidence that is moved aside the positions are gone on with: what it covers is not counted again beside it.
        let logs = written.as_ref().map(|written| written.logs.clone()).unwrap_or_default();
        let (folder, before) = match earlier(&place, plan)? {
            Some((folder, Ok(before))) => (folder, Some(before)),
            Some((folder, Err(why))) => {
                let aside = aside(&place, now);
                tracing::warn!("earlier evidence is moved to `{}`: {why:#}", aside.display());
                drop(folder);
                std::fs::rename(&place, &aside).with_context(|| format!("failed to move `{}`", place.display()))?;
                (RunFolder::create(&place)?, None)
            }
            None => (RunFolder::create(&place)?, None),
        };
        let subjects = plan.ids().iter().map(ToString::to_string).collect();
        folder.write_json("run.json", &Record::new(subjects, &plan.replica))?;
        let written = Mutex::new(written.filter(|_| before.is_some()));
        Ok((Self { folder, written }, before, logs))
    }
}

impl Keep for Folder {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let write = || -> anyhow::Result<()> {
            let evidence = checkpoint.evidence.to_json()?;
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            let next = Positions { evidence: hash(evidence.as_bytes()), logs: checkpoint.positions.clone() };
            if !next.logs.is_empty() || written.is_some() {
                let both: Vec<&Positions> = written.iter().chain([&next]).collect();
                self.folder.write_durable(POSITIONS, &serde_json::to_vec_pretty(&both)?)?;
            }
            self.folder.write_durable(EVIDENCE, evidence.as_bytes())?;
            *written = Some(next);
            self.folder.write_json(PRODUCTION, &checkpoint.production)?;
            Ok(())
        };
        write().map_err(|error| format!("{error:#}"))
    }
}

/// The folder of an earlier server, held, and what it left; none when there was no server.
fn earlier(place: &Path, plan: &Plan) -> anyhow::Result<Option<(RunFolder, anyhow::Result<Left>)>> {
    if !place.join("run.json").is_file() {
        return Ok(None);
    }
    let folder = RunFolder::reopen(place)?;
    if !place.join(EVIDENCE).is_file() {
        // It was ended before it wrote anything.
        drop(folder);
        return Ok(None);
    }
    let usable = || {
        let (evidence, production) = read(place)?;
        Ledger::new(plan, Some((evidence.clone(), production.clone())))?;
        Ok((evidence, production))
    };
    let usable = usable();
    Ok(Some((folder, usable)))
}

/// The positions of the evidence that is there. None when there are none, or no evidence.
///
/// # Errors
/// When they are damaged: to begin anywhere else would count twice or lose.
fn positions(place: &Path) -> anyhow::Result<Option<Positions>> {
    if !place.join(POSITIONS).is_file() || !place.join(EVIDENCE).is_file() {
        return Ok(None);
    }
    let file = place.join(POSITIONS);
    let known: Vec<Positions> = run_folder::read_json(place, POSITIONS)
        .with_context(|| format!("remove `{}` to begin at the end of the logs", file.display()))?;
    let evidence = hash(run_folder::read(place, EVIDENCE)?.as_bytes());
    Ok(known.into_iter().find(|positions| positions.evidence == evidence))
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
        std::fs::write(place.join("positions.json"), "[").unwrap();
        let error = Folder::open(root.path(), &plan, now).err().unwrap();
        assert!(format!("{error:#}").contains("positions.json"), "{error:#}");
    }

    #[test]
    fn a_replica_whose_name_is_no_folder_gets_one() {
        for (replica, name) in [("shadow-7d9-x", "shadow-7d9-x"), ("../a", ".._a"), ("..", "server"), ("", "server")] {
            assert_eq!(file_name(replica), name);
        }
    }
}
