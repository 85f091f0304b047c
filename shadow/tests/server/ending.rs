//! The end of a server, and what outlives it.

use crate::running::{NAMES, Running, setup};
use crate::things::{Gate, HANGS, MISSED, allowed, review};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use takeover_harness::evidence::Evidence;
use takeover_shadow::certificate::make;
use takeover_shadow::client::Client;
use takeover_shadow::ledger::Production;
use takeover_shadow::load::Connection;
use takeover_shadow::server::{Checkpoint, Keep, Server};
use takeover_shadow::tail::{Start, Tail};

/// The last checkpoint.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Option<(Evidence, Production)>>>);

/// The positions of all checkpoints.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<Vec<u64>>>);

impl Keep for Places {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        self.0.lock().unwrap().extend(checkpoint.positions.values().map(|position| position.offset));
        Ok(())
    }
}

impl Keep for Shelf {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        *self.0.lock().unwrap() = Some((checkpoint.evidence.clone(), checkpoint.production.clone()));
        Ok(())
    }
}

#[test]
fn under_load_the_end_answers_what_it_took_and_counts_what_it_leaves() {
    let shelf = Shelf::default();
    let running = Running::start(|setup| setup.keep = Some(Box::new(shelf.clone())));
    let (address, tls) = (running.server.webhook().unwrap(), running.tls.clone());
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..4)
        .map(|client| {
            let (tls, stop) = (tls.clone(), Arc::clone(&stop));
            running.client.spawn(async move {
                let mut answered = 0_u64;
                let Ok(mut connection) = Connection::open(address, &tls).await else { return answered };
                while !stop.load(Ordering::Relaxed) {
                    let uid = format!("uid-{client}-{answered}");
                    // The end closes connections between requests; it never answers otherwise than it should.
                    let Ok(said) = connection.post("/mutate", review(&uid, 1).to_string()).await else { break };
                    assert_eq!(serde_json::from_slice::<Value>(&said.body).unwrap(), allowed(&uid));
                    answered += 1;
                }
                answered
            })
        })
        .collect();
    running.until("there is load", |running| running.requests("queued") > 20);
    let client = running.client;
    let ended = running.server.end();
    stop.store(true, Ordering::Relaxed);
    let answered: u64 = client.block_on(async {
        let mut sum = 0;
        for client in clients {
            sum += client.await.unwrap();
        }
        sum
    });
    assert!(ended.answered && ended.left.workers == 0, "{ended:?}");
    let (evidence, production) = shelf.0.lock().unwrap().clone().unwrap();
    // A request may have been taken whose answer came too late for its client.
    let left = u64::try_from(ended.left.reviews).unwrap();
    assert!(evidence.compared() + left >= answered && answered > 20, "{} {left} {answered}", evidence.compared());
    assert_eq!(production.comparisons(), evidence.compared());
}

#[test]
fn a_worker_that_hangs_does_not_keep_a_server_from_its_end() {
    let running = Running::start(|setup| setup.settings.limits.drain_milliseconds = 100);
    running.review(&review("hangs", HANGS));
    running.until("the worker is at it", |running| running.metric("takeover_shadow_queue_length") == 0);
    running.review(&review("waits", 1));
    let Running { server, gate, .. } = running;
    let ended = server.end();
    assert_eq!((ended.left.reviews, ended.left.workers), (1, 1));
    gate.open();
}

#[test]
fn the_next_server_goes_on_where_the_last_one_stopped() {
    let shelf = Shelf::default();
    let made = make(&NAMES.map(str::to_owned)).unwrap();
    for (origin, count) in [(1, MISSED), (2, 1)] {
        let gate = Arc::new(Gate::default());
        let mut setup = setup(&gate, &made);
        setup.plan.origin = origin;
        setup.before = shelf.0.lock().unwrap().clone();
        setup.keep = Some(Box::new(shelf.clone()));
        let server = Server::start(setup).unwrap();
        let webhook = Client::trusting(format!("https://{}", server.webhook().unwrap()), &made.authority).unwrap();
        webhook.post("/mutate", review("uid", count).to_string()).unwrap();
        let _ = server.end();
    }
    let (evidence, production) = shelf.0.lock().unwrap().clone().unwrap();
    assert_eq!((evidence.compared(), evidence.disagreed()), (2, 1));
    assert_eq!((production.comparisons(), production.replicas(), production.runs.len()), (2, 1, 2));
}

#[test]
fn where_reading_of_a_log_begins_is_written_long_before_the_first_checkpoint_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.log");
    std::fs::write(&path, "before\n").unwrap();
    let places = Places::default();
    let running = Running::start(|setup| {
        setup.settings.limits.checkpoint_seconds = 1_000_000;
        setup.tails = vec![Tail { path, start: Start::End }];
        setup.keep = Some(Box::new(places.clone()));
    });
    running.until("the position is written", |_| *places.0.lock().unwrap() == [7]);
    running.end();
}
