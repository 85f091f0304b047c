//! Generated cases of all subjects of a run. The subjects take turns, one chunk each.

use super::probing_progress::{Preparation, shown};
use crate::plan::JudgingPlan;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use takeover_corpora::generate::{ArenaChunk, Generator, GeneratorSettings, Health};
use takeover_corpora::recorded::objects;
use takeover_harness::case::Case;
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Base, CaseSource, Cases, Chunk, FixedCases, Input};
use takeover_harness::subject::SubjectId;

/// How many generated cases join the recorded ones in the checks before a run, and how many where a server rejects most of them first.
const SAMPLE: usize = 32;
const VALIDATED_SAMPLE: usize = 512;

/// A few generated cases of a pair, the same for every seed.
pub(crate) fn sample(pair: &Pair, generator: &Generator) -> Vec<Case<'static>> {
    let size = if pair.validation.is_some() { VALIDATED_SAMPLE } else { SAMPLE };
    generator.chunk(0, 0).take(size).map(|made| made.case).collect()
}

/// One generator for each subject.
pub(crate) struct Generators {
    generators: Vec<Generator>,
    /// The subject of each of the first chunks, and the number of the chunk among those of the subject.
    first: Vec<(usize, u64)>,
    /// Chunks of each subject among the first.
    begun: Vec<u64>,
    chunk_len: u64,
    seed: u64,
    health: Mutex<HealthSum>,
}

/// The generator of a pair, starting from these objects. Of a plan that generates nothing it knows the types alone.
pub(crate) fn generator(plan: &JudgingPlan, pair: &Pair, recorded: Vec<Value>) -> Generator {
    let of = if plan.recorded_only { Generator::plain } else { Generator::of };
    of(pair, recorded, plan.seed)
}

/// What was generated.
struct HealthSum {
    /// What was generated in settled chunks, by subject.
    settled: Vec<Health>,
    /// What was generated in chunks that are not settled yet, by the number of the chunk, with the subject.
    pending: BTreeMap<u64, (usize, Health)>,
}

impl Generators {
    /// Generators that start from the recorded objects which the reference accepts. `accepted` says which those are of the subject
    /// with this index.
    ///
    /// # Errors
    /// Returns the errors of `accepted`.
    pub(crate) fn new<E>(
        pairs: &[Pair],
        recorded: &[Vec<Case<'static>>],
        plan: &JudgingPlan,
        mut accepted: impl FnMut(usize, Vec<Value>) -> Result<Vec<Value>, E>,
    ) -> Result<Self, E> {
        let mut generators = Vec::new();
        for (index, (pair, cases)) in pairs.iter().zip(recorded).enumerate() {
            shown().prepared(Preparation::Cases, index as u64 + 1, pairs.len() as u64);
            generators.push(generator(plan, pair, accepted(index, objects(cases))?));
        }
        shown().done();
        let seed = plan.seed;
        let health = HealthSum { settled: vec![Health::default(); pairs.len()], pending: BTreeMap::new() };
        let chunk_len = GeneratorSettings::new(SubjectId::new("", ""), seed).chunk_size;
        // A pair without rules has no systematic cases, and takes its turn all the same.
        let chunks = |generator: &Generator| generator.systematic_len().div_ceil(chunk_len.max(1)).max(1);
        let begun: Vec<u64> = generators.iter().map(chunks).collect();
        let rounds = begun.iter().copied().max().unwrap_or_default();
        let of_round = |round: u64| {
            let open = begun.iter().enumerate().filter(move |(_, chunks)| **chunks > round);
            open.map(move |(subject, _)| (subject, round))
        };
        let first = (0..rounds).flat_map(of_round).collect();
        Ok(Self { generators, first, begun, chunk_len, seed, health: Mutex::new(health) })
    }

    /// The subject that a chunk belongs to, and the chunk's number among that subject's. Every subject counts its own chunks, so
    /// that each begins with its systematic cases; nothing is random before those of all subjects are through.
    pub(crate) fn turn(&self, chunk: Chunk) -> (usize, u64) {
        let beyond = match usize::try_from(chunk.number).ok().and_then(|number| self.first.get(number)) {
            Some(turn) => return *turn,
            None => chunk.number - self.first.len() as u64,
        };
        let count = self.generators.len().max(1) as u64;
        let subject = usize::try_from(beyond % count).unwrap_or_default();
        (subject, self.begun.get(subject).copied().unwrap_or_default() + beyond / count)
    }

    /// Counts what was generated for a subject elsewhere, until the chunk is settled.
    pub(crate) fn count(&self, chunk: u64, subject: usize, seen: Health) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.pending.insert(chunk, (subject, seen));
    }

    /// A few cases of a subject, the same for every seed.
    pub(crate) fn sample(&self, subject: usize, pair: &Pair) -> Vec<Case<'static>> {
        self.generators.get(subject).map(|generator| sample(pair, generator)).unwrap_or_default()
    }

    /// Counts the cases of a chunk whose verdicts became part of the evidence.
    pub(crate) fn settle(&self, chunk: u64) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((subject, seen)) = health.pending.remove(&chunk)
            && let Some(sum) = health.settled.get_mut(subject)
        {
            sum.merge(&seen);
        }
    }

    /// What was generated in chunks that are settled, by subject.
    pub(crate) fn health(&self) -> Vec<Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).settled.clone()
    }

    /// Adds what an earlier part of the run generated.
    pub(crate) fn add_health(&self, earlier: &[Health]) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        for (sum, earlier) in health.settled.iter_mut().zip(earlier) {
            sum.merge(earlier);
        }
    }
}

impl CaseSource for Generators {
    fn chunk_len(&self) -> u64 {
        self.chunk_len
    }

    fn cases<'c>(&'c self, chunk: Chunk, arena: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        let (subject, number) = self.turn(chunk);
        match self.generators.get(subject) {
            Some(generator) => Box::new(CountedChunk {
                chunk: chunk.number,
                subject,
                cases: generator.chunk(number, self.seed).in_arena(arena),
                seen: Health::default(),
                health: &self.health,
            }),
            None => Box::new(FixedCases(std::iter::empty())),
        }
    }
}

/// The cases of a chunk, counted as they are asked for.
struct CountedChunk<'g> {
    chunk: u64,
    subject: usize,
    cases: ArenaChunk<'g>,
    seen: Health,
    health: &'g Mutex<HealthSum>,
}

impl<'g> Cases<'g> for CountedChunk<'g> {
    fn next<'a>(&mut self, arena: &'a Arena) -> Option<Input<'a>>
    where
        'g: 'a,
    {
        let generated = self.cases.make(arena)?;
        self.seen.observe(&generated);
        let shows = generated.shows();
        Some(Input::Case { subject: self.subject, case: generated.case, shows })
    }

    fn ahead(&self) -> u64 {
        self.cases.ahead()
    }

    fn field(&self) -> u64 {
        self.cases.field()
    }

    fn base(&self) -> Option<&Base<'g>> {
        self.cases.base()
    }

    fn keep(&mut self, index: u64) {
        self.cases.keep(index);
    }
}

impl Drop for CountedChunk<'_> {
    fn drop(&mut self) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.pending.insert(self.chunk, (self.subject, std::mem::take(&mut self.seen)));
    }
}
