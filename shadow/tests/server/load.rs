//! Load as `bench --shadow` makes it. Nothing depends on how fast it is answered.

use crate::running::Running;
use serde_json::json;
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::subject::SubjectId;
use takeover_shadow::Mode;
use takeover_shadow::load::{Load, Pace, Reviews, Tally, Until, send};

/// Creates of things with these counts, in turn.
fn reviews(counts: &[i64]) -> Reviews {
    let case = |count: &i64| {
        // What has metadata gets a uid with every review: what is the same as before would be repeated.
        let object = json!({"kind": "Thing", "apiVersion": "v1", "metadata": {}, "name": "a", "count": count}).into();
        let provenance = Provenance::File { path: "-".to_owned(), document: 0, line: 0 };
        let case = Case { operation: Operation::Create, object, old: None, options: Options::new(), provenance };
        (SubjectId::new("v1", "Thing"), case)
    };
    Reviews::of(&counts.iter().map(case).collect::<Vec<_>>(), 1).unwrap()
}

fn sent(running: &Running, counts: &[i64], connections: usize, pace: Pace, number: u64) -> Tally {
    let load = Load { connections, pace, until: Until::Reviews(number) };
    send(running.server.webhook().unwrap(), &running.tls, reviews(counts), load).unwrap()
}

#[test]
fn every_review_is_sent_once_at_whatever_pace() {
    for pace in [Pace::Unbounded, Pace::Rate(5_000.0), Pace::Rate(1e9)] {
        let running = Running::start(|_| {});
        let tally = sent(&running, &[1, -1, 2], 3, pace, 90);
        assert_eq!((tally.sent, tally.unsent, tally.answers(), tally.failed()), (90, 0, 90, 0), "{pace:?}");
        running.settle(90);
        assert_eq!((running.requests("queued"), running.done("judged")), (90, 90));
        running.end();
    }
}

#[test]
fn an_answer_that_does_not_allow_is_a_fault() {
    let running = Running::start(|setup| setup.plan.mode = Mode::Enforce);
    let tally = sent(&running, &[1, -1], 2, Pace::Unbounded, 20);
    assert_eq!((tally.answers(), tally.faults), (20, [("not allowed".to_owned(), 10)].into()));
    running.end();
}

#[test]
fn where_nobody_listens_nothing_is_measured() {
    let running = Running::start(|_| {});
    let (address, tls) = (running.server.webhook().unwrap(), running.tls.clone());
    running.end();
    let load = Load { connections: 1, pace: Pace::Unbounded, until: Until::Reviews(1) };
    let error = send(address, &tls, reviews(&[1]), load).unwrap_err().to_string();
    assert!(error.starts_with("no connection"), "{error}");
}
