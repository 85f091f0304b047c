//! The progress of a run and of what comes before it, on standard error: a bar on a terminal, and otherwise a line a minute.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use takeover_engine::pairs::{Preparation, ProbingProgress};
use takeover_engine::plan::RunBudget;
use takeover_engine::run::RunProgress;
use takeover_harness::subject::PairId;
use takeover_harness::text::{grouped, plural};

/// How often a line is said where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(60);

/// Says how far the run is.
#[derive(Default)]
pub struct ProgressLine(OnceLock<(RunBudget, Shown)>);

struct Shown {
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    /// When the last line was said.
    said: Instant,
    /// Findings whose cases are to be made smaller.
    findings: u64,
}

impl Shown {
    /// A bar of this template.
    fn new(template: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(LENGTH), ProgressDrawTarget::stderr_with_hz(8));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, state: Mutex::new(State { said: Instant::now(), findings: 0 }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows `now`, the `done` part of which is done.
    fn say(&self, done: Option<f64>, now: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            if let Some(done) = done {
                bar.set_position((done * LENGTH as f64) as u64);
            }
            bar.set_message(now());
            return;
        }
        let mut state = self.state();
        if state.said.elapsed() >= BETWEEN_LINES {
            state.said = Instant::now();
            let share = done.map_or_else(String::new, |done| format!("{:.0} %, ", done * 100.0));
            output::say(&format!("{share}{}", now()));
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Steps of a bar.
const LENGTH: u64 = 10_000;

/// Says how many of some pieces of work are done.
pub struct Steps {
    shown: Shown,
    count: u64,
    noun: String,
    done: AtomicU64,
}

impl Steps {
    /// Of so many of these.
    pub fn new(count: u64, noun: &str) -> Self {
        Self {
            shown: Shown::new("{wide_bar} {percent:>3} %  {msg}"),
            count,
            noun: noun.to_owned(),
            done: AtomicU64::new(0),
        }
    }

    /// One more is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let share = done as f64 / self.count.max(1) as f64;
        self.shown.say(Some(share.min(1.0)), || format!("{} of {}", grouped(done), plural(self.count, &self.noun)));
    }
}

/// Says how many results of shards are added up.
#[derive(Default)]
pub struct GatheringLine(OnceLock<Shown>);

impl RunProgress for GatheringLine {
    fn begin(&self, _: RunBudget) {}

    fn recorded(&self, _: u64, _: u64) {}

    fn generated(&self, _: u64, _: Duration, _: u64) {}

    fn end(&self, _: u64) {}

    fn gathered(&self, done: u64, of: u64) {
        let shown = self.0.get_or_init(|| Shown::new("{wide_bar} {percent:>3} %  {msg}"));
        let share = done as f64 / of.max(1) as f64;
        shown.say(Some(share.min(1.0)), || format!("added up {} of {}", grouped(done), plural(of, "shard")));
        if let Some(bar) = shown.bar.as_ref().filter(|_| done == of) {
            bar.finish_and_clear();
        }
    }
}

impl RunProgress for ProgressLine {
    fn begin(&self, budget: RunBudget) {
        let _ = self.0.set((budget, Shown::new("{wide_bar} {percent:>3} %  {msg}")));
    }

    fn recorded(&self, cases: u64, findings: u64) {
        if let Some((_, shown)) = self.0.get() {
            shown.say(None, || format!("{}, {}", plural(cases, "recorded case"), plural(findings, "finding")));
        }
    }

    fn generated(&self, cases: u64, spent: Duration, findings: u64) {
        if let Some((budget, shown)) = self.0.get() {
            let at = Pace::of(*budget, cases, spent);
            shown.say(Some(at.done), || format!("{at}, {}", plural(findings, "finding")));
        }
    }

    fn end(&self, findings: u64) {
        if let Some((_, shown)) = self.0.get() {
            shown.state().findings = findings;
            shown.say(Some(0.0), || format!("minimising the cases of {}", plural(findings, "finding")));
        }
    }

    fn minimised(&self, done: u64) {
        if let Some((_, shown)) = self.0.get() {
            let findings = shown.state().findings;
            let share = done as f64 / findings.max(1) as f64;
            shown.say(Some(share.min(1.0)), || {
                format!("minimised the cases of {} of {}", grouped(done), plural(findings, "finding"))
            });
        }
    }

    fn done(&self) {
        if let Some(bar) = self.0.get().and_then(|(_, shown)| shown.bar.as_ref()) {
            bar.finish_and_clear();
        }
    }
}

/// Says how far the preparation of pairs is, with the probing of oracles.
pub struct ProbingLine(Mutex<Option<Shown>>);

impl ProbingLine {
    /// Shows nothing before something is probed.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn shown(&self) -> MutexGuard<'_, Option<Shown>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, done: Option<f64>, said: impl FnOnce() -> String) {
        // Names of pairs are long: what does not fit is truncated.
        let new = || Shown::new("{percent:>3} %  {wide_msg}");
        self.shown().get_or_insert_with(new).say(done, said);
    }
}

impl ProbingProgress for ProbingLine {
    fn asked(&self, pair: &PairId, cases: u64, most: u64) {
        let done = (most > 0).then(|| cases as f64 / most as f64);
        self.say(done, || probing(pair, cases, most));
    }

    fn prepared(&self, step: Preparation, number: u64, of: u64) {
        let done = (of > 0).then(|| number.saturating_sub(1) as f64 / of as f64);
        let step = match step {
            Preparation::Oracles => "preparing",
            Preparation::Cases => "planning cases of",
            Preparation::Faults => "planting faults in",
        };
        self.say(done, || format!("{step} subject {} of {}", grouped(number), grouped(of)));
    }

    fn done(&self) {
        // A terminal clears its bar; without one, the next pair continues the current minute.
        let mut shown = self.shown();
        if let Some(bar) = shown.as_ref().and_then(|shown| shown.bar.as_ref()) {
            bar.finish_and_clear();
            *shown = None;
        }
    }
}

fn probing(pair: &PairId, cases: u64, most: u64) -> String {
    match most {
        0 => format!("asking what `{pair}` checks"),
        _ => format!("asked about {} of {} to learn what `{pair}` checks", grouped(cases), plural(most, "case")),
    }
}

/// How fast generated cases are judged, and how long the others will take.
struct Pace {
    cases: u64,
    /// The part of the budget that is spent, at most 1.
    done: f64,
    /// Cases a second.
    rate: f64,
    /// None before the first case.
    left: Option<Duration>,
}

impl Pace {
    fn of(budget: RunBudget, cases: u64, spent: Duration) -> Self {
        let seconds = spent.as_secs_f64();
        let rate = if seconds > 0.0 { cases as f64 / seconds } else { 0.0 };
        let (done, left) = match budget {
            RunBudget::Cases(wanted) => {
                let left = wanted.saturating_sub(cases) as f64 / rate;
                (cases as f64 / wanted.max(1) as f64, Duration::try_from_secs_f64(left).ok())
            }
            RunBudget::For(time) => (seconds / time.as_secs_f64().max(f64::EPSILON), Some(time.saturating_sub(spent))),
        };
        Self { cases, done: done.min(1.0), rate, left }
    }
}

impl std::fmt::Display for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} a second", plural(self.cases, "case"), grouped(self.rate as u64))?;
        match self.left {
            Some(left) if left >= Duration::from_secs(120) => write!(f, ", {} min left", left.as_secs() / 60),
            Some(left) => write!(f, ", {} s left", left.as_secs()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, probing};
    use std::time::Duration;
    use takeover_engine::plan::RunBudget;

    #[test]
    fn a_pace_says_share_rate_and_what_is_left() {
        let ten = Duration::from_secs(10);
        for (budget, cases, spent, share, said) in [
            (RunBudget::Cases(100_000), 20_000, ten, 0.2, "20,000 cases, 2,000 a second, 40 s left"),
            (RunBudget::Cases(1_000_000), 20_000, ten, 0.02, "20,000 cases, 2,000 a second, 8 min left"),
            (
                RunBudget::For(Duration::from_secs(60)),
                20_000,
                ten,
                1.0 / 6.0,
                "20,000 cases, 2,000 a second, 50 s left",
            ),
            (RunBudget::For(ten), 1, Duration::from_secs(11), 1.0, "1 case, 0 a second, 0 s left"),
            (RunBudget::Cases(100), 0, Duration::ZERO, 0.0, "0 cases, 0 a second"),
        ] {
            let pace = Pace::of(budget, cases, spent);
            assert_eq!(pace.to_string(), said);
            assert!((pace.done - share).abs() < 1e-9, "{said}: {}", pace.done);
        }
    }

    #[test]
    fn probing_names_the_pair_and_how_many_cases_are_asked_about() {
        let pair = "shop.example.com/v1 Widget#old-to-new".parse().unwrap();
        let asked = "asked about 1,024 of 4,000 cases to learn what `shop.example.com/v1 Widget#old-to-new` checks";
        assert_eq!(probing(&pair, 1_024, 4_000), asked);
        let server = "asking what `shop.example.com/v1 Widget#old-to-new` checks";
        assert_eq!(probing(&pair, 0, 0), server, "a server is asked about no generated case");
    }
}
