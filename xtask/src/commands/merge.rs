//! `cargo xtask merge`: shards to one run, and what servers saw to what a soak saw.

use super::merge_stored::{MergedRuns, folders, merge_stored, source, whole};
use super::printing::Printing;
use super::units::duration;
use super::watched::print;
use crate::exit_code::{Exit, codes};
use crate::output;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use takeover_engine::config::Config;
use takeover_engine::run::ShardMerge;
use takeover_engine::storage::Location;
use takeover_shadow::merge::{Divided, Servers, divide};

/// Combines the shards of a run, with the same evidence, findings and report as an unsharded run (see `soak --shard`).
///
/// Also combines the evidence of servers: their run folders (see `shadow --out`) and files downloaded from their /evidence
/// page, alone or together with shards. The report states separately how much of the evidence comes from production.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask soak --seed 7 --cases 1000000 --shard 1/2 --out one",
    "cargo xtask soak --seed 7 --cases 1000000 --shard 2/2 --out two    # on another machine, say",
    "cargo xtask merge one two --out whole",
    "cargo xtask merge s3://bucket/run --out whole              # the shards that are stored there",
    "cargo xtask merge s3://bucket/run --wait 6h --out s3://bucket/run",
    "cargo xtask merge evidence/* --out production              # the evidence of all replicas of `shadow`",
    "curl localhost:9090/evidence -o one.json                   # the current evidence of a server
  cargo xtask merge one.json two.json --out production",
    "cargo xtask merge soak evidence/* --out everything",
], codes::MERGE))]
pub struct Merge {
    /// Run folders of shards or servers, folders that contain the run folders of servers, evidence files of servers, and addresses that
    /// shards were stored at (`s3://BUCKET/PREFIX`), in any order.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Write the combined run to this folder, or address.
    #[arg(long, value_name = "DIR|ADDRESS")]
    out: PathBuf,
    /// Wait this long for shards that are not stored yet, such as 6h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    wait: Option<Duration>,
    /// Merge even if shards are missing; run.json and the report say so.
    #[arg(long)]
    partial: bool,
    /// Replace a run that is already in the folder.
    #[arg(long)]
    force: bool,
    /// Folder of Go types that the servers were started with, if any. Soaks record this themselves.
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    /// Read the policy and exceptions for the evidence of servers from this file [default: takeover.toml in the current folder, if
    /// it exists]. Soaks record their own.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) printing: Printing,
}

impl Merge {
    /// Merges and prints the report.
    ///
    /// # Errors
    /// When the shards do not belong together, one is missing or unreadable, or the folder cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let Self { runs, out, partial, force, types, config, printing, wait } = self;
        let (stored, runs): (Vec<PathBuf>, Vec<PathBuf>) = runs.into_iter().partition(|run| Location::is_named_by(run));
        if !stored.is_empty() || Location::is_named_by(&out) {
            anyhow::ensure!(
                types.is_none() && config.is_none(),
                "--types and --config are for servers: merge their evidence into folders first"
            );
            let runs = stored.iter().chain(&runs).map(|run| source(run)).collect::<anyhow::Result<Vec<_>>>()?;
            return merge_stored(&MergedRuns { runs, out: &out, partial, force, wait }, printing);
        }
        anyhow::ensure!(wait.is_none(), "--wait is for addresses, such as s3://bucket/run");
        let Divided { servers, others: runs, aside } = divide(runs)?;
        for folder in aside {
            output::say(&format!("note: left out, because a server moved it aside: {}", folder.display()));
        }
        if let (Some(_), Some(run)) = (&types, runs.first()) {
            let lost = runs.iter().find(|run| !run.join("run.json").is_file());
            if let Some(lost) = lost {
                anyhow::bail!("`{}` is not a run folder: it has no run.json", lost.display());
            }
            anyhow::bail!("--types is only for servers: `{}` is a soak, which records its own types", run.display());
        }
        // Only the evidence of servers is judged by the settings; a file that is named has to be there all the same.
        let config = match config {
            None if servers.is_empty() => Config::default(),
            named => Config::load(named.as_deref())?,
        };
        if servers.is_empty() {
            return print(whole(ShardMerge { runs: folders(runs), out: out.clone(), partial, force }), &out, printing);
        }
        let servers = Servers::read(&servers)?;
        if runs.is_empty() {
            return print(servers.write(&out, types.as_deref(), force, &config), &out, printing);
        }
        servers.fits(&runs, &out, force)?;
        let merged = whole(ShardMerge { runs: folders(runs), out: out.clone(), partial, force })
            .and_then(|soaked| servers.add_to(&out, &soaked, &config));
        print(merged, &out, printing)
    }
}
