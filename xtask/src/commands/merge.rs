//! `cargo xtask merge`: shards to one run.

use super::Format;
use super::soak::print;
use crate::exit_code::Exit;
use crate::soak;
use clap::Args;
use std::path::PathBuf;

/// Puts the shards of a run together (see `soak --shard`): the same evidence, findings and report as of the run in one piece.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask soak --seed 7 --cases 1000000 --shard 1/2 --out one",
    "cargo xtask soak --seed 7 --cases 1000000 --shard 2/2 --out two    # on another machine, say",
    "cargo xtask merge one two --out whole",
]))]
pub struct Merge {
    /// Run folders of the shards, in any order.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The run folder to write.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Merge although shards are missing; run.json and the report say so.
    #[arg(long)]
    partial: bool,
    /// How to print the report.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Merge {
    /// Merges and prints the report.
    ///
    /// # Errors
    /// When the shards do not belong together, one is missing or unreadable, or the folder cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let Self { runs, out, partial, format } = self;
        let merged = soak::merge(&soak::Merge { runs, out, partial });
        let merged = merged.map(|(soaked, notes)| {
            for note in notes {
                eprintln!("note: {note}");
            }
            soaked
        });
        print(merged, format)
    }
}
