//! The second tutorial, done literally: what a CRD lacks of its webhook is found, and once it is complete the webhook may go and the gate
//! holds it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test stops at the first surprise, and says what it left out"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// What the page has to say, in its order.
#[derive(Debug)]
enum Step<'p> {
    /// A command, and the code that it ends with.
    Command(&'p str, i32),
    /// A file to save: its name and text.
    File(&'static str, &'p str),
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
            "toml" => steps.push(Step::File("takeover.toml", text)),
            "diff" => steps.push(Step::File("fix.diff", text)),
            other => {
                assert_eq!(other, "text", "a block that nothing is done with");
                steps.push(Step::Printed(text));
            }
        }
    }
    steps
}

/// Far fewer cases than the page asks for show the same, and are taken for enough.
const CASES: &str = "600";
const ENOUGH: &str = "\n[policy]\nmin-accepts = 1\nmin-rejects = 1\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The search path, with this program first.
fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_takeover")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&others))).unwrap()
}

fn sh(folder: &Path, command: &str) -> Output {
    Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path())
        .env_remove("CARGO")
        // Everything is there: a module that is looked for elsewhere is a mistake of this test.
        .envs([("GOPROXY", "off"), ("GOTOOLCHAIN", "local"), ("GOWORK", "off")])
        .output()
        .unwrap()
}

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
    let run = |command: &str, code: i32| {
        let output = sh(&here, &command.replace("20000", CASES));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{command}\n{printed}{errors}");
        printed
    };
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
            Step::File("takeover.toml", text) => {
                let mut text = text.replace("20000", CASES) + ENOUGH;
                if let Some(reference) = reference {
                    let line = text.lines().find(|line| line.starts_with("reference")).unwrap().to_owned();
                    text = text.replace(&line, &format!("reference = {{ {reference} }}"));
                }
                fs::write(here.join("takeover.toml"), text).unwrap();
            }
            Step::File(name, text) => fs::write(here.join(name), format!("{text}\n")).unwrap(),
            Step::Printed(text) => {
                for line in text.lines().filter(|line| !line.is_empty()) {
                    assert!(printed.lines().any(|said| said == line), "{line}\nis not in\n{printed}");
                }
            }
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
