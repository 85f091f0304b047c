//! Handing out chunks to workers.

use super::input::{CaseSource, Chunk, Input, chunk_seed};
use super::run::Budget;
use crate::evidence::Place;
use crate::judge::{Panic, isolated};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Recorded cases that a worker takes at a time.
const RECORDED_CHUNK: usize = 64;

/// What a worker got.
pub(super) enum Fed {
    /// A chunk; there may be more.
    Chunk,
    /// Nothing: the budget is spent or the input exhausted.
    Nothing,
    /// The source panicked; what it gave before was handed on.
    Panicked(Panic),
}

/// Gives each caller the next chunk. Chunks that were given out are always finished, so those done are a prefix.
pub(super) trait Feed: Sync {
    fn next(&self, sink: &mut dyn FnMut(Place, Input)) -> Fed;
}

/// Chunks of a source, each made by the worker that takes it.
pub(super) struct Generated<'r> {
    source: &'r dyn CaseSource,
    seed: u64,
    budget: Budget,
    taken: AtomicU64,
}

impl<'r> Generated<'r> {
    pub(super) fn new(source: &'r dyn CaseSource, seed: u64, budget: Budget) -> Self {
        Self { source, seed, budget, taken: AtomicU64::new(0) }
    }
}

impl Feed for Generated<'_> {
    fn next(&self, sink: &mut dyn FnMut(Place, Input)) -> Fed {
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        let full = self.source.chunk_len().max(1);
        let len = match self.budget {
            Budget::UntilStopped => full,
            Budget::Cases(cases) => cases.saturating_sub(number.saturating_mul(full)).min(full),
        };
        if len == 0 {
            return Fed::Nothing;
        }
        let chunk = Chunk { number, seed: chunk_seed(self.seed, number) };
        let mut cases = match isolated(|| self.source.cases(chunk)) {
            Ok(cases) => cases,
            Err(panic) => return Fed::Panicked(panic),
        };
        for index in 0..len {
            match isolated(|| cases.next()) {
                Ok(Some(input)) => sink(Place { chunk: number, index }, input),
                Ok(None) => break,
                Err(panic) => return Fed::Panicked(panic),
            }
        }
        Fed::Chunk
    }
}

/// A stream that workers take turns to read from.
pub(super) struct Recorded<'r> {
    stream: Mutex<Stream<'r>>,
}

struct Stream<'r> {
    inputs: &'r mut (dyn Iterator<Item = Input> + Send),
    chunks: u64,
    ended: bool,
}

impl<'r> Recorded<'r> {
    pub(super) fn new(inputs: &'r mut (dyn Iterator<Item = Input> + Send)) -> Self {
        Self { stream: Mutex::new(Stream { inputs, chunks: 0, ended: false }) }
    }
}

impl Feed for Recorded<'_> {
    fn next(&self, sink: &mut dyn FnMut(Place, Input)) -> Fed {
        let mut taken = Vec::with_capacity(RECORDED_CHUNK);
        let mut panicked = None;
        let chunk = {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            let stream = &mut *stream;
            while !stream.ended && taken.len() < RECORDED_CHUNK {
                match isolated(|| stream.inputs.next()) {
                    Ok(Some(input)) => taken.push(input),
                    Ok(None) => stream.ended = true,
                    Err(panic) => {
                        stream.ended = true;
                        panicked = Some(panic);
                    }
                }
            }
            let chunk = stream.chunks;
            stream.chunks += 1;
            chunk
        };
        let given = !taken.is_empty();
        for (index, input) in (0..).zip(taken) {
            sink(Place { chunk, index }, input);
        }
        match panicked {
            Some(panic) => Fed::Panicked(panic),
            None if given => Fed::Chunk,
            None => Fed::Nothing,
        }
    }
}
