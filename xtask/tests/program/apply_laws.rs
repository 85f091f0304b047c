//! `--what apply`, as a user runs it: the answer in laws, the commands below findings, and the example of `docs/apply.md`.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;

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

/// The update that `docs/apply.md` shows, as a case in a file.
fn example(here: &Path) {
    let page = include_str!("../../../docs/apply.md").replace("\r\n", "\n");
    let blocks: Vec<&str> = page.split("```").filter_map(|block| block.strip_prefix("yaml\n")).collect();
    assert_eq!(blocks.len(), 1, "one example: {blocks:?}");
    fs::write(here.join("recreate.yaml"), blocks.first().unwrap()).unwrap();
}

const SOAK: [&str; 13] = [
    "soak",
    "--what",
    "apply",
    "--kind",
    "Deployment",
    "--cases",
    "0",
    "--no-builtin",
    "--recorded",
    "recreate.yaml",
    "--seed",
    "7",
    "--out",
];

#[test]
fn the_example_of_the_page_is_found_at_its_field_and_every_form_tells_of_laws() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    example(here);
    let ran = takeover(here, &[SOAK.as_slice(), &["run"]].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let screen = ran.stdout;
    assert!(screen.lines().count() <= 24, "{screen}");
    assert!(screen.starts_with("None of the 6 laws of server-side apply is known to hold.\n"), "{screen}");
    assert!(screen.contains("  2  are broken\n") && screen.contains("  4  need more evidence\n"), "{screen}");
    assert!(screen.contains("spec.strategy.rollingUpdate"), "{screen}");
    let said = screen.split("Report: ").next().unwrap();
    assert!(!said.contains("check") && !said.contains("rule"), "{screen}");

    let json: Value = serde_json::from_str(&fs::read_to_string(here.join("run/report.json")).unwrap()).unwrap();
    let sums = |name: &str| json.pointer(&format!("/summary/laws/{name}")).and_then(Value::as_u64).unwrap();
    assert_eq!(["all", "hold", "broken", "needEvidence"].map(sums), [6, 0, 2, 4]);
    let findings = json["subjects"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["cause"] == "stale-default"), "{findings:?}");
    assert!(screen.contains("stale-default: Deployment spec.strategy.rollingUpdate"), "{screen}");
    for (form, rule) in [("markdown", true), ("html", true), ("table", false)] {
        let told = takeover(here, &["report", "run", "--format", form]).stdout;
        assert!(told.contains("laws of server-side apply"), "{form}: {told}");
        assert!(!told.contains("handwritten check"), "{form}: {told}");
        assert!(!rule || told.contains("update and apply get the same verdict"), "{form}: {told}");
    }

    let command = screen.lines().find(|line| line.contains(" validate run/findings/")).unwrap();
    let again = takeover(here, &["validate", command.rsplit(' ').next().unwrap()]);
    assert!(again.stdout.contains("of apps/v1 Deployment#apply"), "{command}: {}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("spec.strategy.rollingUpdate"), "{}", again.stdout);
    assert!(again.stdout.lines().count() <= 24, "{}", again.stdout);

    let rule = "update and apply get the same verdict";
    let explained = takeover(here, &["explain", rule, "--kind", "Deployment#apply", "--run", "run"]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    assert!(explained.stdout.contains("a law that every object must keep"), "{}", explained.stdout);
}

#[test]
fn generated_objects_try_every_law_and_expose_the_faults() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let ran = takeover(
        here,
        &["soak", "--what", "apply", "--kind", "v1 ConfigMap", "--cases", "300", "--seed", "7", "--out", "run"],
    );
    assert!(matches!(ran.code, 0 | 1 | 3), "{}{}", ran.stdout, ran.stderr);
    let json: Value = serde_json::from_str(&fs::read_to_string(here.join("run/report.json")).unwrap()).unwrap();
    let of = |name: &str| json.pointer(&format!("/summary/faults/{name}")).and_then(Value::as_u64).unwrap();
    assert!(of("telling") >= 20 && of("exposed") * 10 >= of("telling") * 6, "{}", json["summary"]["faults"]);
    assert_eq!(json["subjects"][0]["apply"], true);
    assert_eq!(json["summary"]["checks"]["withRule"], 0);
}

#[test]
fn the_gate_fails_over_a_broken_law_and_over_one_of_which_too_little_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let settings = |kind: &str| {
        // Validation accepts owner references of the same key: few cases may show it or not.
        let tolerated =
            "[policy.causes]\nduplicate-key = { treat = \"tolerate\", reason = \"servers warn of them\" }\n";
        let text = format!("[subjects]\nonly = [\"{kind}#apply\"]\n[budget]\ncases = 200\n{tolerated}");
        fs::write(here.join("takeover.toml"), text).unwrap();
    };
    settings("v1 ConfigMap");
    let few = takeover(here, &["gate"]);
    assert_eq!(few.code, 8, "{}{}", few.stdout, few.stderr);
    assert!(few.stdout.contains("\nlaws of apply: 0 hold, 6 need more evidence\n"), "{}", few.stdout);
    // As with rules, a project may commit to what it knows so far.
    assert_eq!(takeover(here, &["gate", "--update-baseline"]).code, 0);
    let known = takeover(here, &["gate"]);
    assert_eq!(known.code, 0, "{}{}", known.stdout, known.stderr);
    example(here);
    settings("apps/v1 Deployment");
    assert_eq!(takeover(here, &[SOAK.as_slice(), &["run"]].concat()).code, 1);
    let failed = takeover(here, &["gate", "--run", "run"]);
    assert_eq!(failed.code, 1, "{}{}", failed.stdout, failed.stderr);
    assert!(
        failed.stdout.contains("\nlaws of apply: 0 hold, 2 are broken, 4 need more evidence\n"),
        "{}",
        failed.stdout
    );
    assert!(failed.stdout.contains("spec.strategy.rollingUpdate judged differently"), "{}", failed.stdout);
}

#[test]
fn a_subject_may_name_its_pair_beside_what() {
    let folder = tempfile::tempdir().unwrap();
    let soak =
        ["soak", "--what", "apply", "--kind", "v1 Service#apply", "--cases", "1", "--no-builtin", "--out", "run"];
    let ran = takeover(folder.path(), &soak);
    assert!(matches!(ran.code, 0 | 1), "{}", ran.stderr);
}

#[test]
fn an_unknown_kind_is_told_with_the_one_that_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let ran = takeover(folder.path(), &["soak", "--what", "apply", "--kind", "Deploymant", "--cases", "1"]);
    assert!(ran.code != 0 && ran.stderr.contains("Deployment"), "{}", ran.stderr);
}
