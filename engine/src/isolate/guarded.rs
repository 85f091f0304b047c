//! Oracles inside a worker: announced before they answer, and not asked where the answer is known to end the process.

use super::beat::{Beat, Stage};
use super::wire::{Culprit, Poison};
use std::sync::{Arc, Mutex, PoisonError};
use takeover_harness::error::ErrorList;
use takeover_harness::oracle::{Objects, Oracle, OracleFailure, Prepared, View};
use takeover_harness::subject::Side;

/// Says what the worker is at, and knows what it must not do.
#[derive(Debug)]
pub struct Sentry {
    beat: Beat,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    poison: Vec<Poison>,
    index: u64,
    /// Whether there is poison in the case at hand.
    wary: bool,
}

impl Sentry {
    /// A sentry that writes here.
    pub fn new(beat: Beat) -> Self {
        Self { beat, state: Mutex::default() }
    }

    /// Begins with a piece of work in which these answers are poison.
    pub fn begin(&self, poison: Vec<Poison>) {
        *self.lock() = State { poison, ..State::default() };
    }

    /// Announces a stage that belongs to no case.
    pub fn at(&self, stage: Stage) {
        let index = self.lock().index;
        self.beat.note(stage, index);
    }

    /// Announces that the case is made.
    pub fn making(&self, index: u64) {
        self.beat.note(Stage::Making, index);
    }

    /// Announces that the objects of the case are decoded. How that ends the process, if it does; they are left alone then.
    pub fn decoding(&self, index: u64) -> Option<String> {
        self.beat.note(Stage::Decoding, index);
        let mut state = self.lock();
        state.index = index;
        state.wary = state.poison.iter().any(|poison| poison.index == index);
        state.fate(Culprit::Decoding)
    }

    fn judging(&self, side: Side) -> Option<String> {
        let (stage, culprit) = match side {
            Side::Reference => (Stage::Reference, Culprit::Reference),
            Side::Candidate => (Stage::Candidate, Culprit::Candidate),
        };
        let state = self.lock();
        self.beat.note(stage, state.index);
        state.fate(culprit)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fate(&self, culprit: Culprit) -> Option<String> {
        let of_this = |poison: &&Poison| poison.index == self.index && poison.culprit == culprit;
        self.poison.iter().filter(|_| self.wary).find(of_this).map(|poison| poison.fate.clone())
    }
}

/// An oracle in the care of a sentry.
pub struct Guarded {
    /// The oracle.
    pub inner: Box<dyn Oracle>,
    /// Which one it is.
    pub side: Side,
    /// Who announces it.
    pub sentry: Arc<Sentry>,
}

impl Oracle for Guarded {
    fn prepare(&self, objects: &Objects<'_>) -> Result<View, OracleFailure> {
        self.inner.prepare(objects)
    }

    fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
        match self.sentry.judging(self.side) {
            Some(fate) => Err(OracleFailure::death(fate)),
            None => self.inner.validate(case, errors),
        }
    }
}

/// Stands where an oracle must not be asked: its subject is judged in workers only.
pub struct Absent;

impl Oracle for Absent {
    fn validate(&self, _: &Prepared<'_>, _: &mut ErrorList) -> Result<(), OracleFailure> {
        Err(OracleFailure::new("this subject is judged in worker processes"))
    }
}
