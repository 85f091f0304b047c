//! Handing out chunks to workers.

use super::bases::Base;
use super::chunks::{Chunks, Part, Shard};
use super::input::{Budget, CaseSource, Chunk, Input, chunk_seed};
use super::remote_judge::RemoteJudge;
use crate::evidence::CasePlace;
use crate::judge::{Panic, isolated};
use crate::object::Arena;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Recorded cases that a worker takes at a time.
const RECORDED_CHUNK: usize = 64;

/// What a worker got.
pub(super) enum Fed {
    /// A chunk; there may be more.
    Chunk {
        /// Its number in the run.
        number: u64,
        /// Its number in the shard.
        turn: u64,
    },
    /// A chunk whose cases are made elsewhere.
    Unmade {
        /// The chunk.
        chunk: Chunk,
        /// Its number in the shard.
        turn: u64,
    },
    /// Nothing: the budget is spent or the input exhausted.
    Nothing,
    /// The source panicked; what it gave before was handed on.
    Panicked(Panic),
}

/// Gives each caller the next chunk. Chunks that were given out are always finished, so those done are a prefix.
pub(super) trait Feed: Sync {
    /// `closing` asks only for what fills the gaps that an interrupted run left.
    /// Cases are made in `rooms`.
    fn next<'b>(&'b self, closing: bool, rooms: Rooms<'b, '_>, sink: &mut dyn Sink<'b>) -> Fed;
}

/// Where the cases of a chunk are made.
pub(super) struct Rooms<'b, 'r> {
    /// Keeps what several cases are made from.
    pub chunk: &'b Arena,
    /// Keeps one case.
    pub case: &'r mut Arena,
}

/// What an input was made from.
#[derive(Clone, Copy, Default)]
pub(super) struct Origin<'o, 'b> {
    /// The number of the field that it is about.
    pub field: u64,
    /// The object that it was made from, if others may be too.
    pub base: Option<&'o Base<'b>>,
}

/// Takes the cases of a chunk.
pub(super) trait Sink<'b> {
    /// Takes an input, and judges it at once or with some that come after it.
    fn take(&mut self, place: CasePlace, origin: Origin<'_, 'b>, input: Input<'_>);

    /// Judges what still waits, and returns the places, in order, of the cases that showed what none of their field before them in the
    /// chunk had shown, since it was last called.
    fn settle(&mut self) -> &[CasePlace];
}

/// Chunks of a source, each made by the worker that takes it.
pub(super) struct Generated<'r> {
    source: &'r dyn CaseSource,
    seed: u64,
    budget: Budget,
    shard: Shard,
    /// What an earlier run did.
    before: Chunks,
    elsewhere: Option<&'r dyn RemoteJudge>,
    taken: AtomicU64,
}

impl<'r> Generated<'r> {
    pub(super) fn new(
        source: &'r dyn CaseSource,
        seed: u64,
        budget: Budget,
        part: &Part,
        elsewhere: Option<&'r dyn RemoteJudge>,
    ) -> Self {
        let taken = AtomicU64::new(part.done.first_gap());
        Self { source, seed, budget, shard: part.shard, before: part.done.clone(), elsewhere, taken }
    }

    /// The next chunk's number in the shard.
    fn turn(&self, closing: bool) -> Option<u64> {
        loop {
            let turn = self.taken.fetch_add(1, Ordering::Relaxed);
            if closing && turn >= self.before.end() {
                return None;
            }
            if !self.before.contains(turn) {
                return Some(turn);
            }
        }
    }
}

impl Feed for Generated<'_> {
    fn next<'b>(&'b self, closing: bool, rooms: Rooms<'b, '_>, sink: &mut dyn Sink<'b>) -> Fed {
        let Some(turn) = self.turn(closing) else { return Fed::Nothing };
        let Some(number) = self.shard.chunk(turn) else { return Fed::Nothing };
        let full = self.source.chunk_len().max(1);
        let len = match self.budget {
            Budget::UntilStopped => full,
            Budget::Cases(cases) => cases.saturating_sub(number.saturating_mul(full)).min(full),
        };
        if len == 0 {
            return Fed::Nothing;
        }
        let chunk = Chunk { number, seed: chunk_seed(self.seed, number), len };
        if self.elsewhere.is_some_and(|elsewhere| elsewhere.takes_chunk(chunk)) {
            return Fed::Unmade { chunk, turn };
        }
        let mut cases = match isolated(|| self.source.cases(chunk, rooms.chunk)) {
            Ok(cases) => cases,
            Err(panic) => return Fed::Panicked(panic),
        };
        let mut settled = 0;
        for index in 0..len {
            rooms.case.reset();
            let arena = &*rooms.case;
            let new = if index == settled { sink.settle() } else { &[] };
            let next = || {
                new.iter().for_each(|place| cases.keep(place.index));
                if index == settled {
                    settled = index.saturating_add(cases.ahead().max(1));
                }
                cases.next(arena)
            };
            match isolated(next) {
                Ok(Some(input)) => {
                    let origin = Origin { field: cases.field(), base: cases.base() };
                    sink.take(CasePlace::generated(number, index), origin, input);
                }
                Ok(None) => break,
                Err(panic) => return Fed::Panicked(panic),
            }
        }
        Fed::Chunk { number, turn }
    }
}

/// A stream that workers take turns to read from.
pub(super) struct Recorded<'r> {
    shard: Shard,
    /// What the first chunk is counted as.
    first: u64,
    before: Chunks,
    stream: Mutex<Stream<'r>>,
}

struct Stream<'r> {
    inputs: &'r mut (dyn Iterator<Item = Input<'static>> + Send),
    chunks: u64,
    ended: bool,
}

impl Stream<'_> {
    /// Reads the next chunk; the panic that cut it short, if one did.
    fn read(&mut self, taken: &mut Vec<Input<'static>>) -> Option<Panic> {
        while !self.ended && taken.len() < RECORDED_CHUNK {
            match isolated(|| self.inputs.next()) {
                Ok(Some(input)) => taken.push(input),
                Ok(None) => self.ended = true,
                Err(panic) => {
                    self.ended = true;
                    return Some(panic);
                }
            }
        }
        None
    }
}

impl<'r> Recorded<'r> {
    pub(super) fn new(inputs: &'r mut (dyn Iterator<Item = Input<'static>> + Send), first: u64, part: &Part) -> Self {
        let stream = Mutex::new(Stream { inputs, chunks: 0, ended: false });
        Self { shard: part.shard, first, before: part.done.clone(), stream }
    }
}

impl Feed for Recorded<'_> {
    fn next<'b>(&'b self, closing: bool, _: Rooms<'b, '_>, sink: &mut dyn Sink<'b>) -> Fed {
        // The order of reading leaves no gaps that would be worth filling.
        if closing {
            return Fed::Nothing;
        }
        let mut taken = Vec::with_capacity(RECORDED_CHUNK);
        let (panicked, number, turn) = {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let panicked = stream.read(&mut taken);
                let number = stream.chunks;
                stream.chunks += 1;
                match self.shard.turn(number).filter(|turn| !self.before.contains(*turn)) {
                    Some(turn) => break (panicked, number, turn),
                    None => taken.clear(),
                }
                match panicked {
                    Some(panic) => return Fed::Panicked(panic),
                    None if stream.ended => return Fed::Nothing,
                    None => {}
                }
            }
        };
        let given = !taken.is_empty();
        for (index, input) in (0..).zip(taken) {
            sink.take(CasePlace::recorded(self.first.saturating_add(number), index), Origin::default(), input);
        }
        match panicked {
            Some(panic) => Fed::Panicked(panic),
            None if given => Fed::Chunk { number, turn },
            None => Fed::Nothing,
        }
    }
}
