//! `cargo xtask oracle record`: what two validators answer today, kept.

use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::Context as _;
use clap::Args;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use takeover_engine::catalogue::{OracleDescription, PairDescription};
use takeover_engine::record::{RecordSettings, Recording, record};
use takeover_harness::readiness::CandidateMay;
use takeover_harness::subject::PairId;
use takeover_harness::text::plural;

/// Records the answers of two oracles to generated cases of a built-in kind, for `conform`.
///
/// Each line of the file contains the objects of a case as validation sees them, the errors of both oracles, and their mismatches.
/// The same seed gives the same cases. `conform` then shows where the validators and rules of this program answer differently.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle record --kind 'node.k8s.io/v1 RuntimeClass' --cases 20000 -o verdicts.jsonl.gz \\\n      \
     --reference 'exec ./takeover-oracle --side handwritten' \\\n      \
     --candidate 'exec ./takeover-oracle --side declarative'",
    "cargo xtask conform verdicts.jsonl.gz",
], codes::RECORD))]
pub struct RecordOracle {
    /// Version and kind, such as `v1 Service`, or a subresource, such as `v1 Service/status`.
    #[arg(long)]
    kind: String,
    /// Record the errors of this oracle as `handwritten`; same form as `soak --reference`.
    #[arg(long, value_name = "ORACLE")]
    reference: OracleDescription,
    /// Record the errors of this oracle as `declarative`.
    #[arg(long, value_name = "ORACLE")]
    candidate: OracleDescription,
    /// Number of cases to generate.
    #[arg(long, value_name = "N", default_value = "20000")]
    cases: NonZeroU64,
    /// Seed of the cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Version of Kubernetes that the oracles run.
    #[arg(long, value_name = "VERSION", default_value = "1.36")]
    kubernetes: String,
    /// Number of questions to ask at once.
    #[arg(long, value_name = "N", default_value = "4")]
    threads: NonZeroUsize,
    /// Write to this file; `.gz` compresses it.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl RecordOracle {
    /// Asks and writes.
    ///
    /// # Errors
    /// When the kind is unknown, an oracle does not start, or the file cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let id: PairId = self
            .kind
            .parse()
            .with_context(|| format!("--kind `{}` must name version and kind, such as 'v1 Service'", self.kind))?;
        anyhow::ensure!(id.name.is_empty(), "--kind `{}` must not name a pair", self.kind);
        let described = PairDescription {
            name: "recorded".to_owned(),
            api_version: id.subject.api_version,
            kind: id.subject.kind,
            subresource: id.subject.subresource,
            types: None,
            go_types: None,
            reference: self.reference,
            candidate: self.candidate,
            compare: None,
            candidate_may: CandidateMay::Agree,
        };
        let Self { kubernetes, cases, seed, threads, .. } = self;
        let settings = RecordSettings { kubernetes, cases, seed, threads };
        let recording = record(&described, &settings, &self.output)?;
        output::print(&said(&self.kind, &recording))?;
        Ok(if recording.verdicts == 0 {
            Exit::NothingCompared
        } else if recording.unanswered.is_empty() {
            Exit::Ready
        } else {
            Exit::Findings
        })
    }
}

fn said(kind: &str, recording: &Recording) -> String {
    let Recording { verdicts, rejected, mismatched, undecodable, unanswered } = recording;
    let mut lines = format!(
        "{kind}: {}, {} with errors of the reference, {} with mismatches\n",
        plural(*verdicts, "verdict"),
        plural(*rejected, "case"),
        plural(*mismatched, "case"),
    );
    if *undecodable > 0 {
        lines.push_str(&format!(
            "  {} without a verdict: what was generated is not a valid {kind} object to decode\n",
            plural(*undecodable, "case")
        ));
    }
    for (why, count) in unanswered {
        lines.push_str(&format!("  {} not recorded: {why}\n", plural(*count, "case")));
    }
    lines
}
