//! The commands that only the whole program has. `cargo xtask` builds a smaller one, so that the first soak of a clone begins sooner; what
//! that lacks, it lets Cargo build when it is called for.

use crate::output;
use clap::Command;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process;
use takeover_engine::catalogue::NotBuilt;

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
        let what = if self.release { "measures a release" } else { "is not part of the first build" };
        replace(&format!("`{}` {what}", self.name), self.release)
    }
}

/// Evidence of servers that this program cannot read.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` has evidence of servers, which the first build does not read")]
pub struct ServersEvidence(String);

impl ServersEvidence {
    /// # Errors
    /// When `folder` has it: itself, or in the folders right in it.
    pub fn check(folder: &Path) -> Result<(), Self> {
        let is_of_server = |folder: &Path| folder.join("production.json").is_file();
        let within =
            || std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| is_of_server(&entry.path()));
        let is_needed = !cfg!(feature = "whole") && (is_of_server(folder) || within());
        if is_needed { Err(Self(folder.display().to_string())) } else { Ok(()) }
    }
}

/// Runs the whole program instead, if that lacks nothing of what this one said it lacks. Returns the error that remains.
pub fn instead(error: anyhow::Error) -> anyhow::Error {
    let lacks = |cause: &(dyn std::error::Error + 'static)| cause.is::<NotBuilt>() || cause.is::<ServersEvidence>();
    if error.chain().any(lacks) { replace(&format!("{error:#}"), false) } else { error }
}

fn replace(why: &str, release: bool) -> anyhow::Error {
    let Some(cargo) = std::env::var_os("CARGO") else {
        return anyhow::anyhow!(
            "{why}: use `cargo xtask`, or install the whole program with `cargo install --path xtask`"
        );
    };
    output::say(&format!("{why}; Cargo builds what is missing, which takes a few minutes the first time"));
    let mut whole = process::Command::new(cargo);
    whole.args(build(release)).args(std::env::args_os().skip(1));
    anyhow::Error::from(whole.exec()).context("failed to run cargo")
}

/// What Cargo is told before the arguments of the program.
fn build(release: bool) -> Vec<OsString> {
    let profile = if release { "release" } else { "quick" };
    ["run", "--profile", profile, "--package", env!("CARGO_PKG_NAME"), "--"].map(OsString::from).to_vec()
}

#[cfg(test)]
mod tests {
    use super::{LACKING, named};
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
    fn a_command_is_found_behind_flags_and_help() {
        let of = |line: &str| named(line.split(' ').map(str::to_owned)).map(|lacking| lacking.name);
        assert_eq!(of("shadow --self-test"), Some("shadow"));
        assert_eq!(of("--color never bench"), Some("bench"));
        assert_eq!(of("help merge"), Some("merge"));
        assert_eq!(of("soak --shard 1/2"), None, "the first build has it");
        assert_eq!(of("soak shadow"), None, "an argument is no command");
        assert_eq!(of("--help"), None);
    }
}
