//! What it costs to generate cases, and to judge them as a soak on one thread does.

use super::measure::{Measured, summarise};
use super::source::{Ours, Source};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_corpora::generate::{Generator, GeneratorSettings};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Budget, Part, Progress, Run, RunError, Steering};

/// The seed of the cases, the same for every build.
const SEED: u64 = 1;

/// The fewest chunks of either measurement.
const LEAST: usize = 3;

/// What is measured.
pub(super) const NAMES: [&str; 2] = ["generate a case", "generated case to recorded verdict"];

/// Generates cases of a pair, then generates and judges them, for about `time` together. Each chunk is a round. Cases are random: a soak
/// has most of these.
pub(super) fn measured(pair: &Pair, time: Duration) -> Result<[Measured; 2], RunError> {
    let generator = Generator::of(pair, accepted_objects(pair, &cases_of(pair)), SEED);
    let chunk_len = GeneratorSettings::of(pair, SEED).chunk_size.max(1);
    let random = generator.systematic_len().div_ceil(chunk_len);
    let rounds = Rounds::begin(time / 4);
    for number in random.. {
        if rounds.enough() {
            break;
        }
        rounds.end(generator.chunk(number, SEED).map(std::hint::black_box).count());
    }
    let generate = rounds.measured();

    let judges = [Judge::new(pair)];
    let run = Run::new(&judges, NonZeroUsize::MIN).with_controls();
    let source = Source { chunk_len, cases: Box::new(|at| Box::new(Ours(generator.chunk(random + at.number, SEED)))) };
    let rounds = Rounds::begin(time * 3 / 4);
    let chunk = usize::try_from(chunk_len).unwrap_or(usize::MAX);
    let control = Steering { stop: &|| rounds.enough(), progress: &|_: &Progress<'_>| rounds.end(chunk) };
    run.generated(&source, SEED, Budget::UntilStopped, Part::default(), control)?;
    Ok([generate, rounds.measured()])
}

/// Rounds that follow each other, timed.
struct Rounds {
    begun: Instant,
    time: Duration,
    state: Mutex<(Instant, Vec<f64>)>,
}

impl Rounds {
    fn begin(time: Duration) -> Self {
        let begun = Instant::now();
        Self { begun, time, state: Mutex::new((begun, Vec::new())) }
    }

    /// Ends a round of so many items, and begins the next.
    fn end(&self, items: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        #[expect(clippy::cast_precision_loss, reason = "counts of a round are far below 2^52")]
        let each = now.duration_since(state.0).as_nanos() as f64 / items.max(1) as f64;
        state.1.push(each);
        state.0 = now;
    }

    fn enough(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.len() >= LEAST && self.begun.elapsed() >= self.time
    }

    fn measured(self) -> Measured {
        summarise(self.state.into_inner().unwrap_or_else(PoisonError::into_inner).1)
    }
}
