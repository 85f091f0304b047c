//! The namespace that is made for the questions and removed after them.

use super::api::Api;
use super::error::ServerErrorKind;
use super::verdict::refused;
use crate::http::{Repeat, Reply, metadata};
use http::Method;
use serde_json::{Value, json};
use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use takeover_harness::oracle::OracleFailure;

/// Name and value of the label of scratch namespaces.
const LABEL: (&str, &str) = ("app.kubernetes.io/managed-by", "takeover");

/// How long the namespace may take until Pods can be made in it. Some servers have no controller for that, and need none.
const READY: Duration = Duration::from_secs(3);

/// The scratch namespaces of a process that are not removed yet.
pub(super) struct Live(Mutex<Vec<Weak<Held>>>);

/// Those of this process.
pub(super) static LIVE: Live = Live::new();

impl Live {
    /// None.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn add(&self, held: &Arc<Held>) {
        let mut all = lock(&self.0);
        all.retain(|known| known.strong_count() > 0);
        all.push(Arc::downgrade(held));
    }

    /// Removes all at the same time; returns how many are not known to be gone when `time` is over.
    pub(super) fn remove(&self, time: Duration) -> usize {
        let all: Vec<Arc<Held>> = lock(&self.0).iter().filter_map(Weak::upgrade).collect();
        let (sender, gone) = mpsc::channel();
        for held in &all {
            let (held, sender) = (Arc::clone(held), sender.clone());
            let remove = move || {
                let _ = sender.send(held.remove().is_ok());
            };
            // What cannot be removed counts below.
            let _ = thread::Builder::new().name("scratch".to_owned()).spawn(remove);
        }
        drop(sender);
        let until = Instant::now() + time;
        let left = || gone.recv_timeout(until.saturating_duration_since(Instant::now())).ok();
        all.len() - iter::from_fn(left).filter(|gone| *gone).count()
    }
}

/// What became of a namespace.
enum State {
    /// The server was not asked, or refused.
    Absent,
    /// It is there, with this uid.
    Made(String),
    /// It was deleted, or that was tried.
    Removed,
}

/// A namespace that is removed once, by whoever comes first.
pub(super) struct Held {
    api: Arc<Api>,
    name: String,
    /// Locked while the server is asked, so that whoever wants to remove it waits for the answer.
    state: Mutex<State>,
}

impl Held {
    fn make(&self) -> Result<(), ServerErrorKind> {
        let mut state = lock(&self.state);
        let failure = |why: OracleFailure| ServerErrorKind::Make { name: self.name.clone(), why };
        if matches!(*state, State::Removed) {
            return Err(failure(OracleFailure::new("this process is ending")));
        }
        let labels = json!({"app.kubernetes.io/managed-by": "takeover"});
        let metadata_of = json!({"name": self.name, "labels": labels});
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata_of});
        let reply = self.api.call(&Method::POST, "/api/v1/namespaces", Some((&namespace).into()), Repeat::Never);
        let reply = reply.map_err(|why| {
            // The answer may be lost and the namespace there.
            forget(&self.api, &self.name);
            failure(why)
        })?;
        let made: Option<Value> = (reply.code == 201).then(|| serde_json::from_slice(&reply.body).ok()).flatten();
        let Some(uid) = made.as_ref().map(|made| metadata(made, "uid")).filter(|uid| !uid.is_empty()) else {
            return Err(failure(OracleFailure::new(refused(&reply))));
        };
        *state = State::Made(uid.to_owned());
        Ok(())
    }

    /// Removes the namespace with everything in it. This is tried once.
    fn remove(&self) -> Result<(), OracleFailure> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Removed) {
            State::Made(uid) => delete(&self.api, &format!("/api/v1/namespaces/{}", self.name), &uid),
            State::Absent | State::Removed => Ok(()),
        }
    }
}

/// The scratch namespace; removed at the latest when it is dropped.
pub(super) struct Scratch(Arc<Held>);

impl Scratch {
    /// Makes the namespace of this name, which must not be there, and waits until it takes `kind`, or any if none is named. It counts
    /// as one of `live` until it is removed.
    pub(super) fn make(api: &Arc<Api>, name: &str, kind: Option<&str>, live: &Live) -> Result<Self, ServerErrorKind> {
        let held = Arc::new(Held { api: Arc::clone(api), name: name.to_owned(), state: Mutex::new(State::Absent) });
        live.add(&held);
        held.make()?;
        let scratch = Self(held);
        // Nothing else needs an account.
        if kind.is_none_or(|kind| kind == "Pod") {
            scratch.wait();
        }
        Ok(scratch)
    }

    /// Waits for the service account that Pods need.
    fn wait(&self) {
        let account = format!("/api/v1/namespaces/{}/serviceaccounts/default", self.0.name);
        let started = Instant::now();
        while started.elapsed() < READY {
            match self.0.api.call(&Method::GET, &account, None, Repeat::Once) {
                Ok(Reply { code: 404, .. }) => thread::sleep(Duration::from_millis(100)),
                _ => return,
            }
        }
    }

    /// Removes the namespace with everything in it.
    pub(super) fn remove(self) -> Result<(), ServerErrorKind> {
        self.0.remove().map_err(|why| ServerErrorKind::Remove { name: self.0.name.clone(), why })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is left to be told; whoever wants to know why it failed called `remove`.
        let _ = self.0.remove();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes a namespace that may have been made, if it is there and has our label.
fn forget(api: &Api, name: &str) {
    let path = format!("/api/v1/namespaces/{name}");
    let Ok(reply) = api.call(&Method::GET, &path, None, Repeat::Once) else { return };
    let Ok(found) = serde_json::from_slice::<Value>(&reply.body) else { return };
    let ours = found.pointer("/metadata/labels").and_then(|labels| labels.get(LABEL.0)) == Some(&Value::from(LABEL.1));
    if ours {
        // The error of making it is the one to tell.
        let _ = delete(api, &path, metadata(&found, "uid"));
    }
}

/// Deletes what is at `path`, if it still is the object with this uid.
pub(super) fn delete(api: &Api, path: &str, uid: &str) -> Result<(), OracleFailure> {
    let options = json!({
        "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid},
        "gracePeriodSeconds": 0, "propagationPolicy": "Background",
    });
    let reply = api.call(&Method::DELETE, path, Some((&options).into()), Repeat::Once)?;
    match reply.code {
        200..=299 | 404 => Ok(()),
        _ => Err(OracleFailure::new(refused(&reply))),
    }
}
