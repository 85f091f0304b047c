//! Shards of a run, put together, are the run.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn takeover() -> Command {
    Command::new(env!("CARGO_BIN_EXE_takeover"))
}

fn soak(out: &Path, more: &[&str]) -> Output {
    let kind = ["soak", "--kind", "ReplicationController", "--out"];
    takeover().args(kind).arg(out).args(more).output().unwrap()
}

fn merge(runs: &[PathBuf], out: &Path, more: &[&str]) -> Output {
    takeover().arg("merge").args(runs).arg("--out").arg(out).args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All shards of a run, each in a folder of its own.
fn shards(root: &Path, of: usize, more: &[&str]) -> Vec<PathBuf> {
    let one = |number: usize| {
        let out = root.join(format!("{number}-of-{of}"));
        let ran = soak(&out, &[more, &["--shard", &format!("{number}/{of}")]].concat());
        assert!(matches!(ran.status.code(), Some(0 | 1 | 3)), "{}", text(&ran.stderr));
        out
    };
    (1..=of).map(one).collect()
}

fn json(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap()
}

fn refused(ran: &Output, reason: &str) {
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    assert!(text(&ran.stderr).contains(reason), "{reason}: {}", text(&ran.stderr));
}

#[test]
fn sixteen_shards_in_any_order_and_one_of_them_twice_are_the_run_in_one_piece() {
    let root = TempDir::new().unwrap();
    let settings = ["--seed", "7", "--cases", "5000"];
    let (whole, merged) = (root.path().join("whole"), root.path().join("merged"));
    let once = soak(&whole, &settings);
    let mut runs = shards(root.path(), 16, &settings);
    runs.swap(0, 9);
    runs.push(runs[3].clone());
    let ran = merge(&runs, &merged, &[]);
    assert_eq!(ran.status.code(), once.status.code(), "{}", text(&ran.stderr));
    assert!(text(&ran.stderr).contains("is shard 4/16") && text(&ran.stderr).contains("counted once"));
    for file in ["evidence.json", "health.json"] {
        assert_eq!(fs::read(whole.join(file)).unwrap(), fs::read(merged.join(file)).unwrap(), "{file}");
    }
    let mut files: Vec<_> =
        fs::read_dir(whole.join("findings")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
        .iter()
        .map(|name| Path::new("findings").join(name))
        .chain(["report.json", "report.txt"].map(PathBuf::from))
        .for_each(|file| {
            let placeless = |folder: &Path| {
                fs::read_to_string(folder.join(&file)).unwrap().replace(&*folder.to_string_lossy(), "FOLDER")
            };
            assert_eq!(placeless(&whole), placeless(&merged), "{}", file.display());
        });
    assert_eq!(json(&merged, "run.json")["cases"], 5000);
}

#[test]
fn a_missing_shard_is_an_error_or_said_everywhere() {
    let root = TempDir::new().unwrap();
    let mut runs = shards(root.path(), 3, &["--seed", "7", "--cases", "3000"]);
    runs.remove(1);
    let out = root.path().join("merged");
    refused(&merge(&runs, &out, &[]), "shard 2/3 is missing");
    assert!(!out.exists(), "nothing is written before all is known to be right");
    let ran = merge(&runs, &out, &["--partial"]);
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stderr));
    assert!(text(&ran.stdout).contains("Partial: shard 2/3 is missing."), "{}", text(&ran.stdout));
    assert_eq!(json(&out, "run.json")["merged"]["missing"], serde_json::json!(["2/3"]));
    assert_eq!(json(&out, "report.json")["missingShards"], serde_json::json!(["2/3"]));
    refused(&merge(&[out], &root.path().join("again"), &[]), "was merged with --partial");
}

#[test]
fn only_finished_shards_of_one_run_are_put_together() {
    let root = TempDir::new().unwrap();
    let small = ["--cases", "1100", "--no-builtin"];
    let with = |seed: &'static str, more: &[&'static str]| [&["--seed", seed], &small[..], more].concat();
    let run = |name: &str, settings: &[&str]| {
        let out = root.path().join(name);
        let ran = soak(&out, settings);
        assert!(matches!(ran.status.code(), Some(0 | 1)), "{}", text(&ran.stderr));
        out
    };
    let first = run("first", &with("7", &["--shard", "1/2"]));
    let out = root.path().join("merged");
    for (name, settings, reason) in [
        ("seed", with("8", &["--shard", "2/2"]), "the setting seed differs: `7` and `8`"),
        ("semantics", with("7", &["--shard", "2/2", "--semantics", "1.35"]), "the setting semantics differs"),
        ("number", with("7", &["--shard", "1/3"]), "one run has 2 shards, the other 3"),
    ] {
        let other = run(name, &settings);
        refused(&merge(&[first.clone(), other], &out, &[]), reason);
    }
    let second = run("second", &with("7", &["--shard", "2/2"]));
    refused(&merge(&[first.clone(), second.clone()], &first, &[]), "is one of the runs to merge");

    let altered = root.path().join("altered");
    fs::create_dir(&altered).unwrap();
    for file in ["run.json", "health.json"] {
        fs::copy(second.join(file), altered.join(file)).unwrap();
    }
    refused(&merge(&[first.clone(), altered.clone()], &out, &[]), "evidence.json");
    let evidence = fs::read_to_string(second.join("evidence.json")).unwrap();
    fs::write(
        altered.join("evidence.json"),
        evidence.replacen("\"withDroppedFields\": 0", "\"withDroppedFields\": 1", 1),
    )
    .unwrap();
    let both = [first.clone(), second.clone(), altered.clone()];
    refused(&merge(&both, &out, &[]), "shard 2/2 is given twice, with different evidence");
    fs::write(altered.join("evidence.json"), evidence.replacen("\"compared\": ", "\"compared\": 9", 1)).unwrap();
    refused(&merge(&[first.clone(), altered.clone()], &out, &[]), "breaks the law");

    let record = fs::read_to_string(second.join("run.json")).unwrap();
    fs::write(second.join("run.json"), record.replace("\"finished\": true", "\"finished\": false")).unwrap();
    refused(&merge(&[first.clone(), second], &out, &[]), "is not finished");
    refused(&merge(&[root.path().join("nowhere")], &out, &[]), "nowhere");
    refused(&soak(&root.path().join("seedless"), &["--shard", "1/2"]), "--seed");
    refused(&soak(&root.path().join("third"), &["--seed", "1", "--shard", "3/2"]), "is not a shard, such as 1/4");
}

#[test]
fn a_shard_is_taken_from_the_variables_of_the_scheduler() {
    let root = TempDir::new().unwrap();
    let ran = |out: &str, variables: &[(&str, &str)]| {
        let settings =
            ["soak", "--kind", "ReplicationController", "--seed", "7", "--cases", "2000", "--shard", "auto", "--out"];
        let mut command = takeover();
        // The variables of the system that runs this test are not meant.
        for name in ["JOB_COMPLETION_INDEX", "CI_NODE_INDEX", "CIRCLE_NODE_INDEX", "BUILDKITE_PARALLEL_JOB"] {
            command.env_remove(name);
        }
        for name in ["SYSTEM_JOBPOSITIONINPHASE", "SEMAPHORE_JOB_INDEX", "STRATEGY_JOB_INDEX"] {
            command.env_remove(name);
        }
        command.args(settings).arg(root.path().join(out)).envs(variables.iter().copied()).output().unwrap()
    };
    let (job, gitlab) = (["JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"], ["CI_NODE_INDEX", "CI_NODE_TOTAL"]);
    for (out, names, number) in [("first", job, "0"), ("second", gitlab, "2")] {
        let ended = ran(out, &[(names[0], number), (names[1], "2")]);
        assert_eq!(ended.status.code(), Some(1), "{}", text(&ended.stderr));
    }
    let runs = ["first", "second"].map(|out| root.path().join(out));
    let whole = root.path().join("whole");
    let merged = merge(&runs, &whole, &[]);
    assert_eq!(merged.status.code(), Some(1), "{}", text(&merged.stderr));
    let once = root.path().join("once");
    soak(&once, &["--seed", "7", "--cases", "2000"]);
    let evidence = |run: &Path| fs::read(run.join("evidence.json")).unwrap();
    assert!(evidence(&whole) == evidence(&once), "both shards are the run");
    refused(&ran("none", &[]), "found none of JOB_COMPLETION_INDEX");
    refused(&ran("half", &[("CI_NODE_INDEX", "1")]), "CI_NODE_INDEX of GitLab CI is set and CI_NODE_TOTAL is not");
}
