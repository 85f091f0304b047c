//! Timing of small work: many short rounds of all measurements in turn, the median of each, and how far its rounds spread.

use std::time::{Duration, Instant};

/// Some work: does it on a number of items and returns that number.
pub(super) type Work<'w> = Box<dyn FnMut() -> usize + 'w>;

/// How long work takes per item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// Median over rounds, nanoseconds an item.
    pub median_ns: f64,
    /// Lower quartile.
    pub low_ns: f64,
    /// Upper quartile.
    pub high_ns: f64,
    /// Fastest round: the others were disturbed, if the machine does other work.
    pub least_ns: f64,
    /// Rounds.
    pub rounds: usize,
}

/// Measures every work for about `time` in all. Rounds are interleaved, so that what disturbs the machine disturbs all alike.
pub(super) fn measure(time: Duration, works: &mut [Work<'_>]) -> Vec<Measured> {
    for work in works.iter_mut() {
        work();
    }
    let mut samples: Vec<Vec<f64>> = works.iter().map(|_| Vec::new()).collect();
    let begin = Instant::now();
    while begin.elapsed() < time || samples.iter().any(|samples| samples.len() < 5) {
        for (work, samples) in works.iter_mut().zip(&mut samples) {
            let start = Instant::now();
            let items = work();
            #[expect(clippy::cast_precision_loss, reason = "counts of a round are far below 2^52")]
            samples.push(start.elapsed().as_nanos() as f64 / items.max(1) as f64);
        }
    }
    samples.into_iter().map(summarise).collect()
}

/// Summarises the nanoseconds an item of all rounds.
pub(super) fn summarise(samples: Vec<f64>) -> Measured {
    let rounds = samples.len();
    let [least_ns, low_ns, median_ns, high_ns, _] = quartiles(samples);
    Measured { median_ns, low_ns, high_ns, least_ns, rounds }
}

/// The least value, the lower quartile, the median, the upper quartile and the greatest value; not a number if there are none.
pub(super) fn quartiles(mut values: Vec<f64>) -> [f64; 5] {
    values.sort_by(f64::total_cmp);
    [0, 1, 2, 3, 4].map(|quarter| values.get(values.len().saturating_sub(1) * quarter / 4).copied().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::{Work, measure, summarise};
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn quartiles_come_from_sorted_samples() {
        let measured = summarise(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(measured.least_ns, 1.0);
        assert_eq!((measured.low_ns, measured.median_ns, measured.high_ns, measured.rounds), (2.0, 3.0, 4.0, 5));
    }

    #[test]
    fn every_work_runs_as_often_as_the_others() {
        let counts = [Cell::new(0), Cell::new(0)];
        let mut works: Vec<Work<'_>> = counts
            .iter()
            .map(|count| -> Work<'_> {
                Box::new(|| {
                    count.set(count.get() + 1);
                    1
                })
            })
            .collect();
        let measured = measure(Duration::ZERO, &mut works);
        drop(works);
        assert_eq!(counts[0], counts[1]);
        assert_eq!((measured.len(), measured[0].rounds), (2, 5));
    }
}
