//! The commands that only the whole program has. `cargo xtask` builds a smaller one, so that the first soak of a clone begins sooner; what
//! that lacks, it lets Cargo build when it is called for.

use crate::output;
use clap::Command;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process;
use takeover_engine::catalogue::NotBuilt;
use takeover_engine::run_folder;
use takeover_engine::storage::{NoObjectStores, OpenStorage};

/// A command that the smaller program lacks.
#[derive(Debug)]
pub struct Lacking {
    /// Its name.
    name: &'static str,
    /// What the list of commands says of it.
    about: &'static str,
    /// Whether it is built as a release, because it measures.
    release: bool,
}

const fn lacking(name: &'static str, about: &'static str) -> Lacking {
    Lacking { name, about, release: false }
}

/// All of them.
const LACKING: [Lacking; 5] = [
    lacking(
        "merge",
        "Combines the shards of a run, with the same evidence, findings and report as an unsharded run (see `soak --shard`)",
    ),
    Lacking { release: true, ..lacking("bench", "Measures the speed of both sides and of the harness") },
    lacking(
        "shadow",
        "Compares both sides on live traffic, as a mutating webhook that allows everything and changes nothing",
    ),
    lacking("completions", "Prints shell completions for commands and flags"),
    lacking("man", "Writes manual pages, one per command"),
];

/// The command that these arguments call or want help about, if this program lacks it.
pub fn called(arguments: impl IntoIterator<Item = String>) -> Option<&'static Lacking> {
    if cfg!(feature = "whole") { None } else { named(arguments) }
}

fn named(arguments: impl IntoIterator<Item = String>) -> Option<&'static Lacking> {
    let mut arguments = arguments.into_iter();
    loop {
        let argument = arguments.next()?;
        match argument.as_str() {
            // The one flag before a command takes a value.
            "--color" => drop(arguments.next()),
            "help" => {}
            // clap answers these.
            "-h" | "--help" | "-V" | "--version" => return None,
            flag if flag.starts_with('-') => {}
            name => return LACKING.iter().find(|lacking| lacking.name == name),
        }
    }
}

/// The command line with these commands, for the list of all.
pub fn completed(command: Command) -> Command {
    if cfg!(feature = "whole") {
        return command;
    }
    command.subcommands(LACKING.iter().map(|lacking| Command::new(lacking.name).about(lacking.about)))
}

impl Lacking {
    /// Has Cargo build the program that has this command, and replaces this process by it, with the same arguments. Returns why it cannot.
    pub fn run(&self) -> anyhow::Error {
        let what = if self.release { "needs an optimised build" } else { "is not in the quick build" };
        replace(&format!("`{}` {what}", self.name), self.release)
    }
}

/// The storages that this program can open.
pub fn storages() -> &'static dyn OpenStorage {
    #[cfg(feature = "whole")]
    return &takeover_store::ObjectStores;
    #[cfg(not(feature = "whole"))]
    return &takeover_engine::storage::FoldersOnly;
}

/// Evidence of servers that this program cannot read.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` has evidence of servers, which the quick build cannot read")]
pub struct ServersEvidence(String);

impl ServersEvidence {
    /// # Errors
    /// When the run in `folder` is one of servers.
    pub fn check(folder: &Path) -> Result<(), Self> {
        let is_of_servers = !cfg!(feature = "whole") && is_of_servers(folder);
        if is_of_servers { Err(Self(folder.display().to_string())) } else { Ok(()) }
    }

    /// # Errors
    /// When that is so, or `folder` is no run, but has such runs right in it.
    pub fn check_within(folder: &Path) -> Result<(), Self> {
        Self::check(folder)?;
        if cfg!(feature = "whole") || folder.join("run.json").is_file() {
            return Ok(());
        }
        let mut within = std::fs::read_dir(folder).into_iter().flatten().flatten();
        within.try_for_each(|entry| Self::check(&entry.path()))
    }
}

/// Whether `run.json` in `folder` says so.
fn is_of_servers(folder: &Path) -> bool {
    let record: Option<serde_json::Value> = run_folder::read_json(folder, "run.json").ok();
    record.is_some_and(|record| record.get("command").is_some_and(|command| command == "shadow"))
}

/// Runs the whole program instead, if that lacks nothing of what this one said it lacks. Returns the error that remains.
pub fn instead(error: anyhow::Error) -> anyhow::Error {
    let lacks = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<NotBuilt>() || cause.is::<NoObjectStores>() || cause.is::<ServersEvidence>()
    };
    if error.chain().any(lacks) { replace(&format!("{error:#}"), false) } else { error }
}

fn replace(why: &str, release: bool) -> anyhow::Error {
    let package = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let cargo = std::env::var_os("CARGO").filter(|_| package.is_file());
    let Some(cargo) = cargo else {
        return anyhow::anyhow!(
            "{why}: use `cargo xtask`, or install the full program with `cargo install --path xtask`"
        );
    };
    output::say(&format!("{why}; Cargo builds what is missing, which takes a few minutes the first time"));
    let mut whole = process::Command::new(cargo);
    whole.args(["run", "--profile", if release { "release" } else { "quick" }, "--manifest-path"]).arg(package);
    whole.arg("--").args(std::env::args_os().skip(1));
    anyhow::Error::from(whole.exec()).context("failed to run cargo")
}

#[cfg(test)]
mod tests {
    use super::{LACKING, is_of_servers, named};
    use crate::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn what_the_first_build_lacks_is_listed_as_the_whole_program_lists_it() {
        let whole = Cli::command();
        for lacking in &LACKING {
            let about = whole.find_subcommand(lacking.name).and_then(clap::Command::get_about).map(ToString::to_string);
            assert_eq!(about.as_deref(), Some(lacking.about), "{}", lacking.name);
        }
    }

    #[test]
    fn runs_of_servers_are_known_by_their_record() {
        let folder = tempfile::tempdir().unwrap();
        let (server, soak) = (folder.path().join("one"), folder.path().join("two"));
        for (place, command) in [(&server, "shadow"), (&soak, "soak")] {
            std::fs::create_dir(place).unwrap();
            std::fs::write(place.join("run.json"), format!("{{\"command\": \"{command}\"}}")).unwrap();
        }
        assert!(is_of_servers(&server) && !is_of_servers(&soak) && !is_of_servers(folder.path()));
    }

    #[test]
    fn a_command_is_found_behind_flags_and_help() {
        let of = |line: &str| named(line.split(' ').map(str::to_owned)).map(|lacking| lacking.name);
        assert_eq!(of("shadow --self-test"), Some("shadow"));
        assert_eq!(of("--color never bench"), Some("bench"));
        assert_eq!(of("help merge"), Some("merge"));
        assert_eq!(of("soak --shard 1/2"), None, "the first build has it");
        assert_eq!(of("soak shadow"), None, "an argument is no command");
        assert_eq!(of("--help"), None);
        assert_eq!(of("-h merge"), None, "clap shows the list");
        assert_eq!(of("--version shadow"), None);
    }
}
