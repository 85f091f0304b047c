//! `cargo xtask subjects`: what can be compared.

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::subjects::catalogue;
use clap::Args;
use takeover_reports::Form;
use takeover_reports::subjects::{FORMS, SubjectList};

/// Lists the subjects that can be judged, with their rules and how well they agree with Kubernetes.
///
/// A subject is a kind in a version, perhaps a subresource. The list has the rules by level, those with a handwritten twin, the
/// delegated parts, and the agreement with recorded verdicts of Kubernetes. To make it, both sides judge every case that ships
/// with the program, which takes a few seconds.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask subjects                          one row per subject",
    "cargo xtask subjects --kind ResourceClaim     everything about one kind",
    "cargo xtask subjects --format json",
], codes::PRINT))]
pub struct Subjects {
    /// Show only this kind (`Role`) or subject (`rbac.authorization.k8s.io/v1 Role`), in full detail.
    #[arg(long)]
    kind: Option<String>,
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
        let list = catalogue(self.kind.as_deref())?;
        output::print(&printed(&list, self.format)?)?;
        Ok(Exit::Ready)
    }
}
