//! What comes with an installed program: its version, completions, manual pages, and the package of a release.

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use takeover_corpora::load::{Input, Limits, load};
use tempfile::TempDir;

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

/// A build script outside of Cargo, which says what it tells Cargo.
fn told(script: &Path, package: &Path, named: Option<&str>) -> String {
    let mut command = Command::new(script);
    command.current_dir(package).env("PROFILE", "release").env_remove("TAKEOVER_COMMIT");
    command.env("GIT_CEILING_DIRECTORIES", std::env::temp_dir());
    printed(&command.envs(named.map(|commit| ("TAKEOVER_COMMIT", commit))).output().unwrap())
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    printed(&Command::new("git").args(who).args(arguments).current_dir(folder).output().unwrap())
}

#[test]
fn the_version_names_a_commit_of_this_repository_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let script = here.join("script");
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "-o"])
        .arg(&script)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs"))
        .output()
        .unwrap();
    printed(&compiled);
    let (root, package) = (here.join("takeover"), here.join("takeover/xtask"));
    fs::create_dir_all(&package).unwrap();
    let unknown = "cargo::rustc-env=TAKEOVER_COMMIT=commit unknown\n";
    assert!(told(&script, &package, None).ends_with(unknown), "without git");

    git(&root, &["init", "--quiet"]);
    assert!(told(&script, &package, None).ends_with(unknown), "without a commit");
    git(&root, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
    let commit = git(&root, &["log", "-1", "--format=%h %cs"]);
    let known = format!("cargo::rustc-env=TAKEOVER_COMMIT={commit}");
    assert!(told(&script, &package, None).ends_with(&known), "{known}");
    assert!(told(&script, &package, Some("abc 2026-01-02")).ends_with("=abc 2026-01-02\n"), "named from outside");

    // What Cargo watches is there, with a log of commits and without.
    for watches in ["logs/HEAD", "HEAD"] {
        let told = told(&script, &package, None);
        let watched: Vec<&str> =
            told.lines().filter_map(|line| line.strip_prefix("cargo::rerun-if-changed=")).collect();
        let (script, of_git) = watched.split_first().unwrap();
        assert_eq!(*script, "build.rs");
        assert!(of_git.iter().any(|file| file.ends_with(watches)), "{watches} is not in {watched:?}");
        assert!(of_git.iter().all(|file| package.join(file).exists()), "{watched:?}");
        let _ = fs::remove_file(root.join(".git/logs/HEAD"));
    }

    let vendored = root.join("third_party/takeover/xtask");
    fs::create_dir_all(&vendored).unwrap();
    assert!(told(&script, &vendored, None).ends_with(unknown), "in another repository");
}

/// The workflow, by the loader that also refuses repeated keys.
fn workflow() -> Value {
    let text = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("release.yaml");
    fs::write(&object, format!("apiVersion: v1\nkind: Workflow\n{text}")).unwrap();
    let mut documents = load(vec![Input::named(&object)], Limits::default());
    documents.next().unwrap().unwrap().value
}

fn steps(workflow: &Value, job: &str) -> Vec<Value> {
    workflow["jobs"][job]["steps"].as_array().unwrap().clone()
}

/// A machine that releases: sources, and stand-ins of what builds and publishes that write down how they are called.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for file in ["deploy/package.sh", "Cargo.toml", "LICENSE", "README.md", "CHANGELOG.md"] {
            fs::create_dir_all(machine.path(file).parent().unwrap()).unwrap();
            fs::copy(root().join(file), machine.path(file)).unwrap();
        }
        fs::create_dir_all(machine.path("bin")).unwrap();
        let build = format!("mkdir -p target/dist && cp {PROGRAM} target/dist/takeover");
        for (tool, does) in [("cargo", build.as_str()), ("rustup", ""), ("gh", "")] {
            let script = format!("#!/bin/sh\necho {tool} \"$@\" >> \"$CALLED\"\n{does}\n");
            fs::write(machine.path("bin").join(tool), script).unwrap();
            fs::set_permissions(machine.path("bin").join(tool), fs::Permissions::from_mode(0o755)).unwrap();
        }
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the scripts of a job up to the first that fails, and says which that is.
    fn run(&self, steps: &[Value], tag: &str, target: &str) -> Result<(), String> {
        let mut path = vec![self.path("bin")];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
        for script in steps.iter().filter_map(|step| step["run"].as_str()) {
            let script = script.replace("${{ matrix.target }}", target);
            assert!(!script.contains("${{"), "{script}");
            let output = Command::new("bash")
                .args(["-e", "-c", &script])
                .current_dir(self.0.path())
                .env("PATH", std::env::join_paths(&path).unwrap())
                .env("CALLED", self.path("called"))
                .env("GITHUB_REF_NAME", tag)
                .env("GITHUB_REPOSITORY", "example/takeover")
                .env_remove("CARGO_TARGET_DIR")
                .output()
                .unwrap();
            if !output.status.success() {
                return Err(format!("{script}: {}", String::from_utf8_lossy(&output.stderr)));
            }
        }
        Ok(())
    }
}

#[test]
fn the_release_workflow_publishes_the_program_with_what_belongs_to_it() {
    let host = printed(&Command::new("rustc").arg("-vV").output().unwrap());
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let (machine, workflow) = (Machine::new(), workflow());
    let failed = machine.run(&steps(&workflow, "build"), "v99.0.0", host).unwrap_err();
    assert!(failed.contains("GITHUB_REF_NAME") && !machine.path("called").exists(), "{failed}");

    let tag = format!("v{version}");
    machine.run(&steps(&workflow, "build"), &tag, host).unwrap();
    machine.run(&steps(&workflow, "publish"), &tag, host).unwrap();
    let package = format!("packages/takeover-{version}-{host}.tar.gz");
    let called = fs::read_to_string(machine.path("called")).unwrap();
    let built = "cargo build --locked --profile dist --package takeover-xtask --bin takeover";
    assert!(called.lines().any(|call| call == built), "{called}");
    let published = format!("gh release create {tag} {package} {package}.sha256 --repo example/takeover ");
    assert!(called.lines().last().unwrap().starts_with(&published), "{called}");
    let profiles: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    assert!(profiles["profile"].get("dist").is_some());

    let list = printed(&Command::new("tar").arg("-tzf").arg(machine.path(&package)).output().unwrap());
    for file in [
        "takeover",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "completions/takeover.bash",
        "completions/_takeover",
        "completions/takeover.fish",
        "man/takeover.1",
        "man/takeover-soak.1",
    ] {
        let file = format!("takeover-{version}-{host}/{file}");
        assert!(list.lines().any(|line| line == file), "{file} is not in\n{list}");
    }
    fs::write(machine.path(&package), "another").unwrap();
    let failed = machine.run(&steps(&workflow, "publish"), &tag, host).unwrap_err();
    assert!(failed.contains("sha256sum"), "{failed}");
}

#[test]
fn a_release_is_built_on_the_usual_systems_and_only_publishing_may_write() {
    let workflow = workflow();
    let matrix = &workflow["jobs"]["build"]["strategy"]["matrix"]["include"];
    let mut built: Vec<(&str, &str)> = matrix
        .as_array()
        .unwrap()
        .iter()
        .map(|system| {
            let name = |key: &str| system[key].as_str().unwrap();
            (name("target"), name("runner"))
        })
        .collect();
    built.sort_unstable();
    let usual = [
        ("aarch64-apple-darwin", "macos-15"),
        ("aarch64-unknown-linux-gnu", "ubuntu-22.04-arm"),
        ("x86_64-apple-darwin", "macos-15-intel"),
        ("x86_64-unknown-linux-gnu", "ubuntu-22.04"),
    ];
    assert_eq!(built, usual);
    // Kubernetes' YAML takes `on` for a boolean.
    assert_eq!(workflow["true"]["push"]["tags"], json!(["v*"]));
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    assert_eq!(workflow["jobs"]["build"].get("permissions"), None);
    assert_eq!(workflow["jobs"]["publish"]["permissions"], json!({"contents": "write"}));

    // What one job leaves is what the other takes.
    let with = |job: &str, action: &str| {
        let mut uses = steps(&workflow, job)
            .into_iter()
            .filter(|step| step["uses"].as_str().is_some_and(|uses| uses.starts_with(action)));
        uses.next().unwrap()["with"].clone()
    };
    let (left, taken) = (with("build", "actions/upload-artifact@"), with("publish", "actions/download-artifact@"));
    assert_eq!((&left["path"], &left["if-no-files-found"]), (&json!("packages"), &json!("error")));
    assert_eq!((&taken["path"], &taken["merge-multiple"]), (&left["path"], &json!(true)));
}
