//! `cargo xtask skew`: shows what is lost when clients and servers know different members of a union.

use crate::exit_code::{Exit, codes};
use crate::output;
use crate::skew::{cell_text, text};
use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use takeover_engine::config::Config;
use takeover_engine::skew::{Skew, SkewPlan, skew};

/// Shows which changes are lost silently when clients and servers know different members of a union (KEP-1027).
///
/// Reads the unions of Go packages or CRD manifests, and tries every client (typed or not, with or without the new member) with every
/// server and every request; each such combination is a cell. With two versions of the types, the new members are those that OLD lacks;
/// with one, each member is treated as new in turn. Each cell is tried with and without a discriminator, whether or not the union has one.
/// docs/skew.md has an example.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask skew api/v1                              each member of each union in turn",
    "cargo xtask skew api/v1 api/v2 --type Source         the members that v2 adds",
    "cargo xtask skew crd.yaml --without http --full      every cell of the matrix",
    "cargo xtask skew api/v1 --type Source --cell 12      the requests and objects of a cell",
], codes::SKEW))]
pub struct SkewCommand {
    /// The types: a folder of Go packages, or a file or folder of CRD manifests [default: the types that takeover.toml names].
    #[arg(value_name = "OLD")]
    old: Option<PathBuf>,
    /// A newer version of the same types.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,
    /// Try only the unions of this type: a Go name, or the kind and path of a schema.
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,
    /// Treat only this member as new.
    #[arg(long, value_name = "MEMBER", conflicts_with = "new")]
    without: Option<String>,
    /// Also print every cell of the matrix.
    #[arg(long, conflicts_with = "cell")]
    full: bool,
    /// Print the requests and stored objects of this cell.
    #[arg(long, value_name = "N")]
    cell: Option<usize>,
    /// Read the settings (only the folder of Go types is used) from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    config: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    format: FormName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// For people.
    #[default]
    Table,
    /// For machines: one JSON object.
    Json,
}

impl SkewCommand {
    /// Reads, plays and prints.
    ///
    /// # Errors
    /// When types cannot be read, or there is no such cell.
    pub fn run(self) -> anyhow::Result<Exit> {
        let old = match self.old {
            Some(old) => old,
            None => match &*Config::load(self.config.as_deref())?.named_types()? {
                [types] => types.clone(),
                several => bail!("the settings name {} sets of types: name one", several.len()),
            },
        };
        let plan = SkewPlan { old, new: self.new, ty: self.ty, without: self.without };
        let mut played = skew(&plan)?;
        if let Some(number) = self.cell {
            return print_cell(&played, number, self.format);
        }
        if self.full {
            played.fill()?;
        }
        match self.format {
            FormName::Table => output::print(&text(&played))?,
            FormName::Json => output::print_json(&played)?,
        }
        let lost: usize = played.unions.iter().map(takeover_engine::skew::SkewedUnion::lost).sum();
        let faults: usize = played.unions.iter().map(|union| union.faults.len()).sum();
        Ok(match (played.is_empty(), lost + faults + played.failed.len()) {
            (true, 0) => Exit::NothingCompared,
            (false, 0) => Exit::Ready,
            _ => Exit::Findings,
        })
    }
}

fn print_cell(played: &Skew, number: usize, format: FormName) -> anyhow::Result<Exit> {
    let last = played.len();
    let missing = || match last {
        0 => format!(
            "there is no cell {number}: no such union has members to try; without --type, all unions are listed"
        ),
        _ => format!("there is no cell {number}: cells are numbered from 1 to {last}"),
    };
    let (row, outcome) = played.cell(number)?.with_context(missing)?;
    match format {
        FormName::Table => output::print(&cell_text(&row, &outcome)?)?,
        FormName::Json => output::print_json(&serde_json::json!({"cell": row, "outcome": outcome}))?,
    }
    Ok(if row.verdict.is_lost() { Exit::Findings } else { Exit::Ready })
}
