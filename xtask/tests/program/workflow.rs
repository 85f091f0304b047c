//! The workflow document, done literally in a scratch repository, ends in the patch and the gate that it promises.

use crate::page::{Step, expect_printed, steps};
use crate::shell::{follow, root};
use std::fs;

#[test]
fn the_workflow_leads_from_edited_types_to_a_patch_and_a_gate_that_holds() {
    let page = fs::read_to_string(root().join("docs/workflow.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The clone that the page speaks of, beside the project.
    std::os::unix::fs::symlink(root(), folder.path().join("takeover")).unwrap();
    let here = folder.path().join("project");
    fs::create_dir(&here).unwrap();
    let (mut commands, mut printed) = (0, String::new());
    for step in steps(&page) {
        match step {
            Step::Command(command, code) => {
                printed = follow(&here, command, code);
                commands += 1;
            }
            Step::File("toml", text) => fs::write(here.join("takeover.toml"), text).unwrap(),
            Step::File(language, _) => assert_eq!(language, "go", "a block that nothing is done with"),
            Step::Printed(text) => expect_printed(text, &printed),
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
