//! Guards the oracles inside a worker: announces each before it answers, and does not ask for an answer that is known to end the
//! process.

use super::heartbeat::{Heartbeat, Stage};
use super::wire::{Culprit, DeadlyAnswer};
use std::sync::{Arc, Mutex, PoisonError};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::side::Side;

/// Announces what the worker is doing, and knows which answers it must not ask for.
#[derive(Debug)]
pub(super) struct AnswerGuard {
    beat: Heartbeat,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    deadly: Vec<DeadlyAnswer>,
    index: u64,
    /// Whether an answer to the case at hand is deadly.
    wary: bool,
    /// How often the reference and the candidate were asked about the case at hand and its variants.
    asked: [u64; 2],
}

impl AnswerGuard {
    /// A guard that writes here.
    pub(super) fn new(beat: Heartbeat) -> Self {
        Self { beat, state: Mutex::default() }
    }

    /// Begins with a piece of work in which these answers are deadly.
    pub(super) fn begin(&self, deadly: Vec<DeadlyAnswer>) {
        *self.lock() = State { deadly, ..State::default() };
    }

    /// Announces a stage that belongs to no case.
    pub(super) fn at(&self, stage: Stage) {
        let index = self.lock().index;
        self.beat.note(stage, index, 0);
    }

    /// Announces that the case is made.
    pub(super) fn making(&self, index: u64) {
        self.beat.note(Stage::Making, index, 0);
    }

    /// Announces that the objects of the case are decoded. If that is known to end the process, returns how; the objects must
    /// then not be decoded.
    pub(super) fn decoding(&self, index: u64) -> Option<String> {
        self.beat.note(Stage::Decoding, index, 0);
        let mut state = self.lock();
        state.index = index;
        state.wary = state.deadly.iter().any(|deadly| deadly.index == index);
        state.asked = [0; 2];
        state.end_by(Culprit::Decoding, 0)
    }

    fn judging(&self, side: Side) -> Option<String> {
        let mut state = self.lock();
        let [reference, candidate] = &mut state.asked;
        let (asked, stage, culprit) = match side {
            Side::Reference => (reference, Stage::Reference, Culprit::Reference),
            Side::Candidate => (candidate, Stage::Candidate, Culprit::Candidate),
        };
        let before = *asked;
        *asked += 1;
        self.beat.note(stage, state.index, before);
        state.end_by(culprit, before)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Which answer to the case or a variant of it ends the process, and how. After a deadly answer to a variant, no further answer
    /// is requested.
    fn end_by(&self, culprit: Culprit, before: u64) -> Option<String> {
        let of_this = |deadly: &&DeadlyAnswer| {
            let is_reached = match deadly.before {
                0 => before == 0,
                fatal => before >= fatal,
            };
            deadly.index == self.index && deadly.culprit == culprit && is_reached
        };
        self.deadly.iter().filter(|_| self.wary).find(of_this).map(|deadly| deadly.end.clone())
    }
}

/// An oracle that a guard watches.
pub(super) struct GuardedOracle {
    /// The oracle.
    pub inner: Box<dyn Oracle>,
    /// Which one it is.
    pub side: Side,
    /// Who announces it.
    pub guard: Arc<AnswerGuard>,
}

impl Oracle for GuardedOracle {
    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        match self.guard.judging(self.side) {
            Some(end) => Err(OracleFailure::death(end)),
            None => self.inner.answer(question, view, answer),
        }
    }

    fn is_far(&self) -> bool {
        self.inner.is_far()
    }
}
