//! What comes with an installed program: its version, completions, manual pages, and the package of a release.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_takeover");

fn takeover(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).env_remove("CARGO").output().unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

#[test]
fn the_version_names_commit_types_and_semantics() {
    let short = printed(&takeover(&["-V"]));
    let head = format!("takeover {} (", env!("CARGO_PKG_VERSION"));
    assert!(short.starts_with(&head) && short.trim_end().ends_with(')') && short.lines().count() == 1, "{short}");
    let long = printed(&takeover(&["--version"]));
    assert!(long.starts_with(short.trim_end()), "{long}");
    for line in ["Kubernetes types: 1.36", "semantics of the comparison: 1.35, 1.36, 1.37 (default 1.37)"] {
        assert!(long.lines().any(|said| said == line), "{line} is not in\n{long}");
    }
}

#[test]
fn shells_complete_commands_and_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = printed(&takeover(&["completions", shell]));
        for word in ["takeover", "validate", "checkpoint-every", "gate"] {
            assert!(text.contains(word), "{shell} does not know `{word}`");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("takeover.bash");
    fs::write(&script, printed(&takeover(&["completions", "bash"]))).unwrap();
    let complete = "source \"$0\"; COMP_WORDS=(takeover soak --resu); COMP_CWORD=2; _takeover takeover --resu soak; echo \"${COMPREPLY[@]}\"";
    let asked = Command::new("bash").args(["-c", complete]).arg(&script).output().unwrap();
    assert_eq!(printed(&asked), "--resume\n", "{}", String::from_utf8_lossy(&asked.stderr));
    assert_eq!(takeover(&["completions", "tcl"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    assert!(takeover(&["man", folder.path().to_str().unwrap()]).status.success());
    let help = printed(&takeover(&["--help"]));
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let listed = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let names = listed.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    let mut seen = 0;
    for name in names.filter(|name| *name != "help") {
        let page = fs::read_to_string(folder.path().join(format!("takeover-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains("Exit codes:"), "{name}: {page}");
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
    assert!(fs::read_to_string(folder.path().join("takeover.1")).unwrap().contains(".SH SYNOPSIS"));
}

#[test]
fn a_release_packs_the_program_with_what_belongs_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // Building is not what is tested: a stand-in of cargo writes down how it is asked, and hands over the program.
    let cargo = here.join("bin/cargo");
    fs::create_dir_all(here.join("bin")).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {0}/asked\nmkdir -p {0}/target/dist\ncp {PROGRAM} {0}/target/dist/takeover\n",
        here.display()
    );
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths(
        std::iter::once(here.join("bin")).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let packed = Command::new(root().join("deploy/package.sh"))
        .arg(here.join("packages"))
        .env("PATH", path.unwrap())
        .env("CARGO_TARGET_DIR", here.join("target"))
        .output()
        .unwrap();
    let checksum = printed(&packed);
    let asked = fs::read_to_string(here.join("asked")).unwrap();
    assert_eq!(asked, "build --locked --profile dist --package takeover-xtask --bin takeover\n");
    let name = checksum.split_whitespace().nth(1).unwrap();
    assert!(name.starts_with(&format!("takeover-{}-", env!("CARGO_PKG_VERSION"))), "{name}");
    let check = Command::new("sha256sum")
        .args(["--check", &format!("{name}.sha256")])
        .current_dir(here.join("packages"))
        .output()
        .unwrap();
    assert_eq!(printed(&check), format!("{name}: OK\n"));
    let list = Command::new("tar").arg("-tzf").arg(here.join("packages").join(name)).output().unwrap();
    let list = printed(&list);
    for file in [
        "takeover",
        "LICENSE",
        "README.md",
        "completions/_takeover",
        "completions/takeover.bash",
        "man/takeover-soak.1",
    ] {
        assert!(list.lines().any(|line| line.ends_with(&format!("/{file}"))), "{file} is not in\n{list}");
    }
}

#[test]
fn the_release_workflow_uses_what_is_here() {
    let text = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    assert!(manifest["profile"].get("dist").is_some());
    for target in
        ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"]
    {
        assert!(text.contains(&format!("target: {target},")), "{target}");
    }
    // Every script that a step runs is there and can be run, and what is packed is what is published.
    for script in text.split_whitespace().filter(|word| word.starts_with("deploy/")) {
        assert!(fs::metadata(root().join(script)).unwrap().permissions().mode() & 0o111 != 0, "{script}");
    }
    assert_eq!(text.matches("path: packages\n").count(), 2, "{text}");
    let pinned = text.lines().filter_map(|line| line.trim().strip_prefix("- uses: "));
    assert!(pinned.clone().count() >= 3 && pinned.clone().all(|action| action.contains("@v")), "{text}");
}
