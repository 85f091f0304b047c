//! The open connections of a listener. When there are too many, the one that has been quiet for longest makes room.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long nothing may move on a connection while its request is answered.
const STALLED: Duration = Duration::from_secs(2);

/// The open connections of a listener.
pub(super) struct Crowd {
    begin: Instant,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    by_number: BTreeMap<u64, Arc<State>>,
}

#[derive(Default)]
struct State {
    /// When something was last sent or received, in milliseconds since the listener began.
    moved: AtomicU64,
    /// Whether a request was answered on it.
    answered: AtomicBool,
    /// Whether a request is being answered.
    busy: AtomicBool,
    leave: Notify,
}

/// A connection in the crowd, until it is dropped.
pub(super) struct Member {
    crowd: Arc<Crowd>,
    number: u64,
    state: Arc<State>,
}

/// Notes what moves on a connection.
#[derive(Clone)]
pub(super) struct Activity {
    begin: Instant,
    state: Arc<State>,
}

impl Crowd {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { begin: Instant::now(), open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new connection.
    pub(super) fn join(self: &Arc<Self>) -> Member {
        let state = Arc::new(State::default());
        state.moved.store(milliseconds(self.begin.elapsed()), Ordering::Relaxed);
        let mut open = self.open();
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, Arc::clone(&state));
        Member { crowd: Arc::clone(self), number, state }
    }

    /// Asks the connection to leave that has been quiet for longest: one on which no request was answered yet, if there is one, for API
    /// servers keep theirs. Whether there was one; those whose requests are being answered stay.
    pub(super) fn make_room(&self) -> bool {
        let now = milliseconds(self.begin.elapsed());
        let mut open = self.open();
        let quiet = |state: &State| now.saturating_sub(state.moved.load(Ordering::Relaxed));
        let may_leave = |state: &State| !state.busy.load(Ordering::Relaxed) || quiet(state) > milliseconds(STALLED);
        let longest = open
            .by_number
            .iter()
            .filter(|(_, state)| may_leave(state))
            .min_by_key(|(_, state)| (state.answered.load(Ordering::Relaxed), state.moved.load(Ordering::Relaxed)))
            .map(|(number, _)| *number);
        let leaves = longest.and_then(|number| open.by_number.remove(&number));
        leaves.is_some_and(|state| {
            state.leave.notify_one();
            true
        })
    }
}

impl Member {
    pub(super) fn activity(&self) -> Activity {
        Activity { begin: self.crowd.begin, state: Arc::clone(&self.state) }
    }

    /// Waits until it has to leave.
    pub(super) async fn leaves(&self) {
        self.state.leave.notified().await;
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.crowd.open().by_number.remove(&self.number);
    }
}

impl Activity {
    /// Something was sent or received.
    pub(super) fn moved(&self) {
        self.state.moved.store(milliseconds(self.begin.elapsed()), Ordering::Relaxed);
    }

    /// A request is being answered, or that is over.
    pub(super) fn answering(&self, busy: bool) {
        self.state.busy.store(busy, Ordering::Relaxed);
        if !busy {
            self.state.answered.store(true, Ordering::Relaxed);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Crowd;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    #[test]
    fn the_quietest_leaves_first_and_those_that_were_or_are_answered_last_or_never() {
        let crowd = Crowd::new();
        let members = [0, 1, 2, 3].map(|moved| {
            let member = crowd.join();
            member.state.moved.store(moved, Ordering::Relaxed);
            member
        });
        members[0].activity().answering(true);
        members[1].activity().answering(false);
        let leaves = || {
            let before: Vec<u64> = crowd.open().by_number.keys().copied().collect();
            assert!(crowd.make_room());
            before.into_iter().find(|number| !crowd.open().by_number.contains_key(number)).unwrap()
        };
        assert_eq!([leaves(), leaves(), leaves()], [2, 3, 1]);
        assert!(!crowd.make_room(), "the one that is being answered stays");
        drop(members);
        assert_eq!(Arc::strong_count(&crowd), 1);
    }
}
