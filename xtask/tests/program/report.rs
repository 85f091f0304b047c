//! The report of a run in every form, by the real binary.

use crate::scratch;
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Settings by which ratcheting blocks, so that the few findings of a small kind stand against its rules.
static STRICT: LazyLock<tempfile::NamedTempFile> = LazyLock::new(|| {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "[policy.causes]\nratchets = { treat = \"block\" }\n").unwrap();
    file
});

/// A run of two kinds that disagree, which every test reads.
static RUN: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = takeover(&[
        "soak",
        "--config",
        text(STRICT.path()),
        "--kind",
        "ReplicationController",
        "--seed",
        "1",
        "--cases",
        "1500",
        "--out",
        text(folder.path()),
    ]);
    assert_eq!(code, 1, "{said}");
    folder
});

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn takeover(arguments: &[&str]) -> (i32, String, String) {
    let output =
        Command::cargo_bin("takeover").unwrap().args(arguments).env_remove("GITHUB_STEP_SUMMARY").output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), said(&output.stdout), said(&output.stderr))
}

fn report(more: &[&str]) -> String {
    let (code, out, said) = takeover(&[&["report", text(RUN.path())], more].concat());
    assert_eq!(code, 0, "{said}");
    out
}

#[test]
fn every_form_of_a_run_is_printed_and_is_the_same_every_time() {
    for (form, begin) in [
        ("screen", "None of the 3 handwritten checks that have a rule may be deleted yet."),
        ("table", "None of the 3 handwritten checks that have a rule may be deleted yet."),
        ("json", "{\n  \"formatVersion\": 3,"),
        ("markdown", "## May the handwritten checks be deleted?"),
        ("junit", "<?xml version=\"1.0\""),
        ("sarif", "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\","),
        ("github", "::error title="),
        ("html", "<!doctype html>"),
    ] {
        let once = report(&["--format", form]);
        assert!(once.starts_with(begin), "{form}: {once:.200}");
        assert!(!once.contains('\u{1b}'), "{form} is coloured though it goes to no terminal");
        assert_eq!(once, report(&["--format", form]), "{form}");
    }
    assert_eq!(report(&["--format", "html"]), fs::read_to_string(RUN.path().join("report.html")).unwrap());
}

#[test]
fn a_part_of_a_report_has_only_what_was_asked_for() {
    let blocked: Value = serde_json::from_str(&report(&["--format", "json", "--only", "blocked"])).unwrap();
    let rules = |report: &Value| -> Vec<Value> {
        let fields =
            report["subjects"].as_array().unwrap().iter().flat_map(|subject| subject["fields"].as_array().unwrap());
        fields.flat_map(|field| field["rules"].as_array().unwrap().clone()).collect()
    };
    assert!(!rules(&blocked).is_empty());
    assert!(rules(&blocked).iter().all(|rule| rule["verdict"]["verdict"] == "blocked"));
    let main = report(&["--format", "json", "--kind", "v1 ReplicationController"]);
    assert_eq!(serde_json::from_str::<Value>(&main).unwrap()["subjects"].as_array().unwrap().len(), 1);
    let (code, _, said) = takeover(&["report", text(RUN.path()), "--kind", "Pod"]);
    assert_eq!((code, said.contains("no kind or subject `Pod`; it has ReplicationController")), (2, true), "{said}");
}

#[test]
fn settings_choose_what_a_report_and_a_comparison_show() {
    let folder = tempfile::tempdir().unwrap();
    let settings = |name: &str, only: &str| {
        let file = folder.path().join(name);
        fs::write(&file, format!("[subjects]\nonly = [\"{only}\"]\n")).unwrap();
        file
    };
    let (main, scale) =
        (settings("main", "v1 ReplicationController"), settings("scale", "v1 ReplicationController/scale"));
    let whole: Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    let subjects = |report: &Value| -> Vec<String> {
        let subjects = report["subjects"].as_array().unwrap().iter();
        subjects.map(|subject| subject["subject"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(subjects(&whole).len(), 2);
    let part = report(&["--format", "json", "--config", text(&main)]);
    assert_eq!(subjects(&serde_json::from_str(&part).unwrap()), ["v1 ReplicationController"]);

    let place = subjects(&whole).iter().position(|subject| subject == "v1 ReplicationController").unwrap();
    let mut better = whole;
    better["subjects"][place]["findings"].as_array_mut().unwrap().remove(0);
    let old = folder.path().join("better.json");
    fs::write(&old, better.to_string()).unwrap();
    for (settings, expected) in [(&main, 1), (&scale, 0)] {
        let (code, out, said) = takeover(&["report", "diff", text(&old), text(RUN.path()), "--config", text(settings)]);
        assert_eq!((code, out == "nothing changed\n"), (expected, expected == 0), "{out}{said}");
    }

    let other = settings("other", "CronJob");
    let (code, _, said) = takeover(&["report", "diff", text(&old), text(RUN.path()), "--config", text(&other)]);
    assert_eq!((code, said.contains("neither run has anything of what the settings choose")), (2, true), "{said}");
    let (code, _, said) = takeover(&["report", text(RUN.path()), "--config", text(&other)]);
    assert_eq!((code, said.contains("nothing of what the settings choose: batch/v1 CronJob")), (2, true), "{said}");
}

#[test]
fn the_summary_of_a_step_is_added_to_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary");
    fs::write(&summary, "before\n").unwrap();
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(["report", text(RUN.path()), "--format", "github", "-o", text(&folder.path().join("commands"))])
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    assert!(output.status.success());
    let summary = fs::read_to_string(summary).unwrap();
    assert!(summary.starts_with("before\n## May the handwritten checks be deleted?"), "{summary:.100}");
    let commands = fs::read_to_string(folder.path().join("commands")).unwrap();
    assert!(commands.lines().all(|line| line.starts_with("::")), "{commands}");
}

#[test]
fn a_run_is_compared_with_another_and_what_got_worse_is_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    let mut report: Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    fs::write(&old, report.to_string()).unwrap();
    let (code, out, _) = takeover(&["report", "diff", text(&old), text(RUN.path())]);
    assert_eq!((code, out.as_str()), (0, "nothing changed\n"));
    let finding = report["subjects"][0]["findings"].as_array_mut().unwrap().remove(0);
    let better = folder.path().join("better.json");
    fs::write(&better, report.to_string()).unwrap();
    for (one, other, expected, word) in [(&better, &old, 1, "new"), (&old, &better, 0, "vanished")] {
        let (code, out, _) = takeover(&["report", "diff", text(one), text(other)]);
        let line = format!("{word:8}  finding: {}", finding["signature"].as_str().unwrap());
        assert_eq!((code, out.lines().next().unwrap()), (expected, line.as_str()));
        let (code, out, _) = takeover(&["report", "diff", text(one), text(other), "--format", "json"]);
        assert_eq!(
            (code, &serde_json::from_str::<Value>(&out).unwrap()["findings"][0]["turn"]),
            (expected, &word.into())
        );
    }
}

#[test]
fn a_rule_is_explained_with_examples_on_both_sides_and_the_evidence_of_a_run() {
    let rule = ["explain", "spec.replicas", "+k8s:minimum=0", "--kind", "v1 ReplicationController"];
    let (code, out, said) = takeover(&[&rule[..], &["--run", text(RUN.path())]].concat());
    assert_eq!(code, 0, "{said}");
    for line in [
        "  of v1 ReplicationController\n",
        "\n  reports FieldValueInvalid spec.replicas (minimum)\n",
        "  below, which breaks the rule: both report it\n    new {\"spec\":{\"replicas\":-1}}\n",
        "  on, which is fine: neither reports it\n",
        "\nEvidence: BLOCKED\n",
        "\n    - FieldValueInvalid spec.replicas (minimum) ",
        "soak --kind 'v1 ReplicationController' --for 60s\n",
    ] {
        assert!(out.contains(line), "no {line:?} in:\n{out}");
    }
    assert!(out.contains("  oracles/idl/core/v1/types.go:"), "{out}");
    let (code, _, said) = takeover(&["explain", "minimum", "--kind", "v1 ReplicationController"]);
    assert_eq!(
        (code, said.contains("matches several rules") && said.contains("\n  spec.replicas minimum=0")),
        (2, true),
        "{said}"
    );
    let (code, _, said) = takeover(&["explain", "spec.nowhere"]);
    assert_eq!((code, said.contains("no rule matches `spec.nowhere`")), (2, true), "{said}");
}

#[test]
fn an_explanation_for_machines_says_what_the_one_for_people_says() {
    let rule =
        ["explain", "spec.replicas", "minimum=0", "--kind", "v1 ReplicationController", "--run", text(RUN.path())];
    let (code, out, said) = takeover(&[&rule[..], &["--format", "json"]].concat());
    assert_eq!(code, 0, "{said}");
    let json: Value = serde_json::from_str(&out).unwrap();
    let members: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "also",
            "boundary",
            "commands",
            "conditions",
            "evidence",
            "formatVersion",
            "level",
            "line",
            "reports",
            "rule",
            "run",
            "since",
            "source",
            "subject",
        ]
    );
    let rule_itself = serde_json::json!({"path": "spec.replicas", "chain": "minimum=0"});
    assert_eq!((&json["formatVersion"], &json["rule"], &json["level"]), (&3.into(), &rule_itself, &"alpha".into()));
    assert_eq!(
        json["boundary"][1],
        serde_json::json!({
            "class": "below", "breaks": true,
            "shown": {"object": {"spec": {"replicas": -1}}, "old": null, "reference": true, "candidate": true},
        })
    );
    // The evidence is what the report has.
    let report: Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    let fields = report["subjects"].as_array().unwrap().iter().find(|of| of["subject"] == "v1 ReplicationController");
    let field = fields.unwrap()["fields"].as_array().unwrap().iter().find(|field| field["field"] == "spec.replicas");
    assert!(field.unwrap()["rules"].as_array().unwrap().contains(&json["evidence"]["rule"]), "{out}");
    assert!(!json["evidence"]["findings"].as_array().unwrap().is_empty(), "{out}");

    let (code, out, said) = takeover(&[&rule[..], &["--format", "markdown"]].concat());
    assert_eq!(code, 0, "{said}");
    for part in [
        "## `spec.replicas` `alpha minimum=0`\n",
        "| `below` | breaks the rule | both report it |  | `{\"spec\":{\"replicas\":-1}}` |\n",
        "### Evidence: BLOCKED\n",
        "```diff\n",
        "\n- FieldValueInvalid spec.replicas (minimum) -1: ",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn a_check_that_lost_its_rule_has_none_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (types, run) = (folder.path().join("idl"), folder.path().join("run"));
    scratch::idl(&types, "core/v1/types.go", "+k8s:alpha(since: \"1.36\")=+k8s:minimum=0", "no rule any more");
    let soak = ["soak", "--types", text(&types), "--kind", "v1 ReplicationController", "--seed", "1", "--cases", "600"];
    let (_, out, said) = takeover(&[&soak[..], &["--out", text(&run)]].concat());
    assert!(out.contains("have no rule        1 of them says that a rule covers it\n"), "{out}{said}");
    let (_, json, _) = takeover(&["report", text(&run), "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["summary"]["checks"]["lostRule"], 1, "{json}");
    let (_, html, _) = takeover(&["report", text(&run), "--format", "html"]);
    let advice = "its errors say that a rule covers them, and none does: add the rule or remove the mark";
    assert!(html.contains(advice), "{html}");
}

#[test]
fn a_rule_of_foreign_types_is_explained_from_the_folder_of_the_run_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (types, run) = (folder.path().join("idl"), folder.path().join("run"));
    scratch::idl(&types, "core/v1/types.go", "+k8s:minimum=0", "+k8s:minimum=3");
    let (code, _, said) = takeover(&[
        "soak",
        "--types",
        text(&types),
        "--kind",
        "v1 ReplicationController",
        "--seed",
        "1",
        "--cases",
        "600",
        "--out",
        text(&run),
    ]);
    assert_eq!(code, 1, "{said}");
    fs::remove_dir_all(&types).unwrap();
    let asked = ["explain", "minimum=3", "--run", text(&run)];
    let (code, out, said) = takeover(&asked);
    assert_eq!(code, 0, "{said}");
    for line in [
        "  of v1 ReplicationController\n",
        "/idl/core/v1/types.go:",
        "  reports FieldValueInvalid ",
        "Boundary: how often the run showed each class of values\n  far below, which breaks the rule: ",
        "\nEvidence: BLOCKED\n",
        "soak --kind 'v1 ReplicationController' --types '",
    ] {
        assert!(out.contains(line), "no {line:?} in:\n{out}");
    }
    let (code, out, _) = takeover(&[&asked[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["boundary"], &json["conditions"]), (0, &Value::Null, &Value::Null), "{out}");
    let (code, out, _) = takeover(&[&asked[..], &["--format", "markdown"]].concat());
    assert!(code == 0 && out.contains("| class | | creates | updates |"), "{out}");
    for (rule, kind, reason) in [
        ("minimum=3", "Role", "no rule matches `minimum=3`"),
        ("minimum=99", "ReplicationController", "no rule matches `minimum=99`"),
        ("spec", "v1 ReplicationController", "matches several rules"),
    ] {
        let (code, _, said) = takeover(&["explain", rule, "--kind", kind, "--run", text(&run)]);
        assert!(code == 2 && said.contains(reason), "{reason}: {said}");
    }
}

/// The report with an exception on every finding.
fn excused(report: &str, expired: bool) -> String {
    let mut report: Value = serde_json::from_str(report).unwrap();
    for subject in report.get_mut("subjects").unwrap().as_array_mut().unwrap() {
        for finding in subject["findings"].as_array_mut().unwrap() {
            finding["exception"] = serde_json::json!({
                "direction": "missing", "reason": "as *Kubernetes* has it", "owner": "sig-apps", "issue": "#7", "expires": "2027-01-31",
                "expired": expired,
            });
        }
    }
    report.to_string()
}

#[test]
fn an_explanation_says_which_findings_of_a_rule_are_excused_by_whom_why_and_until_when() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("report.json");
    let rule = ["explain", "spec.replicas", "minimum=0", "--kind", "v1 ReplicationController", "--run", text(&place)];
    let held = " (missing) until 2027-01-31 by sig-apps: as *Kubernetes* has it (#7)";
    for (expired, begin) in [(false, "excused"), (true, "was excused")] {
        fs::write(&place, excused(&report(&["--format", "json"]), expired)).unwrap();
        let (_, json, _) = takeover(&[&rule[..], &["--format", "json"]].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        let findings = json["evidence"]["findings"].as_array().unwrap();
        assert!(!findings.is_empty());
        assert!(findings.iter().all(|of| of["exception"]["owner"] == "sig-apps"), "{json}");
        let counted = if expired { 0 } else { findings.len() };
        assert_eq!(json["evidence"]["excused"], counted);
        let rests = format!("BLOCKED, resting on exceptions ({counted} finding");
        for (form, line) in [("text", format!("\n    {begin}{held}\n")), ("markdown", format!("\n`{begin}{held}`\n"))] {
            let (code, out, said) = takeover(&[&rule[..], &["--format", form]].concat());
            assert_eq!(code, 0, "{said}");
            assert_eq!(out.matches(&line).count(), findings.len(), "no {line:?} in:\n{out}");
            assert_eq!(out.contains(&rests), !expired, "{out}");
        }
    }
}

#[test]
fn what_is_better_only_because_it_is_excused_is_a_class_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let soak = |out: &str, more: &[&str]| {
        let place = folder.path().join(out);
        let kind =
            ["soak", "--kind", "v1 ReplicationController", "--seed", "1", "--cases", "1500", "--out", text(&place)];
        takeover(&[&kind[..], &["--config", text(STRICT.path())], more].concat());
        text(&place).to_owned()
    };
    let open = soak("open", &[]);
    let findings: Value = serde_json::from_str(&fs::read_to_string(format!("{open}/report.json")).unwrap()).unwrap();
    let findings = findings["subjects"][0]["findings"].as_array().unwrap().clone();
    let entries = findings.iter().map(|finding| {
        let [rule] = finding["rules"].as_array().unwrap().as_slice() else { panic!("{finding}") };
        let rule = format!("{} {}", rule["path"].as_str().unwrap(), rule["chain"].as_str().unwrap());
        format!(
            "[[exception]]\nsignature = {}\nrules = [{rule:?}]\nclasses = [\"negative\", \"text\", \"multi-byte text\"]\nshare = 1\nreason = \"why\"\nowner = \"me\"\nissue = \"#7\"\n\
             expires = 2027-01-31\n",
            finding["signature"]
        )
    });
    let exceptions = folder.path().join("mine.toml");
    fs::write(&exceptions, entries.collect::<String>()).unwrap();
    let held = soak("held", &["--exceptions", text(&exceptions), "--today", "2027-01-31"]);
    let over = soak("over", &["--exceptions", text(&exceptions), "--today", "2027-02-01"]);

    let turns = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|of| of["turn"].as_str().unwrap().to_owned()).collect()
    };
    for (old, new, code, turn, word, begin) in [
        (&open, &held, 0, "excused", "excused", "excused"),
        (&held, &over, 1, "noLongerExcused", "no longer excused", "was excused"),
        (&held, &open, 1, "noLongerExcused", "no longer excused", "excused"),
    ] {
        let (ended, json, said) = takeover(&["report", "diff", old, new, "--format", "json"]);
        assert_eq!(ended, code, "{said}");
        let diff: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(turns(&diff["findings"]), vec![turn; findings.len()], "{diff}");
        assert!(!turns(&diff["rules"]).is_empty() && turns(&diff["rules"]).iter().all(|of| of == turn), "{diff}");
        assert_eq!(diff["findings"][0]["exception"]["owner"], "me", "{diff}");
        let side = if code == 0 { "new" } else { "old" };
        assert!(diff["rules"][0][side]["excused"].as_u64().unwrap() > 0, "{diff}");
        for form in ["table", "markdown"] {
            let (_, out, _) = takeover(&["report", "diff", old, new, "--format", form]);
            assert!(!out.contains("better  ") && !out.contains("**better**"), "{out}");
            let line =
                if form == "table" { format!("\n{word:8}  finding: ") } else { format!("* **{word}** finding `") };
            assert_eq!(out.matches(&line).count(), findings.len(), "no {line:?} in:\n{out}");
            assert!(out.contains(&format!("{begin} (missing) until 2027-01-31 by me: why (#7)")), "{out}");
        }
    }
}

#[test]
fn what_is_no_report_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("report.json");
    for (content, reason) in [
        ("{\"formatVersion\": 1}", "has format version 1, and this program reads 3: run it again"),
        ("{\"formatVersion\": 9}", "has format version 9, and this program reads 3: use the program that wrote it"),
        ("{\"formatVersion\": 3, \"subjects\": [{", "failed to parse"),
        ("[]", "not the report of a run"),
    ] {
        fs::write(&place, content).unwrap();
        let (code, _, said) = takeover(&["report", text(folder.path())]);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(text(&place)) && said.contains(reason), "{said}");
    }
    fs::remove_file(&place).unwrap();
    fs::write(folder.path().join("run.json"), "{}").unwrap();
    let (code, _, said) = takeover(&["report", text(folder.path())]);
    assert_eq!((code, said.contains("was killed before it started")), (2, true), "{said}");
}
