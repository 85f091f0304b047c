//! What came of the reviews that were sent.

use hdrhistogram::{CreationError, Histogram};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Digits of a time that are kept.
const DIGITS: u8 = 3;

/// Longest time that is told from longer ones: a minute, in nanoseconds.
const LONGEST: u64 = 60_000_000_000;

/// Most different faults that are told apart.
const MOST_FAULTS: usize = 20;

/// What came of the reviews that were sent.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Reviews sent, or tried to.
    pub sent: u64,
    /// Reviews that were due and not sent, for nothing was free to send them.
    pub unsent: u64,
    /// Wrong answers and missing ones, by what is wrong.
    pub faults: BTreeMap<String, u64>,
    /// From the first review to the last answer.
    pub took: Duration,
    /// Times from when a review was due to its answer, in nanoseconds.
    from_due: Histogram<u64>,
    /// Times from when a review was sent to its answer, in nanoseconds.
    from_sent: Histogram<u64>,
}

/// Times of answers, in microseconds: no more than so long took half of them, 90 % of them, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "said above")]
pub struct Latency {
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

impl Tally {
    /// Nothing yet.
    pub(super) fn new() -> Result<Self, CreationError> {
        let histogram = Histogram::new_with_max(LONGEST, DIGITS)?;
        Ok(Self {
            sent: 0,
            unsent: 0,
            faults: BTreeMap::new(),
            took: Duration::ZERO,
            from_due: histogram.clone(),
            from_sent: histogram,
        })
    }

    /// Notes an answer, whatever it says.
    pub(super) fn answered(&mut self, from_due: Duration, from_sent: Duration) {
        for (histogram, time) in [(&mut self.from_due, from_due), (&mut self.from_sent, from_sent)] {
            histogram.saturating_record(u64::try_from(time.as_nanos()).unwrap_or(LONGEST).min(LONGEST));
        }
    }

    /// Notes a wrong answer, or a missing one.
    pub(super) fn fault(&mut self, what: &str) {
        self.count_fault(what, 1);
    }

    fn count_fault(&mut self, what: &str, number: u64) {
        let is_known = self.faults.contains_key(what) || self.faults.len() < MOST_FAULTS;
        *self.faults.entry(if is_known { what } else { "others" }.to_owned()).or_default() += number;
    }

    /// Adds what another connection noted.
    pub(super) fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.unsent += other.unsent;
        for (what, number) in &other.faults {
            self.count_fault(what, *number);
        }
        // Histograms of the same bounds take whatever others have.
        let _ = self.from_due.add(&other.from_due);
        let _ = self.from_sent.add(&other.from_sent);
    }

    /// Answers, right or wrong.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.from_sent.len()
    }

    /// Wrong answers and missing ones.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Answers a second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of reviews are far below 2^52")]
        {
            self.answers() as f64 / self.took.as_secs_f64().max(1e-9)
        }
    }

    /// From when reviews were due.
    #[must_use]
    pub fn from_due(&self) -> Latency {
        latency(&self.from_due)
    }

    /// From when they were sent.
    #[must_use]
    pub fn from_sent(&self) -> Latency {
        latency(&self.from_sent)
    }
}

fn latency(histogram: &Histogram<u64>) -> Latency {
    #[expect(clippy::cast_precision_loss, reason = "at most a minute")]
    let micros = |nanos: u64| nanos as f64 / 1e3;
    let at = |quantile| micros(histogram.value_at_quantile(quantile));
    Latency { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: micros(histogram.max()) }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use std::time::Duration;

    #[test]
    fn tallies_add_up_and_quantiles_are_of_all() {
        let mut all = Tally::new().unwrap();
        for part in 0..4_u64 {
            let mut tally = Tally { sent: 250, ..Tally::new().unwrap() };
            for number in 1..=250 {
                let micros = Duration::from_micros(part * 250 + number);
                tally.answered(micros * 2, micros);
            }
            tally.fault("HTTP 503");
            all.add(&tally);
        }
        all.took = Duration::from_millis(500);
        assert_eq!((all.sent, all.answers(), all.failed(), all.per_second()), (1000, 1000, 4, 2000.0));
        let (sent, due) = (all.from_sent(), all.from_due());
        let near = |got: f64, want: f64| (got - want).abs() <= want / 500.0;
        assert!(near(sent.p50, 500.0) && near(sent.p99, 990.0) && near(sent.max, 1000.0), "{sent:?}");
        assert!(near(due.p999, 2.0 * 999.0), "{due:?}");
    }

    #[test]
    fn faults_of_any_number_of_sorts_are_counted_in_bounded_memory() {
        let mut tally = Tally::new().unwrap();
        for number in 0..100 {
            tally.fault(&format!("fault {number}"));
        }
        tally.fault("fault 0");
        assert_eq!(
            (tally.faults.len(), tally.failed(), tally.faults["others"], tally.faults["fault 0"]),
            (21, 101, 80, 2)
        );
    }

    #[test]
    fn a_time_beyond_all_measure_is_the_longest() {
        let mut tally = Tally::new().unwrap();
        tally.answered(Duration::MAX, Duration::ZERO);
        assert!(tally.from_due().max > 59e6 && tally.from_sent().max == 0.0);
    }
}
