//! The second tutorial, done literally: what a CRD lacks of its webhook is found, and once it is complete the webhook may go and the gate
//! holds it.

use crate::page::{Step, expect_printed, steps};
use crate::shell;
use crate::shell::{root, sh};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Far fewer cases than the page asks for show the same, and are taken for enough.
const CASES: &str = "800";
const ENOUGH: &str = "\n[policy]\nmin-accepts = 1\nmin-rejects = 1\n";

fn is_there(program: &str) -> bool {
    let there = sh(Path::new("."), program).status.success();
    if !there {
        eprintln!("left out: `{program}` fails");
    }
    there
}

/// Does what the page says up to the heading `until`, with another reference if one is given, and returns how many commands that were.
fn follow(until: &str, reference: Option<&str>) -> usize {
    let page = fs::read_to_string(root().join("docs/webhook-to-crd.md")).unwrap();
    let (page, _) = page.split_once(until).unwrap();
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::symlink(root(), folder.path().join("takeover")).unwrap();
    let here = folder.path().join("operator");
    fs::create_dir(&here).unwrap();
    let run = |command: &str, code: i32| shell::follow(&here, &command.replace("20000", CASES), code);
    if reference.is_some() {
        let build = page.split('`').find(|text| text.starts_with("go -C")).unwrap();
        run(build, 0);
    }
    let (mut commands, mut printed) = (0, String::new());
    for step in steps(page) {
        match step {
            // Findings have other numbers in fewer cases: the screen says which command shows the most telling one.
            Step::Command(command, code) if command.contains(" validate ") => {
                let shown = printed.lines().find(|line| line.trim().starts_with("takeover validate")).unwrap();
                let (program, _) = command.rsplit_once('/').unwrap();
                assert!(shown.trim().starts_with(program), "{command}\n{shown}");
                printed = run(shown.trim(), code);
                commands += 1;
            }
            Step::Command(command, code) => {
                printed = run(command, code);
                commands += 1;
            }
            Step::File("toml", text) => {
                let mut text = text.replace("20000", CASES) + ENOUGH;
                if let Some(reference) = reference {
                    let line = text.lines().find(|line| line.starts_with("reference")).unwrap().to_owned();
                    text = text.replace(&line, &format!("reference = {{ {reference} }}"));
                }
                fs::write(here.join("takeover.toml"), text).unwrap();
            }
            Step::File(language, text) => {
                assert_eq!(language, "diff", "a block that nothing is done with");
                fs::write(here.join("fix.diff"), format!("{text}\n")).unwrap();
            }
            Step::Printed(text) => expect_printed(text, &printed),
        }
    }
    commands
}

#[test]
fn a_webhook_in_python_may_go_once_the_crd_is_complete_and_the_gate_holds_it() {
    if is_there("python3 --version") {
        assert_eq!(follow("\n## 5. ", None), 11);
    }
}

#[test]
fn the_same_webhook_in_go_may_go() {
    if is_there("go version") {
        assert_eq!(follow("\n## 4. ", Some("exec = [\"./scalepolicy\"]")), 6);
    }
}
