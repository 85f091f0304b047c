//! What is queued, and the memory it may take.

use super::source::Arrival;
use crate::admission::Answer;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::oneshot;

/// A review to compare.
pub struct Job {
    /// Its body.
    pub body: Vec<u8>,
    /// How it arrived.
    pub arrival: Arrival,
    /// The memory of the body; given back when the job is done or dropped.
    pub room: BodyRoom,
    /// Where the answer goes, if one is waited for.
    pub reply: Option<oneshot::Sender<Answer>>,
}

/// Bytes that bodies may take together.
pub struct BodyBudget {
    most: AtomicUsize,
    taken: AtomicUsize,
}

/// A part of the budget, given back when dropped.
pub struct BodyRoom {
    budget: Arc<BodyBudget>,
    bytes: usize,
}

impl BodyBudget {
    /// A budget of `most` bytes.
    #[must_use]
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most: AtomicUsize::new(most), taken: AtomicUsize::new(0) })
    }

    /// Gives out at most `most` bytes from now on. Those that are taken stay so.
    pub fn resize(&self, most: usize) {
        self.most.store(most, Ordering::Relaxed);
    }

    /// Bytes that are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl BodyRoom {
    /// No bytes of `budget` yet.
    #[must_use]
    pub fn none(budget: &Arc<BodyBudget>) -> Self {
        Self { budget: Arc::clone(budget), bytes: 0 }
    }

    /// Takes `more` bytes, if they are there.
    #[must_use]
    pub fn grow(&mut self, more: usize) -> bool {
        let most = self.budget.most.load(Ordering::Relaxed);
        let fits = |taken: usize| taken.checked_add(more).filter(|sum| *sum <= most);
        let grown = self.budget.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if grown {
            self.bytes += more;
        }
        grown
    }
}

impl Drop for BodyRoom {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{BodyBudget, BodyRoom};

    #[test]
    fn room_is_bounded_and_comes_back() {
        let budget = BodyBudget::new(10);
        let (mut one, mut other) = (BodyRoom::none(&budget), BodyRoom::none(&budget));
        assert_eq!([one.grow(6), other.grow(5), other.grow(4), one.grow(1)], [true, false, true, false]);
        drop(other);
        assert_eq!((budget.taken(), one.grow(4), one.grow(usize::MAX)), (6, true, false));
        budget.resize(5);
        let mut third = BodyRoom::none(&budget);
        assert!(!third.grow(1), "what is taken stays so, and counts");
        drop(one);
        assert_eq!((budget.taken(), third.grow(5), third.grow(1)), (0, true, false));
    }
}
