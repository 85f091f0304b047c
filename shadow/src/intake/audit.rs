//! Audit events: batches in, cases out, in the order in which the API server wrote them.

use super::job::Job;
use super::queue::Queue;
use super::read::{MOST_VALUES, Nothing, unreadable};
use serde::Deserialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use takeover_corpora::load::{LoadErrorKind, LoadedCase};
use takeover_corpora::requests::audit::{API_VERSION, Replay};
use takeover_corpora::requests::{Request, Unread};
use takeover_harness::case::{Provenance, values_in};
use takeover_harness::object::{as_go_reads, text_as_go_reads};

/// What is known between events, and what came of those that were read.
pub struct Audit(Mutex<Known>);

struct Known {
    replay: Replay,
    ready: VecDeque<Read>,
    batches: u64,
    finished: bool,
}

/// What came of an event.
pub(crate) enum Read {
    /// A case, and the id of its request.
    Case(String, Box<LoadedCase>),
    /// None, and why.
    Nothing(Nothing),
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

    /// Waits for the result of the next event of `batches`; `None` when there are no more of them.
    pub(crate) fn next(&self, batches: &Queue<Job>) -> Option<Read> {
        loop {
            if let Some(read) = self.known().ready.pop_front() {
                return Some(read);
            }
            let job = batches.pop();
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
        if values_in(body) > MOST_VALUES {
            let message = format!("a batch of more than {MOST_VALUES} values");
            return self.ready.push_back(Read::Nothing(unreadable(LoadErrorKind::TooManyValues, message)));
        }
        let list: EventList = match serde_json::from_str(&as_go_reads(&text_as_go_reads(body))) {
            Ok(list) => list,
            Err(error) => {
                let reason = "unreadable batch of events".to_owned();
                let broken = unreadable(LoadErrorKind::Syntax, error.to_string());
                return self.ready.push_back(Read::Nothing(Nothing { reason, ..broken }));
            }
        };
        if (list.api_version.as_str(), list.kind.as_str()) != (API_VERSION, "EventList") {
            return self.ready.push_back(Read::Nothing(Nothing::of_version(&list.api_version, &list.kind)));
        }
        for (number, event) in (1..).zip(list.items) {
            let path = format!("audit batch {}", self.batches);
            let provenance = Provenance::File { path, document: number, line: number };
            self.ready.extend(reads(&mut self.replay, event, &provenance));
        }
    }

    /// What was under way and will not end any more.
    fn finish(&mut self) {
        self.finished = true;
        let lost = self.replay.finish();
        self.ready.extend(lost.into_iter().map(|lost| Read::Nothing(lost.into())));
    }
}

/// What comes of an event.
pub(crate) fn reads(replay: &mut Replay, event: Value, provenance: &Provenance) -> Vec<Read> {
    replay.event(event, provenance).into_iter().map(of_request).collect()
}

fn of_request(request: Result<Request, Unread>) -> Read {
    match request {
        Ok(request) => {
            let id = request.id.clone();
            match request.into_case(false) {
                Ok(case) => Read::Case(id, Box::new(case)),
                Err(skipped) => Read::Nothing(skipped.into()),
            }
        }
        Err(Unread::Skipped(skipped)) => Read::Nothing(skipped.into()),
        Err(Unread::Broken(fault)) => Read::Nothing(unreadable(LoadErrorKind::BadCase, fault)),
    }
}
