//! `cargo xtask corpus`: collections of cases.

use super::Format;
use super::soak::DedupName;
use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::Serialize;
use std::fmt::Display;
use std::path::PathBuf;
use takeover_corpora::redact::{Key, RedactionSettings};
use takeover_corpora::select::Sample;
use takeover_engine::corpus::{self, Import, Redaction};

/// Makes, checks and cuts down corpora: cases in one compact file that can be given away.
///
/// A corpus is an input of `soak --recorded` like any other. Its format, what redaction replaces and what it does not are
/// described in docs/corpora.md.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "kubectl get rc,cronjobs -A -o json | cargo xtask corpus import - -o shop.jsonl.zst",
    "cargo xtask corpus redact manifests/                         what would be replaced, nothing written",
    "cargo xtask corpus redact old.jsonl.gz -o new.jsonl.gz --names",
    "cargo xtask corpus verify shop.jsonl.zst",
    "cargo xtask corpus stats shop.jsonl.zst",
    "cargo xtask corpus min shop.jsonl.zst -o small.jsonl.zst",
    "cargo xtask soak --recorded small.jsonl.zst",
], codes::CORPUS))]
pub struct Corpus {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Imports files, folders or standard input into a corpus. What is secret is redacted, so that every case is judged as before.
    #[command(after_help = Exit::after_help(&[
        "cargo xtask corpus import manifests/ -o shop.jsonl.zst",
        "cargo xtask corpus import cluster.json.gz -o shop.jsonl.zst --dedup shape --sample 1000",
        "cargo xtask corpus import own.yaml -o own.jsonl.gz --raw        keeps what is secret",
    ], codes::REDACT))]
    Import {
        #[command(flatten)]
        from: From,
        /// The corpus; `.gz` and `.zst` compress it.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        /// Keep what is secret.
        #[arg(long, conflicts_with_all = ["names", "key_file"])]
        raw: bool,
        #[command(flatten)]
        redaction: RedactionFlags,
        /// Use only so many cases, or such a share of them: 500, or 2.5%. Chosen by content.
        #[arg(long, value_name = "N|SHARE%")]
        sample: Option<Sample>,
        /// Use only the first case of each shape: the same fields with values of the same classes.
        #[arg(long, value_enum)]
        dedup: Option<DedupName>,
    },
    /// Redacts inputs and says what was replaced, whether any of it is left, and which cases would be judged otherwise.
    #[command(after_help = Exit::after_help(&[
        "cargo xtask corpus redact manifests/",
        "cargo xtask corpus redact raw.jsonl.gz -o shop.jsonl.gz --names --key-file key",
    ], codes::REDACT))]
    Redact {
        #[command(flatten)]
        from: From,
        /// The corpus to write [default: none, the report alone].
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        redaction: RedactionFlags,
    },
    /// Reads a corpus again: whether it is whole, and whether its cases are judged as recorded.
    #[command(after_help = Exit::after_help(&["cargo xtask corpus verify shop.jsonl.zst"], codes::VERIFY))]
    Verify {
        #[command(flatten)]
        from: From,
    },
    /// What inputs hold by kind and operation, and which rules and planted faults they reach.
    #[command(after_help = Exit::after_help(&["cargo xtask corpus stats shop.jsonl.zst", "cargo xtask corpus stats manifests/ --format json"], codes::READ))]
    Stats {
        #[command(flatten)]
        from: From,
    },
    /// Keeps the fewest cases that show the same: rules by operation and answer, faults that would be exposed, errors, signatures.
    #[command(after_help = Exit::after_help(&["cargo xtask corpus min shop.jsonl.zst -o small.jsonl.zst"], codes::READ))]
    Min {
        #[command(flatten)]
        from: From,
        /// The corpus to write.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// What every action reads and how it prints.
#[derive(Args)]
struct From {
    /// Files, folders, patterns, or `-` for standard input: everything that `soak --recorded` reads.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Largest document that is read, or item of a long JSON list, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    max_document: u32,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Args)]
struct RedactionFlags {
    /// Also replace names of objects, namespaces, nodes, hosts and users.
    #[arg(long)]
    names: bool,
    /// Make replacements by what this file holds, so that several corpora have the same ones [default: a new key, which nobody
    /// keeps].
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl RedactionFlags {
    fn redaction(&self) -> anyhow::Result<Redaction> {
        let key = match &self.key_file {
            Some(file) => {
                let text = std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
                anyhow::ensure!(
                    !text.trim_ascii().is_empty(),
                    "`{}` is empty: anybody could guess that key",
                    file.display()
                );
                Key::derived(text.trim_ascii())
            }
            None => {
                let mut bytes = [0; 32];
                getrandom::fill(&mut bytes).context("the system has no randomness to give")?;
                Key::new(bytes)
            }
        };
        Ok(Redaction { key, settings: RedactionSettings { names: self.names } })
    }
}

impl Corpus {
    /// Does what is asked for and prints what came of it.
    ///
    /// # Errors
    /// Wrong usage, inputs that do not exist, files that cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self.action {
            Action::Import { from, out, raw, redaction, sample, dedup } => {
                let redaction = if raw { None } else { Some(redaction.redaction()?) };
                let plan = Import {
                    inputs: from.inputs,
                    out: Some(out),
                    redaction,
                    sample,
                    dedup: dedup.map(Into::into),
                    max_document: from.max_document,
                    say: &output::say,
                };
                let imported = corpus::import(&plan)?;
                print(&imported, imported.ending().into(), from.format)
            }
            Action::Redact { from, out, redaction } => {
                let plan = Import {
                    inputs: from.inputs,
                    out,
                    redaction: Some(redaction.redaction()?),
                    sample: None,
                    dedup: None,
                    max_document: from.max_document,
                    say: &output::say,
                };
                let imported = corpus::import(&plan)?;
                print(&imported, imported.ending().into(), from.format)
            }
            Action::Verify { from } => {
                let verified = corpus::verify(&from.inputs, from.max_document, &output::say)?;
                print(&verified, verified.ending().into(), from.format)
            }
            Action::Stats { from } => {
                let stats = corpus::stats(&from.inputs, from.max_document, &output::say)?;
                print(&stats, stats.ending().into(), from.format)
            }
            Action::Min { from, out } => {
                let minimised = corpus::min(&from.inputs, &out, from.max_document, &output::say)?;
                print(&minimised, minimised.ending().into(), from.format)
            }
        }
    }
}

fn print(result: &(impl Display + Serialize), exit: Exit, format: Format) -> anyhow::Result<Exit> {
    match format {
        Format::Table => output::print(&output::printable(&result.to_string()))?,
        Format::Json => output::print_json(result)?,
    }
    Ok(exit)
}
