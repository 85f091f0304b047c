//! Runs commands as documents give them, with this program on the search path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of this repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The search path, with this program first.
fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_takeover")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&others))).unwrap()
}

/// Runs a command in a folder.
pub(crate) fn sh(folder: &Path, command: &str) -> Output {
    Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path())
        .env_remove("CARGO")
        // Everything is there: a Go module that is looked for elsewhere is a mistake of the test.
        .envs([("GOPROXY", "off"), ("GOFLAGS", "-mod=mod"), ("GOTOOLCHAIN", "local"), ("GOWORK", "off")])
        .output()
        .unwrap()
}

/// Runs a command that must end with this code, and returns what it printed.
pub(crate) fn follow(folder: &Path, command: &str, code: i32) -> String {
    let output = sh(folder, command);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{command}\n{printed}{errors}");
    printed
}
