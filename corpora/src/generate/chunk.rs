//! The cases of one chunk: what is planned or random, and what is made like a case of the same field that showed something new.

use super::bases::Bases;
use super::case::GeneratedCase;
use super::choices::{Change, Choices, Log, hash, mix};
use super::draft::separate;
use super::generator::{About, Generator};
use super::mode::Mode;
use super::plan::Slot;
use super::planting::{Planned, Planting};
use std::collections::HashMap;
use std::fmt::Write as _;
use takeover_harness::case::Provenance;
use takeover_harness::object::Arena;
use takeover_harness::rule::RuleId;
use takeover_harness::runner::{Base, Cases, Input};

/// Of so many random cases of a field, one is made like a kept one.
const ALIKE_EVERY: u64 = 4;

/// Cases of a field that are kept. A later one takes the place of the earliest: what is new late in a chunk is rarer.
const MOST_KEPT: usize = 32;

/// Cases that are remembered until it is said whether they are to be kept.
const REMEMBERED: usize = 64;

/// The cases of one chunk. As an iterator, it copies each case into memory of its own.
///
/// Without [`Chunk::keep`], each depends on its place alone. With it, one in four random cases of a field has the choices of a kept case
/// of that field, a few of them changed. What is kept is forgotten with the chunk.
#[derive(Debug)]
pub struct Chunk<'g> {
    generator: &'g Generator,
    seed: u64,
    number: u64,
    next: u64,
    /// The last cases; one stands where its index has it.
    last: Vec<Origin>,
    /// What is kept, by field.
    kept: HashMap<usize, Kept>,
}

/// The cases of one chunk, made in arenas: those that follow each other share the parts that they have in common.
#[derive(Debug)]
pub struct ArenaChunk<'c> {
    chunk: Chunk<'c>,
    bases: Bases<'c>,
}

/// What is kept of a field, and how much was in all.
#[derive(Clone, Debug, Default)]
struct Kept {
    origins: Vec<Origin>,
    count: usize,
}

/// Where a case came from.
#[derive(Clone, Debug)]
struct Origin {
    index: u64,
    /// The field, and the number of the case whose plan and choices it has.
    slot: Slot,
    /// Its choices that fell out otherwise.
    changes: Vec<Change>,
    /// How many choices it made.
    drawn: u32,
}

impl Generator {
    /// The cases of chunk `number`, [`GeneratorSettings::chunk_size`](super::GeneratorSettings::chunk_size) of them, of a run with this
    /// seed.
    ///
    /// The same generator, number and seed give the same bytes, whatever was generated before. A case follows from the seed, its
    /// field and its number among the cases of that field: another generator of the same types makes the same case of a field whose
    /// rules are the same.
    #[must_use]
    pub fn chunk(&self, number: u64, seed: u64) -> Chunk<'_> {
        Chunk { generator: self, seed, number, next: 0, last: Vec::new(), kept: HashMap::new() }
    }

    /// Case `index` of chunk `number`, the same as the chunk has it when nothing is [kept](Chunk::keep), without making those before it;
    /// none beyond the chunk.
    #[must_use]
    pub fn case(&self, number: u64, seed: u64, index: u64) -> Option<GeneratedCase<'static>> {
        self.case_in(number, seed, index, &Arena::new()).map(GeneratedCase::kept)
    }

    /// Does the same as [`Generator::case`], and makes the objects in `arena`.
    #[must_use]
    pub fn case_in<'a>(&'a self, number: u64, seed: u64, index: u64, arena: &'a Arena) -> Option<GeneratedCase<'a>> {
        let mut chunk = self.chunk(number, seed);
        chunk.next = index;
        chunk.in_arena(arena).make(arena)
    }

    /// A case that shows class `class` of a rule under test in this mode and nothing else; another one for each `attempt`, of a rule that
    /// reads the old value with another one. None where the types have no place for the rule.
    #[must_use]
    pub fn showing(&self, rule: RuleId, class: usize, mode: Mode, attempt: u64) -> Option<GeneratedCase<'static>> {
        let index = self.position(rule)?;
        let rule = self
            .knowledge
            .rules
            .get(index)
            .filter(|rule| (rule.update_only || rule.reads_old) && mode == Mode::Changed);
        let others: Vec<usize> =
            rule.map(|rule| (0..rule.boundaries.len()).filter(|other| *other != class).collect()).unwrap_or_default();
        let turn =
            usize::try_from(attempt).ok().and_then(|attempt| attempt.checked_sub(1)).filter(|_| !others.is_empty());
        let other = turn.and_then(|turn| others.get(turn % others.len()).copied());
        let planting = Planting { other, ..Planting::new(index, class, mode) };
        let planned = Planned { plantings: vec![planting], deviations: Vec::new() };
        let log = Log::default();
        let mut choices = Choices::keyed(mix(attempt), &log);
        let arena = Arena::new();
        let mut bases = Bases::new(&arena);
        Some(self.make(Some(planned), About::Rules, (0, attempt), &mut bases, &mut choices, &arena).kept())
    }

    /// The key of the choices of a case.
    fn key(&self, seed: u64, slot: Slot) -> u64 {
        let subject = &self.settings.subject;
        let of = [&subject.api_version, &subject.kind, &subject.subresource].map(|part| hash(part));
        let [field, number] =
            self.plan.fields.get(slot.field).map_or([0, slot.number], |field| [field.key, field.choices(slot.number)]);
        of.into_iter().chain([field, number]).fold(mix(seed), |key, part| mix(key.rotate_left(1) ^ mix(part)))
    }
}

impl<'g> Chunk<'g> {
    /// The same cases, made in arenas. What several of them are made from is kept in `arena`.
    #[must_use]
    pub fn in_arena<'c>(self, arena: &'c Arena) -> ArenaChunk<'c>
    where
        'g: 'c,
    {
        ArenaChunk { chunk: self, bases: Bases::new(arena) }
    }

    /// How many cases can be made before one depends on which of them are kept.
    #[must_use]
    pub fn ahead(&self) -> u64 {
        let most = REMEMBERED as u64;
        // The next case is made with what is kept by now.
        (1..most).find(|ahead| self.slot(self.next + ahead).is_some_and(|slot| self.follows_kept(slot))).unwrap_or(most)
    }

    /// Keeps case `index`, one of the last 64, because it showed something new: some of those of its field to come are made like it.
    pub fn keep(&mut self, index: u64) {
        let origin = self.last.get(remembered(index)).filter(|origin| origin.index == index && !self.is_own(origin));
        let Some(origin) = origin.cloned() else { return };
        let kept = self.kept.entry(origin.slot.field).or_default();
        match kept.origins.get_mut(kept.count % MOST_KEPT) {
            Some(earliest) => *earliest = origin,
            None => kept.origins.push(origin),
        }
        kept.count += 1;
    }

    /// The number of the field that the last case is about. It means nothing but that cases of one field have the same; those that are
    /// there for rules which the baseline does not have count as of another one, so that they make nothing known that the others show.
    #[must_use]
    pub fn field(&self) -> u64 {
        let last = self.next.checked_sub(1).and_then(|index| self.last.get(remembered(index)));
        last.map_or(0, |origin| {
            let others = if self.is_own(origin) { self.generator.plan.fields.len() } else { 0 };
            (origin.slot.field + others) as u64
        })
    }

    fn next_in<'c: 'a, 'a>(&mut self, bases: &mut Bases<'c>, arena: &'a Arena) -> Option<GeneratedCase<'a>>
    where
        'g: 'c,
    {
        let generator: &'c Generator = self.generator;
        if self.next >= generator.settings.chunk_size {
            return None;
        }
        let index = self.next;
        self.next += 1;
        let slot = self.slot(index).unwrap_or(Slot::new(0, index));
        let like = self.alike(slot);
        let (model, mut origin) = match like {
            Some(like) => (Some(like.index), Origin { index, ..like }),
            None => (None, Origin { index, slot, changes: Vec::new(), drawn: 0 }),
        };
        let planned = generator.plan.planned(origin.slot, generator.settings.operations());
        let log = Log::new(std::mem::take(&mut origin.changes));
        let mut choices = Choices::keyed(generator.key(self.seed, origin.slot), &log);
        let place = (self.number, index);
        let mut case = generator.make(planned, About::Field(origin.slot), place, bases, &mut choices, arena);
        if let (Some(model), Provenance::Generated { planted, .. }) = (model, &mut case.case.provenance) {
            separate(planted);
            // Writing to a string does not fail.
            let _ = write!(planted, "like case {model}");
        }
        origin.drawn = log.drawn();
        origin.changes = log.into_changes();
        match self.last.get_mut(remembered(index)) {
            Some(last) => *last = origin,
            None => {
                self.last.resize(remembered(index), Origin { index: u64::MAX, ..origin.clone() });
                self.last.push(origin);
            }
        }
        Some(case)
    }

    fn is_own(&self, origin: &Origin) -> bool {
        let field = self.generator.plan.fields.get(origin.slot.field);
        field.is_some_and(|field| field.is_own(origin.slot.number))
    }

    /// Which case of which field case `index` is; none beyond the last number there is.
    fn slot(&self, index: u64) -> Option<Slot> {
        let place = self.number.checked_mul(self.generator.settings.chunk_size)?.checked_add(index)?;
        Some(self.generator.plan.slot(place))
    }

    /// Whether a case is made like a kept one, if there is one of its field.
    fn follows_kept(&self, slot: Slot) -> bool {
        let field = self.generator.plan.fields.get(slot.field);
        let beyond = field.and_then(|field| field.beyond(slot.number));
        beyond.is_some_and(|beyond| beyond % ALIKE_EVERY == ALIKE_EVERY / 2)
    }

    /// The kept case that a case is made like, with some of its choices changed.
    fn alike(&self, slot: Slot) -> Option<Origin> {
        let kept = self.kept.get(&slot.field).filter(|_| self.follows_kept(slot))?;
        let key = self.generator.key(self.seed, slot);
        let log = Log::default();
        let mut choices = Choices::keyed(mix(key), &log);
        let mut origin = choices.pick(&kept.origins)?.clone();
        let drawn = usize::try_from(origin.drawn).unwrap_or_default();
        let all_from = choices.chance(1, 4);
        for number in 0..=if all_from { 0 } else { choices.below(4) } {
            let first = u32::try_from(choices.below(drawn)).unwrap_or_default();
            origin.changes.push(Change { first, all_from, salt: mix(key ^ (1 + number as u64)) });
        }
        Some(origin)
    }
}

impl Iterator for Chunk<'_> {
    type Item = GeneratedCase<'static>;

    fn next(&mut self) -> Option<GeneratedCase<'static>> {
        let arena = Arena::new();
        self.next_in(&mut Bases::new(&arena), &arena).map(GeneratedCase::kept)
    }
}

impl<'c> ArenaChunk<'c> {
    /// The next case, made in `arena`; none at the end.
    pub fn make<'a>(&mut self, arena: &'a Arena) -> Option<GeneratedCase<'a>>
    where
        'c: 'a,
    {
        self.chunk.next_in(&mut self.bases, arena)
    }
}

/// Cases of the first subject of a run.
impl<'c> Cases<'c> for ArenaChunk<'c> {
    fn next<'a>(&mut self, arena: &'a Arena) -> Option<Input<'a>>
    where
        'c: 'a,
    {
        let made = self.make(arena)?;
        Some(Input::Case { subject: 0, shows: made.shows(), case: made.case })
    }

    fn ahead(&self) -> u64 {
        self.chunk.ahead()
    }

    fn field(&self) -> u64 {
        self.chunk.field()
    }

    fn base(&self) -> Option<&Base<'c>> {
        self.bases.last.as_ref()
    }

    fn keep(&mut self, index: u64) {
        self.chunk.keep(index);
    }
}

/// Where a case stands among the last.
fn remembered(index: u64) -> usize {
    usize::try_from(index % REMEMBERED as u64).unwrap_or_default()
}
