//! Work that takes memory: one piece at a time, however many ask for it.

use tokio::sync::Semaphore;
use tokio::task::JoinError;

/// Does one piece of work after the other. Those who wait take no thread.
pub(super) struct OneAtATime(Semaphore);

impl Default for OneAtATime {
    fn default() -> Self {
        Self(Semaphore::new(1))
    }
}

impl OneAtATime {
    /// Does `work` on a thread for work that takes long, once all that came before is done.
    ///
    /// # Errors
    /// When it panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // It is never closed.
        let _turn = self.0.acquire().await;
        tokio::task::spawn_blocking(work).await
    }
}

#[cfg(test)]
mod tests {
    use super::OneAtATime;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn however_many_ask_one_is_served_at_a_time_and_all_in_the_end() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let (one, at_work) = (Arc::new(OneAtATime::default()), Arc::new(AtomicUsize::new(0)));
        let ask = |number: usize| {
            let (one, at_work) = (Arc::clone(&one), Arc::clone(&at_work));
            runtime.spawn(async move {
                let work = move || {
                    let others = at_work.fetch_add(1, Ordering::SeqCst);
                    std::thread::yield_now();
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    assert_ne!(number, 7, "a panic of one is not in the way of others");
                    others
                };
                one.run(work).await
            })
        };
        let asked: Vec<_> = (0..200).map(ask).collect();
        let done: Vec<_> = asked.into_iter().map(|asked| runtime.block_on(asked).unwrap().ok()).collect();
        assert_eq!(done.iter().filter(|others| others.is_none()).count(), 1);
        assert!(done.iter().flatten().all(|others| *others == 0), "{done:?}");
    }
}
