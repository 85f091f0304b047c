//! `cargo xtask test`: everything that CI tests.

use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::Context as _;
use clap::Args;
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// Runs every check and test that CI runs: formatting, lints, documentation, licences, and all tests of all crates.
///
/// Checks whose tool is not installed are skipped and named. Run it inside the source repository.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask test",
    "cargo xtask test -- matcher      only tests whose name contains `matcher`, no other checks",
], codes::TEST))]
pub struct Test {
    /// Arguments for the test programs; the other checks are then skipped.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// A check: a cargo subcommand.
struct Check {
    name: &'static str,
    arguments: &'static [&'static str],
    rustdoc_flags: &'static str,
    /// Whether to go on without it when the tool is not installed.
    optional: bool,
}

const CHECKS: [Check; 4] = [
    Check { name: "formatting", arguments: &["fmt", "--all", "--check"], rustdoc_flags: "", optional: true },
    Check {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        rustdoc_flags: "",
        optional: true,
    },
    Check {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--all-features"],
        rustdoc_flags: "-D warnings",
        optional: false,
    },
    Check {
        name: "licences, bans and sources of dependencies",
        arguments: &["deny", "check", "bans", "licenses", "sources"],
        rustdoc_flags: "",
        optional: true,
    },
];

impl Test {
    /// Runs the checks, then `cargo test` on the workspace; all of them, also after one has failed.
    ///
    /// # Errors
    /// Outside the repository, and when cargo cannot be started.
    pub fn run(self) -> anyhow::Result<Exit> {
        let here = std::env::current_dir().context("failed to find the working folder")?;
        if !here.ancestors().any(|folder| folder.join("xtask").join("Cargo.toml").is_file()) {
            anyhow::bail!("`{}` is not inside the Takeover repository, which contains the tests", here.display());
        }
        let mut failed = Vec::new();
        if self.arguments.is_empty() {
            for check in CHECKS {
                if check.optional && !installed(&check)? {
                    output::say(&format!("== {}: skipped, `cargo {}` is not installed", check.name, first(&check)));
                    continue;
                }
                output::say(&format!("== {}", check.name));
                let mut command = cargo();
                command.args(check.arguments);
                if !check.rustdoc_flags.is_empty() {
                    command.env("RUSTDOCFLAGS", check.rustdoc_flags);
                }
                if !succeeds(command)? {
                    failed.push(check.name);
                }
            }
        }
        output::say("== tests");
        let mut command = cargo();
        command.args(["test", "--workspace", "--no-fail-fast"]);
        if !self.arguments.is_empty() {
            command.arg("--").args(&self.arguments);
        }
        if !succeeds(command)? {
            failed.push("tests");
        }
        if failed.is_empty() {
            return Ok(Exit::Ready);
        }
        output::say(&format!("failed: {}", failed.join(", ")));
        Ok(Exit::Findings)
    }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

fn first(check: &Check) -> &'static str {
    check.arguments.first().copied().unwrap_or_default()
}

fn installed(check: &Check) -> anyhow::Result<bool> {
    let mut command = cargo();
    command.args([first(check), "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    succeeds(command)
}

fn succeeds(mut command: Command) -> anyhow::Result<bool> {
    let status = command.status().context("failed to start cargo: is it installed and on the PATH?")?;
    Ok(status.success())
}
