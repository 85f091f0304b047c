//! `bench --shadow`: the server as it is built, under load for a moment. Nothing here depends on how fast it is.

use assert_cmd::Command;
use serde_json::{Value, json};

fn bench(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("takeover").unwrap();
    let output = command.args(["bench", "--shadow"]).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn sum(counts: &Value) -> u64 {
    counts.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn every_review_is_answered_counted_and_compared() {
    let (code, said, errors) = bench(&["--reviews", "700", "--connections", "5", "--format", "json"]);
    assert_eq!(code, 0, "{said}{errors}");
    let report: Value = serde_json::from_str(&said).unwrap();
    for server in ["shadow", "baseline"] {
        let measured = &report[server];
        assert_eq!(
            (&measured["sent"], &measured["answered"], &measured["failed"]),
            (&json!(700), &json!(700), &json!({}))
        );
        let latency = &measured["fromDue"];
        let times = ["p50", "p90", "p99", "p999", "max"].map(|name| latency[name].as_f64().unwrap());
        assert!(times[0] > 0.0 && times.is_sorted(), "{latency}");
    }
    let counted = &report["counted"];
    assert_eq!(counted["requests"], json!({"queued": 700}));
    assert_eq!((&counted["answers"], &counted["work"]), (&json!({"allowed": 700}), &json!({"judged": 700})));
    assert_eq!((&counted["comparisons"], &report["unbalanced"]), (&json!(700), &json!([])));
}

#[test]
fn what_a_full_queue_drops_is_counted_to_the_last_review() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("shadow.toml");
    std::fs::write(&settings, "[limits]\nqueue = 1\nleave-milliseconds = 0\n").unwrap();
    let settings = settings.to_string_lossy();
    let arguments = ["--reviews", "500", "--rate", "100000", "--settings", &settings, "--format", "json"];
    let (code, said, errors) = bench(&arguments);
    assert_eq!(code, 0, "{said}{errors}");
    let report: Value = serde_json::from_str(&said).unwrap();
    let counted = &report["counted"];
    let outcomes: Vec<&String> = counted["requests"].as_object().unwrap().keys().collect();
    assert!(outcomes.iter().all(|outcome| ["queued", "queue_full"].contains(&outcome.as_str())), "{outcomes:?}");
    assert_eq!((sum(&counted["requests"]), sum(&counted["answers"])), (500, 500));
    assert_eq!(counted["requests"]["queued"], counted["work"]["judged"]);
    assert_eq!(report["unbalanced"], json!([]));
}

#[test]
fn the_largest_objects_are_answered_and_counted_and_memory_is_held_to_its_limit() {
    let sent = ["--largest", "--bytes", "60000", "--reviews", "24", "--connections", "3", "--format", "json"];
    let (code, said, errors) = bench(&[&sent[..], &["--memory", "4GiB"]].concat());
    assert_eq!(code, 0, "{said}{errors}");
    let report: Value = serde_json::from_str(&said).unwrap();
    assert!(report["reviewBytes"].as_u64().unwrap() > 60_000, "updates have two objects");
    let counted = &report["counted"];
    assert_eq!((sum(&counted["requests"]), &counted["answers"]), (24, &json!({"allowed": 24})));
    let (code, said, _) = bench(&[&sent[..], &["--memory", "1MiB"]].concat());
    let report: Value = serde_json::from_str(&said).unwrap();
    let fault = report["unbalanced"][0].as_str().unwrap();
    assert!(code == 1 && fault.starts_with("bytes of memory: ") && fault.ends_with(", more than 1,048,576"), "{fault}");
}

#[test]
fn the_table_says_what_was_sent_and_what_became_of_it() {
    let (code, said, errors) = bench(&["--reviews", "50", "--kind", "v1 ReplicationController"]);
    assert_eq!(code, 0, "{said}{errors}");
    for line in ["reviews: 50 queued", "answers: 50 allowed", "queued reviews: 50 judged"] {
        assert!(said.lines().any(|found| found == line), "{line}\n{said}");
    }
    assert!(said.contains("│ reviews a second") && said.contains("p99 since due"), "{said}");
}

#[test]
fn what_cannot_be_sent_is_said() {
    let (code, _, errors) = bench(&["--kind", "NoSuchKind"]);
    assert!(code == 2 && errors.contains("NoSuchKind"), "{errors}");
    let (code, _, errors) = bench(&["--bytes", "10"]);
    assert!(code == 2 && errors.contains("no case of `ReplicationController` fits 10 bytes"), "{errors}");
    let (code, _, errors) = bench(&["--settings", "no-such-file.toml", "--reviews", "1"]);
    assert!(
        code == 2 && errors.contains("the server failed to start") && errors.contains("no-such-file.toml"),
        "{errors}"
    );
}
