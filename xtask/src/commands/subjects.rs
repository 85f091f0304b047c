//! `cargo xtask subjects`: what can be compared.

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::subjects::{catalogue, every, of_pairs};
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;
use takeover_engine::catalogue::PairCatalogue;
use takeover_engine::config::Config;
use takeover_engine::plan::JudgingPlan;
use takeover_oracles::registry::Registry;
use takeover_reports::Form;
use takeover_reports::subjects::{DescribedPairEntry, FORMS, SubjectList};

/// Lists the subjects that can be judged, with their rules and how well they agree with Kubernetes.
///
/// A subject is a version and kind, or a subresource of it. Without flags, lists what the settings select and the pairs that they
/// describe: the rules by level, those with a handwritten twin, the delegated parts, and the agreement with recorded verdicts of
/// Kubernetes. This takes a few seconds, because both sides judge every case that ships with the program.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask subjects                          one row per subject",
    "cargo xtask subjects --kind ResourceClaim     everything about one kind",
    "cargo xtask subjects --all                    whatever the settings select",
    "cargo xtask subjects --format json",
], codes::PRINT))]
pub struct Subjects {
    /// Show only this kind (`Role`) or subject (`rbac.authorization.k8s.io/v1 Role`), in full detail.
    #[arg(long)]
    kind: Option<String>,
    /// Show every subject, whatever `[subjects]` selects.
    #[arg(long, conflicts_with = "kind")]
    all: bool,
    /// Read the project's settings, for `[subjects]`, from this file [default: takeover.toml in the current folder, if it
    /// exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<SubjectList>,
}

impl Subjects {
    /// Judges and prints.
    ///
    /// # Errors
    /// An unknown kind.
    pub fn run(self) -> anyhow::Result<Exit> {
        let config = Config::load(self.config.as_deref())?;
        let types = config.types();
        let registry = match &types {
            Some(types) => Registry::of_folder(types)
                .with_context(|| format!("failed to read the types in `{}`", types.display()))?,
            None => Registry::of_builtin()?,
        };
        let selected = match (&self.kind, self.all) {
            (None, false) => config.chosen(&registry)?,
            _ => None,
        };
        if selected.is_some() {
            output::say(
                "note: these are the subjects that `[subjects]` in the settings selects; --all shows every one",
            );
        }
        let pairs = self.pairs(&config)?;
        let ids = match (&self.kind, selected) {
            (Some(kind), _) => match registry.find_any(kind) {
                Ok(ids) => ids,
                Err(_) if !pairs.is_empty() => Vec::new(),
                Err(error) => {
                    // Who mistypes may mean a pair.
                    PairCatalogue::new(registry, &config.described())?.named(std::slice::from_ref(kind))?;
                    return Err(error.into());
                }
            },
            (None, Some(selected)) => selected,
            (None, None) => every(&registry),
        };
        let list = match ids.as_slice() {
            [] => of_pairs(pairs),
            _ => SubjectList { pairs, ..catalogue(&registry, ids, types.is_some())? },
        };
        let list = SubjectList { in_detail: self.kind.is_some(), ..list };
        output::print(&printed(&list, self.format)?)?;
        Ok(Exit::Ready)
    }

    /// The pairs that the settings describe, as far as they are chosen.
    fn pairs(&self, config: &Config) -> anyhow::Result<Vec<DescribedPairEntry>> {
        let described = config.described();
        if described.is_empty() {
            return Ok(Vec::new());
        }
        let catalogue = JudgingPlan { pairs: described.clone(), ..JudgingPlan::default() }.catalogue()?;
        let chosen = match &self.kind {
            Some(kind) => catalogue.described_by(kind),
            None if !self.all && config.subjects.chooses() => config.pairs(&catalogue)?,
            None => catalogue.described().cloned().collect(),
        };
        let mut entries = Vec::new();
        for pair in described {
            let id = pair.id()?;
            if chosen.contains(&id) {
                entries.push(DescribedPairEntry {
                    pair: id.to_string(),
                    reference: pair.reference.to_string(),
                    candidate: pair.candidate.to_string(),
                    compare: pair.compare.map(|level| level.to_string()),
                });
            }
        }
        Ok(entries)
    }
}
