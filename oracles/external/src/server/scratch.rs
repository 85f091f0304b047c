//! The namespace that is made for the questions and removed after them.

use super::api::Api;
use super::error::ServerErrorKind;
use super::verdict::refused;
use crate::http::{Repeat, Reply, metadata};
use serde_json::{Value, json};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use takeover_harness::oracle::OracleFailure;
use ureq::http::Method;

/// Name and value of the label of scratch namespaces.
const LABEL: (&str, &str) = ("app.kubernetes.io/managed-by", "takeover");

/// How long the namespace may take until Pods can be made in it. Some servers have no controller for that, and need none.
const READY: Duration = Duration::from_secs(3);

/// The scratch namespace; removed at the latest when it is dropped.
pub(super) struct Scratch {
    api: Arc<Api>,
    name: String,
    uid: String,
    removed: bool,
}

impl Scratch {
    /// Makes the namespace of this name, which must not be there.
    pub(super) fn make(api: &Arc<Api>, name: &str) -> Result<Self, ServerErrorKind> {
        let failure = |why: OracleFailure| ServerErrorKind::Make { name: name.to_owned(), why };
        let labels = json!({"app.kubernetes.io/managed-by": "takeover"});
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
        let reply = api.call(&Method::POST, "/api/v1/namespaces", Some(&namespace), Repeat::Never);
        let reply = reply.map_err(|why| {
            // The answer may be lost and the namespace there.
            forget(api, name);
            failure(why)
        })?;
        let made: Option<Value> = (reply.code == 201).then(|| serde_json::from_slice(&reply.body).ok()).flatten();
        let Some(uid) = made.as_ref().map(|made| metadata(made, "uid")).filter(|uid| !uid.is_empty()) else {
            return Err(failure(OracleFailure::new(refused(&reply))));
        };
        let scratch = Self { api: Arc::clone(api), name: name.to_owned(), uid: uid.to_owned(), removed: false };
        scratch.wait();
        Ok(scratch)
    }

    /// Waits for the service account that Pods need.
    fn wait(&self) {
        let account = format!("/api/v1/namespaces/{}/serviceaccounts/default", self.name);
        let started = Instant::now();
        while started.elapsed() < READY {
            match self.api.call(&Method::GET, &account, None, Repeat::Once) {
                Ok(Reply { code: 404, .. }) => thread::sleep(Duration::from_millis(100)),
                _ => return,
            }
        }
    }

    /// Removes the namespace with everything in it.
    pub(super) fn remove(mut self) -> Result<(), ServerErrorKind> {
        self.delete().map_err(|why| ServerErrorKind::Remove { name: self.name.clone(), why })
    }

    fn delete(&mut self) -> Result<(), OracleFailure> {
        if self.removed {
            return Ok(());
        }
        // Tried once: whoever wants to know why it failed called `remove`.
        self.removed = true;
        delete(&self.api, &format!("/api/v1/namespaces/{}", self.name), &self.uid)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.delete();
    }
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
    let reply = api.call(&Method::DELETE, path, Some(&options), Repeat::Once)?;
    match reply.code {
        200..=299 | 404 => Ok(()),
        _ => Err(OracleFailure::new(refused(&reply))),
    }
}
