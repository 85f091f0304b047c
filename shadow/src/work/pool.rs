//! The workers of a server: started, watched, emptied, ended.

use super::slot::WorkerSlot;
use super::worker::{hung, work};
use crate::intake::{Followed, Source};
use crate::ledger::{Gathered, Ledger, nothing};
use crate::metrics::WorkOutcome;
use crate::state::State;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Stack of a worker: oracles that recurse more than those of a normal thread may.
const STACK: usize = 16 << 20;

/// The workers of a server.
pub struct Pool {
    state: Arc<State>,
    slots: Mutex<Vec<Arc<WorkerSlot>>>,
    alive: Arc<Alive>,
    gathering: Mutex<()>,
}

/// How many workers are still at work; those that were given up are not.
#[derive(Default)]
struct Alive {
    number: Mutex<usize>,
    fewer: Condvar,
}

/// What remained undone at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Reviews that no worker came to.
    pub reviews: usize,
    /// Workers that did not end in time.
    pub workers: usize,
}

impl Pool {
    /// Starts as many workers for reviews as the settings say, one for audit events that are sent, and one for each log.
    ///
    /// # Errors
    /// When there are no threads to be had.
    pub fn start(state: Arc<State>) -> io::Result<Self> {
        let limits = state.live.get().limits.clone();
        for log in &state.logs {
            log.begin(&limits);
        }
        let pool = Self { state, slots: Mutex::new(Vec::new()), alive: Arc::default(), gathering: Mutex::new(()) };
        for _ in 0..limits.workers {
            pool.add_worker(Source::Reviews)?;
        }
        pool.add_worker(Source::Events)?;
        for log in 0..pool.state.logs.len() {
            pool.add_worker(Source::Log(log))?;
        }
        Ok(pool)
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Arc<WorkerSlot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_worker(&self, source: Source) -> io::Result<()> {
        let mark = match source {
            Source::Log(log) => self.state.logs.get(log).and_then(Followed::begun),
            Source::Reviews | Source::Events => None,
        };
        let slot = Arc::new(WorkerSlot::new(source, Gathered { mark, ..nothing(&self.state.plan) }));
        let (state, of_thread, alive) = (Arc::clone(&self.state), Arc::clone(&slot), Arc::clone(&self.alive));
        *self.alive.number() += 1;
        let thread = std::thread::Builder::new().name("takeover-compare".to_owned()).stack_size(STACK);
        let started = thread.spawn(move || {
            work(&state, &of_thread);
            if !of_thread.is_lost() {
                alive.one_less();
            }
        });
        if let Err(error) = started {
            self.alive.one_less();
            return Err(error);
        }
        self.slots().push(slot);
        Ok(())
    }

    /// Gives up the workers that have been at a case for too long at the time `now`: switches their subjects off, records the cases,
    /// and starts other workers instead. Threads cannot be ended from outside: a lost one goes on until its oracle answers or the
    /// program ends. Returns how many were lost.
    pub fn watch(&self, now: Instant) -> usize {
        let limit = Duration::from_millis(self.state.live.get().limits.oracle_milliseconds);
        let slots = self.slots().clone();
        let mut lost = 0;
        // A worker that is given up has one thing more to say, which is not to be missed by who gathers meanwhile.
        let _until_recorded = self.gathering.lock().unwrap_or_else(PoisonError::into_inner);
        for slot in slots {
            let Some((at, side)) = slot.give_up(now, limit) else { continue };
            lost += 1;
            self.state.meters.lost_thread();
            hung(&self.state, &slot, &at, side, limit);
            // A large object is no fault of an oracle.
            if at.is_large() {
                tracing::error!(request = %at.case.provenance, "not compared: a large object took too long");
            } else if let Some(subject) = self.state.plan.pairs.get(at.subject) {
                self.state.switch_off(at.subject);
                tracing::error!(subject = %subject.id, "switched off: an oracle did not answer");
            }
            self.alive.one_less();
            if let Err(error) = self.add_worker(slot.source) {
                tracing::error!(%error, "no thread for another worker");
            }
        }
        lost
    }

    /// Hands over what the workers have gathered.
    ///
    /// # Errors
    /// When the counters do not add up: a fault of this program.
    pub fn gather(
        &self,
        ledger: &Ledger,
        now: jiff::Timestamp,
    ) -> Result<(), takeover_harness::evidence::EvidenceError> {
        // INVARIANT: parts arrive in the order in which they are taken, or the position of a log could be ahead of its evidence.
        let _one_at_a_time = self.gathering.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = self.slots().clone();
        let privacy = self.state.live.get().privacy.clone();
        for slot in slots {
            let gathered = {
                let mut gathered = slot.gathered();
                if gathered.is_empty() {
                    continue;
                }
                gathered.take()
            };
            ledger.add(gathered, &self.state.meters, &privacy, now)?;
        }
        self.state.sample_room.set(ledger.room());
        // The slots of lost workers have nothing more to say.
        self.slots().retain(|slot| !(slot.is_lost() && slot.gathered().is_empty()));
        Ok(())
    }

    /// Takes no more reviews, and waits until those that are there are judged, at most `limit`. What is left is dropped and counted.
    pub fn drain(&self, limit: Duration) -> Left {
        self.state.queue.close();
        self.state.events.close();
        for log in &self.state.logs {
            log.close();
        }
        let busy = |alive: &mut usize| *alive > 0;
        let waited = self.alive.fewer.wait_timeout_while(self.alive.number(), limit, busy);
        let workers = match waited {
            Ok((number, _)) => *number,
            Err(poisoned) => *poisoned.into_inner().0,
        };
        let reviews = self.state.queue.clear();
        self.state.meters.done(Source::Reviews, WorkOutcome::Left, u64::try_from(reviews).unwrap_or(u64::MAX));
        let batches = self.state.events.clear();
        self.state.meters.batches_left(u64::try_from(batches).unwrap_or(u64::MAX));
        Left { reviews, workers }
    }
}

impl Alive {
    fn number(&self) -> MutexGuard<'_, usize> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn one_less(&self) {
        let mut number = self.number();
        *number = number.saturating_sub(1);
        self.fewer.notify_all();
    }
}
