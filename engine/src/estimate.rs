//! What confidence costs: from the rate of this machine to cases, machines, hours and bytes.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::time::Duration;
use takeover_harness::case::Operation;
use takeover_harness::evidence::Evidence;
use takeover_harness::readiness::upper_bound;
use takeover_harness::rule::RuleId;

/// What a short run of one thread showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Generated cases.
    pub cases: u64,
    /// How long they took.
    pub time: Duration,
    /// Bytes of a result as it is stored.
    pub bytes: u64,
    /// The rule and operation that the fewest cases tested, if any case tested one.
    pub rarest: Option<RarestRule>,
    /// Rules that no case put at stake.
    pub unreached: u64,
}

/// A rule that takes the most cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RarestRule {
    /// Its subject, place and tag.
    pub label: String,
    /// On which operation.
    pub operation: Operation,
    /// In how many cases it was at stake.
    pub compared: u64,
}

/// What is wanted of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// That at most this share of the cases of any rule may disagree.
    Bound(f64),
    /// That no more than so much time of processors is used.
    Budget(Duration),
}

/// How a run is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// How long it may take.
    pub within: Duration,
    /// Threads of a shard.
    pub jobs: u64,
    /// How often a shard stores a checkpoint.
    pub checkpoint_every: Duration,
}

/// What a run costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Generated cases.
    pub cases: u64,
    /// Shards.
    pub shards: u64,
    /// How long each takes.
    pub hours: f64,
    /// Hours of processors, of all shards.
    pub core_hours: f64,
    /// At most this share of the cases of any rule may disagree, if none does.
    pub bound: f64,
    /// Bytes that lie in the storage at the end.
    pub bytes_kept: u64,
    /// Bytes that are written, with checkpoints that are replaced.
    pub bytes_written: u64,
}

impl Measured {
    /// Reads what there is to know from the evidence of a run of generated cases.
    #[must_use]
    pub fn of(evidence: &Evidence, cases: u64, time: Duration, bytes: u64) -> Self {
        let mut measured = Self { cases, time, bytes, rarest: None, unreached: 0 };
        for pair in evidence.pairs() {
            for (id, rule) in (0..).zip(pair.rules()) {
                let mut reached = false;
                for operation in Operation::ALL {
                    let compared = pair.rule(operation, RuleId(id)).compared;
                    reached |= compared > 0;
                    let rarer = measured.rarest.as_ref().is_none_or(|rarest| compared < rarest.compared);
                    if compared > 0 && rarer {
                        let label = format!("{} {} {}", pair.pair(), rule.rule.path, rule.label());
                        measured.rarest = Some(RarestRule { label, operation, compared });
                    }
                }
                measured.unreached += u64::from(!reached);
            }
        }
        measured
    }

    /// What a run costs that gives the wanted confidence; `None` if nothing was measured.
    #[must_use]
    pub fn estimate(&self, wanted: Wanted, confidence: f64, division: Division) -> Option<Estimate> {
        let rarest = self.rarest.as_ref()?;
        let (measured, seconds) = (self.cases as f64, self.time.as_secs_f64());
        if measured <= 0.0 || seconds <= 0.0 {
            return None;
        }
        let (rate, share) = (measured / seconds, rarest.compared as f64 / measured);
        let cases = match wanted {
            Wanted::Bound(bound) => (comparisons(bound, confidence) / share).ceil(),
            Wanted::Budget(time) => (time.as_secs_f64() * rate).floor(),
        };
        let core_seconds = cases / rate;
        let jobs = division.jobs.max(1) as f64;
        let shards = (core_seconds / jobs / division.within.as_secs_f64().max(1.0)).ceil().max(1.0);
        let shard_seconds = core_seconds / jobs / shards;
        let checkpoints = (shard_seconds / division.checkpoint_every.as_secs_f64().max(0.001)).floor();
        let bytes = self.bytes as f64;
        Some(Estimate {
            cases: cases as u64,
            shards: shards as u64,
            hours: shard_seconds / 3600.0,
            core_hours: core_seconds / 3600.0,
            bound: upper_bound(0, (cases * share) as u64, confidence),
            // The results of all shards, and the merged run.
            bytes_kept: (bytes * (shards + 1.0)) as u64,
            bytes_written: (bytes * (shards * (checkpoints + 1.0) + 1.0)) as u64,
        })
    }
}

/// How many bytes of storage a text takes: objects are compressed.
///
/// # Errors
/// Returns an error when it cannot be compressed, which no text makes happen.
pub fn packed_size(text: &str) -> std::io::Result<u64> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes())?;
    Ok(packed.finish()?.len() as u64)
}

/// How many comparisons without a disagreement show that at most this share disagrees.
fn comparisons(bound: f64, confidence: f64) -> f64 {
    ((1.0 - confidence).ln() / (-bound).ln_1p()).ceil()
}

#[cfg(test)]
mod tests {
    use super::{Division, Measured, RarestRule, Wanted, comparisons};
    use std::time::Duration;
    use takeover_harness::case::Operation;
    use takeover_harness::readiness::upper_bound;

    fn measured() -> Measured {
        let rarest = RarestRule { label: "a".to_owned(), operation: Operation::Create, compared: 100 };
        let time = Duration::from_secs(10);
        Measured { cases: 10_000, time, bytes: 1_000, rarest: Some(rarest), unreached: 0 }
    }

    const DIVISION: Division =
        Division { within: Duration::from_secs(3600), jobs: 2, checkpoint_every: Duration::from_secs(60) };

    #[test]
    fn as_many_comparisons_as_the_bound_takes_and_not_one_more() {
        for bound in [0.5, 0.01, 1e-5, 1e-9] {
            let needed = comparisons(bound, 0.95) as u64;
            // A whisker for the last bits of the logarithms.
            assert!(upper_bound(0, needed, 0.95) <= bound * (1.0 + 1e-9), "{bound}: {needed}");
            assert!(needed < 3 || upper_bound(0, needed - 1, 0.95) > bound * (1.0 - 1e-9), "{bound}: {needed}");
        }
    }

    #[test]
    fn the_rarest_rule_sets_the_cases_and_the_time_sets_the_shards() {
        let cost = measured().estimate(Wanted::Bound(1e-6), 0.95, DIVISION).unwrap();
        // 3 million comparisons, a case in a hundred, a thousand cases a second.
        assert_eq!((cost.cases, cost.shards), (299_573_100, 42));
        assert!((cost.core_hours - 83.2).abs() < 0.1 && cost.hours < 1.0, "{cost:?}");
        assert!(cost.bound <= 1e-6 && cost.bound > 0.99e-6, "{cost:?}");
        assert_eq!((cost.bytes_kept, cost.bytes_written), (43_000, 2_521_000), "59 checkpoints and a result a shard");
    }

    #[test]
    fn a_budget_gives_the_bound_that_it_buys() {
        let cost = measured().estimate(Wanted::Budget(Duration::from_secs(7200)), 0.95, DIVISION).unwrap();
        assert_eq!((cost.cases, cost.shards), (7_200_000, 1));
        assert!((cost.bound - upper_bound(0, 72_000, 0.95)).abs() < 1e-12);
        let nothing = Measured { rarest: None, ..measured() };
        assert_eq!(nothing.estimate(Wanted::Bound(0.1), 0.95, DIVISION), None);
    }
}
