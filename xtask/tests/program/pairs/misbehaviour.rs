//! Oracles that misbehave: what they did is told, the other pairs of the run are unaffected, and no process is left behind.

use super::lab::{Lab, WIDGET, has_python, left_behind};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Behaviours at an object that generation does not come by, and what the report says of each.
const BEHAVIOURS: [(&str, &str); 6] = [
    ("die", "exited with code 3"),
    ("late", "no answer within 1 s"),
    ("garbage", "wrote a line that is not JSON"),
    ("wrong-id", "which it was not asked"),
    ("panic", "nil dereference"),
    ("forks", ""),
];

fn pair(name: &str, oracle: &str, behaviour: &str) -> String {
    format!(
        r#"
[[pair]]
name = "{name}"
apiVersion = "shop.example.com/v1"
kind = "Widget"
types = "widget.yaml"
reference = {{ exec = ["python3", "{oracle}"] }}
candidate = {{ exec = ["python3", "{oracle}", "{behaviour}"], timeout = 1, processes = 1 }}
"#
    )
}

fn soak(lab: &Lab, pairs: &str, out: &str) -> super::lab::Ran {
    lab.write("takeover.toml", pairs);
    lab.run(&["soak", "--seed", "1", "--cases", "512", "--recorded", "marked.yaml", "--no-builtin", "--out", out])
}

/// What was counted of a pair, but for the places of cases: recorded ones are numbered over all pairs.
fn evidence_of(lab: &Lab, run: &str, name: &str) -> Value {
    let evidence = lab.json(&format!("{run}/evidence.json"));
    let pairs = evidence["subjects"].as_array().unwrap();
    let mut pair = pairs.iter().find(|of| of["subject"]["pair"] == name).unwrap().clone();
    for operation in ["create", "update"] {
        for signature in pair[operation]["signatures"].as_array_mut().unwrap() {
            assert!(signature["places"].take().is_u64());
            assert!(signature["first"]["place"].take().is_object());
            assert!(signature["smallest"]["place"].take().is_object());
        }
    }
    pair
}

#[test]
fn every_misbehaviour_is_told_and_harms_no_other_pair() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let oracle = lab.path("oracle.py").to_string_lossy().into_owned();
    lab.write(
        "marked.yaml",
        "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {owner: misbehave, size: 1, colour: green}\n",
    );
    let sound = pair("sound", &oracle, "refuse-green");
    let alone = soak(&lab, &sound, "alone");
    assert_eq!(alone.code, 1, "{}", alone.said());

    let bad: String = BEHAVIOURS.iter().map(|(behaviour, _)| pair(behaviour, &oracle, behaviour)).collect();
    let together = soak(&lab, &format!("{sound}{bad}"), "together");
    assert_eq!(together.code, 1, "{}", together.said());
    assert_eq!(evidence_of(&lab, "alone", "sound"), evidence_of(&lab, "together", "sound"));
    for (behaviour, told) in BEHAVIOURS {
        let evidence = evidence_of(&lab, "together", behaviour).to_string();
        assert!(evidence.contains(told), "`{behaviour}` is not told as `{told}`: {evidence}");
    }
    assert_eq!(left_behind(&oracle), 0, "processes are left behind");
}

#[test]
fn an_oracle_that_says_it_is_steady_and_is_not_is_noted() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let ran =
        lab.soak("exec python3 oracle.py", "exec python3 oracle.py unsteady", &["--cases", "1024", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(lab.findings("run").iter().any(|of| of["signature"]["cause"] == "unsteady"), "{}", ran.said());
}

#[test]
fn an_oracle_that_answers_otherwise_when_it_is_asked_again_is_noted_even_where_the_sides_agree() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    // Cases come in batches, and what is asked again comes alone. So do a few cases, on which the sides differ.
    let ran = lab.soak("exec python3 oracle.py", "exec python3 oracle.py alone", &["--cases", "1024", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let report = lab.json("run/report.json");
    let notes = report["subjects"][0]["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["kind"] == "unsteady" && note["side"] == "candidate"), "{notes:?}");
}

#[test]
fn a_run_for_a_time_ends_early_once_an_oracle_is_given_up() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let begun = Instant::now();
    let ran =
        lab.soak("exec python3 oracle.py", "exec python3 oracle.py only-hello", &["--for", "10m", "--out", "run"]);
    assert!(begun.elapsed() < Duration::from_secs(120), "{}", ran.said());
    assert_eq!(ran.code, 3, "{}", ran.said());
    let why =
        format!("because nothing is left to judge: the candidate of `{WIDGET}#exec-to-exec` does not answer any more");
    assert!(ran.stderr.contains(&why) && ran.stderr.contains("exited with code 3"), "{}", ran.said());
    assert!(lab.json("run/run.json")["finished"].as_bool().unwrap(), "there is nothing to resume");
}
