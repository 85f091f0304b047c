//! Mistakes planted in the logic of a webhook, against the same webhook without: each is found, minimised, and explained at its field.

use super::lab::{Lab, about, has_python, ran, repository};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a planted mistake shows as.
struct Row {
    mistake: u8,
    /// Direction, type, field and cause of its findings: there is at least one of each, and no other.
    shown: &'static [[&'static str; 4]],
}

const fn row(mistake: u8, shown: &'static [[&'static str; 4]]) -> Row {
    Row { mistake, shown }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row(1, &[["missing", "FieldValueInvalid", "spec.maxReplicas", "reports-less"]]),
    row(2, &[["missing", "FieldValueInvalid", "spec.cooldownSeconds", "reports-less"]]),
    row(3, &[
        ["missing", "FieldValueRequired", "spec.schedule[*].cron", "reports-less"],
        ["missing", "FieldValueInvalid", "spec.schedule[*].cron", "reports-less"],
        ["extra", "FieldValueRequired", "spec.schedule.cron", "reports-more"],
        ["extra", "FieldValueInvalid", "spec.schedule.cron", "reports-more"],
    ]),
    row(4, &[
        ["missing", "FieldValueNotSupported", "spec.mode", "other-type"],
        ["extra", "FieldValueInvalid", "spec.mode", "other-type"],
    ]),
    // On creates both sides agree, which is what ratcheting looks like.
    row(5, &[["missing", "FieldValueInvalid", "spec.schedule[*].timeZone", "ratchets"]]),
    row(6, &[["missing", "FieldValueInvalid", "spec.targetRef", "reports-less"]]),
    row(7, &[
        ["missing", "FieldValueDuplicate", "spec.schedule[*]", "reports-less"],
        ["extra", "FieldValueDuplicate", "spec.schedule[*]", "reports-more"],
    ]),
    row(8, &[["missing", "FieldValueRequired", "spec.targetRef.name", "reports-less"]]),
    row(9, &[
        ["missing", "FieldValueNotSupported", "spec.mode", "reports-less"],
        ["extra", "FieldValueNotSupported", "spec.mode", "reports-more"],
    ]),
    row(10, &[["extra", "FieldValueTooLong", "spec.windows[*]", "reports-more"]]),
];

/// Most lines of the first finding of a mistake, with its heading.
const LINES: usize = 20;

/// Longest time from the start of a run to its findings, on a machine of which nobody else takes more than a processor.
const TIME: Duration = Duration::from_secs(20);

/// How many times longer things take because others use the machine.
fn crowded() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|load| load.parse::<f64>().ok()).unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(1.0, |many| many.get() as f64);
    (load / processors).max(1.0)
}

/// Judges scale policies by an oracle and the same with a mistake.
fn soak(lab: &Lab, oracle: &str, mistake: u8, out: &str) -> super::lab::Ran {
    let types = repository().join("sdk/go/examples/scalepolicy/api/v1");
    let candidate = format!("exec {oracle} --mistake {mistake}");
    let reference = format!("exec {oracle}");
    let oracles = ["--reference", &reference, "--candidate", &candidate];
    let types = ["soak", "--types", &types.to_string_lossy(), "--kind", "scaling.example.com/v1 ScalePolicy"];
    lab.run(&[&types[..], &oracles, &["--seed", "1", "--cases", "400", "--out", out]].concat())
}

fn every_mistake_shows(oracle: &str) {
    let lab = Lab::new();
    for Row { mistake, shown } in ROWS {
        let begun = Instant::now();
        let out = format!("run-{mistake}");
        let ran = soak(&lab, oracle, *mistake, &out);
        let took = begun.elapsed();
        // What looks like ratcheting is tolerated.
        let tolerated = shown.iter().all(|[.., cause]| *cause == "ratchets");
        assert_eq!(ran.code, i32::from(!tolerated), "mistake {mistake}: {}", ran.said());
        let findings = lab.findings(&out);
        let found: Vec<[String; 4]> = findings.iter().map(about).collect();
        for what in *shown {
            assert!(found.iter().any(|found| found == what), "mistake {mistake} is not found at {what:?}: {found:?}");
        }
        let other: Vec<_> = found.iter().filter(|found| !shown.iter().any(|what| *found == what)).collect();
        assert!(other.is_empty(), "mistake {mistake} shows as {other:?}");
        let smallest = lab.read(&format!("{out}/findings/001.yaml")).lines().count();
        assert!(smallest <= LINES, "mistake {mistake} in {smallest} lines");
        assert!(took < TIME.mul_f64(crowded()), "mistake {mistake} took {took:?}");
    }
}

fn nothing_shows_without(oracle: &str) {
    let lab = Lab::new();
    let ran = soak(&lab, oracle, 0, "run");
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(lab.findings("run").is_empty());
}

fn python() -> String {
    let example = repository().join("sdk/python/examples/scalepolicy.py");
    format!("python3 '{}'", example.display())
}

#[test]
fn every_mistake_of_the_python_example_is_found_at_its_field() {
    if has_python() {
        every_mistake_shows(&python());
    }
}

#[test]
fn the_python_example_without_mistake_has_no_findings() {
    if has_python() {
        nothing_shows_without(&python());
    }
}

/// Builds the Go example; says so where there is no Go to build it with.
fn go(to: &Path) -> Option<String> {
    if Command::new("go").arg("version").output().is_err() {
        eprintln!("skipped: there is no `go`, which builds the example of this test");
        return None;
    }
    let program = to.join("scalepolicy");
    let mut build = Command::new("go");
    build.current_dir(repository().join("sdk/go/examples/scalepolicy")).args(["build", "-o"]).arg(&program).arg(".");
    let built = ran(build.env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GOTOOLCHAIN", "local"));
    assert_eq!(built.code, 0, "{}", built.said());
    Some(format!("'{}'", program.display()))
}

#[test]
fn every_mistake_of_the_go_example_is_found_at_its_field() {
    let folder = tempfile::tempdir().unwrap();
    if let Some(program) = go(folder.path()) {
        every_mistake_shows(&program);
        nothing_shows_without(&program);
    }
}
