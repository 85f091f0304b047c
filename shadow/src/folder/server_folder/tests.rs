//! Run folders of servers, as starts, crashes and full disks leave them.

use super::{Folder, Positions, PositionsByPath, file_name, hash, read};
use crate::Mode;
use crate::comparison::ServedComparison;
use crate::ledger::{Ledger, ProductionRun};
use crate::server::{Checkpoint, Keep as _};
use crate::tail::Position;
use std::os::unix::fs::MetadataExt as _;
use takeover_engine::plan::JudgingPlan;
use takeover_engine::run_folder;
use takeover_harness::authority::{AuthorityPolicy, LifecycleGates, LifecycleRelease};
use takeover_harness::case::Provenance;
use takeover_harness::compare::Semantics;
use takeover_harness::evidence::{CasePlace, Evidence, Sighting};

fn what(kind: &str) -> ServedComparison {
    let types = None;
    ServedComparison {
        judging: ServedComparison::judging(vec![kind.to_owned()], types, Semantics::V1_37, Vec::new()),
        authority: AuthorityPolicy::Lifecycle(LifecycleGates::of(LifecycleRelease::V1_37)),
        mode: Mode::Shadow,
        replica: "pod/a".to_owned(),
        isolated: false,
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
        place: CasePlace::default(),
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
    let plan = |semantics| {
        let what = what("ReplicationController");
        let judging = JudgingPlan { semantics, ..what.judging.clone() };
        ServedComparison { judging, ..what }.plan().unwrap()
    };
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

#[test]
fn a_first_folder_has_every_file_when_it_appears() {
    let root = tempfile::tempdir().unwrap();
    let plan = what("ReplicationController").plan().unwrap();
    let (place, next) = (root.path().join("pod_a"), root.path().join(".pod_a.next"));
    std::fs::create_dir(&place).unwrap();
    // As long as it is open, no other folder gets its number.
    let _open = std::fs::File::open(&place).unwrap();
    let inode = || std::fs::metadata(&place).unwrap().ino();
    let empty = inode();
    // A start that was cut off left a part of its first file.
    std::fs::create_dir(&next).unwrap();
    std::fs::write(next.join(".run.json.4711.part"), "{").unwrap();
    drop(Folder::open(root.path(), &plan, jiff::Timestamp::UNIX_EPOCH).unwrap());
    assert_ne!(inode(), empty, "it was made under another name");
    assert!(!next.exists());
    read(&place).unwrap();
    let other = root.path().join("other");
    std::fs::create_dir_all(other.join("pod_a")).unwrap();
    std::fs::write(other.join("pod_a/thesis.txt"), "years of work").unwrap();
    let error = Folder::open(&other, &plan, jiff::Timestamp::UNIX_EPOCH).err().unwrap();
    assert!(error.to_string().contains("choose another --out"), "{error:#}");
    assert!(other.join("pod_a/thesis.txt").is_file());
}

#[test]
fn evidence_of_a_start_is_never_without_its_name() {
    let root = tempfile::tempdir().unwrap();
    let plan = what("ReplicationController").plan().unwrap();
    let place = root.path().join("pod_a");
    let (folder, _, positions) = Folder::open(root.path(), &plan, jiff::Timestamp::UNIX_EPOCH).unwrap();
    let (evidence, mut production) = Ledger::new(&plan, None).unwrap().copy();
    let days = std::collections::BTreeMap::from([("2026-11-22".to_owned(), 3)]);
    production
        .runs
        .insert("origin".to_owned(), ProductionRun { replica: "pod/a".to_owned(), days, ..ProductionRun::default() });
    // It is cut off at the evidence: the disk is full.
    let beside = place.join(format!(".evidence.json.{}.part", std::process::id()));
    std::os::unix::fs::symlink("/dev/full", &beside).unwrap();
    let checkpoint = Checkpoint { evidence, production: production.clone(), positions };
    folder.keep(&checkpoint).unwrap_err();
    let (_, written) = read(&place).unwrap();
    assert_eq!(written.runs.keys().collect::<Vec<_>>(), ["origin"]);
    assert_eq!(
        (written.comparisons(), written.days(), written.replicas()),
        (0, 0, 0),
        "it claims no more than there is"
    );
    folder.keep(&checkpoint).unwrap();
    assert_eq!(read(&place).unwrap().1, production);
}

#[test]
fn positions_name_the_evidence_that_is_there_when_no_log_is_followed_any_more() {
    let root = tempfile::tempdir().unwrap();
    let plan = what("ReplicationController").plan().unwrap();
    let place = root.path().join("pod_a");
    let (folder, _, none) = Folder::open(root.path(), &plan, jiff::Timestamp::UNIX_EPOCH).unwrap();
    let (mut evidence, production) = Ledger::new(&plan, None).unwrap().copy();
    let followed = PositionsByPath::from([("audit.log".into(), Position::default())]);
    for positions in [followed, none.clone(), none.clone(), none] {
        let provenance = Provenance::File { path: "a".to_owned(), document: 1, line: 1 };
        evidence
            .record_outside("anything", Sighting { place: CasePlace::default(), provenance, message: String::new() });
        folder.keep(&Checkpoint { evidence: evidence.clone(), production: production.clone(), positions }).unwrap();
    }
    let known: Vec<Positions> = run_folder::read_json(&place, "positions.json").unwrap();
    assert_eq!(known.last().unwrap().evidence, hash(&std::fs::read(place.join("evidence.json")).unwrap()));
}

#[test]
fn folders_of_other_formats_are_refused_by_name() {
    let root = tempfile::tempdir().unwrap();
    let place = root.path().join("one");
    std::fs::create_dir(&place).unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.join(name), text).unwrap();
    let record = include_str!("old/run-1.json");
    write("run.json", record);
    write("evidence.json", include_str!("old/evidence-1.json"));
    write("production.json", include_str!("old/production-1.json"));
    let error = format!("{:#}", read(&place).unwrap_err());
    assert!(error.contains("too old: `evidence` of format 1.0"), "evidence without causes: {error}");
    for (version, said) in
        [(0, "run.json`: too old: `shadow-run` of format 0.0"), (2, "run.json`: too new: `shadow-run`")]
    {
        write("run.json", &record.replace("\"formatVersion\": 1", &format!("\"formatVersion\": {version}")));
        let error = format!("{:#}", read(&place).unwrap_err());
        assert!(error.contains(said), "{error}");
    }
}
