//! Runs that are asked to stop, or cannot write, lose nothing.

use crate::abuse::amount;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_takeover");

/// Enough to be stopped in.
const CASES: &str = "12000";

fn takeover(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(arguments).env_remove("CARGO");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn soak<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["soak", "--kind", "ReplicationController", "--seed", "3", "--cases", CASES, "--out", out];
    [&usual[..], more].concat()
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits until `reached`, or the run is at its end.
fn until(run: &mut Child, reached: impl Fn() -> bool) {
    let begun = Instant::now();
    while !reached() && run.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "the moment never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn evidence(run: &Path) -> Vec<u8> {
    fs::read(run.join("evidence.json")).unwrap()
}

/// The last command that the closing screen names.
fn named(screen: &str) -> Vec<&str> {
    let command = screen.lines().rev().find_map(|line| line.trim().strip_prefix("takeover ")).unwrap();
    command.split(' ').collect()
}

/// Whether this process and what it starts ignore SIGINT until they ask for it.
fn ignores_interrupts() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (Signal::INT.as_raw() - 1) & 1 == 1)
}

/// How a run is asked to stop.
#[derive(Clone, Copy, Debug)]
enum Asked {
    /// As a terminal does: every process of the group gets SIGINT.
    CtrlC,
    /// As systems do: the process gets SIGTERM.
    Term,
}

impl Asked {
    fn send(self, run: &Child) {
        let process = Pid::from_child(run);
        match self {
            Self::CtrlC => kill_process_group(process, Signal::INT).unwrap(),
            Self::Term => kill_process(process, Signal::TERM).unwrap(),
        }
    }

    fn code(self) -> i32 {
        match self {
            Self::CtrlC => 130,
            Self::Term => 143,
        }
    }
}

/// Starts a run in a group of its own, asks it to stop when `reached`, and returns what it left.
fn stopped(folder: &Path, arguments: &[&str], asked: Asked, reached: impl Fn() -> bool) -> Output {
    let mut run = takeover(folder, arguments).process_group(0).spawn().unwrap();
    until(&mut run, reached);
    asked.send(&run);
    run.wait_with_output().unwrap()
}

#[test]
fn a_run_that_is_stopped_at_any_moment_reports_what_was_judged_and_is_resumed_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let objects = here.join("objects");
    fs::create_dir(&objects).unwrap();
    for number in 0..300 {
        let object = format!(
            "apiVersion: v1\nkind: ReplicationController\nmetadata: {{name: w{number}}}\nspec: {{replicas: -{number}}}\n"
        );
        fs::write(objects.join(format!("{number:03}.yaml")), object).unwrap();
    }
    let recorded = ["--recorded", "objects"];
    let whole = takeover(here, &soak("whole", &recorded)).output().unwrap();
    assert_eq!(whole.status.code(), Some(1), "{}", said(&whole.stderr));

    let often = ["--recorded", "objects", "--checkpoint-every", "1ms"];
    let isolated = [&often[..], &["--isolate"]].concat();
    let holds = |run: &str, file: &str| {
        let file = here.join(run).join(file);
        move || file.exists()
    };
    let begun = |run: &str| {
        let record = here.join(run).join("run.json");
        move || fs::read_to_string(&record).is_ok_and(|text| text.contains("\"finished\""))
    };
    type Reached = Box<dyn Fn() -> bool>;
    let moments: [(&str, &[&str], Asked, Reached); 6] = [
        ("begun", &often, Asked::CtrlC, Box::new(begun("begun"))),
        ("reading", &recorded, Asked::Term, Box::new(begun("reading"))),
        ("judging", &often, Asked::CtrlC, Box::new(holds("judging", "checkpoint"))),
        ("term", &often, Asked::Term, Box::new(holds("term", "checkpoint"))),
        ("isolated", &isolated, Asked::CtrlC, Box::new(holds("isolated", "checkpoint"))),
        ("reporting", &recorded, Asked::CtrlC, Box::new(holds("reporting", "evidence.json"))),
    ];
    for (run, more, asked, reached) in moments {
        let ran = stopped(here, &soak(run, more), asked, reached);
        let (screen, errors) = (said(&ran.stdout), said(&ran.stderr));
        assert_eq!(ran.status.code(), Some(asked.code()), "{run}: {screen}{errors}");
        assert!(errors.contains("stopping: writing the results so far"), "{run}: {errors}");
        assert!(screen.lines().nth(1).is_some_and(|line| line.starts_with("Unfinished: ")), "{run}: {screen}");
        assert!(screen.lines().count() <= 24, "{run}: {screen}");
        let report = takeover(here, &["report", run]).output().unwrap();
        assert_eq!((report.status.code(), said(&report.stdout)), (Some(0), screen.clone()), "{run}");
        let full = said(&takeover(here, &["report", run, "--full"]).output().unwrap().stdout);
        assert!(
            full.lines().nth(1).is_some_and(|line| line.ends_with(&format!("takeover soak --resume {run}"))),
            "{full}"
        );
        assert_valid(&here.join(run).join("report.json"));
        let resumed = takeover(here, &named(&screen)).output().unwrap();
        assert_eq!(resumed.status.code(), Some(1), "{run}: {}", said(&resumed.stderr));
        assert!(!said(&resumed.stdout).contains("Unfinished"), "{run}");
        assert_eq!(evidence(&here.join(run)), evidence(&here.join("whole")), "{run}");
        assert!(!here.join(run).join("checkpoint").exists(), "{run}");
    }
}

#[test]
fn a_run_that_is_stopped_before_it_begins_says_so_and_can_be_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let ran = stopped(folder.path(), &soak("run", &[]), Asked::CtrlC, || true);
    // As early as this a signal may find the program before it listens, when it ends it, or is lost where the tests were started with it
    // ignored, as shells start what runs in the background.
    let code = ran.status.code();
    assert!(code.is_none() || code == Some(130) || ignores_interrupts(), "{code:?}: {}", said(&ran.stderr));
    let again = takeover(folder.path(), &soak("run", &["--force"])).output().unwrap();
    assert_eq!(again.status.code(), Some(1), "{}", said(&again.stderr));
}

#[test]
fn a_run_that_was_killed_is_reported_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut run = takeover(here, &soak("run", &["--checkpoint-every", "1ms"])).process_group(0).spawn().unwrap();
    until(&mut run, || here.join("run/checkpoint").exists());
    kill_process_group(Pid::from_child(&run), Signal::KILL).unwrap();
    run.wait().unwrap();
    let report = takeover(here, &["report", "run"]).output().unwrap();
    let screen = said(&report.stdout);
    assert_eq!(report.status.code(), Some(0), "{}", said(&report.stderr));
    assert!(screen.contains("\nUnfinished: ") && named(&screen) == ["soak", "--resume", "run"], "{screen}");
    assert!(screen.contains("\n  takeover report run --format html -o report.html\n"), "there is no page: {screen}");
    let quiet = said(&takeover(here, &["report", "run", "-q"]).output().unwrap().stdout);
    assert!(quiet.lines().count() == 1 && quiet.contains(" Unfinished: "), "{quiet}");
    let json = takeover(here, &["report", "run", "--format", "json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json.pointer("/unfinished/wanted").unwrap(), 12_000);
    for command in
        [&["promote", "run", "--to", "beta"][..], &["gate", "--run", "run"], &["merge", "run", "--out", "sum"]]
    {
        let refused = takeover(here, command).output().unwrap();
        let errors = said(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{command:?}: {errors}");
        assert!(errors.contains("finished") && errors.contains("takeover soak --resume run"), "{command:?}: {errors}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once_and_costs_what_came_after_the_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut run = takeover(here, &[&soak("run", &["--checkpoint-every", "1ms", "--full"])[..]].concat())
        .process_group(0)
        .spawn()
        .unwrap();
    until(&mut run, || here.join("run/checkpoint").exists());
    Asked::CtrlC.send(&run);
    std::thread::sleep(Duration::from_millis(600));
    // It may be done by now, which is no fault.
    let _ = kill_process_group(Pid::from_child(&run), Signal::INT);
    let ran = run.wait_with_output().unwrap();
    assert!(ran.status.code().is_none_or(|code| code == 130), "{}", said(&ran.stderr));
    let resumed = takeover(here, &["soak", "--resume", "run"]).output().unwrap();
    assert_eq!(resumed.status.code(), Some(1), "{}", said(&resumed.stderr));
}

#[test]
fn a_run_in_the_folder_is_replaced_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let short = ["soak", "--kind", "ReplicationController", "--seed", "3", "--cases", "300", "--out", "run"];
    let first = takeover(here, &short).output().unwrap();
    assert_eq!(first.status.code(), Some(1), "{}", said(&first.stderr));
    let before = evidence(&here.join("run"));
    let second = takeover(here, &short).output().unwrap();
    let errors = said(&second.stderr);
    assert_eq!((second.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
    assert!(errors.contains("`run` holds a run") && errors.contains("--force"), "{errors}");
    assert_eq!(evidence(&here.join("run")), before);
    let merged = takeover(here, &["merge", "run", "--out", "run2"]).output().unwrap();
    assert_eq!(merged.status.code(), Some(1), "{}", said(&merged.stderr));
    let merged = takeover(here, &["merge", "run", "--out", "run2"]).output().unwrap();
    assert_eq!(merged.status.code(), Some(2), "{}", said(&merged.stderr));
    for forced in [&["merge", "run", "--out", "run2", "--force"][..], &[&short[..], &["--force"]].concat()] {
        let ran = takeover(here, forced).output().unwrap();
        assert_eq!(ran.status.code(), Some(1), "{}", said(&ran.stderr));
    }
}

/// Runs the program with files limited to so many KiB, as a disk that is full.
fn cramped(folder: &Path, kib: u32, arguments: &[&str]) -> Output {
    let script = format!("ulimit -f {kib}; exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.current_dir(folder).arg("-c").arg(script).arg(PROGRAM).args(arguments).env_remove("CARGO");
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_stop_does_not_wait_for_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let arguments = soak("piped", &["--no-builtin", "--recorded", "-", "--checkpoint-every", "1ms"]);
    let mut run = takeover(here, &arguments).stdin(Stdio::piped()).process_group(0).spawn().unwrap();
    let mut open = run.stdin.take().unwrap();
    // Whole objects, of which a chunk is judged, and the beginning of one that would be another object.
    for number in 0..200 {
        let spec = format!("{{replicas: -{number}}}\n---\n");
        write!(open, "apiVersion: v1\nkind: ReplicationController\nmetadata: {{name: w}}\nspec: {spec}").unwrap();
    }
    write!(open, "apiVersion: v1\nkind: ReplicationController\nmetadata: {{name: w}}\nspec:\n").unwrap();
    open.flush().unwrap();
    let checkpoint = here.join("piped").join("checkpoint");
    until(&mut run, || checkpoint.exists());
    Asked::CtrlC.send(&run);
    let ran = run.wait_with_output().unwrap();
    let (screen, errors) = (said(&ran.stdout), said(&ran.stderr));
    assert_eq!(ran.status.code(), Some(130), "{screen}{errors}");
    assert!(screen.contains("\nUnfinished: recorded objects not all judged"), "{screen}{errors}");
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(here.join("piped").join("report.json")).unwrap()).unwrap();
    assert!(report["summary"].is_object(), "{report}");
    assert!(!screen.contains("--resume"), "what was read is gone: {screen}");
    drop(open);
}

#[test]
fn a_disk_that_is_full_costs_the_files_and_not_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let sound = takeover(here, &soak("sound", &[])).output().unwrap();
    // Room for everything but the evidence, which is the largest file that a run cannot do without.
    let size = |file: &str| fs::metadata(here.join("sound").join(file)).unwrap().len() / 1024;
    let room = u32::try_from(size("evidence.json") / 2).unwrap();
    assert!(u64::from(room) > size("run.json") + 4, "{room}");
    // With checkpoints that fail on the way the run stops there; without, it fails at its end.
    let late = cramped(here, room, &soak("late", &["--checkpoint-every", "1h"]));
    let (answer, errors) = (said(&late.stdout), said(&late.stderr));
    assert_eq!(late.status.code(), Some(2), "{answer}{errors}");
    assert_eq!(answer.lines().next(), said(&sound.stdout).lines().next(), "{errors}");
    assert!(
        errors.contains("could not be written to disk completely") && errors.contains("failed to write `late/"),
        "{errors}"
    );
    let page = here.join("late/report.html").exists();
    assert_eq!(answer.contains("\nReport: late/report.html"), page, "{answer}");
    assert!(errors.contains("make room, then resume: `takeover soak --resume late`"), "{errors}");
    assert!(!answer.contains("takeover report"), "what is on disk is behind what is printed: {answer}");
    let resumed = takeover(here, &["soak", "--resume", "late"]).output().unwrap();
    assert_eq!(resumed.status.code(), Some(1), "{}", said(&resumed.stderr));
    assert_eq!(evidence(&here.join("late")), evidence(&here.join("sound")));
    let early = cramped(here, room, &soak("early", &["--checkpoint-every", "1ms"]));
    let (answer, errors) = (said(&early.stdout), said(&early.stderr));
    assert_eq!(early.status.code(), Some(2), "{answer}{errors}");
    assert!(answer.contains("\nUnfinished: ") && errors.contains("failed to write `early/"), "{answer}{errors}");
    let resumed = takeover(here, &named(&answer)).output().unwrap();
    assert_eq!(resumed.status.code(), Some(1), "{}", said(&resumed.stderr));
    assert_eq!(evidence(&here.join("early")), evidence(&here.join("sound")));
}

#[test]
fn a_disk_of_whatever_size_that_is_full_costs_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    takeover(here, &soak("sound", &[])).output().unwrap();
    let size = fs::metadata(here.join("sound/evidence.json")).unwrap().len() / 1024;
    for part in (1..=7).take(amount(1, 7)) {
        let room = u32::try_from(size * part / 8).unwrap();
        for (at, every) in ["1h", "1ms"].into_iter().enumerate() {
            let name = format!("full-{part}-{at}");
            let arguments = soak(&name, &["--checkpoint-every", every]);
            let full = cramped(here, room, &arguments);
            let errors = said(&full.stderr);
            assert_eq!(full.status.code(), Some(2), "{room} KiB: {errors}");
            assert!(errors.contains("failed to write") && !errors.contains("panicked"), "{room} KiB: {errors}");
            let mut again = takeover(here, &["soak", "--resume", &name]).output().unwrap();
            if again.status.code() == Some(2) {
                again = takeover(here, &[&arguments[..], &["--force"]].concat()).output().unwrap();
            }
            assert_eq!(again.status.code(), Some(1), "{room} KiB: {}", said(&again.stderr));
            assert_eq!(evidence(&here.join(&name)), evidence(&here.join("sound")), "{room} KiB");
        }
    }
}

/// Holds a report against the schema of reports.
fn assert_valid(report: &Path) {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../../reports/schema/report.v3.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert!(report.get("unfinished").is_some());
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_run_that_cannot_be_resumed_keeps_the_report_it_was_stopped_with() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let object = "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: w}\n";
    fs::write(here.join("w.yaml"), object).unwrap();
    let settings = soak("run", &["--recorded", "w.yaml", "--checkpoint-every", "1ms"]);
    let ran = stopped(here, &settings, Asked::Term, || here.join("run/checkpoint").exists());
    assert_eq!(ran.status.code(), Some(143), "{}", said(&ran.stderr));
    let report = fs::read(here.join("run/report.json")).unwrap();
    fs::write(here.join("w.yaml"), object.replace("w}", "v}")).unwrap();
    let refused = takeover(here, &["soak", "--resume", "run"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused.stderr).contains("the input `w.yaml` is not the same"), "{}", said(&refused.stderr));
    assert_eq!(fs::read(here.join("run/report.json")).unwrap(), report);
}

#[test]
fn a_run_stopped_while_it_reads_standard_input_names_no_command_that_would_fail() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let settings = soak("run", &["--no-builtin", "--recorded", "-", "--format", "json"]);
    let mut command = takeover(here, &settings);
    let mut run = command.stdin(Stdio::piped()).process_group(0).spawn().unwrap();
    let mut input = run.stdin.take().unwrap();
    let documents = "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: w}\n---\n".repeat(100);
    std::io::Write::write_all(&mut input, documents.as_bytes()).unwrap();
    until(&mut run, || fs::read_to_string(here.join("run/run.json")).is_ok_and(|text| text.contains("\"finished\"")));
    Asked::CtrlC.send(&run);
    // What comes later wakes the run up, which waits for its input.
    std::thread::sleep(Duration::from_millis(200));
    let _ = std::io::Write::write_all(&mut input, documents.as_bytes());
    drop(input);
    let ran = run.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(ran.status.code(), Some(130), "{}", said(&ran.stderr));
    assert_eq!(report.pointer("/unfinished/resumable").unwrap(), false);
    assert!(!said(&ran.stderr).contains("--resume"), "{}", said(&ran.stderr));
}

#[test]
fn a_folder_that_is_removed_meanwhile_does_not_take_the_answer_along() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let sound = takeover(here, &soak("sound", &[])).output().unwrap();
    let mut run = takeover(here, &soak("gone", &["--checkpoint-every", "1h"])).spawn().unwrap();
    until(&mut run, || here.join("gone/checkpoint").exists());
    fs::remove_dir_all(here.join("gone")).unwrap();
    let ran = run.wait_with_output().unwrap();
    let (answer, errors) = (said(&ran.stdout), said(&ran.stderr));
    assert_eq!(ran.status.code(), Some(2), "{answer}{errors}");
    let checks = |text: &str| text.lines().take(6).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(checks(&answer), checks(&said(&sound.stdout)), "{errors}");
    assert!(errors.contains("failed to write `gone/"), "{errors}");
}

#[test]
fn a_gate_neither_replaces_a_run_unasked_nor_decides_by_one_that_is_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let short = ["soak", "--kind", "ReplicationController", "--seed", "3", "--cases", "300", "--out", "run"];
    takeover(here, &short).output().unwrap();
    let before = evidence(&here.join("run"));
    let refused = takeover(here, &["gate", "--out", "run"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused.stderr));
    assert!(said(&refused.stderr).contains("`run` holds a run"), "{}", said(&refused.stderr));
    // The folder is in use, so that there is no run of this gate.
    let lock = fs::File::open(here.join("run/.lock")).unwrap();
    lock.lock().unwrap();
    let refused = takeover(here, &["gate", "--out", "run", "--force"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}{}", said(&refused.stdout), said(&refused.stderr));
    assert!(said(&refused.stderr).contains("is in use") && refused.stdout.is_empty(), "{}", said(&refused.stdout));
    assert_eq!(evidence(&here.join("run")), before);
}

#[test]
fn a_gate_that_is_stopped_decides_nothing() {
    for asked in [Asked::CtrlC, Asked::Term] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let record = here.join("target/takeover/gate/run.json");
        let ran = stopped(here, &["gate"], asked, || record.exists());
        assert_eq!(ran.status.code(), Some(asked.code()), "{}", said(&ran.stderr));
        assert!(ran.stdout.is_empty(), "{}", said(&ran.stdout));
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let checkpoint = here.join("target/takeover/gate/checkpoint");
    let ran = stopped(here, &["gate"], Asked::CtrlC, || checkpoint.exists());
    let errors = said(&ran.stderr);
    let way_on = "\n  takeover soak --resume target/takeover/gate\n  takeover gate --run target/takeover/gate\n";
    assert!(errors.contains("Unfinished: ") && errors.ends_with(way_on), "{errors}");
}
