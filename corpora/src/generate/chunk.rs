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

/// Cases that are remembered until it is said whether they are to be kept.
const REMEMBERED: usize = 64;

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
    /// How many bytes of its stream each of the last cases looked at; a case stands where its index has it.
    used: [usize; REMEMBERED],
    /// The last case that was made like a kept one.
    last_alike: Option<Origin>,
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
        Self { generator, random, number, next: 0, used: [0; REMEMBERED], last_alike: None, kept: Vec::new(), count: 0 }
    }

    /// Goes on with case `index`.
    fn skip_to(&mut self, index: u64) {
        self.random.set_word_pos(Self::word(index));
        self.next = index;
    }

    /// How many cases can be made before one depends on which of them are kept.
    #[must_use]
    pub fn ahead(&self) -> u64 {
        let most = REMEMBERED as u64;
        // The next case is made with what is kept by now.
        (1..most).find(|ahead| self.follows_kept(self.next + ahead)).unwrap_or(most)
    }

    /// Keeps case `index`, one of the last 64, because it showed something new: some of those to come are made like it.
    pub fn keep(&mut self, index: u64) {
        let Some(used) = self.used.get(Self::remembered(index)).copied() else { return };
        let origin = match self.last_alike.clone().filter(|alike| alike.index == index) {
            Some(alike) => Origin { used, ..alike },
            None => {
                let mut stream = [0; Generator::STREAM];
                let mut random = self.random.clone();
                random.set_word_pos(Self::word(index));
                random.fill_bytes(&mut stream);
                Origin { index, place: self.place(index), stream, used }
            }
        };
        match self.kept.get_mut(self.count % MOST_KEPT) {
            Some(earliest) => *earliest = origin,
            None => self.kept.push(origin),
        }
        self.count += 1;
    }

    fn remembered(index: u64) -> usize {
        usize::try_from(index % REMEMBERED as u64).unwrap_or_default()
    }

    /// Where the stream of a case begins: the random stream counts words of four bytes.
    fn word(index: u64) -> u128 {
        u128::from(index) * (Generator::STREAM as u128 / 4)
    }

    /// The number of a case among all cases of the generator.
    fn place(&self, index: u64) -> Option<u64> {
        self.number.checked_mul(self.generator.settings.chunk_size)?.checked_add(index)
    }

    /// The number of a case among those that are random.
    fn beyond(&self, index: u64) -> Option<u64> {
        self.place(index)?.checked_sub(self.generator.systematic_len())
    }

    /// Whether a case is made like a kept one, if there is one.
    fn follows_kept(&self, index: u64) -> bool {
        self.beyond(index).is_some_and(|beyond| beyond.is_multiple_of(ALIKE_EVERY))
    }

    /// The kept case that case `index` is made like, with some of its choices changed as `stream` has it.
    fn alike(&self, index: u64, stream: &[u8; Generator::STREAM]) -> Option<Origin> {
        if !self.follows_kept(index) {
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
        let mut place = self.place(index);
        let like = self.alike(index, &stream);
        if let Some(like) = &like {
            (place, stream) = (like.place, like.stream);
        }
        let (plantings, deviation) = place.map_or_else(Default::default, |place| generator.planned(place));
        let mut source = Unstructured::new(&stream);
        let mut case = generator.finish(&plantings, deviation, self.number, index, &mut Choices::new(&mut source));
        if let Some(used) = self.used.get_mut(Self::remembered(index)) {
            *used = stream.len() - source.len();
        }
        if let (Some(like), Provenance::Generated { planted, .. }) = (&like, &mut case.case.provenance) {
            separate(planted);
            // Writing to a string does not fail.
            let _ = write!(planted, "like case {}", like.index);
        }
        if let Some(like) = like {
            self.last_alike = Some(Origin { index, ..like });
        }
        Some(case)
    }
}
