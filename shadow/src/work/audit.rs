//! Audit events: batches in, cases out, in the order in which the API server wrote them.

use crate::state::State;
use serde::Deserialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use takeover_corpora::load::LoadedCase;
use takeover_corpora::requests::audit::{API_VERSION, Replay};
use takeover_corpora::requests::{Request, Skip, Skipped, Unread};
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
            return self.ready.push_back(other_version(&list.api_version, &list.kind));
        }
        for (number, event) in (1..).zip(list.items) {
            let path = format!("audit batch {}", self.batches);
            let provenance = Provenance::File { path, document: number, line: number };
            self.ready.extend(reads(&mut self.replay, event, &provenance, "unreadable event"));
        }
    }

    /// What was under way and will not end any more.
    fn finish(&mut self) {
        self.finished = true;
        let lost = self.replay.finish();
        self.ready.extend(lost.into_iter().map(nothing));
    }
}

/// What comes of an event; one that is broken is counted as `broken`.
pub(super) fn reads(replay: &mut Replay, event: Value, provenance: &Provenance, broken: &str) -> Vec<Read> {
    replay.event(event, provenance).into_iter().map(|request| of_request(request, broken)).collect()
}

fn of_request(request: Result<Request, Unread>, broken: &str) -> Read {
    match request {
        Ok(request) => {
            let id = request.id.clone();
            request.into_case(false).map_or_else(nothing, |case| Read::Case(id, Box::new(case)))
        }
        Err(Unread::Skipped(skipped)) => nothing(skipped),
        Err(Unread::Broken(fault)) => Read::Nothing(broken.to_owned(), fault),
    }
}

/// Something of another version or kind than the events that are read.
pub(super) fn other_version(api_version: &str, kind: &str) -> Read {
    let what = takeover_reports::shortened(&format!("{api_version} {kind}"), 100).into_owned();
    Read::Nothing(Skip::OtherVersion.to_string(), what)
}

fn nothing(skipped: Skipped) -> Read {
    Read::Nothing(skipped.skip.to_string(), format!("{}: {}", skipped.request, skipped.skip))
}
