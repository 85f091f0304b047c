//! `cargo xtask subjects`: what can be compared.

use super::Format;
use crate::exit_code::Exit;
use crate::output;
use crate::subjects::{catalogue, details, table};
use clap::Args;

/// Lists the subjects: kind, version and subresource, with rules by level, twins, delegated parts, and agreement with recorded
/// verdicts of Kubernetes.
///
/// Everything that ships with the program is judged by both sides for it, which takes a few seconds.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask subjects                          a row a subject",
    "cargo xtask subjects --kind ResourceClaim     everything about one kind",
    "cargo xtask subjects --format json",
]))]
pub struct Subjects {
    /// Only this kind (`Role`), or subject (`rbac.authorization.k8s.io/v1 Role`), with all that is known of it.
    #[arg(long)]
    kind: Option<String>,
    /// How to print the list.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Subjects {
    /// Judges and prints.
    ///
    /// # Errors
    /// An unknown kind.
    pub fn run(self) -> anyhow::Result<Exit> {
        let catalogue = catalogue(self.kind.as_deref())?;
        match self.format {
            Format::Json => output::print_json(&catalogue)?,
            Format::Table if self.kind.is_some() => output::print(&output::printable(&details(&catalogue)))?,
            Format::Table => output::print(&table(&catalogue))?,
        }
        Ok(Exit::Ready)
    }
}
