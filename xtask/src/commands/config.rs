//! `cargo xtask config`: the settings of a project.

use crate::exit_code::{Exit, codes};
use crate::output;
use clap::Args;
use std::path::PathBuf;
use takeover_engine::config::{Config, EXAMPLE};

/// Checks takeover.toml and prints the settings in force, or prints an example with every setting.
#[derive(Args)]
#[command(name = "config", after_help = Exit::after_help(&[
    "cargo xtask config --example > takeover.toml",
    "cargo xtask config",
    "cargo xtask config --config teams/takeover.toml",
], codes::PRINT))]
pub struct ConfigCommand {
    /// Settings file to check [default: takeover.toml in the current folder; if it does not exist, the defaults].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print a takeover.toml with every setting, its meaning and its default.
    #[arg(long, conflicts_with = "config")]
    example: bool,
}

impl ConfigCommand {
    /// Prints the example, or the settings in force.
    ///
    /// # Errors
    /// When the file cannot be read or has a mistake.
    pub fn run(self) -> anyhow::Result<Exit> {
        if self.example {
            output::print(EXAMPLE)?;
        } else {
            let config = Config::load(self.config.as_deref())?;
            config.check_places()?;
            output::print_json(&config)?;
        }
        Ok(Exit::Ready)
    }
}
