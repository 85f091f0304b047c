//! `cargo xtask explain`: everything known of one rule.

use crate::exit_code::{Exit, codes};
use crate::explain::{find, find_in, of_builtin, of_run};
use crate::form::{one_of, printed};
use crate::output;
use crate::report::read;
use clap::Args;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use takeover_engine::run_folder;
use takeover_reports::Form;
use takeover_reports::explain::{Explanation, FORMS};

/// Explains one rule: its source, its errors, examples, and the evidence of a run.
///
/// Shows where the rule is written, what it reports, an example on each side of its boundary with the verdicts of both sides,
/// the evidence of a run with the remaining findings, and the commands to run next.
///
/// For a run of your own types (`soak --types`), it shows what the run recorded.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask explain spec.replicas minimum=0",
    "cargo xtask explain spec.replicas minimum=0 --kind 'v1 ReplicationController' --run target/takeover/RUN",
    "cargo xtask explain 'rules[*].verbs' required --kind Role",
    "cargo xtask explain spec.replicas minimum=0 --run RUN --format markdown | gh pr comment --body-file -",
], codes::PRINT))]
pub struct Explain {
    /// Words that identify the rule: its field path, its tag as written, its subject.
    #[arg(value_name = "RULE", required = true)]
    rule: Vec<String>,
    /// Search only this kind (`Role`) or subject (`rbac.authorization.k8s.io/v1 Role`).
    #[arg(long)]
    kind: Option<String>,
    /// Run folder or report.json whose evidence to show.
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "text")]
    format: &'static Form<Explanation>,
}

/// What of `run.json` is needed.
#[derive(Deserialize)]
struct Judged {
    /// The folder of types; none for the built-in ones.
    #[serde(default, alias = "idl")]
    types: Option<PathBuf>,
}

impl Explain {
    /// Finds, judges and prints.
    ///
    /// # Errors
    /// When no rule or more than one fits, or the report cannot be read.
    pub fn run(self) -> anyhow::Result<Exit> {
        let report = self.run.as_deref().map(read).transpose()?;
        let (asked, kind) = (self.rule.join(" "), self.kind.as_deref());
        let run = self.run.as_deref().zip(report.as_ref());
        let explanation = match run.map(|(place, report)| anyhow::Ok((place, report, types_of(place)?))).transpose()? {
            Some((place, report, Some(types))) => of_run(&find_in(report, &asked, kind)?, place, Some(&types)),
            _ => of_builtin(&find(&asked, kind)?, run),
        };
        output::print(&printed(&explanation, self.format)?)?;
        Ok(Exit::Ready)
    }
}

/// The folder of types that a run judged; none for the built-in ones, and where only the report is there.
fn types_of(run: &Path) -> anyhow::Result<Option<PathBuf>> {
    if !run.join("run.json").is_file() {
        return Ok(None);
    }
    Ok(run_folder::read_json::<Judged>(run, "run.json")?.types)
}
