//! Gives a webhook up that is gone, so that not every question waits for it.

use crate::http::NoAnswer;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many requests in a row without an answer may be the last.
const MOST_FAILURES: u32 = 10;

/// They are once they took so long: a webhook that starts anew is not given up.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a thread waits after a connection that failed, once there are so many of them.
const PAUSE: Duration = Duration::from_millis(250);

/// Counts requests that got no answer.
#[derive(Default)]
pub(super) struct Breaker(Mutex<State>);

#[derive(Default)]
struct State {
    /// Requests without an answer since the last one with one.
    failures: u32,
    /// When the first of them failed.
    since: Option<Instant>,
    given_up: Option<String>,
}

impl Breaker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why nothing is asked any more.
    pub(super) fn given_up(&self) -> Option<String> {
        self.state().given_up.clone()
    }

    /// Notes an answer, whatever it says.
    pub(super) fn answered(&self) {
        let mut state = self.state();
        (state.failures, state.since) = (0, None);
    }

    /// Notes that a request got no answer at this time; `last` says why. Returns how long to wait before the next one.
    pub(super) fn failed(&self, error: &NoAnswer, last: &str, now: Instant) -> Duration {
        // Who answers too much is there.
        if *error == NoAnswer::TooLarge {
            self.answered();
            return Duration::ZERO;
        }
        let mut state = self.state();
        state.failures += 1;
        let since = *state.since.get_or_insert(now);
        if state.failures < MOST_FAILURES || state.given_up.is_some() {
            return Duration::ZERO;
        }
        // A request that timed out has waited for its answer.
        let waited = match error {
            NoAnswer::Timeout(_) => PATIENCE,
            _ => now.saturating_duration_since(since),
        };
        if waited >= PATIENCE {
            let failures = state.failures;
            state.given_up =
                Some(format!("not asked: the webhook gave no answer to {failures} requests in a row; last: {last}"));
            return Duration::ZERO;
        }
        PAUSE
    }
}

#[cfg(test)]
mod tests {
    use super::{Breaker, MOST_FAILURES, PATIENCE, PAUSE};
    use crate::http::NoAnswer;
    use std::time::{Duration, Instant};

    fn refused() -> NoAnswer {
        NoAnswer::Connect("refused".to_owned())
    }

    #[test]
    fn a_webhook_that_stays_away_is_given_up_with_its_last_failure() {
        let (breaker, begin) = (Breaker::default(), Instant::now());
        for count in 1..=MOST_FAILURES {
            let wait = breaker.failed(&refused(), "cannot connect", begin);
            assert_eq!(wait, if count < MOST_FAILURES { Duration::ZERO } else { PAUSE });
        }
        assert_eq!(breaker.given_up(), None, "it may start anew");
        breaker.failed(&refused(), "cannot connect to `x`", begin + PATIENCE);
        let said = "not asked: the webhook gave no answer to 11 requests in a row; last: cannot connect to `x`";
        assert_eq!(breaker.given_up().as_deref(), Some(said));
    }

    #[test]
    fn ten_requests_that_time_out_in_a_row_are_enough_and_an_answer_between_them_starts_anew() {
        let (breaker, now, late) = (Breaker::default(), Instant::now(), NoAnswer::Timeout(Duration::from_secs(10)));
        for _ in 1..MOST_FAILURES {
            breaker.failed(&late, "late", now);
        }
        breaker.answered();
        for _ in 1..MOST_FAILURES {
            breaker.failed(&late, "late", now);
        }
        assert_eq!(breaker.given_up(), None);
        breaker.failed(&late, "late", now);
        assert!(breaker.given_up().is_some());
    }

    #[test]
    fn an_answer_that_is_too_large_is_one() {
        let (breaker, begin) = (Breaker::default(), Instant::now());
        for _ in 0..2 * MOST_FAILURES {
            assert_eq!(breaker.failed(&NoAnswer::TooLarge, "large", begin + PATIENCE), Duration::ZERO);
        }
        assert_eq!(breaker.given_up(), None);
    }
}
