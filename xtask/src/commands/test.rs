//! `cargo xtask test`: everything that CI tests.

use crate::exit_code::Exit;
use anyhow::Context as _;
use clap::Args;
use std::process::Command;

/// Builds and runs every test: unit, table, property, documentation and command-line tests of all crates.
///
/// Needs the source checkout: run it inside the repository.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask test",
    "cargo xtask test -- matcher      only tests whose name holds `matcher`",
]))]
pub struct Test {
    /// Passed on to the test programs.
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Test {
    /// Runs `cargo test` on the workspace.
    ///
    /// # Errors
    /// When cargo cannot be started.
    pub fn run(self) -> anyhow::Result<Exit> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["test", "--workspace", "--no-fail-fast"]);
        if !self.arguments.is_empty() {
            // Filters match nothing in some of the test programs, which is not a failure.
            command.arg("--").args(&self.arguments);
        }
        let status = command.status().context("failed to start `cargo test`: is cargo installed and on the PATH?")?;
        Ok(if status.success() { Exit::Ready } else { Exit::Findings })
    }
}
