//! `cargo xtask promote`: the patch that moves rules to their next level.

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::report::read;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use takeover_engine::config::Config;
use takeover_engine::promote::{self, PatchPlace, Step, decide, deletable, diff, lines, verify};
use takeover_engine::run_folder;
use takeover_harness::release::Release;
use takeover_oracles::registry::Registry;
use takeover_reports::Form;
use takeover_reports::promote::{FORMS, PromotionReport, text};

/// The form that goes to `git apply`, with the rest said beside it.
const PATCH: &str = "patch";

/// Prints a patch that promotes every rule whose evidence allows it to the next level.
///
/// The patch goes to standard output, for `git apply`. Standard error says which rules are promoted, why the remaining rules stay, and,
/// with --to stable, which handwritten checks may then be deleted. No file is changed. Exits with 1 if no rule may be promoted.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask promote target/takeover/gate --to beta --since 1.38 | git apply",
    "cargo xtask promote RUN --to stable --types api/ > stable.patch",
    "cargo xtask promote RUN --to beta --types api/networking/v1/types.go      this file only",
    "cargo xtask promote RUN --to beta --format json                           for machines",
    "cargo xtask promote RUN --to beta --all                                   also rules that replace no check",
    "cargo xtask promote RUN --to beta > /dev/null                             what would be promoted, and why not the rest",
], codes::PROMOTE))]
pub struct Promote {
    /// Run folder, or report.json.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Level to promote to: `beta` for alpha rules, `stable` for beta rules.
    #[arg(long, value_enum)]
    to: Target,
    /// Go types to change: a folder laid out as `<group>/<version>`, or a single file in it [default: the types of the run, or
    /// for a report.json those that takeover.toml names].
    #[arg(long, value_name = "PATH")]
    types: Option<PathBuf>,
    /// Read the project's settings, for the folder of Go types, from this file [default: takeover.toml in the current folder,
    /// if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Release in which the rules are promoted. A rule must have been at its level for at least one release [default: the release after the
    /// `since` in the rule's tag].
    #[arg(long, value_name = "RELEASE")]
    since: Option<Release>,
    /// Also promote rules that replace no handwritten check, such as `optional`.
    #[arg(long)]
    all: bool,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = PATCH)]
    format: &'static Form<PromotionReport>,
}

/// Levels by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Enforced, but can be switched off.
    Beta,
    /// Enforced, without a level wrapper.
    Stable,
}

/// What of `run.json` is needed.
#[derive(Deserialize)]
struct Judged {
    /// The folder of types; none for the built-in ones.
    #[serde(alias = "idl")]
    types: Option<PathBuf>,
    /// The described pairs.
    #[serde(default)]
    pairs: Vec<serde::de::IgnoredAny>,
}

impl Promote {
    /// Decides, verifies, prints.
    ///
    /// # Errors
    /// When there is no report, the types are not there or do not compile, or the patch would do other than is meant.
    pub fn run(self) -> anyhow::Result<Exit> {
        let step = match self.to {
            Target::Beta => Step::Beta { since: self.since },
            Target::Stable => Step::Stable { since: self.since },
        };
        let report = read(&self.run)?;
        if let Some(command) = report.resumes() {
            anyhow::bail!("the run in `{}` is unfinished: resume it with `{command}`", self.run.display());
        }
        let place = PatchPlace::of(&self.types.map_or_else(|| types_of(&self.run, self.config.as_deref()), Ok)?)?;
        let named = || format!("failed to read the types in `{}`", place.folder.display());
        let registry = Registry::of_folder(&place.folder).with_context(named)?;
        let lines = lines(&registry, &place)?;
        let promotion = decide(&lines, &report, step, self.all);
        let patch = diff(&lines, &promotion.moved, &place.folder)?;
        verify(&registry, &place, &patch.texts, &promotion.moved, step)?;
        let checks = deletable(&registry, &lines, &promotion, &report);
        let report = promote::report(&lines, &promotion, &checks, step, patch.diff);
        if self.format.name == PATCH {
            output::say_lines(&text(&report));
        }
        output::print(&printed(&report, self.format)?)?;
        Ok(if promotion.moved.is_empty() { Exit::Findings } else { Exit::Ready })
    }
}

/// The folder of types that a run judged; where only the report is there, that of the settings.
fn types_of(run: &Path, config: Option<&Path>) -> anyhow::Result<PathBuf> {
    let ask = "name the types to change with --types";
    if !run.is_dir() {
        let types = Config::load(config)?.types();
        return types.with_context(|| format!("`{}` does not record which types were judged: {ask}", run.display()));
    }
    let judged: Judged = run_folder::read_json(run, "run.json")?;
    judged.types.with_context(|| match judged.pairs.is_empty() {
        true => format!("the run in `{}` judged the built-in types: {ask}", run.display()),
        false => format!(
            "the run in `{}` judged described pairs, and promote changes tags of the types that a run judged by --types: edit theirs by hand",
            run.display()
        ),
    })
}
