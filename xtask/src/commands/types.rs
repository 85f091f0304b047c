//! `cargo xtask types`: what types say, before anybody judges.

use crate::exit_code::{Exit, codes};
use crate::output;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::PathBuf;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_engine::config::Config;
use takeover_engine::survey::{Survey, survey};
use takeover_harness::text::{grouped, plural};
use takeover_reports::printable;

/// Lists the kinds that types declare, what could not be read, and how many generated objects are valid by their schema.
///
/// Types are Go packages, CRD manifests, or an OpenAPI v3 document of an API server.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask types api/v1",
    "cargo xtask types config/crd/bases --recorded samples/",
    "cargo xtask types                                        the types that takeover.toml names",
    "cargo xtask types openapi.json --cases 0 --format json",
], codes::TYPES))]
pub struct TypesCommand {
    /// Go packages, files or folders of CRD manifests, or OpenAPI v3 documents [default: the types of the pairs in takeover.toml,
    /// and the folder that `[subjects]` names].
    #[arg(value_name = "PATH")]
    types: Vec<PathBuf>,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with = "types")]
    config: Option<PathBuf>,
    /// Number of objects to generate per kind.
    #[arg(long, value_name = "N", default_value_t = 200)]
    cases: u64,
    /// Also read these objects, and count how many fit the types and are valid by the schema.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    recorded: Vec<PathBuf>,
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

impl TypesCommand {
    /// Reads, generates and prints.
    ///
    /// # Errors
    /// When no types are named, the settings cannot be read, or the result cannot be printed.
    pub fn run(self) -> anyhow::Result<Exit> {
        let types = match self.types.is_empty() {
            true => Config::load(self.config.as_deref())?.named_types()?,
            false => self.types,
        };
        let survey = survey(&types, self.cases, &self.recorded);
        match self.format {
            // Nothing read is no answer beside what kept it from being read.
            FormName::Table if survey.kinds.is_empty() && !survey.unread.is_empty() => {}
            FormName::Table => output::print(&text(&survey))?,
            FormName::Json => output::print_json(&survey)?,
        }
        for unread in &survey.unread {
            output::say(&format!("error: {unread}"));
        }
        Ok(match (survey.kinds.is_empty(), survey.unread.is_empty()) {
            (true, _) => Exit::NothingCompared,
            (false, true) => Exit::Ready,
            (false, false) => Exit::Findings,
        })
    }
}

fn text(survey: &Survey) -> String {
    let (generated, valid) = survey.generated();
    let (recorded, decoded, recorded_valid) = survey.recorded();
    let mut text = format!("{} read.", plural(survey.kinds.len() as u64, "kind"));
    if generated > 0 {
        let _ =
            write!(text, " {} of {} are valid by their schema.", grouped(valid), plural(generated, "generated object"));
    }
    if recorded > 0 {
        let objects = plural(recorded, "recorded object");
        let _ = write!(
            text,
            " Of {objects}, {} are of their types, and {} are valid by their schema.",
            grouped(decoded),
            grouped(recorded_valid)
        );
    }
    text.push('\n');
    if survey.kinds.is_empty() {
        return text;
    }
    let mut builder = Builder::default();
    builder.push_record(["kind", "fields", "rules", "constraints", "generated", "valid", "recorded", "valid"]);
    for kind in &survey.kinds {
        let number = |of: Option<u64>| of.map_or_else(|| "–".to_owned(), grouped);
        builder.push_record([
            printable(&kind.kind).into_owned(),
            grouped(kind.fields as u64),
            grouped(kind.rules as u64),
            grouped(kind.constraints as u64),
            grouped(kind.generated),
            number(kind.valid),
            grouped(kind.recorded),
            number(kind.recorded_valid),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    let _ = writeln!(text, "{table}");
    for kind in survey.kinds.iter().filter(|kind| kind.foreign_markers > 0) {
        let markers = plural(kind.foreign_markers as u64, "`+kubebuilder:validation` marker");
        let name = printable(&kind.kind);
        let _ =
            writeln!(text, "not read: {markers} beside {name}; use the CRD that controller-gen generates from them");
    }
    for kind in survey.kinds.iter().filter(|kind| !kind.unread.is_empty()) {
        let _ = writeln!(text, "not read of {}:", printable(&kind.kind));
        for unread in &kind.unread {
            let _ = writeln!(text, "  {}", printable(unread));
        }
    }
    let other: u64 = survey.other_objects.values().sum();
    if other > 0 {
        let _ = writeln!(text, "{} are of other kinds.", plural(other, "recorded object"));
    }
    text
}
