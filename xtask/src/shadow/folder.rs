//! The run folder of a server: evidence that outlives it, and that `merge` reads.

use crate::run_folder::{self, RunFolder};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use takeover_harness::evidence::Evidence;
use takeover_shadow::ledger::{Ledger, Production};
use takeover_shadow::server::{Checkpoint, Keep};
use takeover_shadow::state::Plan;

/// Version of the layout.
const FORMAT_VERSION: u32 = 1;

/// What tells the run folder of a server from others.
const COMMAND: &str = "shadow";

/// Evidence.
const EVIDENCE: &str = "evidence.json";

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
}

impl Record {
    /// The record of a server that begins, or of what several of them saw.
    pub(super) fn new(subjects: Vec<String>, replica: &str) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            command: COMMAND.to_owned(),
            takeover: env!("CARGO_PKG_VERSION").to_owned(),
            subjects,
            replica: replica.to_owned(),
        }
    }
}

/// Whether the run in `root` is that of a server.
pub(super) fn is_shadow(root: &Path) -> bool {
    run_folder::read_json::<Record>(root, "run.json").is_ok_and(|record| record.command == COMMAND)
}

/// The run folder of a server.
pub struct Folder(RunFolder);

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
    pub fn open(root: &Path, plan: &Plan, now: jiff::Timestamp) -> anyhow::Result<(Self, Before)> {
        let place = root.join(file_name(&plan.replica));
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
        Ok((Self(folder), before))
    }
}

impl Keep for Folder {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let write = || -> anyhow::Result<()> {
            self.0.write_durable(EVIDENCE, checkpoint.evidence.to_json()?.as_bytes())?;
            self.0.write_json(PRODUCTION, &checkpoint.production)?;
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

/// Evidence and days in the run folder of a server.
///
/// # Errors
/// When a file is missing or damaged.
pub(super) fn read(place: &Path) -> anyhow::Result<Left> {
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
    use super::{Folder, file_name, read};
    use crate::shadow::What;
    use takeover_harness::authority::{LifecycleGates, LifecycleRelease, Policy};
    use takeover_harness::compare::Semantics;
    use takeover_shadow::Mode;
    use takeover_shadow::ledger::Ledger;
    use takeover_shadow::server::{Checkpoint, Keep as _};

    fn what(kind: &str) -> What {
        What {
            kinds: vec![kind.to_owned()],
            idl: None,
            semantics: Semantics::V1_37,
            authority: Policy::Lifecycle(LifecycleGates::of(LifecycleRelease::V1_37)),
            mode: Mode::Shadow,
            replica: "pod/a".to_owned(),
        }
    }

    #[test]
    fn a_server_goes_on_with_its_evidence_and_moves_that_of_other_rules_aside() {
        let root = tempfile::tempdir().unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let plan = what("ReplicationController").plan().unwrap();
        let (folder, before) = Folder::open(root.path(), &plan, now).unwrap();
        assert!(before.is_none());
        let place = root.path().join("pod_a");
        let (evidence, production) = Ledger::new(&plan, None).unwrap().copy();
        folder.keep(&Checkpoint { evidence: evidence.clone(), production: production.clone() }).unwrap();
        let in_use = Folder::open(root.path(), &plan, now).err().unwrap().to_string();
        assert!(in_use.contains("in use"), "{in_use}");
        drop(folder);

        let (folder, before) = Folder::open(root.path(), &plan, now).unwrap();
        assert_eq!(before, Some((evidence, production)));
        drop(folder);
        std::fs::write(place.join("evidence.json"), "{").unwrap();
        read(&place).unwrap_err();
        let (_folder, before) = Folder::open(root.path(), &plan, now).unwrap();
        assert!(before.is_none());
        assert_eq!(std::fs::read_to_string(root.path().join("pod_a.19700101T000000Z/evidence.json")).unwrap(), "{");
    }

    #[test]
    fn a_replica_whose_name_is_no_folder_gets_one() {
        for (replica, name) in [("shadow-7d9-x", "shadow-7d9-x"), ("../a", ".._a"), ("..", "server"), ("", "server")] {
            assert_eq!(file_name(replica), name);
        }
    }
}
