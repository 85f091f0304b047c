//! `cargo xtask subjects`: what can be compared.

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::subjects::catalogue;
use clap::Args;
use takeover_reports::Form;
use takeover_reports::subjects::{FORMS, SubjectList};

/// Lists the subjects: kind, version and subresource, with rules by level, twins, delegated parts, and agreement with recorded
/// verdicts of Kubernetes.
///
/// Everything that ships with the program is judged by both sides for it, which takes a few seconds.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask subjects                          a row a subject",
    "cargo xtask subjects --kind ResourceClaim     everything about one kind",
    "cargo xtask subjects --format json",
], codes::PRINT))]
pub struct Subjects {
    /// Only this kind (`Role`), or subject (`rbac.authorization.k8s.io/v1 Role`), with all that is known of it.
    #[arg(long)]
    kind: Option<String>,
    /// How to print the list.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<SubjectList>,
}

impl Subjects {
    /// Judges and prints.
    ///
    /// # Errors
    /// An unknown kind.
    pub fn run(self) -> anyhow::Result<Exit> {
        let list = catalogue(self.kind.as_deref())?;
        output::print(&printed(&list, self.format)?)?;
        Ok(Exit::Ready)
    }
}
