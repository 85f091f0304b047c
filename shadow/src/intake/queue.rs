//! A queue of bounded length, which refuses instead of waiting.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A queue of at most so many entries. Whoever fills it never waits; whoever empties it does.
pub struct Queue<T> {
    inner: Mutex<Inner<T>>,
    ready: Condvar,
}

struct Inner<T> {
    most: usize,
    entries: VecDeque<T>,
    /// How many were taken out.
    taken: u64,
    closed: bool,
}

/// A queue that takes no more: it is full or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl<T> Queue<T> {
    /// An empty queue of at most `most` entries.
    #[must_use]
    pub fn new(most: usize) -> Self {
        let inner = Inner { most, entries: VecDeque::new(), taken: 0, closed: false };
        Self { inner: Mutex::new(inner), ready: Condvar::new() }
    }

    /// Takes at most `most` entries from now on. Those that are there stay.
    pub fn resize(&self, most: usize) {
        self.inner().most = most;
    }

    fn inner(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry at the end, and says how many there are.
    ///
    /// # Errors
    /// When the queue is full or closed; the entry is dropped.
    pub fn push(&self, entry: T) -> Result<usize, Full> {
        let mut inner = self.inner();
        if inner.closed || inner.entries.len() >= inner.most {
            return Err(Full);
        }
        inner.entries.push_back(entry);
        let length = inner.entries.len();
        drop(inner);
        self.ready.notify_one();
        Ok(length)
    }

    /// Waits for the first entry. None when the queue is closed and empty.
    pub fn pop(&self) -> Option<T> {
        self.pop_numbered().map(|(_, entry)| entry)
    }

    /// As [`Queue::pop`], with the number of the entry among those that were taken out, from 0.
    pub fn pop_numbered(&self) -> Option<(u64, T)> {
        let waits = |inner: &mut Inner<T>| inner.entries.is_empty() && !inner.closed;
        let mut inner = self.ready.wait_while(self.inner(), waits).unwrap_or_else(PoisonError::into_inner);
        let entry = inner.entries.pop_front()?;
        let number = inner.taken;
        inner.taken += 1;
        Some((number, entry))
    }

    /// Takes no more entries; those that are there may be taken out.
    pub fn close(&self) {
        self.inner().closed = true;
        self.ready.notify_all();
    }

    /// Drops what is there, and says how many entries it was.
    pub fn clear(&self) -> usize {
        std::mem::take(&mut self.inner().entries).len()
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner().entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Queue};

    #[test]
    fn a_full_queue_refuses_and_keeps_its_order() {
        let queue = Queue::new(2);
        assert_eq!([queue.push(1), queue.push(2), queue.push(3)], [Ok(1), Ok(2), Err(Full)]);
        assert_eq!((queue.pop(), queue.len()), (Some(1), 1));
        assert_eq!((queue.push(4), queue.pop(), queue.pop_numbered()), (Ok(2), Some(2), Some((2, 4))));
    }

    #[test]
    fn a_queue_that_shrinks_keeps_what_it_has() {
        let queue = Queue::new(2);
        queue.push(1).unwrap();
        queue.push(2).unwrap();
        queue.resize(1);
        assert_eq!((queue.push(3), queue.pop(), queue.push(3), queue.pop()), (Err(Full), Some(1), Err(Full), Some(2)));
        assert_eq!((queue.push(4), queue.push(5)), (Ok(1), Err(Full)));
        queue.resize(2);
        assert_eq!(queue.push(5), Ok(2));
    }

    #[test]
    fn a_closed_queue_gives_out_what_it_has_and_ends() {
        let queue = Queue::new(2);
        queue.push(1).unwrap();
        queue.close();
        assert_eq!((queue.push(2), queue.pop(), queue.pop()), (Err(Full), Some(1), None));
    }

    #[test]
    fn a_waiting_thread_is_woken_by_an_entry_and_by_the_end() {
        let queue = Queue::new(1);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| [queue.pop(), queue.pop()]);
            queue.push(1).unwrap();
            // Whether the entry was taken yet or not, the thread gets it before the end.
            queue.close();
            assert_eq!(waiting.join().unwrap(), [Some(1), None]);
        });
    }
}
