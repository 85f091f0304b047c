//! Work that takes memory: one piece at a time, however many ask for it.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tokio::task::JoinError;

/// Most requests for the same work, the one at work among them. Others are sent away: waiting, they would hold all connections that the
/// pages may have, and nobody would learn whether the server is well.
const PLACES: usize = 8;

/// Seconds after which it is worth to ask again.
const LATER: &str = "5";

/// Does one piece of work after the other. Those who wait take no thread.
pub(super) struct OneAtATime {
    places: Semaphore,
    turn: Semaphore,
}

/// Work that is not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotDone {
    /// Others wait already.
    #[error("{PLACES} clients are already requesting this: try again later")]
    Busy,
    /// It panicked.
    #[error(transparent)]
    Panicked(#[from] JoinError),
}

impl IntoResponse for NotDone {
    fn into_response(self) -> Response {
        let why = format!("{self}\n");
        match self {
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, LATER)], why).into_response(),
            Self::Panicked(_) => (StatusCode::INTERNAL_SERVER_ERROR, why).into_response(),
        }
    }
}

impl Default for OneAtATime {
    fn default() -> Self {
        Self { places: Semaphore::new(PLACES), turn: Semaphore::new(1) }
    }
}

impl OneAtATime {
    /// Does `work` on a thread for work that takes long, once all that came before is done.
    ///
    /// # Errors
    /// When too many wait already, or it panics.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotDone> {
        let _place = self.places.try_acquire().map_err(|_| NotDone::Busy)?;
        // It is never closed.
        let _turn = self.turn.acquire().await;
        Ok(tokio::task::spawn_blocking(work).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotDone, OneAtATime, PLACES};
    use axum::http::{StatusCode, header};
    use axum::response::IntoResponse as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn however_many_ask_one_is_served_at_a_time_and_those_who_would_wait_too_long_are_sent_away() {
        const ASK: usize = 200;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let (one, at_work) = (Arc::new(OneAtATime::default()), Arc::new(AtomicUsize::new(0)));
        let (done, all_done) = channel();
        let goes_on: Vec<_> = (0..ASK)
            .map(|_| {
                let (one, at_work, done) = (Arc::clone(&one), Arc::clone(&at_work), done.clone());
                let (go_on, may_go_on) = channel::<()>();
                runtime.spawn(async move {
                    let work = move || {
                        let others = at_work.fetch_add(1, Ordering::SeqCst);
                        // Until the test lets it go on.
                        let _ = may_go_on.recv();
                        at_work.fetch_sub(1, Ordering::SeqCst);
                        others
                    };
                    done.send(one.run(work).await).unwrap();
                });
                go_on
            })
            .collect();
        // Nothing depends on how long it takes.
        let next = || all_done.recv_timeout(Duration::from_secs(120)).unwrap();
        for _ in PLACES..ASK {
            let refused = next().unwrap_err();
            assert!(matches!(refused, NotDone::Busy), "{refused}");
            let answer = refused.into_response();
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert!(answer.headers().contains_key(header::RETRY_AFTER));
        }
        drop(goes_on);
        for _ in 0..PLACES {
            assert_eq!(next().unwrap(), 0, "others at work");
        }
    }

    #[test]
    fn a_panic_of_one_is_not_in_the_way_of_others() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let one = OneAtATime::default();
        for _ in 0..2 * PLACES {
            let panicked = runtime.block_on(one.run(|| panic!("planted"))).unwrap_err();
            assert_eq!(panicked.into_response().status(), StatusCode::INTERNAL_SERVER_ERROR);
        }
        assert_eq!(runtime.block_on(one.run(|| 1)).unwrap(), 1);
    }
}
