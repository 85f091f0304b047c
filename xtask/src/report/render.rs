//! A report in one of its forms.

use crate::output;
use clap::ValueEnum;
use takeover_reports::github::{SUMMARY, annotations};
use takeover_reports::html::html;
use takeover_reports::markdown::{COMMENT, markdown};
use takeover_reports::sarif::sarif;
use takeover_reports::{Look, Report, json, junit, table};

/// Forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For a terminal.
    Table,
    /// For machines: one JSON object, see reports/schema/report.v1.json.
    Json,
    /// For the comment of a pull request: at most 65,536 characters.
    Markdown,
    /// JUnit XML: a test case a rule.
    Junit,
    /// SARIF 2.1.0: findings at the tags they are laid to.
    Sarif,
    /// Annotations for GitHub Actions; the Markdown is added to the summary of the step.
    Github,
    /// One file that needs nothing else, with filters and charts.
    Html,
}

/// The report in a form, and what goes to the summary of a step of GitHub Actions. `terminal` says whether it goes to one.
///
/// # Errors
/// When it cannot be encoded.
pub fn render(report: &Report, form: Form, terminal: bool) -> anyhow::Result<(String, Option<String>)> {
    let text = match form {
        Form::Table => {
            let colour = terminal && console::colors_enabled();
            table(report, if terminal { Look { width: output::width(), colour } } else { Look::plain(140) })
        }
        Form::Json => json(report)?,
        Form::Markdown => markdown(report, COMMENT),
        Form::Junit => junit(report)?,
        Form::Sarif => json(&sarif(report))?,
        Form::Github => return Ok((annotations(report), Some(markdown(report, SUMMARY)))),
        Form::Html => html(report)?,
    };
    Ok((text, None))
}
