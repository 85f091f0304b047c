//! What others see of a worker: the case it is at, and what it gathered.

use crate::intake::{Arrival, BodyRoom, Source};
use crate::ledger::Gathered;
use crate::tail::LogMark;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use takeover_harness::case::Case;
use takeover_harness::evidence::CasePlace;
use takeover_harness::side::Side;

/// What others see of a worker. Neither lock is ever held while an oracle runs.
pub(super) struct WorkerSlot {
    pub(super) source: Source,
    at: Mutex<Option<CaseAtWork>>,
    stage: AtomicU8,
    lost: AtomicBool,
    gathered: Mutex<Gathered>,
}

/// The case that a worker is at.
pub(super) struct CaseAtWork {
    pub(super) subject: usize,
    pub(super) case: Arc<Case<'static>>,
    pub(super) place: CasePlace,
    pub(super) arrival: Arrival,
    pub(super) since: Instant,
    /// How many times as long as a small case it may take.
    pub(super) patience: u32,
    /// Where reading of a log stands once the case is recorded.
    pub(super) mark: Option<LogMark>,
    /// The memory of the review; free as soon as the worker is done or given up.
    pub(super) _room: Option<BodyRoom>,
}

impl CaseAtWork {
    /// Whether its size may be what takes the time.
    pub(super) fn is_large(&self) -> bool {
        self.patience > 1
    }

    /// How long it may take where a small case may take `limit`.
    fn limit(&self, limit: Duration) -> Duration {
        limit.saturating_mul(self.patience)
    }
}

impl WorkerSlot {
    pub(super) fn new(source: Source, gathered: Gathered) -> Self {
        Self {
            source,
            at: Mutex::new(None),
            stage: AtomicU8::new(0),
            lost: AtomicBool::new(false),
            gathered: Mutex::new(gathered),
        }
    }

    fn at(&self) -> MutexGuard<'_, Option<CaseAtWork>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker turns to a case.
    pub(super) fn begin(&self, at: CaseAtWork) {
        self.stage.store(0, Ordering::Relaxed);
        *self.at() = Some(at);
    }

    /// A side begins or ends: the judge reads its clock before, between and after the two.
    pub(super) fn step(&self) {
        self.stage.fetch_add(1, Ordering::Relaxed);
    }

    /// The worker is done with its case. Whether it still is the one to say so: a worker that took too long was given up.
    pub(super) fn end(&self) -> bool {
        self.at().take().is_some()
    }

    /// Takes the case away from a worker that has been at it for longer than it may take, by the `limit` of a small case, and says which
    /// side it was waiting for.
    pub(super) fn give_up(&self, now: Instant, limit: Duration) -> Option<(CaseAtWork, Option<Side>)> {
        let mut current = self.at();
        let at = current.take_if(|at| now.saturating_duration_since(at.since) > at.limit(limit))?;
        // INVARIANT: a worker that finds its case gone finds itself lost, too.
        self.lost.store(true, Ordering::Release);
        drop(current);
        let side = match self.stage.load(Ordering::Relaxed) {
            1 => Some(Side::Reference),
            2 => Some(Side::Candidate),
            _ => None,
        };
        Some((at, side))
    }

    /// Whether the worker was given up.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    pub(super) fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
