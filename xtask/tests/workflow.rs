//! The workflow document, done literally in a scratch repository, ends in the patch and the gate that it promises.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// What a page has to say, in its order.
enum Step<'p> {
    /// A command, and the code that it ends with.
    Command(&'p str, i32),
    /// A file to save, by its text.
    File(&'p str),
    /// Lines of what the last command printed.
    Printed(&'p str),
}

fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "console" => steps.extend(text.lines().filter_map(|line| line.strip_prefix("$ ")).map(|line| {
                let (command, code) = line.split_once("# ends with ").unwrap_or((line, "0"));
                Step::Command(command.trim_end(), code.parse().unwrap())
            })),
            "toml" => steps.push(Step::File(text)),
            "text" => steps.push(Step::Printed(text)),
            other => assert_eq!(other, "go", "a block that nothing is done with"),
        }
    }
    steps
}

#[test]
fn the_workflow_leads_from_edited_types_to_a_patch_and_a_gate_that_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = fs::read_to_string(root.join("docs/workflow.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The clone that the page speaks of, beside the project.
    std::os::unix::fs::symlink(root, folder.path().join("takeover")).unwrap();
    let here = folder.path().join("project");
    fs::create_dir(&here).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_takeover")).parent().unwrap().to_owned();
    let places =
        std::iter::once(program).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>());
    let path = std::env::join_paths(places).unwrap();
    let (mut commands, mut printed) = (0, String::new());
    for step in steps(&page) {
        match step {
            Step::Command(command, code) => {
                let output = Command::new("sh")
                    .args(["-c", command])
                    .current_dir(&here)
                    .env("PATH", &path)
                    .env_remove("CARGO")
                    .output()
                    .unwrap();
                printed = String::from_utf8_lossy(&output.stdout).into_owned();
                let errors = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(code), "{command}\n{printed}{errors}");
                commands += 1;
            }
            Step::File(text) => fs::write(here.join("takeover.toml"), text).unwrap(),
            Step::Printed(text) => {
                for line in text.lines().filter(|line| !line.is_empty()) {
                    assert!(printed.lines().any(|said| said == line), "{line}\nis not in\n{printed}");
                }
            }
        }
    }
    assert!(commands >= 15, "{commands}");
    // What it promises: the patch moved the rules, and the gate stands.
    let patch = fs::read_to_string(here.join("promote.diff")).unwrap();
    assert!(
        patch.contains("+\t// +k8s:beta(since: \"1.38\")=+k8s:ifDisabled(HPAScaleToZero)=+k8s:minimum=1"),
        "{patch}"
    );
    let types = fs::read_to_string(here.join("api/autoscaling/v1/types.go")).unwrap();
    assert!(!types.contains("k8s:alpha"), "{types}");
    let baseline = fs::read_to_string(here.join("takeover-baseline.txt")).unwrap();
    assert!(baseline.contains("beta   spec.minReplicas ifDisabled(HPAScaleToZero)=minimum=1"), "{baseline}");
}
