//! Generated cases of all subjects of a run: chunks go round the subjects.

use super::inputs::define_options;
use super::isolate::{Crew, CrewError, Watcher};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use takeover_corpora::generate::{Chunk as GeneratedChunk, GeneratedCase, Generator, Health, Mode, Planted, Settings};
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::error::ErrorList;
use takeover_harness::judge::run_oracle;
use takeover_harness::object::Arena;
use takeover_harness::runner::{CaseSource, Chunk, Input, Shown};
use takeover_harness::subject::{Subject, SubjectId};

/// How many generated cases join the recorded ones in the checks before a run.
pub const SAMPLE: usize = 32;

/// One generator a subject.
pub struct Generators {
    generators: Vec<Generator>,
    chunk_len: u64,
    health: Mutex<HealthSum>,
}

/// What was generated.
struct HealthSum {
    /// By subject, of the chunks that were settled.
    settled: Vec<Health>,
    /// Of the chunks that were not, by their number, with the subject.
    pending: BTreeMap<u64, (usize, Health)>,
}

impl Generators {
    /// Generators that start from the recorded objects which both sides accept. `crew` is asked about the subjects that it takes.
    ///
    /// # Errors
    /// When it cannot answer.
    pub fn new(
        subjects: &[Subject],
        recorded: &[Vec<Case>],
        seed: u64,
        crew: &Crew,
        watcher: &Watcher,
    ) -> Result<Self, CrewError> {
        let mut generators = Vec::new();
        for (index, (subject, cases)) in subjects.iter().zip(recorded).enumerate() {
            let objects = objects(cases);
            let valid = if crew.takes(index) {
                let chosen = crew.accept(index)?;
                let chosen = chosen.into_iter().filter_map(|at| usize::try_from(at).ok());
                chosen.filter_map(|at| objects.get(at).cloned()).collect()
            } else {
                watcher.at(Some(index));
                objects.into_iter().filter(|object| accepted(subject, object)).collect()
            };
            watcher.at(None);
            generators.push(generator(subject, valid, seed));
        }
        let health = HealthSum { settled: vec![Health::default(); subjects.len()], pending: BTreeMap::new() };
        let chunk_len = Settings::new(SubjectId::new("", ""), seed).chunk_size;
        Ok(Self { generators, chunk_len, health: Mutex::new(health) })
    }

    /// The subject that a chunk belongs to, and the chunk's number among that subject's. Every subject counts its own chunks, so
    /// that each begins with its systematic cases.
    pub fn turn(&self, chunk: Chunk) -> (usize, u64) {
        let count = self.generators.len().max(1) as u64;
        (usize::try_from(chunk.number % count).unwrap_or_default(), chunk.number / count)
    }

    /// Counts what was generated for a subject elsewhere, until the chunk is settled.
    pub fn count(&self, chunk: u64, subject: usize, seen: Health) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.pending.insert(chunk, (subject, seen));
    }

    /// A few cases of a subject, the same for every seed.
    pub fn sample(&self, subject: usize) -> Vec<Case> {
        self.generators
            .get(subject)
            .into_iter()
            .flat_map(|generator| generator.chunk(0, 0).take(SAMPLE))
            .map(|made| made.case)
            .collect()
    }

    /// Counts the cases of a chunk whose verdicts became part of the evidence.
    pub fn settle(&self, chunk: u64) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((subject, seen)) = health.pending.remove(&chunk)
            && let Some(sum) = health.settled.get_mut(subject)
        {
            sum.merge(&seen);
        }
    }

    /// What was generated in chunks that are settled, by subject.
    pub fn health(&self) -> Vec<Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).settled.clone()
    }

    /// Adds what an earlier part of the run generated.
    pub fn add_health(&self, earlier: &[Health]) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        for (sum, earlier) in health.settled.iter_mut().zip(earlier) {
            sum.merge(earlier);
        }
    }
}

/// The generator of a subject that starts from these objects.
pub fn generator(subject: &Subject, valid: Vec<Value>, seed: u64) -> Generator {
    let mut settings = Settings::new(subject.id.clone(), seed);
    settings.options.clone_from(&subject.options);
    settings.updates_only = !subject.operations().contains(&Operation::Create);
    settings.quiet = subject.delegated.iter().map(|part| part.path.clone()).collect();
    Generator::new(Arc::clone(&subject.schema), subject.root, &subject.rules, valid, settings)
}

/// The recorded objects, new and old, each once.
pub fn objects(cases: &[Case]) -> Vec<Value> {
    let objects = cases.iter().flat_map(|case| std::iter::once(&case.object).chain(&case.old));
    let mut known: Vec<Value> = Vec::new();
    for object in objects.filter_map(|object| object.to_value().ok()) {
        if !known.contains(&object) {
            known.push(object);
        }
    }
    known
}

/// Whether both sides accept the object: its creation, or on a subresource an update that changes nothing.
pub fn accepted(subject: &Subject, object: &Value) -> bool {
    let update = !subject.id.subresource.is_empty();
    let mut case = Case {
        operation: if update { Operation::Update } else { Operation::Create },
        object: object.clone().into(),
        old: update.then(|| object.clone().into()),
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    };
    define_options(subject, &mut case.options);
    let arena = Arena::new();
    let mut errors = ErrorList::new();
    subject.prepare(&case, &arena).is_ok_and(|prepared| {
        [subject.reference.as_ref(), subject.candidate.as_ref()]
            .into_iter()
            .all(|oracle| run_oracle(oracle, &prepared, &mut errors).is_ok())
    }) && errors.is_empty()
}

impl CaseSource for Generators {
    fn chunk_len(&self) -> u64 {
        self.chunk_len
    }

    fn cases(&self, chunk: Chunk) -> Box<dyn Iterator<Item = Input> + '_> {
        let (subject, number) = self.turn(chunk);
        match self.generators.get(subject) {
            Some(generator) => Box::new(Watched {
                chunk: chunk.number,
                subject,
                cases: generator.chunk(number, chunk.seed),
                seen: Health::default(),
                health: &self.health,
            }),
            None => Box::new(std::iter::empty()),
        }
    }
}

/// The cases of a chunk, counted as they are asked for.
struct Watched<'g> {
    chunk: u64,
    subject: usize,
    cases: GeneratedChunk<'g>,
    seen: Health,
    health: &'g Mutex<HealthSum>,
}

impl Iterator for Watched<'_> {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        let generated = self.cases.next()?;
        self.seen.observe(&generated);
        let shows = shows(&generated);
        Some(Input::Case { subject: self.subject, case: generated.case, shows })
    }
}

/// The classes that a case was made to show.
pub fn shows(generated: &GeneratedCase) -> Vec<Shown> {
    generated.planted.iter().filter_map(shown).collect()
}

/// What a planted class shows; none where it stands in the old object alone.
fn shown(planted: &Planted) -> Option<Shown> {
    let kept = match planted.mode {
        Mode::Created | Mode::Changed | Mode::Appeared => false,
        Mode::Kept | Mode::KeptBeside => true,
        Mode::Mended | Mode::Reordered => return None,
    };
    Some(Shown { rule: planted.rule, class: planted.class, kept })
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.pending.insert(self.chunk, (self.subject, std::mem::take(&mut self.seen)));
    }
}
