//! The cases of one chunk: what is planned or random, and what is made like a case that showed something new.

use super::case::GeneratedCase;
use super::choices::Choices;
use super::draft::separate;
use super::generator::Generator;
use arbitrary::Unstructured;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::fmt::Write as _;
use takeover_harness::case::Provenance;

/// Of so many random cases, one is made like a kept one.
const ALIKE_EVERY: u64 = 4;

/// Cases that are kept. A later one takes the place of the earliest: what is new late in a chunk is rarer.
const MOST_KEPT: usize = 32;

/// The cases of one chunk.
///
/// Without [`Chunk::keep`], each depends on its place alone. With it, one in four random cases has the choices of a kept case, a few
/// of them changed. What is kept is forgotten with the chunk.
#[derive(Debug)]
pub struct Chunk<'g> {
    generator: &'g Generator,
    random: ChaCha8Rng,
    number: u64,
    next: u64,
    last: Option<Origin>,
    kept: Vec<Origin>,
    /// How many were kept in all.
    count: usize,
}

/// Where a case came from.
#[derive(Clone, Debug)]
struct Origin {
    index: u64,
    /// Number among all cases of the generator, which says what was planned for it; none where there are no such numbers.
    place: Option<u64>,
    stream: [u8; Generator::STREAM],
    /// Bytes of the stream that were looked at.
    used: usize,
}

impl Generator {
    /// The cases of chunk `number`, [`GeneratorSettings::chunk_size`](super::GeneratorSettings::chunk_size) of them.
    ///
    /// The same generator, number and seed give the same bytes, whatever was generated before. The stream of choices differs
    /// between chunks also where `chunk_seed` does not.
    #[must_use]
    pub fn chunk(&self, number: u64, chunk_seed: u64) -> Chunk<'_> {
        Chunk::new(self, number, chunk_seed)
    }

    /// Case `index` of chunk `number`, the same as the chunk has it when nothing is [kept](Chunk::keep), without making those before it;
    /// none beyond the chunk.
    #[must_use]
    pub fn case(&self, number: u64, chunk_seed: u64, index: u64) -> Option<GeneratedCase> {
        let mut chunk = self.chunk(number, chunk_seed);
        chunk.skip_to(index);
        chunk.next()
    }
}

impl<'g> Chunk<'g> {
    fn new(generator: &'g Generator, number: u64, chunk_seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(chunk_seed);
        random.set_stream(number);
        Self { generator, random, number, next: 0, last: None, kept: Vec::new(), count: 0 }
    }

    /// Goes on with case `index`.
    fn skip_to(&mut self, index: u64) {
        // The random stream counts words of four bytes.
        self.random.set_word_pos(u128::from(index) * (Generator::STREAM as u128 / 4));
        self.next = index;
    }

    /// Keeps the last case, because it showed something new: some of those to come are made like it.
    pub fn keep(&mut self) {
        let Some(origin) = self.last.take() else { return };
        match self.kept.get_mut(self.count % MOST_KEPT) {
            Some(earliest) => *earliest = origin,
            None => self.kept.push(origin),
        }
        self.count += 1;
    }

    /// The kept case that the random case number `beyond` is made like, with some of its choices changed as `stream` has it.
    fn alike(&self, beyond: u64, stream: &[u8; Generator::STREAM]) -> Option<Origin> {
        if !beyond.is_multiple_of(ALIKE_EVERY) {
            return None;
        }
        let mut source = Unstructured::new(stream);
        let mut choices = Choices::new(&mut source);
        let mut origin = choices.pick(&self.kept)?.clone();
        let Origin { stream: changed, used, .. } = &mut origin;
        if choices.chance(1, 4) {
            let from = choices.below(*used);
            for (byte, other) in changed.iter_mut().zip(stream).skip(from) {
                *byte = *other;
            }
        } else {
            for _ in 0..=choices.below(4) {
                let at = choices.below(*used);
                if let (Some(byte), Ok(other)) = (changed.get_mut(at), u8::try_from(choices.below(256))) {
                    *byte = other;
                }
            }
        }
        Some(origin)
    }
}

impl Iterator for Chunk<'_> {
    type Item = GeneratedCase;

    fn next(&mut self) -> Option<GeneratedCase> {
        let generator = self.generator;
        let size = generator.settings.chunk_size;
        if self.next >= size {
            return None;
        }
        let index = self.next;
        self.next += 1;
        let mut stream = [0_u8; Generator::STREAM];
        self.random.fill_bytes(&mut stream);
        let mut place = self.number.checked_mul(size).and_then(|first| first.checked_add(index));
        let beyond = place.and_then(|place| place.checked_sub(generator.systematic_len()));
        let like = beyond.and_then(|beyond| self.alike(beyond, &stream));
        if let Some(like) = &like {
            (place, stream) = (like.place, like.stream);
        }
        let (plantings, deviation) = place.map_or_else(Default::default, |place| generator.planned(place));
        let mut source = Unstructured::new(&stream);
        let mut case = generator.finish(&plantings, deviation, self.number, index, &mut Choices::new(&mut source));
        let used = stream.len() - source.len();
        if let (Some(like), Provenance::Generated { planted, .. }) = (like, &mut case.case.provenance) {
            separate(planted);
            // Writing to a string does not fail.
            let _ = write!(planted, "like case {}", like.index);
        }
        self.last = Some(Origin { index, place, stream, used });
        Some(case)
    }
}
