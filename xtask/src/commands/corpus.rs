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
use takeover_engine::config::Config;
use takeover_engine::corpus::{self, CorpusInputs, Import, Redaction};

/// Creates, checks and reduces corpora: compact files of cases that are safe to share.
///
/// `soak --recorded` reads a corpus like any other input. docs/corpora.md describes the format, and what redaction replaces and
/// what it keeps.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "kubectl get rc,cronjobs -A -o json | cargo xtask corpus import - -o shop.jsonl.zst",
    "cargo xtask corpus redact manifests/                         show what would be replaced, write nothing",
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
    /// Imports files, folders or standard input into a corpus, with secrets redacted.
    ///
    /// Redaction keeps the verdict of every case; a case whose verdict would change is left out.
    #[command(after_help = Exit::after_help(&[
        "cargo xtask corpus import manifests/ -o shop.jsonl.zst",
        "cargo xtask corpus import cluster.json.gz -o shop.jsonl.zst --dedup shape --sample 1000",
        "cargo xtask corpus import own.yaml -o own.jsonl.gz --raw        keeps secrets",
    ], codes::REDACT))]
    Import {
        #[command(flatten)]
        from: From,
        /// Write the corpus to this file; `.gz` and `.zst` compress it.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        /// Keep secrets.
        #[arg(long, conflicts_with_all = ["names", "key_file"])]
        raw: bool,
        #[command(flatten)]
        redaction: RedactionFlags,
        /// Use only this many of the cases, or this share of them, such as 500 or 2.5%. Chosen by content.
        #[arg(long, value_name = "N|SHARE%")]
        sample: Option<Sample>,
        /// Use only the first case of each shape: the same fields with the same classes of values.
        #[arg(long, value_enum)]
        dedup: Option<DedupName>,
    },
    /// Redacts inputs and reports what was replaced, whether any secret is left, and which cases would change their verdict.
    #[command(after_help = Exit::after_help(&[
        "cargo xtask corpus redact manifests/",
        "cargo xtask corpus redact raw.jsonl.gz -o shop.jsonl.gz --names --key-file key",
    ], codes::REDACT))]
    Redact {
        #[command(flatten)]
        from: From,
        /// Write the corpus to this file [default: write nothing, only report].
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        redaction: RedactionFlags,
    },
    /// Checks that a corpus is complete and that its cases are still judged as recorded.
    #[command(after_help = Exit::after_help(&["cargo xtask corpus verify shop.jsonl.zst"], codes::VERIFY))]
    Verify {
        #[command(flatten)]
        from: From,
    },
    /// Prints what the inputs contain by kind and operation, and which rules and planted faults they reach.
    #[command(after_help = Exit::after_help(&["cargo xtask corpus stats shop.jsonl.zst", "cargo xtask corpus stats manifests/ --format json"], codes::READ))]
    Stats {
        #[command(flatten)]
        from: From,
    },
    /// Reduces the inputs to the fewest cases that still exercise the same rules and show the same errors and findings.
    ///
    /// The reduced corpus reaches the same rules by operation and answer, exposes the same planted faults, and shows the same
    /// errors and signatures.
    #[command(after_help = Exit::after_help(&["cargo xtask corpus min shop.jsonl.zst -o small.jsonl.zst"], codes::READ))]
    Min {
        #[command(flatten)]
        from: From,
        /// Write the corpus to this file.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// What every action reads and how it prints.
#[derive(Args)]
struct From {
    /// Files, folders, patterns, or `-` for standard input: everything that `soak --recorded` reads [default: the `recorded`
    /// objects of `[corpora]` in takeover.toml].
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Read the project's settings, for `[corpora]` and the folder of Go types, from this file [default: takeover.toml in the
    /// current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Largest document, or item of a long JSON list, to read, in MiB [default: `max-document` of `[corpora]`, or 64].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    max_document: Option<u32>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl From {
    /// What is read: what is named, or else what the settings record.
    fn read(&self) -> anyhow::Result<CorpusInputs> {
        let config = Config::load(self.config.as_deref())?;
        let files = if self.inputs.is_empty() {
            config.corpora.recorded.iter().map(|place| config.place(place)).collect()
        } else {
            self.inputs.clone()
        };
        anyhow::ensure!(
            !files.is_empty(),
            "no input: give files or folders, or set `recorded` under [corpora] in takeover.toml"
        );
        Ok(CorpusInputs {
            files,
            max_document: self.max_document.unwrap_or(config.corpora.max_document),
            types: config.types(),
        })
    }
}

#[derive(Args)]
struct RedactionFlags {
    /// Also replace the names of objects, namespaces, nodes, hosts and users.
    #[arg(long)]
    names: bool,
    /// Derive replacements from the content of this file, so that several corpora get the same ones [default: a random key,
    /// which is discarded].
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
                    "`{}` is empty: an empty key can be guessed",
                    file.display()
                );
                Key::derived(text.trim_ascii())
            }
            None => {
                let mut bytes = [0; 32];
                getrandom::fill(&mut bytes).context("failed to get random bytes from the system")?;
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
                    inputs: from.read()?,
                    out: Some(out),
                    redaction,
                    sample,
                    dedup: dedup.map(Into::into),
                    say: &output::say,
                };
                let imported = corpus::import(&plan)?;
                print(&imported, imported.ending().into(), from.format)
            }
            Action::Redact { from, out, redaction } => {
                let plan = Import {
                    inputs: from.read()?,
                    out,
                    redaction: Some(redaction.redaction()?),
                    sample: None,
                    dedup: None,
                    say: &output::say,
                };
                let imported = corpus::import(&plan)?;
                print(&imported, imported.ending().into(), from.format)
            }
            Action::Verify { from } => {
                let verified = corpus::verify(&from.read()?, &output::say)?;
                print(&verified, verified.ending().into(), from.format)
            }
            Action::Stats { from } => {
                let stats = corpus::stats(&from.read()?, &output::say)?;
                print(&stats, stats.ending().into(), from.format)
            }
            Action::Min { from, out } => {
                let minimised = corpus::min(&from.read()?, &out, &output::say)?;
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
