//! What `soak`, `merge` and `report` end with, and that every form of a report tells the same counts.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn takeover(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::cargo_bin("takeover").unwrap();
    let output = command.current_dir(folder).args(arguments).env_remove("GITHUB_STEP_SUMMARY").output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Holds a closing screen to its size, and its first line to an answer in checks.
fn fits(what: &str, ran: &Ran) {
    let screen = &ran.stdout;
    assert!(matches!(ran.code, 0 | 1 | 3), "{what}: {}\n{}", ran.code, ran.stderr);
    // The prompt behind it takes a line.
    assert!(screen.lines().count() <= 23, "{what}: {} lines\n{screen}", screen.lines().count());
    for line in screen.lines() {
        assert!(line.chars().count() <= 80, "{what}: {} columns: {line}", line.chars().count());
    }
    let first = screen.lines().next().unwrap_or_default();
    assert!(first.contains("handwritten check") && first.contains("may be deleted"), "{what}: {first}");
    assert!(!screen.contains('\u{1b}'), "{what}: colours without a terminal\n{screen}");
}

#[test]
fn the_answer_fits_one_screen_for_all_kinds_for_one_and_for_parts_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let all = takeover(here, &["soak", "--seed", "1", "--cases", "9000", "--out", "all"]);
    fits("soak", &all);
    assert!(all.stdout.contains("\nReport: all/report.html (seed 1)\n"), "{}", all.stdout);
    let again = takeover(here, &["report", "all"]);
    fits("report", &again);
    assert_eq!(all.stdout, again.stdout, "soak and report end with the same screen");

    let one =
        takeover(here, &["soak", "--kind", "ReplicationController", "--seed", "1", "--cases", "1500", "--out", "one"]);
    fits("soak --kind", &one);
    assert!(!one.stdout.contains("excluded") && !one.stdout.contains("Deployment"), "{}", one.stdout);

    // In the folder that it chooses, called as the README calls it.
    let mut command = Command::cargo_bin("takeover").unwrap();
    let usual = command.current_dir(here).args(["soak", "--cases", "1500"]).env("CARGO", "cargo").output().unwrap();
    let usual = Ran {
        code: usual.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&usual.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&usual.stderr).into_owned(),
    };
    fits("cargo xtask soak", &usual);
    let reproduce = usual.stdout.lines().find_map(|line| line.strip_prefix("  cargo xtask validate ")).unwrap();
    let shown = takeover(here, &["validate", reproduce]);
    assert!(shown.stdout.lines().count() <= 24, "{}", shown.stdout);

    for shard in ["1/2", "2/2"] {
        let out = shard.replace('/', "-of-");
        let ran = takeover(here, &["soak", "--seed", "1", "--cases", "2000", "--shard", shard, "--out", &out]);
        fits(shard, &ran);
    }
    fits("merge", &takeover(here, &["merge", "1-of-2", "2-of-2", "--out", "merged"]));
}

#[test]
fn a_run_that_compared_nothing_says_so_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("pod.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n").unwrap();
    let soak = ["soak", "--kind", "ReplicationController", "--cases", "0", "--no-builtin", "--out"];
    let ran = takeover(here, &[&soak[..], &["run", "--recorded", "pod.yaml"]].concat());
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Nothing was compared: not selected (v1 Pod, "), "{}", ran.stdout);
    let longer = "\n  takeover soak --kind ReplicationController --no-builtin --recorded pod.yaml --for 10m\n";
    assert!(ran.stdout.replace("cargo xtask", "takeover").ends_with(longer), "{}", ran.stdout);
}

#[test]
fn the_whole_report_is_asked_for_and_quiet_leaves_the_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let soak = ["soak", "--kind", "CertificateSigningRequest", "--seed", "1", "--cases", "500", "--out"];
    let quiet = takeover(here, &[&soak[..], &["run", "--quiet"]].concat());
    let sentence = "The 1 handwritten check that has a rule may not be deleted yet.\n";
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), (sentence, ""));
    let blocked = takeover(here, &["report", "run", "--only", "blocked"]).stdout;
    let short = takeover(here, &["report", "run", "--only", "insufficient"]).stdout;
    assert!(!blocked.contains("INSUFFICIENT") && short.contains("INSUFFICIENT"), "{blocked}{short}");
    let screen = takeover(here, &["report", "run"]);
    assert!(!screen.stdout.contains("promote"), "{}", screen.stdout);
    let full = takeover(here, &["report", "run", "--full"]);
    // The file goes on with the health of the generator.
    assert!(fs::read_to_string(here.join("run/report.txt")).unwrap().starts_with(&full.stdout), "{}", full.stdout);
    assert!(full.stdout.lines().count() > 24, "{}", full.stdout);
}

/// A run of the gate, which writes every form.
struct Gated {
    folder: TempDir,
    printed: Value,
}

impl Gated {
    const RUN: &str = "target/takeover/gate";

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = "[subjects]\nonly = [\"NetworkPolicy\", \"ReplicationController\"]\n[budget]\ncases = 1500\n";
        fs::write(folder.path().join("takeover.toml"), settings).unwrap();
        let ran = takeover(folder.path(), &["gate", "--format", "json"]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        Self { printed: serde_json::from_str(&ran.stdout).unwrap(), folder }
    }

    fn report(&self, form: &str) -> String {
        let ran = takeover(self.folder.path(), &["report", Self::RUN, "--format", form]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    }
}

/// What the lines that name an answer count: `may be deleted` → 3. Tags and the cells of tables do not matter.
pub(crate) fn counted(text: &str) -> BTreeMap<&'static str, u64> {
    const ANSWERS: [&str; 4] = ["may be deleted", "may not be deleted", "need more evidence", "have no rule"];
    let plain = |line: &str| -> String {
        let mut tag = false;
        let kept = line.chars().filter(|character| {
            let open = *character == '<';
            let inside = tag || open;
            tag = (tag || open) && *character != '>';
            !inside
        });
        kept.collect()
    };
    let row = |line: &str| {
        let line = plain(&line.replace("</td>", " ").replace("</th>", " ").replace('|', " "));
        let answer = *ANSWERS.iter().find(|answer| {
            let beside = line.split(**answer).next().unwrap_or_default().trim();
            line.contains(**answer) && beside.chars().all(|character| character.is_ascii_digit() || character == ',')
        })?;
        let rest = line.replace(answer, " ");
        let number = rest.split_whitespace().next()?.replace(',', "");
        Some((answer, number.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn json_gate_markdown_page_and_screen_count_the_same() {
    let gated = Gated::new();
    let report: Value = serde_json::from_str(&gated.report("json")).unwrap();
    let summary = report.get("summary").unwrap();
    assert_eq!(Some(summary), gated.printed.get("summary"), "gate and report");
    let sarif: Value = serde_json::from_str(&gated.report("sarif")).unwrap();
    assert_eq!(Some(summary), sarif.pointer("/runs/0/properties/summary"), "SARIF and report");

    let checks = |name: &str| summary.pointer(&format!("/checks/{name}")).unwrap().as_u64().unwrap();
    let wanted = BTreeMap::from([
        ("may be deleted", checks("mayGo")),
        ("may not be deleted", checks("mayNot")),
        ("need more evidence", checks("needEvidence")),
        ("have no rule", checks("noRule")),
    ]);
    assert!(wanted.values().filter(|count| **count > 0).count() >= 3, "{wanted:?}");
    let screen = gated.report("screen");
    let sentence = screen.lines().next().unwrap();
    let gate = takeover(gated.folder.path(), &["gate", "--run", Gated::RUN]);
    for (form, text) in [
        ("screen", screen.clone()),
        ("table", gated.report("table")),
        ("markdown", gated.report("markdown")),
        ("html", gated.report("html")),
    ] {
        assert_eq!(counted(&text), wanted, "{form}");
        assert!(text.contains(sentence), "{form}: {sentence}");
    }
    assert!(gate.stdout.contains(sentence), "{}", gate.stdout);
    let findings = summary.pointer("/findings/all").unwrap().as_u64().unwrap();
    let listed: usize =
        report["subjects"].as_array().unwrap().iter().map(|of| of["findings"].as_array().unwrap().len()).sum();
    assert_eq!(findings, listed as u64);
}
