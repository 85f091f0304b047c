//! The commands of `docs/ci.md`, run as they are written there.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A project without anything, in which the program is installed.
struct Project(TempDir);

struct Ran {
    code: i32,
    said: String,
}

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        // What installs it is written down rather than run.
        for tool in ["cargo", "rustup"] {
            let fake = project.path("bin").join(tool);
            fs::create_dir_all(project.path("bin")).unwrap();
            fs::write(&fake, format!("#!/bin/sh\necho {tool} \"$@\" >> \"$INSTALLED\"\n")).unwrap();
            fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs `script`, with the program on the path or without it.
    fn run(&self, script: &str, installed: bool) -> Ran {
        let program = assert_cmd::cargo::cargo_bin("takeover");
        let mut places = vec![self.path("bin")];
        places.extend(installed.then(|| program.parent().unwrap().to_owned()));
        places.extend(["/usr/bin", "/bin"].map(PathBuf::from));
        let path: OsString = std::env::join_paths(places).unwrap();
        let output = Command::new("sh")
            .args(["-c", script])
            .current_dir(self.0.path())
            .env("PATH", path)
            .env("INSTALLED", self.path("installed"))
            .env("TAKEOVER_SOURCE", "takeover")
            .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        Ran { code: output.status.code().unwrap_or(-1), said: String::from_utf8_lossy(&said).into_owned() }
    }

    /// Fewer kinds and cases than by default, as a test has no minutes.
    fn shrink(&self) {
        let example = self.read("takeover.toml");
        let small = example.replacen("only = []", "only = [\"NetworkPolicy\"]", 1).replacen(
            "cases = 400000",
            "cases = 6000",
            1,
        );
        // The two sides differ in this kind by ratcheting alone.
        let line = example.lines().find(|line| line.starts_with("ratchets = ")).unwrap();
        let small = small.replacen(line, "ratchets = { treat = \"block\" }", 1);
        assert_eq!(example.lines().zip(small.lines()).filter(|(was, is)| was != is).count(), 3);
        fs::write(self.path("takeover.toml"), small).unwrap();
    }
}

fn document() -> String {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "ci.md"].iter().collect();
    fs::read_to_string(file).unwrap()
}

/// The only block of the document in this language.
fn block(language: &str) -> String {
    let text = document();
    let fence = format!("```{language}\n");
    let mut parts = text.split(&fence).skip(1);
    let block = parts.next().unwrap().split("\n```\n").next().unwrap().to_owned();
    assert!(parts.next().is_none(), "several {language} blocks");
    block
}

/// What the steps of the workflow run, by name.
fn steps() -> Vec<(String, String)> {
    let workflow = block("yaml");
    let mut steps = Vec::new();
    for step in workflow.split("\n      - name: ").skip(1) {
        let step = step.split("\n      - ").next().unwrap();
        let (name, rest) = step.split_once('\n').unwrap();
        let (_, run) = rest.split_once("        run: ").unwrap();
        let lines = run.strip_prefix("|\n").unwrap_or(run).lines().map(str::trim);
        steps.push((name.to_owned(), lines.collect::<Vec<_>>().join("\n")));
    }
    steps
}

/// The commands to run once, and what they end with.
fn once() -> Vec<(String, i32)> {
    let lines = block("console");
    let commands = lines.lines().map(|line| {
        let command = line.strip_prefix("$ ").unwrap();
        match command.rsplit_once("   # ") {
            Some((command, code)) => (command.to_owned(), code.parse().unwrap()),
            None => (command.to_owned(), 0),
        }
    });
    commands.collect()
}

/// A project that did what is to be done once.
fn begun() -> Project {
    let project = Project::new();
    for (command, code) in once() {
        let ran = project.run(&command, true);
        assert_eq!(ran.code, code, "{command}\n{}", ran.said);
        if command.contains("--example") {
            project.shrink();
        }
    }
    for file in ["takeover.toml", "takeover-exceptions.toml", "takeover-baseline.txt"] {
        assert!(document().contains(&format!("`{file}`")) && project.path(file).is_file(), "{file}");
    }
    project
}

#[test]
fn the_script_passes_in_a_project_that_did_what_is_done_once_and_fails_with_the_code_of_the_gate() {
    let project = begun();
    let script = block("sh");
    let passed = project.run(&script, true);
    assert_eq!(passed.code, 0, "{}", passed.said);
    for left in ["report.html", "junit.xml", "report.md"] {
        assert!(project.path("target/takeover/gate").join(left).is_file(), "{left}");
    }
    assert!(!project.path("installed").exists(), "nothing is installed where the program is");

    let exceptions = project.read("takeover-exceptions.toml");
    fs::write(project.path("takeover-exceptions.toml"), "").unwrap();
    fs::remove_dir_all(project.path("target")).unwrap();
    let failed = project.run(&script, true);
    assert_eq!(failed.code, 1, "{}", failed.said);
    assert!(project.path("target/takeover/gate/junit.xml").is_file(), "the results of a failed gate are kept, too");

    fs::write(project.path("takeover-exceptions.toml"), exceptions).unwrap();
    fs::write(project.path("takeover.toml"), "[budget]\ncase = 1\n").unwrap();
    let wrong = project.run(&script, true);
    assert_eq!(wrong.code, 2, "{}", wrong.said);
}

#[test]
fn the_script_installs_the_program_where_it_is_not() {
    let project = Project::new();
    let ran = project.run(&block("sh"), false);
    assert_eq!(project.read("installed"), "cargo install --locked --path takeover/xtask\n");
    assert_ne!(ran.code, 0, "it was not installed really");
}

#[test]
fn the_steps_of_the_workflow_run_in_turn_and_annotate_what_fails() {
    let project = begun();
    let steps = steps();
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Install", "Settings", "Gate", "Summary"]);
    for (name, run) in &steps {
        let ran = project.run(&format!("set -e\n{run}"), true);
        assert_eq!(ran.code, 0, "{name}: {}", ran.said);
    }
    assert!(project.read("installed").ends_with("cargo +stable install --locked --path .takeover/xtask\n"));
    assert!(project.read("summary.md").contains("NetworkPolicy"));

    fs::write(project.path("takeover-exceptions.toml"), "").unwrap();
    let (_, gate) = steps.iter().find(|(name, _)| name == "Gate").unwrap();
    let failed = project.run(gate, true);
    assert_eq!(failed.code, 1);
    assert!(failed.said.contains("::error "), "{}", failed.said);
}

#[test]
fn what_the_workflow_keeps_is_where_the_gate_leaves_it() {
    let workflow = block("yaml");
    let folder = "target/takeover/gate";
    // The checkpoint of a run that was killed holds recorded objects as they are.
    let kept = format!("          path: |\n            {folder}\n            !{folder}/checkpoint\n");
    assert!(workflow.contains(&kept));
    let help = Command::new(assert_cmd::cargo::cargo_bin("takeover")).args(["gate", "--help"]).output().unwrap();
    assert!(String::from_utf8_lossy(&help.stdout).contains(&format!("[default: {folder},")));
    // What `cargo install --path` is given is the package of the program.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(package.ends_with("xtask") && workflow.contains("--path .takeover/xtask\n"));
}
