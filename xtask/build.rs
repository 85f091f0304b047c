//! Tells the program its commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TAKEOVER_COMMIT");
    // Cargo says which profile is inherited; the folder that it writes to has the name of the profile itself.
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    let is_quick = Path::new(&out).ancestors().nth(3).is_some_and(|folder| folder.ends_with("quick"));
    // A debug build would be made anew with every commit.
    let is_release = is_quick || std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let named = std::env::var("TAKEOVER_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| if is_release { commit() } else { Some("debug build".to_owned()) });
    println!("cargo::rustc-env=TAKEOVER_COMMIT={}", commit.unwrap_or_else(|| "commit unknown".to_owned()));
}

/// Hash and day of the commit; none outside of a checkout, or without git.
fn commit() -> Option<String> {
    // Sources that lie in another repository, as vendored ones do, are not of its commits.
    if git(&["rev-parse", "--show-prefix"])? != "xtask/" {
        return None;
    }
    // Every commit and checkout writes to the log, where one is kept. For a file that is not there Cargo would build every time.
    let log = git_path("logs/HEAD").map(|log| vec![log]);
    for watched in log.unwrap_or_else(|| ["HEAD", "refs"].into_iter().filter_map(git_path).collect()) {
        println!("cargo::rerun-if-changed={watched}");
    }
    git(&["log", "-1", "--format=%h %cs"])
}

/// Where git keeps `name`, if it is there.
fn git_path(name: &str) -> Option<String> {
    git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists())
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
