//! `cargo xtask completions` and `cargo xtask man`: what shells and `man` know of this program.

use crate::Cli;
use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use std::path::PathBuf;
use takeover_engine::run_folder::write_whole;
use takeover_harness::text::plural;

/// Prints shell completions for commands and flags.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "takeover completions bash > ~/.local/share/bash-completion/completions/takeover",
    "takeover completions zsh > ~/.zfunc/_takeover",
    "takeover completions fish > ~/.config/fish/completions/takeover.fish",
], codes::PRINT))]
pub struct Completions {
    /// Shell to complete for.
    shell: Shell,
}

impl Completions {
    /// Prints.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut installed(), "takeover", &mut text);
        output::print(&String::from_utf8_lossy(&text))?;
        Ok(Exit::Ready)
    }
}

/// Writes manual pages, one per command.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "takeover man ~/.local/share/man/man1",
    "takeover man . && man ./takeover-soak.1",
], codes::PRINT))]
pub struct Man {
    /// Folder to write them to.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    /// Writes.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let folder = &self.folder;
        std::fs::create_dir_all(folder).with_context(|| format!("failed to create `{}`", folder.display()))?;
        let mut command = installed();
        command.build();
        let written = pages(&command, folder)?;
        output::say(&format!("note: {} are in `{}`", plural(written as u64, "manual page"), folder.display()));
        Ok(Exit::Ready)
    }
}

/// The program as it is installed.
fn installed() -> clap::Command {
    Cli::command().bin_name("takeover")
}

/// Writes the page of a command and those of the commands below it; says how many.
fn pages(command: &clap::Command, folder: &std::path::Path) -> anyhow::Result<usize> {
    let page = clap_mangen::Man::new(command.clone());
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let place = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    page.render(&mut text).with_context(|| format!("failed to write `{}`", place.display()))?;
    write_whole(&place, &text)?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.map(|below| pages(below, folder)).sum::<anyhow::Result<usize>>().map(|below| below + 1)
}
