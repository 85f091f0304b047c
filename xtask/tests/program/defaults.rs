//! `--what defaults`, as a user runs it: the answer in defaults, the gate, and the commands below findings.

use crate::scratch;
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

fn soak(folder: &Path, kind: &str) -> Ran {
    let ran = takeover(
        folder,
        &["soak", "--what", "defaults", "--kind", kind, "--seed", "7", "--cases", "3000", "--out", "run"],
    );
    assert!(matches!(ran.code, 0 | 1), "{}", ran.stderr);
    ran
}

fn report(folder: &Path, form: &str) -> String {
    let ran = takeover(folder, &["report", "run", "--format", form]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

/// The text without tags and the marks of tables, with single spaces.
fn plain(text: &str) -> String {
    let mut kept = String::new();
    let mut tag = false;
    for character in text.chars() {
        tag |= character == '<';
        if !tag {
            kept.push(if character == '|' { ' ' } else { character });
        } else if character == '>' {
            kept.push(' ');
            tag = false;
        }
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sums of defaults, with what forms say of them.
fn sums(summary: &Value) -> Vec<(u64, &'static str)> {
    let of = |name: &str| summary.pointer(&format!("/defaults/{name}")).and_then(Value::as_u64).unwrap();
    let words = [
        ("mayGo", "may be deleted"),
        ("mayMove", "may move to marker"),
        ("mayNot", "may not be deleted"),
        ("needEvidence", "need more evidence"),
        ("byCode", "set by code alone"),
    ];
    words.into_iter().map(|(name, said)| (of(name), said)).filter(|(count, _)| *count > 0).collect()
}

#[test]
fn the_closing_screen_answers_in_defaults_and_every_form_tells_the_same_counts() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let screen = soak(here, "Service").stdout;
    assert!(screen.lines().count() <= 24, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    assert!(screen.starts_with("The 1 default with a marker may be deleted from SetDefaults.\n"), "{screen}");
    let said = screen.split("Report: ").next().unwrap();
    assert!(!said.contains("check") && !said.contains("rule"), "{screen}");

    let json: Value = serde_json::from_str(&fs::read_to_string(here.join("run/report.json")).unwrap()).unwrap();
    let sums = sums(&json["summary"]);
    assert!(sums.contains(&(1, "may be deleted")), "{sums:?}");
    assert!(sums.iter().any(|(_, said)| *said == "may move to marker"), "{sums:?}");
    assert!(sums.iter().any(|(_, said)| *said == "set by code alone"), "{sums:?}");
    let [markdown, html] = ["markdown", "html"].map(|form| plain(&report(here, form)));
    for (count, said) in &sums {
        assert!(screen.contains(&format!("{count:>7}  {said}")), "{count} {said}: {screen}");
        assert!(markdown.contains(&format!("{said} {count} ")), "{count} {said}: {markdown}");
        assert!(html.contains(&format!("{count} {said} ")), "{count} {said}: {html}");
    }
    let table = report(here, "table");
    for said in [
        "may this line of SetDefaults be deleted?",
        "delete the line of SetDefaults",
        "write `+default=\"None\"` on the ",
        "absent ",
        "null ",
        "set by code alone:",
    ] {
        assert!(table.contains(said), "{said}: {table}");
    }
    let explained =
        takeover(here, &["explain", "spec.ports[*].protocol", "--kind", "Service#defaults", "--run", "run"]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    assert!(explained.stdout.contains("of v1 Service#defaults\n"), "{}", explained.stdout);
    // Nothing is a handwritten check.
    assert_eq!(json["summary"]["checks"]["noRule"], 0, "{json}");
}

#[test]
fn a_default_of_code_alone_is_explained_with_a_small_object() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, path, said) in [
        (
            "Service#defaults",
            "spec.sessionAffinity",
            "always the same value: `+default=\"None\"` on the field may replace it",
        ),
        ("Service#defaults", "spec.ports[*].targetPort", "its value depends on other fields: no marker can declare it"),
        (
            "Pod#defaults",
            "spec.restartPolicy",
            "always the same value: `+default=\"Always\"` on the field may replace it",
        ),
    ] {
        let ran = takeover(folder.path(), &["explain", path, "--kind", kind]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for said in ["set by code alone: no marker declares it", said, "takes the default"] {
            assert!(ran.stdout.contains(said), "{kind} {path}: {said}: {}", ran.stdout);
        }
    }
    let ran = takeover(folder.path(), &["explain", "spec.nothing", "--kind", "Service#defaults"]);
    assert!(ran.code == 2 && ran.stderr.contains("no rule matches `spec.nothing`"), "{}", ran.stderr);
}

#[test]
fn a_law_is_explained_with_an_object_that_keeps_it_and_one_that_breaks_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let law = "what is set is kept";
    let asked = ["explain", law, "--kind", "Service#defaults"];
    let ran = takeover(here, &asked);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in [
        "a law that every object must keep: defaulting neither changes nor removes a value that the object sets\n",
        "  one that keeps the law\n    new {",
        "  broken at spec.sessionAffinityConfig in ",
        "code: was {}, and is removed\n    new {\"spec\":{\"sessionAffinityConfig\":{}}}\n",
        "explain 'what is set is kept' --run RUN",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let json: Value =
        serde_json::from_str(&takeover(here, &[&asked[..], &["--format", "json"]].concat()).stdout).unwrap();
    let trial = &json["law"]["trial"];
    assert!(trial["broken"].as_u64() > Some(0) && trial["objects"].as_u64() > trial["broken"].as_u64(), "{json}");
    let markdown = takeover(here, &[&asked[..], &["--format", "markdown"]].concat()).stdout;
    assert!(markdown.contains("| broken at `spec.sessionAffinityConfig` in "), "{markdown}");
}

#[test]
fn findings_of_laws_can_be_accepted_and_the_gate_passes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let settings = "[subjects]\nonly = [\"v1 Service#defaults\"]\n[budget]\ncases = 1500\n";
    fs::write(here.join("takeover.toml"), settings).unwrap();
    let failed = takeover(here, &["gate"]);
    assert_eq!(failed.code, 1, "{}{}", failed.stdout, failed.stderr);
    assert!(failed.stdout.contains("spec.sessionAffinityConfig default removes what is set"), "{}", failed.stdout);
    let of_run = ["gate", "--run", "target/takeover/gate"];
    let excused =
        [&of_run[..], &["--write-exceptions", "--owner", "sig-network", "--issue", "#7", "--reason", "as it is today"]];
    takeover(here, &excused.concat());
    assert_eq!(takeover(here, &[&of_run[..], &["--update-baseline"]].concat()).code, 0);
    let passed = takeover(here, &["gate"]);
    assert_eq!(passed.code, 0, "{}{}", passed.stdout, passed.stderr);
    assert!(passed.stdout.contains("1 finding excused"), "{}", passed.stdout);
}

#[test]
fn the_defaulting_of_a_kind_is_measured_beside_a_deep_copy() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["Pod", "Service#defaults"] {
        let ran = takeover(folder.path(), &["bench", "--kind", kind, "--for", "1s", "--format", "json"]);
        assert_eq!(ran.code, 0, "{kind}: {}", ran.stderr);
        let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
        let named = |of: &Value| of["what"].as_str().unwrap_or_default().to_owned();
        let names: Vec<String> = rows.as_array().unwrap().iter().map(named).collect();
        assert_eq!(names, ["decode alone", "default, from decoded objects", "deep copy of decoded objects"], "{kind}");
    }
    for (kind, said) in [("Gizmo", "unknown kind `Gizmo`"), ("ConfigMap#defaults", "has the pair `#defaults`")] {
        let ran = takeover(folder.path(), &["bench", "--kind", kind, "--for", "1s"]);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{kind}: {}", ran.stderr);
    }
}

#[test]
fn a_kind_without_markers_has_no_mismatch_and_its_defaults_are_those_of_code_alone() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let screen = soak(here, "EndpointSlice").stdout;
    let json: Value = serde_json::from_str(&fs::read_to_string(here.join("run/report.json")).unwrap()).unwrap();
    let of = |name: &str| json["summary"]["defaults"][name].as_u64().unwrap();
    assert_eq!(of("withMarker"), 0, "{screen}");
    assert!(of("mayMove") + of("byCode") > 0, "{screen}");
    assert!(screen.starts_with("No default of code has a marker.\n"), "{screen}");
    let findings = json["subjects"][0]["findings"].as_array().unwrap();
    let causes: Vec<&str> = findings.iter().filter_map(|finding| finding["cause"].as_str()).collect();
    assert!(causes.iter().all(|cause| matches!(*cause, "breaks-law" | "depends-on-field")), "{causes:?}");
}

#[test]
fn the_pull_policy_of_images_without_a_tag_is_seen_in_every_kind_with_pods() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, pod) in [
        ("Pod", "spec"),
        ("PodTemplate", "template.spec"),
        ("ReplicationController", "spec.template.spec"),
        ("Deployment", "spec.template.spec"),
        ("Job", "spec.template.spec"),
        ("CronJob", "spec.jobTemplate.spec.template.spec"),
    ] {
        for field in ["initContainers[*].imagePullPolicy", "volumes[*].image.pullPolicy"] {
            let (field, kind) = (format!("{pod}.{field}"), format!("{kind}#defaults"));
            let ran = takeover(folder.path(), &["explain", &field, "--kind", &kind]);
            let said = "its value depends on other fields: no marker can declare it";
            assert!(ran.code == 0 && ran.stdout.contains(said), "{kind} {field}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn a_default_of_code_that_two_objects_show_needs_more_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let object = |port: u16| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: a, namespace: b}}\nspec: {{ports: [{{port: {port}}}]}}\n"
        )
    };
    fs::write(here.join("two.yaml"), format!("{}---\n{}", object(80), object(81))).unwrap();
    let recorded = ["--cases", "0", "--no-builtin", "--recorded", "two.yaml", "--full"];
    let ran = takeover(here, &[&["soak", "--what", "defaults", "--kind", "Service"][..], &recorded].concat());
    let row = ran.stdout.lines().find(|line| line.contains("Service spec.type")).unwrap();
    assert!(row.contains("not known yet") && row.contains("of 100 times"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("to a marker"), "{}", ran.stdout);
}

#[test]
fn a_default_that_contains_itself_is_an_error_of_the_types() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::create_dir_all(here.join("tree/v1")).unwrap();
    let types = "// +groupName=tree.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 type Tree struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\
                 \tSpec Node `json:\"spec,omitempty\"`\n}\n\ntype Node struct {\n\t// +default={}\n\tNext *Node `json:\"next,omitempty\"`\n}\n";
    fs::write(here.join("tree/v1/types.go"), types).unwrap();
    let said = "`next`: default contains itself";
    let soak = takeover(here, &["soak", "--what", "defaults", "--cases", "100", "--types", "tree"]);
    assert!(soak.code == 2 && soak.stderr.contains(said), "{}{}", soak.stdout, soak.stderr);
    let lint = takeover(here, &["lint", "tree"]);
    assert!(lint.code == 1 && lint.stdout.contains(said), "{}{}", lint.stdout, lint.stderr);
}

#[test]
fn a_gate_fails_over_laws_and_defaults_of_which_too_little_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for pair in ["discovery.k8s.io/v1 EndpointSlice#defaults", "v1 ConfigMap#apply"] {
        let settings = |cases: u32| {
            let text = format!("[subjects]\nonly = [\"{pair}\"]\n[budget]\ncases = {cases}\n");
            fs::write(here.join("takeover.toml"), text).unwrap();
        };
        settings(20);
        let few = takeover(here, &["gate"]);
        assert_eq!(few.code, 8, "{pair}: {}{}", few.stdout, few.stderr);
        assert!(few.stdout.contains(" objects that keep the law"), "{pair}: {}", few.stdout);
    }
}

#[test]
fn a_changed_constant_of_a_marker_fails_the_gate_and_its_commands_show_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let settings = "[subjects]\nonly = [\"v1 Service#defaults\"]\ntypes = \"idl\"\n[budget]\ncases = 1500\n\
                    [policy.causes]\nbreaks-law = { treat = \"tolerate\", reason = \"known\" }\n";
    fs::write(here.join("takeover.toml"), settings).unwrap();
    scratch::copy(&here.join("idl"));
    let before = takeover(here, &["gate", "--update-baseline"]);
    assert_eq!(before.code, 0, "{}{}", before.stdout, before.stderr);
    assert!(before.stdout.contains("\ndefaults: 1 may be deleted, "), "{}", before.stdout);
    fs::remove_dir_all(here.join("idl")).unwrap();
    scratch::idl(&here.join("idl"), "core/v1/service.go", "+default=\"TCP\"", "+default=\"UDP\"");
    let after = takeover(here, &["gate"]);
    assert_eq!(after.code, 1, "{}{}", after.stdout, after.stderr);
    let said = "The 1 default with a marker may not be deleted from SetDefaults yet.\n";
    assert!(after.stdout.contains(said) && after.stdout.contains("spec.ports[*].protocol"), "{}", after.stdout);

    let command = after.stdout.lines().find_map(|line| line.trim().strip_prefix("reproduce: ")).unwrap();
    let command = command.trim_start_matches("cargo xtask ").trim_start_matches("takeover ");
    let arguments: Vec<String> = shell_words(command);
    let again = takeover(here, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(matches!(again.code, 0 | 1), "{command}: {}", again.stderr);
    assert!(again.stdout.lines().count() <= 24, "{command}: {}", again.stdout);
    assert!(again.stdout.contains("\"UDP\"") || again.stdout.contains("\"TCP\""), "{command}: {}", again.stdout);
}

/// The types that `docs/defaults.md` shows, and what the page says of them.
#[test]
fn markers_of_own_types_are_compared_in_a_custom_and_in_a_builtin_resource() {
    let page = include_str!("../../../docs/defaults.md").replace("\r\n", "\n");
    let types = page.split("```").find_map(|block| block.strip_prefix("go\n")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::create_dir_all(here.join("shop/v1")).unwrap();
    let soak = |types: &str| {
        fs::write(here.join("shop/v1/types.go"), types).unwrap();
        let command = ["soak", "--what", "defaults", "--types", "shop", "--cases", "3000", "--seed", "7"];
        takeover(here, &[command.as_slice(), &["--out", "run", "--force"]].concat())
    };
    let ran = soak(types);
    let said = "3 of the 4 defaults mean the same in a custom resource.";
    assert!(ran.code == 1 && page.contains(said) && ran.stdout.starts_with(said), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("spec.replicas") && !ran.stdout.contains("SetDefaults"), "{}", ran.stdout);
    let [table, markdown, html] = ["table", "markdown", "html"].map(|form| report(here, form));
    assert!(table.contains("does this default mean the same in a custom resource?"), "{table}");
    assert!(ran.stdout.contains("only a built-in resource: takes the default 1"), "{}", ran.stdout);
    assert!(markdown.contains("### Defaults: does this one mean the same in a custom resource?\n"), "{markdown}");
    assert!(markdown.contains("| kind | the same | not the same | need evidence | no marker | cases |"), "{markdown}");
    assert!(html.contains("<h2>Defaults in a custom resource</h2>") && html.contains("<th>the same?</th>"), "{html}");
    for (form, text) in [("table", &table), ("markdown", &markdown), ("html", &plain(&html))] {
        for word in ["SetDefaults", "may go", "deleted", "code alone", "May become", "the outcome changes"] {
            assert!(!text.contains(word), "{form} says `{word}`: {text}");
        }
    }
    let fixed = soak(&types.replace("`json:\"replicas\"`", "`json:\"replicas,omitempty\"`"));
    assert_eq!(fixed.code, 0, "{}{}", fixed.stdout, fixed.stderr);
    assert!(fixed.stdout.starts_with("All 4 defaults mean the same in a custom resource.\n"), "{}", fixed.stdout);
}

/// The words of a command line, without the quotes of a shell.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            plain => words.last_mut().unwrap().push(plain),
        }
    }
    words
}
