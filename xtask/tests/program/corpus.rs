//! Corpora, by the real binary: imported, redacted, checked, counted, cut down; and samples of what is recorded.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that redaction must not leave behind.
const SECRETS: [&str; 18] = [
    "correct-horse-battery",
    "пароль-密码-🔑",
    "c0nfig-hunter2",
    "Tr0ub4dor&3",
    "inner-json-secret",
    "Zm9vYmFyLXNlY3JldA==",
    "foobar-secret",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzaG9wIn0.c2lnbmVk",
    "shared-with-name",
    "c2hvcDpjb3JyZWN0LWhvcnNlLWJhdHRlcnk=",
    "636f72726563742d686f7273652d62617474657279",
    "correct%2Dhorse",
    "u002dhorse",
    "t0ken-by-its-name",
    "manifest-in-yaml",
    "after-the-flag",
    "within-the-flag",
    "session-of-header",
];

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn json(arguments: &[&str], code: i32) -> Value {
    let (exit, stdout, stderr) = run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(exit, code, "{stdout}\n{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn sample(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "corpus", name].iter().collect();
    path.to_string_lossy().into_owned()
}

fn place(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_string_lossy().into_owned()
}

#[test]
fn hostile_objects_are_judged_as_before_and_none_of_their_secrets_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, out) = (place(&folder, "raw.jsonl"), place(&folder, "out.jsonl"));
    let hostile = sample("hostile.yaml");
    assert_eq!(json(&["corpus", "import", &hostile, "-o", &raw, "--raw"], 0)["redaction"], Value::Null);
    let before = fs::read_to_string(&raw).unwrap();
    for secret in SECRETS {
        assert!(before.contains(secret) || secret == "foobar-secret", "the sample holds `{secret}`");
    }
    let report = json(&["corpus", "import", &hostile, "-o", &out], 0);
    let redaction = &report["redaction"];
    assert_eq!((&redaction["judgedOtherwise"], &redaction["surviving"]), (&0.into(), &0.into()), "{report}");
    assert!(redaction["replaced"].as_u64().unwrap() > 20 && redaction["repeated"].as_u64().unwrap() > 3, "{report}");
    assert_eq!(report["written"], report["cases"]);
    assert!(report["verdicts"]["agreedAccept"].as_u64().unwrap() > 0, "{report}");
    assert!(report["verdicts"]["agreedReject"].as_u64().unwrap() > 0, "{report}");
    assert!(redaction["inForms"].as_u64().unwrap() >= 4, "{report}");
    // What stays on purpose is told with its reason, to people too.
    let kept = "as `apiVersion` or `kind`, or in a file named by it";
    assert_eq!(redaction["kept"][kept], 3, "{report}");
    let (_, text, _) = run(&["corpus", "redact", &hostile]);
    assert!(text.contains(&format!("kept on purpose: 3 {kept}")), "{text}");
    let after = fs::read_to_string(&out).unwrap();
    for form in ["2025-12-10T17:26:03Z", "\"cidr\":\"192.168.0.0/16\"", "\"memory\":\"2048Mi\"", "3120000m"] {
        assert!(before.contains(form) && after.contains(form), "`{form}` keeps its form");
    }
    assert!(before.contains("built-2025-12-10") && !after.contains("built-2025-12-10"));
    for secret in SECRETS {
        assert!(!after.contains(secret), "`{secret}` is left");
    }
    // Case by case: the same verdict, and texts as long as they were.
    for (one, other) in before.lines().zip(after.lines()).filter(|(line, _)| line.contains("\"Case\"")) {
        let (one, other): (Value, Value) = (serde_json::from_str(one).unwrap(), serde_json::from_str(other).unwrap());
        assert_eq!(one["verdict"], other["verdict"], "{}", one["provenance"]);
        same_lengths(&one["object"], &other["object"]);
        assert_eq!(one["object"] == one["oldObject"], other["object"] == other["oldObject"]);
    }
    let verified = json(&["corpus", "verify", &out], 0);
    assert_eq!((&verified["otherwise"], &verified["raw"]), (&0.into(), &0.into()));
    assert_eq!(verified["cases"], report["cases"]);
    assert_eq!(json(&["corpus", "verify", &raw], 0)["raw"], 1);
}

fn same_lengths(one: &Value, other: &Value) {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            assert_eq!((one.len(), one.chars().count()), (other.len(), other.chars().count()), "{one} {other}");
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len());
            one.iter().zip(other).for_each(|(one, other)| same_lengths(one, other));
        }
        (Value::Object(one), Value::Object(other)) => {
            assert_eq!(one.len(), other.len());
            for (key, value) in one {
                if let Some(other) = other.get(key) {
                    same_lengths(value, other);
                }
            }
        }
        (one, other) => assert_eq!(one, other),
    }
}

#[test]
fn the_objects_recorded_here_are_judged_as_before_with_and_without_their_names() {
    let recorded: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "recorded"].iter().collect();
    let recorded = recorded.to_string_lossy();
    let report = json(&["corpus", "redact", &recorded], 0);
    assert_eq!(report["written"], report["cases"]);
    let folder = tempfile::tempdir().unwrap();
    let out = place(&folder, "out.jsonl.gz");
    let (exit, stdout, _) = run(&["corpus", "redact", &recorded, "-o", &out, "--names", "--format", "json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let left_out = report["redaction"]["judgedOtherwise"].as_u64().unwrap();
    // Some names are what is judged, such as addresses and those that must be made of others: their cases are left out.
    assert_eq!(exit, i32::from(left_out > 0), "{stdout}");
    assert!(left_out * 5 < report["cases"].as_u64().unwrap(), "{stdout}");
    assert_eq!(json(&["corpus", "verify", &out], 0)["otherwise"], 0);
}

#[test]
fn the_same_key_gives_the_same_corpus_and_a_new_one_another() {
    let folder = tempfile::tempdir().unwrap();
    let key = place(&folder, "key");
    fs::write(&key, "open sesame\n").unwrap();
    let import = |name: &str, more: &[&str]| {
        let out = place(&folder, name);
        let hostile = sample("hostile.yaml");
        let (exit, _, stderr) = run(&[&["corpus", "import", &hostile, "-o", &out], more].concat());
        assert_eq!(exit, 0, "{stderr}");
        fs::read(out).unwrap()
    };
    let keyed = import("a.jsonl", &["--key-file", &key]);
    assert_eq!(import("b.jsonl", &["--key-file", &key]), keyed);
    assert_ne!(import("c.jsonl", &[]), keyed);
    fs::write(&key, "\n").unwrap();
    let (exit, _, stderr) =
        run(&["corpus", "import", &sample("hostile.yaml"), "-o", &place(&folder, "d"), "--key-file", &key]);
    assert!(exit == 2 && stderr.contains("is empty"), "{stderr}");
}

#[test]
fn the_fewest_cases_show_as_much_as_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let recorded: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "recorded", "core"].iter().collect();
    let recorded = recorded.to_string_lossy();
    let small = place(&folder, "small.jsonl.zst");
    let report = json(&["corpus", "min", &recorded, "-o", &small], 0);
    let (cases, kept) = (report["cases"].as_u64().unwrap(), report["kept"].as_u64().unwrap());
    assert!(kept > 0 && kept < cases, "{report}");
    let again = json(&["corpus", "min", &small, "-o", &place(&folder, "smaller.jsonl")], 0);
    assert_eq!((&again["shown"], &again["kept"]), (&report["shown"], &report["kept"]));
    let shows = |input: &str| {
        let stats = json(&["corpus", "stats", input], 0);
        let of = |subject: &Value| {
            ["subject", "reached", "bothSides", "exposed", "signatures"].map(|field| subject[field].clone())
        };
        stats["subjects"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(shows(&small), shows(&recorded));
    assert_eq!(json(&["corpus", "verify", &small], 0)["asRecorded"], kept);
}

#[test]
fn a_damaged_corpus_is_a_finding_and_a_missing_input_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let out = place(&folder, "out.jsonl");
    run(&["corpus", "import", &sample("hostile.yaml"), "-o", &out]);
    let whole = fs::read_to_string(&out).unwrap();
    fs::write(&out, whole.replacen("agreedAccept", "agreedReject", 1)).unwrap();
    let report = json(&["corpus", "verify", &out], 1);
    assert_eq!(report["otherwise"], 1);
    assert!(report["broken"][0].as_str().unwrap().contains("changed after it was written"), "{report}");
    let cut = whole.lines().count() - 1;
    fs::write(&out, whole.lines().take(cut).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    assert!(json(&["corpus", "verify", &out], 1)["broken"][0].as_str().unwrap().contains("truncated"));
    let gone = place(&folder, "gone.yaml");
    let (exit, _, stderr) = run(&["corpus", "import", &gone, "-o", &out]);
    assert!(exit == 2 && stderr.contains("gone.yaml"), "{stderr}");
    let empty = place(&folder, "empty.yaml");
    fs::write(&empty, "# nothing\n").unwrap();
    assert_eq!(run(&["corpus", "import", &empty, "-o", &out]).0, 3);
    let unwritable = place(&folder, "no/such/folder.jsonl");
    assert_eq!(run(&["corpus", "import", &sample("hostile.yaml"), "-o", &unwritable]).0, 2);
}

fn soak(out: &Path, more: &[&str]) -> (i32, String, String) {
    let out = out.to_string_lossy();
    run(&[&["soak", "--kind", "ReplicationController", "--seed", "1", "--cases", "0", "--out", &out], more].concat())
}

fn evidence(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("evidence.json")).unwrap()).unwrap()
}

#[test]
fn a_sample_of_the_recorded_cases_is_the_same_in_one_run_and_in_shards_and_leaves_nothing_uncounted() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in
        [("count", ["--sample", "5"]), ("share", ["--sample", "30%"]), ("dedup", ["--dedup", "shape"])]
    {
        let whole = folder.path().join(name);
        let (_, stdout, stderr) = soak(&whole, &options);
        let counted = evidence(&whole);
        let of = |operation: &str| &counted["subjects"][0][operation];
        let sum = |pointer: &str| -> u64 {
            ["create", "update"].iter().filter_map(|operation| of(operation).pointer(pointer)?.as_u64()).sum()
        };
        let (cases, compared) = (sum("/counts/cases"), sum("/counts/compared"));
        let skipped = sum("/skipped/not in the sample/count") + sum("/skipped/of a shape seen before/count");
        let undecodable: u64 = ["create", "update"]
            .iter()
            .flat_map(|operation| of(operation)["undecodable"].as_object().unwrap().values())
            .map(|reason| reason["count"].as_u64().unwrap())
            .sum();
        assert_eq!(cases, compared + undecodable + skipped, "{name}: {stdout}{stderr}");
        assert!(skipped > 0 && compared > 0, "{name}");
        assert!(name != "count" || compared + undecodable == 5, "{counted}");
        let shards: Vec<PathBuf> = (1..=2)
            .map(|number| {
                let shard = folder.path().join(format!("{name}-{number}"));
                soak(&shard, &[options.as_slice(), &["--shard", &format!("{number}/2")]].concat());
                shard
            })
            .collect();
        let merged = folder.path().join(format!("{name}-merged"));
        let [one, two, into] = [&shards[0], &shards[1], &merged].map(|path| path.to_string_lossy().into_owned());
        run(&["merge", &one, &two, "--out", &into]);
        assert_eq!(evidence(&merged), counted, "{name}");
    }
    let recorded: Value = serde_json::from_slice(&fs::read(folder.path().join("share/run.json")).unwrap()).unwrap();
    assert_eq!(recorded["sample"], "30%");
    let other = folder.path().join("other");
    soak(&other, &["--sample", "40%", "--shard", "2/2"]);
    let first = folder.path().join("share-1").to_string_lossy().into_owned();
    let (exit, _, stderr) =
        run(&["merge", &first, &other.to_string_lossy(), "--out", &folder.path().join("mixed").to_string_lossy()]);
    assert!(exit == 2 && stderr.contains("sample"), "{stderr}");
}

#[test]
fn a_number_of_cases_is_not_taken_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, _, stderr) = soak(&folder.path().join("run"), &["--sample", "5", "--recorded", "-"]);
    assert!(exit == 2 && stderr.contains("standard input can be read only once"), "{stderr}");
    assert_eq!(soak(&folder.path().join("run"), &["--sample", "0"]).0, 2);
}

#[test]
fn a_corpus_is_an_input_of_a_soak() {
    let folder = tempfile::tempdir().unwrap();
    let out = place(&folder, "out.jsonl.zst");
    run(&["corpus", "import", &sample("hostile.yaml"), "-o", &out]);
    let run_folder = folder.path().join("run");
    let (_, stdout, stderr) = soak(&run_folder, &["--no-builtin", "--recorded", &out]);
    let counted = evidence(&run_folder);
    assert!(counted["subjects"][0]["update"]["counts"]["compared"].as_u64().unwrap() > 0, "{stdout}{stderr}");
    let whole = fs::read_to_string(run_folder.join("report.txt")).unwrap();
    assert!(whole.contains("not selected: v1 Secret"), "{whole}");
    assert!(!stderr.contains("warning"), "the marks of a corpus are no documents that cannot be read: {stderr}");
}
