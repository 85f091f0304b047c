//! `cargo xtask promote`: the patch that moves rules to their next level.

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::report::read;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use takeover_engine::promote::{self, PatchPlace, Step, decide, deletable, diff, lines, verify};
use takeover_engine::run_folder;
use takeover_harness::release::Release;
use takeover_oracles::registry::Registry;
use takeover_reports::Form;
use takeover_reports::promote::{FORMS, PromotionReport, text};

/// The form that goes to `git apply`, with the rest said beside it.
const PATCH: &str = "patch";

/// Prints the patch that moves every rule to its next level whose evidence allows it.
///
/// Standard output takes the patch, for `git apply`; standard error which rules move, which handwritten checks may be deleted with
/// them, and why each other rule of the level stays. Nothing is written. Ends with 1 when no rule may move.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask promote target/takeover/gate --to beta --since 1.38 | git apply",
    "cargo xtask promote RUN --to stable --types api/ > stable.patch",
    "cargo xtask promote RUN --to beta --types api/networking/v1/types.go      this file only",
    "cargo xtask promote RUN --to beta --format json                           for machines",
    "cargo xtask promote RUN --to beta --all                                   also what replaces nothing",
    "cargo xtask promote RUN --to beta > /dev/null                             what would move, and why not the rest",
], codes::PROMOTE))]
pub struct Promote {
    /// The run folder, or a report.json.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The level to move to: `beta` takes rules that are alpha, `stable` those that are beta.
    #[arg(long, value_enum)]
    to: Target,
    /// The types: a folder of `<group>/<version>`, or a file in it, which alone is changed then [default: those of the run].
    #[arg(long, value_name = "PATH")]
    types: Option<PathBuf>,
    /// The release of the step; a rule must have been at its level for one [default: the release after the rule's own].
    #[arg(long, value_name = "RELEASE")]
    since: Option<Release>,
    /// Also move the lines that no handwritten check could go for, such as `optional`.
    #[arg(long)]
    all: bool,
    /// The form.
    #[arg(long, value_parser = one_of(FORMS), default_value = PATCH)]
    format: &'static Form<PromotionReport>,
}

/// Levels by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Enforced, can be switched off.
    Beta,
    /// Enforced; no wrapper is left.
    Stable,
}

/// What of `run.json` is needed.
#[derive(Deserialize)]
struct Judged {
    /// The folder of types; none for the built-in ones.
    #[serde(alias = "idl")]
    types: Option<PathBuf>,
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
            anyhow::bail!("the run in `{}` is unfinished: `{command}` finishes it", self.run.display());
        }
        let place = PatchPlace::of(&self.types.map_or_else(|| types_of(&self.run), Ok)?)?;
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

/// The folder of types that a run judged.
fn types_of(run: &Path) -> anyhow::Result<PathBuf> {
    let ask = "name the types to change with --types";
    anyhow::ensure!(run.is_dir(), "`{}` does not say which types were judged: {ask}", run.display());
    let judged: Judged = run_folder::read_json(run, "run.json")?;
    judged.types.with_context(|| format!("the run in `{}` judged the built-in types: {ask}", run.display()))
}
