//! The forms in which a report can be written, listed once for the command line and for run folders.

use crate::layout::Look;
use serde::Serialize;
use std::error::Error;

/// One form of a report `R`. Whoever adds one writes it in a file of its own and lists it with the other forms of the report.
pub struct Form<R: 'static> {
    /// What `--format` calls it: `markdown`.
    pub name: &'static str,
    /// What `--help` says of it.
    pub help: &'static str,
    /// The extension of its files, without the dot: `md`.
    pub extension: &'static str,
    /// Whether every run folder contains it, see [`Form::file_name`].
    pub kept: bool,
    /// Writes the report. [`Look`] says what the reader's screen can show; forms that are no text for people pass over it.
    pub write: fn(&R, Look) -> Result<String, FormError>,
    /// Writes what is added to the summary of a step of GitHub Actions, if anything is.
    pub step_summary: Option<fn(&R) -> String>,
}

impl<R> Form<R> {
    /// A form that no run folder keeps.
    pub(crate) const fn new(
        name: &'static str,
        help: &'static str,
        extension: &'static str,
        write: fn(&R, Look) -> Result<String, FormError>,
    ) -> Self {
        Self { name, help, extension, kept: false, write, step_summary: None }
    }

    /// The same form, kept in run folders.
    pub(crate) const fn kept(self) -> Self {
        Self { kept: true, ..self }
    }

    /// The form of this name.
    #[must_use]
    pub fn find<'f>(forms: &'f [Self], name: &str) -> Option<&'f Self> {
        forms.iter().find(|form| form.name == name)
    }

    /// Name of its file in run folders: `report.html`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("report.{}", self.extension)
    }
}

impl<R: Serialize> Form<R> {
    /// The report as indented JSON.
    pub(crate) const fn json(help: &'static str) -> Self {
        Self::new("json", help, "json", |report, _| crate::text::json(report).map_err(FormError::of))
    }
}

/// Why a report could not be written in a form.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FormError(Box<dyn Error + Send + Sync>);

impl FormError {
    pub(crate) fn of(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}
