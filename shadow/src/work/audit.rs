//! Audit events: batches in, cases out, in the order in which the API server wrote them.

use crate::state::State;
use serde::Deserialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use takeover_corpora::load::LoadedCase;
use takeover_corpora::requests::audit::{API_VERSION, Replay};
use takeover_corpora::requests::{Request, Skipped, Unread};
use takeover_harness::case::Provenance;

/// What is known between events, and what came of those that were read.
pub struct Audit(Mutex<Known>);

struct Known {
    replay: Replay,
    ready: VecDeque<Read>,
    batches: u64,
    finished: bool,
}

/// What came of an event.
pub(super) enum Read {
    /// A case, and the id of its request.
    Case(String, Box<LoadedCase>),
    /// None, and why: what it is counted under, and in full.
    Nothing(String, String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventList {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    items: Vec<Value>,
}

impl Default for Audit {
    fn default() -> Self {
        let replay = Replay::new(Replay::MEMORY);
        Self(Mutex::new(Known { replay, ready: VecDeque::new(), batches: 0, finished: false }))
    }
}

impl Audit {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for what comes of the next event. None when there are no more batches.
    pub(super) fn next(&self, state: &State) -> Option<Read> {
        loop {
            if let Some(read) = self.known().ready.pop_front() {
                return Some(read);
            }
            let job = state.events.pop();
            let mut known = self.known();
            match job {
                Some(job) => known.read(&job.body),
                None if known.finished => return None,
                None => known.finish(),
            }
        }
    }
}

impl Known {
    fn read(&mut self, body: &[u8]) {
        self.batches += 1;
        let list: EventList = match serde_json::from_slice(body) {
            Ok(list) => list,
            Err(error) => {
                return self.ready.push_back(Read::Nothing("unreadable batch of events".to_owned(), error.to_string()));
            }
        };
        if (list.api_version.as_str(), list.kind.as_str()) != (API_VERSION, "EventList") {
            let what = takeover_reports::shortened(&format!("{} {}", list.api_version, list.kind), 100).into_owned();
            let reason = "an event or review of another version than v1".to_owned();
            return self.ready.push_back(Read::Nothing(reason, what));
        }
        for (number, event) in (1..).zip(list.items) {
            let path = format!("audit batch {}", self.batches);
            let provenance = Provenance::File { path, document: number, line: number };
            let requests = self.replay.event(event, &provenance);
            self.ready.extend(requests.into_iter().map(of_request));
        }
    }

    /// What was under way and will not end any more.
    fn finish(&mut self) {
        self.finished = true;
        let lost = self.replay.finish();
        self.ready.extend(lost.into_iter().map(nothing));
    }
}

fn of_request(request: Result<Request, Unread>) -> Read {
    match request {
        Ok(request) => {
            let id = request.id.clone();
            request.into_case(false).map_or_else(nothing, |case| Read::Case(id, Box::new(case)))
        }
        Err(Unread::Skipped(skipped)) => nothing(skipped),
        Err(Unread::Broken(fault)) => Read::Nothing("unreadable event".to_owned(), fault),
    }
}

fn nothing(skipped: Skipped) -> Read {
    Read::Nothing(skipped.skip.to_string(), format!("{}: {}", skipped.request, skipped.skip))
}
