//! `cargo xtask explain`: everything known of one rule.

use crate::exit_code::Exit;
use crate::explain::{find, render};
use crate::output;
use crate::report::read;
use clap::Args;
use std::path::PathBuf;

/// Explains one rule: where it is written, what it reports, an example on every side of its boundary as both sides judge it, the
/// evidence of a run with what survived, and the commands to go on.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask explain spec.replicas minimum=0",
    "cargo xtask explain spec.replicas minimum=0 --kind 'v1 ReplicationController' --run target/takeover/RUN",
    "cargo xtask explain 'rules[*].verbs' required --kind Role",
]))]
pub struct Explain {
    /// Words of the rule: its path, its tag as written, its subject.
    #[arg(value_name = "RULE", required = true)]
    rule: Vec<String>,
    /// Only this kind (`Role`), or subject (`rbac.authorization.k8s.io/v1 Role`).
    #[arg(long)]
    kind: Option<String>,
    /// The run folder, or report.json, whose evidence is shown.
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
}

impl Explain {
    /// Finds, judges and prints.
    ///
    /// # Errors
    /// When no rule or more than one fits, or the report cannot be read.
    pub fn run(self) -> anyhow::Result<Exit> {
        let report = self.run.as_deref().map(read).transpose()?;
        let found = find(&self.rule.join(" "), self.kind.as_deref())?;
        output::print(&render(&found, self.run.as_deref().zip(report.as_ref())))?;
        Ok(Exit::Ready)
    }
}
