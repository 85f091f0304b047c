//! Reviews are read by many threads at the same time, and known in the order in which they were queued: those before tell whether a review
//! repeats one or has a stale object.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use takeover_corpora::requests::admission::{Review, Reviews};
use takeover_corpora::requests::{Request, Skipped};

/// What is known of the reviews until now, and whose turn it is to add to it.
#[derive(Default)]
pub struct Turns {
    known: Mutex<Known>,
    passed: Condvar,
}

#[derive(Default)]
struct Known {
    /// Number of the review that comes next.
    next: u64,
    reviews: Reviews,
}

/// The turn of one review. Dropping it passes it on, once it has come.
pub(crate) struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Turns {
    /// The turn of the review that was taken from the queue with this number.
    pub(crate) fn of(&self, number: u64) -> Turn<'_> {
        Turn { turns: self, number }
    }

    /// Waits for the turn of `number`.
    fn known(&self, number: u64) -> MutexGuard<'_, Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.passed.wait_while(known, |known| known.next != number).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Waits until all reviews before are known, and adds this one. Its request, with the doubt that follows from those before.
    ///
    /// # Errors
    /// When it repeats one of them.
    pub(crate) fn take(self, review: Review) -> Result<Request, Skipped> {
        self.turns.known(self.number).reviews.take(review)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.known(self.number).next += 1;
        self.turns.passed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use serde_json::json;
    use std::sync::mpsc::channel;
    use takeover_corpora::requests::admission::Review;
    use takeover_harness::case::Provenance;

    fn review() -> Review {
        let kind = json!({"group": "", "version": "v1", "kind": "Pod"});
        let review = json!({"request": {"uid": "u", "kind": kind, "operation": "CREATE", "object": {}}});
        Review::read(review, &Provenance::File { path: "a".into(), document: 1, line: 1 }).unwrap()
    }

    #[test]
    fn of_the_same_reviews_the_one_that_was_queued_first_counts_whichever_is_read_first() {
        let turns = Turns::default();
        let (begins, begun) = channel();
        std::thread::scope(|scope| {
            let later: Vec<_> = [3, 2, 1]
                .map(|number| {
                    let (turn, begins) = (turns.of(number), begins.clone());
                    scope.spawn(move || {
                        begins.send(()).unwrap();
                        turn.take(review()).is_ok()
                    })
                })
                .into();
            (0..3).for_each(|_| begun.recv().unwrap());
            assert!(turns.of(0).take(review()).is_ok());
            assert!(later.into_iter().all(|later| !later.join().unwrap()));
        });
    }

    #[test]
    fn a_review_that_gives_nothing_or_panics_keeps_none_waiting() {
        let turns = Turns::default();
        drop(turns.of(0));
        std::panic::catch_unwind(|| {
            let _turn = turns.of(1);
            std::panic::resume_unwind(Box::new(()));
        })
        .unwrap_err();
        assert!(turns.of(2).take(review()).is_ok());
    }
}
