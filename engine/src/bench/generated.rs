//! What it costs to generate cases, and to judge them as a soak on one thread does.

use super::measure::{Measured, summarise};
use super::source::Ours;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_corpora::generate::{Generator, GeneratorSettings};
use takeover_harness::judge::Judge;
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Budget, Ended, Part, Progress, Run, Steering};

/// The seed of the cases, the same for every build.
const SEED: u64 = 1;

/// The fewest rounds of either measurement, beside the first, in which memory gets warm.
const LEAST: usize = 5;

/// What is measured.
pub(super) const NAMES: [&str; 2] = ["generate a case", "generated case to recorded verdict"];

/// Generates cases of a pair from `objects`, then generates and judges them, for about `time` together. Each chunk is a round. There are
/// only random cases, which most cases of a soak are.
///
/// # Errors
/// Returns an error when no thread can be started, or the generator panics.
pub(super) fn measured(pair: &Pair, objects: Vec<Value>, time: Duration) -> anyhow::Result<[Measured; 2]> {
    let generator = Generator::of(pair, objects, SEED);
    let chunk_len = GeneratorSettings::of(pair, SEED).chunk_size.max(1);
    let random = generator.systematic_len().div_ceil(chunk_len);
    let rounds = Rounds::begin(time / 4);
    let (mut of_chunk, mut of_case) = (Arena::new(), Arena::new());
    for number in random.. {
        if rounds.enough() {
            break;
        }
        of_chunk.reset();
        let mut cases = generator.chunk(number, SEED).in_arena(&of_chunk);
        let mut made = 0;
        while std::hint::black_box(cases.make(&of_case)).is_some() {
            of_case.reset();
            made += 1;
        }
        rounds.end(made);
    }
    let generate = rounds.measured();

    let judges = [Judge::new(pair)];
    let run = Run::new(&judges, NonZeroUsize::MIN).with_controls();
    let source = Ours { generator: &generator, chunk_len, first: random, seed: SEED };
    let rounds = Rounds::begin(time * 3 / 4);
    let round = usize::try_from(chunk_len).unwrap_or(usize::MAX);
    let control = Steering { stop: &|| rounds.enough(), progress: &|_: &Progress<'_>| rounds.end(round) };
    let ended = run.generated(&source, SEED, Budget::UntilStopped, Part::default(), control)?.ended;
    anyhow::ensure!(ended == Ended::Stopped, "the cases of {} cannot be generated: {ended:?}", pair.id);
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
        state.1.len() > LEAST && self.begun.elapsed() >= self.time
    }

    fn measured(self) -> Measured {
        let (_, rounds) = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        summarise(rounds.into_iter().skip(1).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, Rounds};
    use std::time::Duration;

    #[test]
    fn the_first_round_is_left_out_and_enough_others_are_made() {
        let rounds = Rounds::begin(Duration::ZERO);
        let mut made = 0;
        while !rounds.enough() {
            made += 1;
            rounds.end(1);
        }
        assert_eq!((made, rounds.measured().rounds), (LEAST + 1, LEAST));
        let rounds = Rounds::begin(Duration::from_secs(3600));
        (0..=LEAST).for_each(|_| rounds.end(1));
        assert!(!rounds.enough(), "there is time left");
    }
}
