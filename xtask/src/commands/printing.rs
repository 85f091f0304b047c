//! How the report of a run is printed: on one screen, in full, in a line, or in another form.

use crate::form::{one_of, printed};
use crate::output;
use clap::Args;
use std::ffi::OsString;
use takeover_reports::run::FORMS;
use takeover_reports::{Form, RunReport};

/// How the report is printed.
#[derive(Args, Clone, Copy)]
pub struct Printing {
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "screen")]
    format: &'static Form<RunReport>,
    /// Print the whole report; same as `--format table`.
    #[arg(long, conflicts_with = "format")]
    full: bool,
    /// Print only the answer, on one line, and no progress.
    #[arg(long, short, conflicts_with_all = ["format", "full"])]
    quiet: bool,
}

impl Printing {
    /// Whether nothing but the answer is wanted.
    pub fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Whether it is the closing screen.
    pub fn is_screen(self) -> bool {
        !self.quiet && self.form().name == "screen"
    }

    /// Whether a form was chosen, beside the closing screen and the answer alone.
    pub fn is_chosen(self) -> bool {
        !self.quiet && !self.is_screen()
    }

    /// The arguments that say the same to a process of this program.
    pub fn arguments(self) -> Vec<OsString> {
        if self.quiet { vec!["--quiet".into()] } else { vec!["--format".into(), self.form().name.into()] }
    }

    /// The same, with the whole report in place of the screen, which shows no part of it.
    pub fn in_full(self) -> Self {
        Self { full: self.full || self.is_screen(), ..self }
    }

    /// The form that is wanted, unless it is the answer alone.
    pub fn form(self) -> &'static Form<RunReport> {
        if self.full { Form::find(FORMS, "table").unwrap_or(self.format) } else { self.format }
    }

    /// Prints the report to standard output.
    ///
    /// # Errors
    /// When it cannot be encoded or written.
    pub fn print(self, report: &RunReport) -> anyhow::Result<()> {
        if self.quiet {
            return output::print(&format!("{}\n", report.in_a_line()));
        }
        output::print(&printed(report, self.form())?)
    }
}
