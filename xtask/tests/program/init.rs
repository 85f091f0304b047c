//! From an operator with a webhook to a report that names the checks that its tags lack, by the commands that the document gives; and what
//! `takeover init` does on the way.

use crate::shell::{follow, root, sh};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Copies a folder with everything below it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The folder of a kubebuilder project, beside the clone and the modules that the document takes for granted.
fn operator() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    copy(&root().join("xtask/tests/operator"), folder.path());
    std::os::unix::fs::symlink(root(), folder.path().join("takeover")).unwrap();
    let project = folder.path().join("project");
    (folder, project)
}

fn is_there(program: &str) -> bool {
    sh(Path::new("."), program).status.success()
}

/// The commands of a document in blocks of a language, each with the code that it ends with.
fn commands<'p>(page: &'p str, language: &str) -> Vec<(&'p str, i32)> {
    let begin = format!("\n```{language}\n");
    // The next chapter has commands that stand for themselves.
    let (tutorial, _) = page.split_once("\n## Pairs\n").unwrap();
    let blocks = tutorial.split(begin.as_str()).skip(1).map(|rest| rest.split_once("\n```").unwrap().0);
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
    lines
        .map(|line| line.split_once("# ends with ").unwrap_or((line, "0")))
        .map(|(command, code)| (command.trim_end(), code.parse().unwrap()))
        .collect()
}

/// The checks of a report, by what the candidate does: field, type and message.
fn observed(project: &Path, refuses: &str) -> Vec<String> {
    let report: Value = serde_json::from_slice(&fs::read(project.join("runs/first/report.json")).unwrap()).unwrap();
    let answers = report.get("answers").and_then(Value::as_array).unwrap();
    let text = |answer: &Value, key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let of = answers.iter().filter(|answer| text(answer, "observed") == refuses);
    of.map(|answer| ["field", "errorType", "message"].map(|key| text(answer, key)).join(" ").trim_end().to_owned())
        .collect()
}

/// What the webhook checks and the tags do not, and the rest.
fn holds_what_the_webhook_checks(project: &Path, screen: &str) {
    let lacking = [
        "spec.label FieldValueTooLong may not be more than N bytes",
        "spec.maxSize FieldValueInvalid must not be less than size",
        "spec.owner FieldValueInvalid field is immutable",
    ];
    assert_eq!(observed(project, "less"), lacking, "{screen}");
    let covered = [
        "spec.mode FieldValueNotSupported supported values: \"…\", \"…\"",
        "spec.size FieldValueInvalid must be greater than or equal to N",
        "spec.size FieldValueRequired",
    ];
    assert_eq!(observed(project, "same"), covered, "{screen}");
    for field in ["spec.label", "spec.maxSize", "spec.owner"] {
        assert!(screen.contains(&format!("reports-less: Widget {field}")), "{field} is not in\n{screen}");
    }
}

fn page() -> String {
    fs::read_to_string(root().join("docs/pairs.md")).unwrap()
}

#[test]
fn five_commands_lead_from_a_webhook_in_go_to_the_checks_that_the_tags_lack() {
    let page = page();
    let commands = commands(&page, "console");
    assert!((4..=5).contains(&commands.len()), "{commands:?}");
    if !is_there("go version") {
        eprintln!("left out: there is no `go` on the search path");
        return;
    }
    let (_folder, project) = operator();
    let mut screen = String::new();
    for (command, code) in commands {
        let printed = follow(&project, command, code);
        if command.contains(" soak ") {
            screen = printed;
        } else if command.contains(" validate ") {
            assert!(printed.contains("the candidate accepts what the reference rejects"), "{printed}");
        }
    }
    let (_, quoted) = page.split_once("\n```text\n").unwrap();
    for line in quoted.split_once("\n```").unwrap().0.lines() {
        assert!(screen.lines().any(|said| said == line), "{line}\nis not in\n{screen}");
    }
    holds_what_the_webhook_checks(&project, &screen);
}

#[test]
fn the_same_webhook_in_python_shows_the_same() {
    let page = page();
    if !is_there("python3 --version") {
        eprintln!("left out: there is no `python3` on the search path");
        return;
    }
    let (_folder, project) = operator();
    let commands = commands(&page, "sh");
    assert!((2..=5).contains(&commands.len()), "{commands:?}");
    let mut screen = String::new();
    for (command, code) in commands {
        screen = follow(&project, command, code);
        if command.contains(" init ") {
            let begun = fs::read_to_string(project.join("widget_oracle.py")).unwrap();
            assert!(begun.contains("# EDIT"), "{begun}");
            // What a person writes into it.
            fs::copy(project.join("../widget_oracle.py"), project.join("widget_oracle.py")).unwrap();
        }
    }
    holds_what_the_webhook_checks(&project, &screen);
}

#[test]
fn what_it_writes_and_says() {
    let (_folder, project) = operator();
    insta::assert_snapshot!("printed_go", follow(&project, "takeover init --with-oracle go", 0));
    insta::assert_snapshot!("settings", fs::read_to_string(project.join("takeover.toml")).unwrap());
    insta::assert_snapshot!("oracle_go", fs::read_to_string(project.join("cmd/widget-oracle/main.go")).unwrap());
    assert_eq!(follow(&project, "takeover config > /dev/null", 0), "");

    fs::remove_file(project.join("takeover.toml")).unwrap();
    insta::assert_snapshot!("printed_python", follow(&project, "takeover init --with-oracle python", 0));
    insta::assert_snapshot!("oracle_python", fs::read_to_string(project.join("widget_oracle.py")).unwrap());
}

#[test]
fn settings_take_another_name_in_the_folder_of_the_project_only() {
    let (folder, project) = operator();
    let printed = follow(&project, "takeover init --config ours.toml", 0);
    assert!(printed.starts_with("wrote ours.toml: a pair for 1 kind"), "{printed}");
    assert!(printed.ends_with(" soak --cases 20000 --config ours.toml\n"), "{printed}");
    assert!(!project.join("takeover.toml").exists());
    assert_eq!(follow(&project, "takeover config --config ours.toml > /dev/null", 0), "");
    let output = sh(&project, "takeover init --config ../ours.toml");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.contains("the settings file must be in `.`")), (Some(2), true), "{said}");
    assert!(!folder.path().join("ours.toml").exists());
    // A bare name is one in the folder of the project, wherever the command runs.
    let above = project.file_name().unwrap().to_string_lossy().into_owned();
    follow(folder.path(), &format!("takeover init {above} --config second.toml"), 0);
    assert!(project.join("second.toml").is_file());
}

#[test]
fn no_file_is_replaced_unless_forced() {
    let (_folder, project) = operator();
    let (toml, oracle) = (project.join("takeover.toml"), project.join("cmd/widget-oracle/main.go"));
    fs::write(&toml, "# mine\n").unwrap();
    let output = sh(&project, "takeover init --with-oracle go");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("`./takeover.toml` exists already; nothing was written. `--force` replaces it"), "{said}");
    assert!(!oracle.exists());
    follow(&project, "takeover init --with-oracle go --force", 0);
    assert!(fs::read_to_string(&toml).unwrap().contains("[[pair]]"));
    // What says the same already is in nobody's way.
    assert!(follow(&project, "takeover init --with-oracle go", 0).starts_with("unchanged takeover.toml"));
}

#[test]
fn unknown_kinds_and_folders_without_types_are_named() {
    let (folder, project) = operator();
    let said = |command: &str, code: i32| {
        let output = sh(&project, command);
        assert_eq!(output.status.code(), Some(code), "{command}");
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = said("takeover init --kind Wigdet", 2);
    assert!(unknown.contains("(`shop.example.com/v1 Widget`): did you mean `Widget`?"), "{unknown}");
    fs::create_dir(folder.path().join("empty")).unwrap();
    insta::assert_snapshot!("nothing", said("takeover init ../empty", 3));
    assert!(said("takeover init ../none", 2).contains("`../none`"));
}

#[test]
fn crds_without_go_types_are_the_candidate() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::create_dir_all(here.join("config/crd/bases")).unwrap();
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: gadgets.shop.example.com\nspec:\n  \
               group: shop.example.com\n  scope: Namespaced\n  names: {kind: Gadget, plural: gadgets}\n  versions:\n  - name: v1\n    \
               served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
               spec: {type: object, properties: {size: {type: integer, minimum: 1}}}\n";
    fs::write(here.join("config/crd/bases/shop.example.com_gadgets.yaml"), crd).unwrap();
    insta::assert_snapshot!("printed_crd", follow(here, "takeover init", 0));
    let text = fs::read_to_string(here.join("takeover.toml")).unwrap();
    insta::assert_snapshot!("settings_crd", text);
    follow(here, "takeover config", 0);
    let output = sh(here, "takeover init --with-oracle go --force");
    assert_eq!(output.status.code(), Some(2));
}
