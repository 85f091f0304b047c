//! The run that a gate makes when it is given none: as the settings say, in a watched process.

use crate::config::Config;
use crate::exit_code::Exit;
use crate::isolate::{Supervised, supervise};
use crate::pairs::Isolation;
use jiff::civil::Date;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long an oracle may take for one answer.
const CASE: Duration = Duration::from_secs(10);

/// Soaks as `config` says, into `folder`.
///
/// # Errors
/// When the subjects are none, or the run cannot be started or gone on with.
pub fn soak_afresh(config: &Config, named: Option<&Path>, folder: &Path, today: Date) -> anyhow::Result<Exit> {
    let subjects = config.subjects()?;
    let mut begin = Arguments::of("soak");
    begin.pair("--out", folder);
    begin.pair("--seed", config.budget.seed.to_string());
    begin.pair("--cases", config.budget.cases.to_string());
    begin.pair("--max-document", config.corpora.max_document.to_string());
    if config.corpora.field_validation == crate::config::FieldValidationName::Strict {
        begin.pair("--field-validation", "strict");
    }
    if !config.corpora.builtin {
        begin.0.push("--no-builtin".into());
    }
    if !config.subjects.types.as_os_str().is_empty() {
        begin.pair("--idl", config.place(&config.subjects.types));
    }
    for subject in &subjects {
        begin.pair("--kind", subject.to_string());
    }
    for place in &config.corpora.recorded {
        begin.pair("--recorded", config.place(place));
    }
    if let Some(file) = named {
        begin.pair("--config", file);
    }
    begin.pair("--today", today.to_string());
    let mut go_on = Arguments::of("soak");
    go_on.pair("--resume", folder);
    for arguments in [&mut begin, &mut go_on] {
        if let Some(jobs) = config.budget.threads() {
            arguments.pair("--jobs", jobs.to_string());
        }
    }
    supervise(Supervised {
        begin: begin.0,
        go_on: go_on.0,
        folder: folder.to_owned(),
        subjects,
        isolation: Isolation::default(),
        time: CASE,
        quiet: true,
    })
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn of(command: &str) -> Self {
        Self(vec![command.into()])
    }

    fn pair(&mut self, name: &str, value: impl Into<PathBuf>) {
        let mut both = OsString::from(name);
        // Joined, so that no value is taken for an option.
        both.push("=");
        both.push(value.into());
        self.0.push(both);
    }
}
