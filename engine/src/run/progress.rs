//! The progress display: on a terminal only, and on standard error.

use crate::plan::Budget;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::Duration;

/// A line that says how far the run is.
pub struct Display {
    bar: ProgressBar,
    budget: Budget,
}

impl Display {
    /// A display for a run with this budget; silent when standard error is no terminal.
    pub fn new(budget: Budget) -> Self {
        let length = match budget {
            Budget::Cases(cases) => cases,
            Budget::For(time) => u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        };
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(8))
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {wide_bar} {msg}") {
            bar.set_style(style);
        }
        Self { bar, budget }
    }

    /// So many recorded cases are done.
    pub fn recorded(&self, cases: u64) {
        self.bar.set_message(format!("{cases} recorded cases"));
        self.bar.tick();
    }

    /// So many generated cases are done.
    pub fn generated(&self, cases: u64, elapsed: Duration, disagreed: u64) {
        self.bar.set_position(match self.budget {
            Budget::Cases(_) => cases,
            Budget::For(_) => u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        });
        self.bar.set_message(format!("{cases} generated cases, {disagreed} disagree"));
    }

    /// Takes the display away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
