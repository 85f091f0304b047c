//! `cargo xtask subjects`: what can be compared.

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::subjects::{catalogue, every};
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;
use takeover_engine::config::Config;
use takeover_oracles::registry::Registry;
use takeover_reports::Form;
use takeover_reports::subjects::{FORMS, SubjectList};

/// Lists the subjects that can be judged, with their rules and how well they agree with Kubernetes.
///
/// A subject is a kind in a version, perhaps a subresource. Without flags, the list has those that the settings select, by the
/// types that they name. The list has the rules by level, those with a handwritten twin, the
/// delegated parts, and the agreement with recorded verdicts of Kubernetes. To make it, both sides judge every case that ships
/// with the program, which takes a few seconds.
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
        let ids = match (&self.kind, selected) {
            (Some(kind), _) => registry.find_any(kind)?,
            (None, Some(selected)) => selected,
            (None, None) => every(&registry),
        };
        let list = SubjectList { in_detail: self.kind.is_some(), ..catalogue(&registry, ids, types.is_some())? };
        output::print(&printed(&list, self.format)?)?;
        Ok(Exit::Ready)
    }
}
