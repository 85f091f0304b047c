//! `cargo xtask conform`: are our oracles Kubernetes?

use super::pair::PairArguments;
use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use clap::Args;
use std::path::{Path, PathBuf};
use takeover_engine::config::Config;
use takeover_engine::conform::{self, ConformSettings};
use takeover_reports::Form;
use takeover_reports::conform::{Agreement, FORMS};

/// Compares the oracles of this program with recorded verdicts of Kubernetes.
///
/// Prints the agreement by kind and side. A side agrees on a fixture if its errors equal the recorded ones in type, field,
/// origin, detail, bad value and marks; errors in parts that the handwritten side does not judge are left out. Responses of a
/// live server are compared with what both sides together would have told the user. Custom resources are compared step by
/// step: `decode`, `pruned`, `defaulted`, `validated`, `errors` (type, field, source and rule), `texts` (the same in full), `cel`,
/// `warnings`, and for CRDs `refused`. Requests to ValidatingAdmissionPolicies have one side, `decision`: the answer, warnings, audit
/// annotations, each evaluation, and why the policy could not be created. Server-side applies and updates have the side `merged`: the
/// object with its managed fields, or the conflicts. Extractions of what a manager applied have the side `extracted`. Fixtures of
/// unknown kinds are skipped and counted, with the reason.
///
/// Pairs that takeover.toml or flags describe judge the fixtures of their kinds: the reference is compared with handwritten
/// verdicts and the candidate with declarative ones, as precisely as the pair is compared.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask conform",
    "cargo xtask conform verdicts.jsonl.gz --format json",
    "cargo xtask conform foreign.jsonl --types ./packages",
    "cargo xtask conform crd-validation.jsonl.gz --schemas crd-schemas.jsonl.gz",
    "cargo xtask conform --recordings ../recordings    # audit/, admissionreviews.jsonl, requests.jsonl",
], codes::CONFORM))]
pub struct Conform {
    /// Fixture files (`.jsonl`, `.jsonl.gz`), or folders of them [default: the verdicts that ship with the program].
    fixtures: Vec<PathBuf>,
    /// Instead, replay what was recorded from a server into this folder (audit log, AdmissionReviews, applies and updates), and compare the
    /// result with the requests recorded along with it (docs/audit-log-replay.md).
    #[arg(long, value_name = "DIR", conflicts_with_all = ["fixtures", "types", "kind", "config", "reference"])]
    recordings: Option<PathBuf>,
    /// Folder of Go packages, for fixtures that name a Go type.
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    /// Files (`.jsonl`, `.jsonl.gz`) with the schemas or CRD manifests that the fixtures refer to.
    #[arg(long, value_name = "FILE", conflicts_with = "recordings")]
    schemas: Vec<PathBuf>,
    /// Judge only this kind (`ReplicationController`) or subject (`v1 ReplicationController`).
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    pair: PairArguments,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<Agreement>,
    /// Number of disagreement signatures to show in the table.
    #[arg(long, default_value_t = 40)]
    signatures: usize,
}

impl Conform {
    /// Compares and prints.
    ///
    /// # Errors
    /// When an input cannot be read or the types do not compile.
    pub fn run(self) -> anyhow::Result<Exit> {
        if let Some(folder) = &self.recordings {
            return self.recordings(folder);
        }
        let config = Config::load(self.config.as_deref())?;
        let chosen = self.pair.chosen(&config, self.kind.as_deref(), self.types.as_deref())?;
        for id in chosen.iter().flat_map(|chosen| &chosen.described) {
            output::say(&format!(
                "`{id}`: its reference is compared with handwritten verdicts, its candidate with declarative ones"
            ));
        }
        // With a described pair, its types are not those of fixtures.
        let types = self.types.filter(|_| !self.pair.is_given());
        let chosen_pairs = match self.kind.is_none() && !self.pair.is_given() {
            true => config.chosen_pairs()?,
            false => None,
        };
        let subjects = chosen_pairs.map(|(_, pairs)| {
            output::say("note: only fixtures of the kinds that `[subjects]` in the settings chooses are compared");
            pairs.into_iter().map(|pair| pair.subject).collect()
        });
        let settings =
            ConformSettings { types, kind: self.kind, subjects, chosen, schemas: self.schemas, say: &output::say };
        let mut agreement = conform::run(&self.fixtures, &settings)?;
        agreement.shown = self.signatures;
        output::print(&printed(&agreement, self.format)?)?;
        Ok(if agreement.compared() == 0 {
            output::say("nothing was compared: no fixture matches");
            Exit::NothingCompared
        } else if !agreement.agrees() {
            Exit::Findings
        } else if agreement.unreadable > 0 {
            Exit::Usage
        } else {
            Exit::Ready
        })
    }

    fn recordings(&self, folder: &Path) -> anyhow::Result<Exit> {
        let held = conform::recordings::run(folder, &output::say)?;
        match self.format.name {
            "json" => output::print_json(&held)?,
            _ => output::print(&output::printable(&conform::recordings::text(&held)))?,
        }
        Ok(if held.is_empty() {
            Exit::NothingCompared
        } else if held.is_right() {
            Exit::Ready
        } else {
            Exit::Findings
        })
    }
}
