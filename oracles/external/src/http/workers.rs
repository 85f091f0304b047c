//! Threads that send requests at the same time.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use takeover_harness::oracle::{Answer, BatchQuestion, OracleFailure};

/// A job, its number in its batch, and where its result goes.
type Job<J, R> = (J, usize, Sender<(usize, R)>);

/// A fixed number of threads that work on jobs. Batches of several callers share them, so that there are never more requests
/// under way than threads.
pub(crate) struct Workers<J, R> {
    jobs: Option<Sender<Job<J, R>>>,
    threads: Vec<JoinHandle<()>>,
}

impl<J: Send + 'static, R: Send + 'static> Workers<J, R> {
    /// Starts `count` threads that do `work`.
    ///
    /// # Errors
    /// Returns an error when the system starts no more threads.
    pub(crate) fn start(
        count: usize,
        name: &str,
        work: impl Fn(J) -> R + Send + Sync + 'static,
    ) -> Result<Self, io::Error> {
        let (sender, receiver) = mpsc::channel();
        let (work, receiver) = (Arc::new(work), Arc::new(Mutex::new(receiver)));
        let mut workers = Self { jobs: Some(sender), threads: Vec::new() };
        for _ in 0..count.max(1) {
            let (work, receiver) = (Arc::clone(&work), Arc::clone(&receiver));
            let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
                while let Some((job, number, results)) = next(&receiver) {
                    // Whoever asked may have gone.
                    let _ = results.send((number, work(job)));
                }
            })?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    /// Does every job, and returns the results with the numbers of their jobs as they come. A job whose work panicked has none.
    fn run(&self, jobs: impl IntoIterator<Item = (usize, J)>) -> impl Iterator<Item = (usize, R)> {
        let (sender, results) = mpsc::channel();
        if let Some(queue) = &self.jobs {
            for (number, job) in jobs {
                // The queue is closed when every thread has panicked: then there are no results.
                let _ = queue.send((job, number, sender.clone()));
            }
        }
        results.into_iter()
    }
}

impl<J: Send + 'static> Workers<J, Result<Answer, OracleFailure>> {
    /// Makes a job of each question, and gives the answers with the indices of their questions as they come. The first jobs are
    /// worked on while the last ones are made.
    pub(crate) fn ask(
        &self,
        asked: &[BatchQuestion<'_>],
        make: impl Fn(&BatchQuestion<'_>) -> Result<J, OracleFailure>,
        give: &mut dyn FnMut(usize, Result<Answer, OracleFailure>),
    ) {
        let mut failed = Vec::new();
        let jobs = asked.iter().enumerate().filter_map(|(number, question)| match make(question) {
            Ok(job) => Some((number, job)),
            Err(failure) => {
                failed.push((number, failure));
                None
            }
        });
        for (number, answer) in self.run(jobs) {
            give(number, answer);
        }
        for (number, failure) in failed {
            give(number, Err(failure));
        }
    }
}

fn next<J, R>(receiver: &Mutex<Receiver<Job<J, R>>>) -> Option<Job<J, R>> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

impl<J, R> Drop for Workers<J, R> {
    fn drop(&mut self) {
        drop(self.jobs.take());
        for thread in self.threads.drain(..) {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Workers;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier};

    #[test]
    fn jobs_run_at_the_same_time_and_results_keep_their_numbers() {
        let barrier = Arc::new(Barrier::new(4));
        let workers = Workers::start(4, "test", move |job: usize| {
            barrier.wait();
            job * 10
        })
        .unwrap();
        let mut results: Vec<_> = workers.run((0..8).map(|number| (number, number))).collect();
        results.sort_unstable();
        assert_eq!(results, (0..8).map(|number| (number, number * 10)).collect::<Vec<_>>());
    }

    #[test]
    fn a_job_that_panics_has_no_result_and_takes_no_other_with_it() {
        let done = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&done);
        let workers = Workers::start(2, "test", move |job: usize| {
            assert_ne!(job, 1);
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(workers.run((0..5).map(|number| (number, number))).count(), 4);
        assert_eq!(done.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn nothing_hangs_when_every_thread_has_panicked() {
        let workers = Workers::start(1, "test", |job: usize| assert_ne!(job, 0)).unwrap();
        assert_eq!(workers.run([(0, 0), (1, 1)]).count(), 0);
        assert_eq!(workers.run([(0, 5)]).count(), 0);
    }
}
