//! Folders with Widgets, oracles of them that misbehave as they are told, and the program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const WIDGET: &str = "shop.example.com/v1 Widget";

/// The folder of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Whether there is a Python to run oracles with; says so where there is none.
pub(crate) fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok_and(|ran| ran.success());
    if !has {
        eprintln!("skipped: there is no `python3`, which runs the oracles of this test");
    }
    has
}

/// What came of a command.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Everything that it wrote.
    pub(crate) fn said(&self) -> String {
        format!("exit code {}\n{}{}", self.code, self.stdout, self.stderr)
    }
}

/// Runs a command to its end.
pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A folder in which the program runs.
pub(crate) struct Lab(TempDir);

impl Lab {
    /// A folder with the types of Widgets, and an oracle of them.
    pub(crate) fn new() -> Self {
        let lab = Self(TempDir::new().unwrap());
        lab.write("widget.yaml", include_str!("widget.yaml"));
        lab.write("oracle.py", include_str!("oracle.py"));
        lab
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The program in the folder.
    pub(crate) fn takeover(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.takeover(arguments))
    }

    /// Judges Widgets by two oracles.
    pub(crate) fn soak(&self, reference: &str, candidate: &str, more: &[&str]) -> Ran {
        let pair = ["--types", "widget.yaml", "--kind", WIDGET, "--reference", reference, "--candidate", candidate];
        self.run(&[&["soak", "--seed", "1"][..], &pair, more].concat())
    }

    /// The findings of a run, by their files.
    pub(crate) fn findings(&self, run: &str) -> Vec<Value> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.path(run).join("findings"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        files.sort();
        files.iter().map(|file| serde_json::from_slice(&fs::read(file).unwrap()).unwrap()).collect()
    }
}

/// What a finding is about: direction, type and field of its error, and its cause.
pub(crate) fn about(finding: &Value) -> [String; 4] {
    ["direction", "errorType", "path", "cause"]
        .map(|member| finding["signature"][member].as_str().unwrap_or_default().to_owned())
}

/// How many processes have `marker` in their command line, once those that are about to end have ended.
pub(crate) fn left_behind(marker: &str) -> usize {
    let count = || {
        let of = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes.map(of).filter(|line| String::from_utf8_lossy(line).contains(marker)).count()
    };
    let begun = Instant::now();
    while count() > 0 && begun.elapsed() < Duration::from_secs(3) {
        std::thread::sleep(Duration::from_millis(50));
    }
    count()
}
