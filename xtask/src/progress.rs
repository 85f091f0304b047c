//! The progress display: on a terminal only, and on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::OnceLock;
use std::time::Duration;
use takeover_engine::plan::RunBudget;
use takeover_engine::run::RunProgress;

/// A line that says how far the run is; silent when standard error is no terminal.
#[derive(Default)]
pub struct ProgressLine(OnceLock<(ProgressBar, RunBudget)>);

impl RunProgress for ProgressLine {
    fn begin(&self, budget: RunBudget) {
        let length = match budget {
            RunBudget::Cases(cases) => cases,
            RunBudget::For(time) => u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        };
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(8))
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {wide_bar} {msg}") {
            bar.set_style(style);
        }
        let _ = self.0.set((bar, budget));
    }

    fn recorded(&self, cases: u64) {
        if let Some((bar, _)) = self.0.get() {
            bar.set_message(format!("{cases} recorded cases"));
            bar.tick();
        }
    }

    fn generated(&self, cases: u64, spent: Duration, disagreed: u64) {
        if let Some((bar, budget)) = self.0.get() {
            bar.set_position(match budget {
                RunBudget::Cases(_) => cases,
                RunBudget::For(_) => u64::try_from(spent.as_millis()).unwrap_or(u64::MAX),
            });
            bar.set_message(format!("{cases} generated cases, {disagreed} disagree"));
        }
    }

    fn end(&self) {
        if let Some((bar, _)) = self.0.get() {
            bar.finish_and_clear();
        }
    }
}
