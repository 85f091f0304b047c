//! `cargo xtask types`: what types say, before anybody judges.

use crate::exit_code::{Exit, codes};
use crate::output;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::PathBuf;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_engine::survey::{Survey, survey};
use takeover_harness::text::plural;
use takeover_reports::printable;

/// Shows the kinds that types declare, what could not be read of them, and how many generated objects are valid by their schema.
///
/// Types are Go packages, CRD manifests, or an OpenAPI v3 document of an API server.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask types api/v1",
    "cargo xtask types config/crd/bases --recorded samples/",
    "cargo xtask types openapi.json --cases 0 --format json",
], codes::TYPES))]
pub struct TypesCommand {
    /// Go packages, files or folders of CRD manifests, or OpenAPI v3 documents.
    #[arg(required = true, value_name = "PATH")]
    types: Vec<PathBuf>,
    /// How many objects to generate of each kind.
    #[arg(long, value_name = "N", default_value_t = 200)]
    cases: u64,
    /// Also read these objects, and count those that are of the types and valid by the schema.
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
    /// For programs.
    Json,
}

impl TypesCommand {
    /// Reads, generates and prints.
    ///
    /// # Errors
    /// When the result cannot be printed.
    pub fn run(self) -> anyhow::Result<Exit> {
        let survey = survey(&self.types, self.cases, &self.recorded);
        match self.format {
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
        let _ = write!(text, " {valid} of {} are valid by their schema.", plural(generated, "generated object"));
    }
    if recorded > 0 {
        let objects = plural(recorded, "recorded object");
        let _ = write!(
            text,
            " Of {objects}, {decoded} are of their types, and {recorded_valid} are valid by their schema."
        );
    }
    text.push('\n');
    if survey.kinds.is_empty() {
        return text;
    }
    let mut builder = Builder::default();
    builder.push_record(["kind", "fields", "rules", "constraints", "generated", "valid", "recorded", "valid"]);
    for kind in &survey.kinds {
        let number = |of: Option<u64>| of.map_or_else(|| "–".to_owned(), |of| of.to_string());
        builder.push_record([
            printable(&kind.kind).into_owned(),
            kind.fields.to_string(),
            kind.rules.to_string(),
            kind.constraints.to_string(),
            kind.generated.to_string(),
            number(kind.valid),
            kind.recorded.to_string(),
            number(kind.recorded_valid),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    let _ = writeln!(text, "{table}");
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
