//! A run that is killed and gone on with ends as if nothing had happened.

use crate::abuse::amount;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_takeover");

const OBJECT: &str = "\
apiVersion: v1
kind: ReplicationController
metadata: {name: web, namespace: shop}
spec:
  replicas: -1
  selector: {app: web}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx:1.27}]
";

fn command(out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["soak", "--kind", "ReplicationController", "--seed", "3", "--out"]).arg(out).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn resume(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["soak", "--resume"]).arg(folder).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn output(mut command: Command) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Kills the run, as `kill -9` does, so long after its next checkpoint. Says whether it came to its end before.
fn killed(mut command: Command, folder: &Path, after: Duration) -> bool {
    let checkpoint = || fs::metadata(folder.join("checkpoint")).and_then(|file| file.modified()).ok();
    let before = checkpoint();
    let mut run = command.spawn().unwrap();
    let begun = Instant::now();
    while checkpoint() == before && run.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(after);
    let ended = run.try_wait().unwrap().is_some();
    run.kill().unwrap();
    run.wait().unwrap();
    ended
}

fn same_results(one: &Path, other: &Path) {
    for file in ["evidence.json", "health.json"] {
        assert_eq!(fs::read(one.join(file)).unwrap(), fs::read(other.join(file)).unwrap(), "{file}");
    }
    for file in ["report.json", "report.txt"] {
        let placeless = |folder: &Path| {
            fs::read_to_string(folder.join(file)).unwrap().replace(&*folder.to_string_lossy(), "FOLDER")
        };
        assert_eq!(placeless(one), placeless(other), "{file}");
    }
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder.join("findings")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(one), names(other));
}

#[test]
fn a_run_killed_again_and_again_ends_with_the_evidence_of_one_that_was_not() {
    let folder = TempDir::new().unwrap();
    let (whole, pieces) = (folder.path().join("whole"), folder.path().join("pieces"));
    let objects = folder.path().join("objects");
    fs::create_dir(&objects).unwrap();
    for number in 0..40 {
        fs::write(objects.join(format!("{number:02}.yaml")), OBJECT.replace("web", &format!("w{number}"))).unwrap();
    }
    let objects = objects.to_string_lossy().into_owned();
    let number = amount(9_000, 30_000);
    let cases = number.to_string();
    let settings = ["--cases", &cases, "--recorded", &objects, "--checkpoint-every", "1ms"];
    let metrics = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (whole_metrics, pieces_metrics) = (metrics("whole.prom"), metrics("pieces.prom"));
    let whole_run = [&settings[..], &["--metrics-file", &whole_metrics]].concat();
    let pieces_run = [&settings[..], &["--metrics-file", &pieces_metrics]].concat();
    assert!(!output(command(&whole, &whole_run)).stdout.is_empty());

    let mut ended = killed(command(&pieces, &pieces_run), &pieces, Duration::from_millis(3));
    let mut kills = 0;
    for after in [0, 90, 7, 230, 41, 0, 130, 60, 15, 300].into_iter().cycle().take(amount(10, 24)) {
        if ended {
            break;
        }
        kills += 1;
        ended = killed(resume(&pieces, &["--checkpoint-every", "1ms"]), &pieces, Duration::from_millis(after));
    }
    assert!(kills >= amount(3, 16), "only {kills} kills");
    println!("{kills} kills over {number} cases");
    if !ended {
        let last = output(resume(&pieces, &["--jobs", "1"]));
        assert_eq!(last.status.code(), Some(1), "{}", text(&last.stderr));
    }
    same_results(&whole, &pieces);
    let counters = |file: &str| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().filter(|line| line.contains("_total{")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(!counters(&whole_metrics).is_empty());
    assert_eq!(counters(&whole_metrics), counters(&pieces_metrics));
    assert!(!pieces.join("checkpoint").exists());
    let record: Value = serde_json::from_slice(&fs::read(pieces.join("run.json")).unwrap()).unwrap();
    assert_eq!((&record["finished"], &record["cases"]), (&true.into(), &number.into()));

    let again = output(resume(&pieces, &[]));
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("is finished"), "{}", text(&again.stderr));
    let whole_report = output(resume(&pieces, &["--full"]));
    let written = fs::read_to_string(pieces.join("report.txt")).unwrap();
    assert!(text(&again.stdout).lines().count() <= 24 && written.starts_with(&text(&whole_report.stdout)), "{written}");
}

#[test]
fn a_run_in_worker_processes_that_is_killed_ends_with_the_evidence_of_one_in_process() {
    let folder = TempDir::new().unwrap();
    let (whole, pieces) = (folder.path().join("whole"), folder.path().join("pieces"));
    let settings = ["--cases", "9000", "--checkpoint-every", "1ms"];
    assert!(!output(command(&whole, &settings)).stdout.is_empty());
    let isolated = [&settings[..], &["--isolate"]].concat();
    let mut ended = killed(command(&pieces, &isolated), &pieces, Duration::from_millis(3));
    let mut kills = 0;
    for after in [0, 60, 15] {
        if !ended {
            kills += 1;
            ended = killed(resume(&pieces, &["--checkpoint-every", "1ms"]), &pieces, Duration::from_millis(after));
        }
    }
    assert!(kills >= 1, "it ended before it was killed");
    if !ended {
        let last = output(resume(&pieces, &[]));
        assert_eq!(last.status.code(), Some(1), "{}", text(&last.stderr));
    }
    for file in ["evidence.json", "health.json"] {
        assert!(fs::read(whole.join(file)).unwrap() == fs::read(pieces.join(file)).unwrap(), "{file} differs");
    }
}

#[test]
fn a_run_by_time_spends_what_is_left_and_is_made_again_by_its_number_of_cases() {
    let folder = TempDir::new().unwrap();
    let (timed, counted) = (folder.path().join("timed"), folder.path().join("counted"));
    let begun = ["--for", "1500ms", "--no-builtin", "--checkpoint-every", "1ms"];
    let ended = killed(command(&timed, &begun), &timed, Duration::from_millis(700));
    assert!(!ended, "killed too late");
    let last = output(resume(&timed, &[]));
    assert_eq!(last.status.code(), Some(1), "{}", text(&last.stderr));
    let record: Value = serde_json::from_slice(&fs::read(timed.join("run.json")).unwrap()).unwrap();
    output(command(&counted, &["--no-builtin", "--cases", &record["cases"].to_string()]));
    same_results(&timed, &counted);
}

/// The limit of memory of the process that a run is watched in, once it has one.
#[cfg(target_os = "linux")]
fn address_space(supervisor: u32) -> String {
    let begun = Instant::now();
    loop {
        let children = fs::read_to_string(format!("/proc/{supervisor}/task/{supervisor}/children")).unwrap_or_default();
        let limits =
            children.split_whitespace().find_map(|child| fs::read_to_string(format!("/proc/{child}/limits")).ok());
        // The limit stands before the highest that may be set.
        let limit = limits.as_ref().and_then(|limits| {
            limits.lines().find_map(|line| line.strip_prefix("Max address space")?.split_whitespace().next())
        });
        if let Some(limit) = limit.filter(|limit| *limit != "unlimited") {
            return limit.to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no limit: {limit:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_goes_on_keeps_the_limits_of_its_oracles() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("run");
    let plant = ["--plant", "spin/candidate/1500@v1 ReplicationController", "--case-timeout", "2s"];
    let settings =
        ["--cases", "9000", "--no-builtin", "--checkpoint-every", "1ms", "--jobs", "1", "--worker-memory", "3GiB"];
    let begun = Killed(command(&run, &[&settings[..], &plant].concat()).spawn().unwrap());
    let before = address_space(begun.0.id());
    while !run.join("checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(begun);
    let goes_on = resume(&run, &[]).stderr(Stdio::piped()).spawn().unwrap();
    let after = address_space(goes_on.id());
    let ran = goes_on.wait_with_output().unwrap();
    let said = text(&ran.stderr);
    assert!(ran.status.code() == Some(1) && said.contains("no progress for 6s"), "{said}");
    assert_eq!(before, after);
}

/// A run that was killed after its recorded cases.
fn killed_run(folder: &Path, more: &[&str]) {
    let settings = [&["--for", "60s", "--no-builtin", "--checkpoint-every", "1ms"], more].concat();
    assert!(!killed(command(folder, &settings), folder, Duration::ZERO));
}

fn refused(folder: &Path, reason: &str) {
    let ran = output(resume(folder, &[]));
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    assert!(text(&ran.stderr).contains(reason), "{reason}: {}", text(&ran.stderr));
}

#[test]
fn what_changed_since_a_run_began_is_named_and_the_run_left_alone() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("run");
    let input = folder.path().join("web.yaml");
    fs::write(&input, OBJECT).unwrap();
    let input_name = input.to_string_lossy().into_owned();
    killed_run(&run, &["--recorded", &input_name]);
    let record = fs::read_to_string(run.join("run.json")).unwrap();

    fs::write(&input, OBJECT.replace("-1", "-2")).unwrap();
    refused(&run, &format!("the input `{input_name}` is not the same"));
    fs::remove_file(&input).unwrap();
    refused(&run, &format!("the input `{input_name}` is not the same"));
    fs::write(&input, OBJECT).unwrap();

    let members: Value = serde_json::from_str(&record).unwrap();
    for (member, other, reason) in [
        ("takeover", "0.0.9", "the version of the program differs: `0.0.9` and "),
        ("program", "another", "another build"),
        ("rules", "others", "the rules, or the cases that are generated from them, are not the same"),
    ] {
        let mut members = members.clone();
        members[member] = other.into();
        fs::write(run.join("run.json"), members.to_string()).unwrap();
        refused(&run, reason);
    }
    fs::write(run.join("run.json"), "{}\n").unwrap();
    refused(&run, "was killed before it started");
    fs::write(run.join("run.json"), &record).unwrap();

    let checkpoint = fs::read(run.join("checkpoint")).unwrap();
    fs::write(run.join("checkpoint"), &checkpoint[..checkpoint.len() / 2]).unwrap();
    refused(&run, "is damaged");
    fs::write(run.join("checkpoint"), &checkpoint).unwrap();

    let before = fs::metadata(run.join("checkpoint")).unwrap().modified().unwrap();
    let mut running = Killed(resume(&run, &["--checkpoint-every", "1ms"]).spawn().unwrap());
    while fs::metadata(run.join("checkpoint")).unwrap().modified().unwrap() == before {
        assert!(running.0.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(2));
    }
    refused(&run, "is in use by another run");
}

/// A program that does not outlive the test.
struct Killed(std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn resume_wants_a_run_and_takes_no_settings() {
    let folder = TempDir::new().unwrap();
    refused(folder.path(), "holds no run");
    refused(&folder.path().join("nowhere"), "holds no run");
    for setting in [&["--seed", "1"][..], &["--cases", "5"], &["--shard", "1/2"], &["--no-builtin"], &["--for", "1s"]] {
        let ran = output(resume(folder.path(), setting));
        assert_eq!(ran.status.code(), Some(2));
        assert!(text(&ran.stderr).contains("cannot be used with"), "{}", text(&ran.stderr));
    }
}

#[test]
fn a_killed_run_over_a_sample_ends_with_the_evidence_of_one_that_was_not() {
    let folder = TempDir::new().unwrap();
    let objects = folder.path().join("objects.yaml");
    let all: Vec<String> = (0..3000).map(|number| OBJECT.replace("web", &format!("w{number}"))).collect();
    fs::write(&objects, all.join("---\n")).unwrap();
    let objects = objects.to_string_lossy().into_owned();
    for sample in ["1500", "50%"] {
        let (whole, pieces) =
            (folder.path().join(format!("whole-{sample}")), folder.path().join(format!("pieces-{sample}")));
        let settings =
            ["--cases", "0", "--no-builtin", "--recorded", &objects, "--sample", sample, "--checkpoint-every", "1ms"];
        assert_eq!(output(command(&whole, &settings)).status.code(), Some(0), "ratcheting is tolerated");
        assert!(!killed(command(&pieces, &settings), &pieces, Duration::ZERO), "it was over before it could be killed");
        let last = output(resume(&pieces, &[]));
        assert_eq!(last.status.code(), Some(0), "{}", text(&last.stderr));
        same_results(&whole, &pieces);
        let report: Value = serde_json::from_slice(&fs::read(whole.join("report.json")).unwrap()).unwrap();
        let totals = report.pointer("/subjects/0/totals").unwrap();
        let left_out: u64 = totals["skipped"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        let cases = totals["cases"].as_u64().unwrap();
        assert!(left_out > 0 && left_out < cases, "{totals}");
    }
}

#[test]
fn a_run_whose_settings_were_changed_under_its_checkpoint_is_not_resumed() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("run");
    let settings = ["--cases", "900000", "--checkpoint-every", "1ms"];
    assert!(!killed(command(&run, &settings), &run, Duration::from_millis(50)), "it ended before it was killed");
    let record = run.join("run.json");
    let whole: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    for (pointer, to, said) in [
        ("/seed", 4.into(), "seed was 3 and is 4"),
        ("/budget/cases", 9000.into(), "budget.cases was 900000 and is 9000"),
        ("/shard", "1/2".into(), "shard was \"1/1\" and is \"1/2\""),
        ("/policy/min-rejects", 1.into(), "policy.min-rejects was 20 and is 1"),
    ] {
        let mut changed = whole.clone();
        *changed.pointer_mut(pointer).unwrap() = to;
        fs::write(&record, changed.to_string()).unwrap();
        let refused = output(resume(&run, &[]));
        let error = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{pointer}: {error}");
        assert!(error.contains("`run.json` was changed since its checkpoint: "), "{pointer}: {error}");
        assert!(error.contains(said), "{pointer}: {error}");
    }
    // What nothing depends on may change.
    let mut changed = whole;
    changed["jobs"] = 2.into();
    fs::write(&record, changed.to_string()).unwrap();
    assert!(!killed(resume(&run, &["--checkpoint-every", "1ms"]), &run, Duration::from_millis(50)));
}
