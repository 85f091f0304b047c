//! How one question is put to a server.

use super::api::{Api, Resource};
use super::place::{Place, object_path, placed};
use super::rewrite::{as_sent, changed, created, keeps, stored};
use super::scratch::delete;
use super::verdict::{Turned, refused, turned_away, verdict};
use crate::http::{Repeat, Reply, Sent, metadata};
use http::Method;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use takeover_harness::object::{InOrder, Order};
use takeover_harness::oracle::{Answer, OracleFailure};

/// What makes a request a dry run in which unknown members do not count.
const DRY_RUN: &str = "?dryRun=All&fieldValidation=Ignore";

/// How often an update is sent while controllers change what is stored.
const ATTEMPTS: usize = 5;

/// What the threads share.
pub(super) struct Asking {
    api: Arc<Api>,
    namespace: String,
    updates: bool,
    /// Whether answers are objects.
    objects: bool,
    names: AtomicU64,
    /// Held while an old object is stored under its own name, which the next one may have too.
    own_name: Mutex<()>,
}

impl Asking {
    /// Asks in this namespace; `updates` says whether old objects may be stored in it, and `objects` whether answers are objects.
    pub(super) fn new(api: Arc<Api>, namespace: String, updates: bool, objects: bool) -> Self {
        Self { api, namespace, updates, objects, names: AtomicU64::new(0), own_name: Mutex::new(()) }
    }

    /// What the server says.
    ///
    /// # Errors
    /// Returns an error when it says nothing of the object, or cannot be asked.
    pub(super) fn ask(&self, sent: Sent) -> Result<Answer, OracleFailure> {
        let resource = self.api.resource(&sent.subject)?;
        let Sent { object, old, subject, order } = sent;
        let part = match subject.subresource.as_str() {
            "" => "",
            "status" if resource.status && old.is_some() => "/status",
            other => {
                let message = format!("`{}/{other}` is not asked: it has no dry run here", subject.kind);
                return Err(OracleFailure::declined("the subresource has no dry run here", message));
            }
        };
        match old {
            None => {
                placed(&object, None, resource.namespaced)?;
                self.create(&resource, object, order)
            }
            Some(_) if !self.updates => {
                Err(OracleFailure::declined("updates are switched off", "updates are not asked: they are switched off"))
            }
            Some(_) if !resource.namespaced => Err(OracleFailure::declined(
                "updates of kinds without namespaces are not asked",
                format!(
                    "updates of `{}` are not asked: it has no namespaces, so the old object would be stored for the whole cluster",
                    subject.kind
                ),
            )),
            Some(old) => match placed(&object, Some(&old), true)? {
                Place::Anywhere => {
                    let name = format!("takeover-{}", self.names.fetch_add(1, Ordering::Relaxed));
                    self.update(&resource, &name, &old, &object, part)
                }
                Place::Under(name) => {
                    let _alone = self.own_name.lock().unwrap_or_else(PoisonError::into_inner);
                    self.update(&resource, &name, &old, &object, part)
                }
            },
        }
    }

    fn create(&self, resource: &Resource, object: Value, order: Order) -> Result<Answer, OracleFailure> {
        let sent = created(object.clone(), resource.namespaced.then_some(self.namespace.as_str()));
        let target = format!("{}{DRY_RUN}", resource.path(&self.namespace));
        self.answer(&self.api.call(&Method::POST, &target, Some(InOrder(&sent, order)), Repeat::Once)?, &object)
    }

    /// What the reply to a dry run with an object says.
    fn answer(&self, reply: &Reply, object: &Value) -> Result<Answer, OracleFailure> {
        let mut answer = verdict(reply)?;
        if self.objects && !answer.rejects() {
            let made = serde_json::from_slice(&reply.body);
            let made = made.map_err(|_| OracleFailure::new("the answer to the dry run has no object"))?;
            answer.object = Some(as_sent(made, object));
        }
        Ok(answer)
    }

    fn update(
        &self,
        resource: &Resource,
        name: &str,
        old: &Value,
        new: &Value,
        part: &str,
    ) -> Result<Answer, OracleFailure> {
        let objects = resource.path(&self.namespace);
        let path = object_path(&objects, name);
        let kept = self.store(&objects, &stored(old.clone(), &self.namespace, name))?;
        let answer = self.change(resource, &path, kept.clone(), old, new, part);
        // Whatever is left goes with the namespace.
        let _ = delete(&self.api, &path, metadata(&kept, "uid"));
        answer
    }

    /// Gives the stored object the status of the old one, and sends the new one. Both are sent again when a controller has changed
    /// the stored object meanwhile.
    fn change(
        &self,
        resource: &Resource,
        path: &str,
        mut kept: Value,
        old: &Value,
        new: &Value,
        part: &str,
    ) -> Result<Answer, OracleFailure> {
        let mut attempt = 1;
        loop {
            let reply = match self.with_status(resource, path, &kept, old)? {
                Ok(with_status) => {
                    keeps(&with_status, old)?;
                    let target = format!("{path}{part}{DRY_RUN}");
                    let body = changed(new.clone(), old, &with_status);
                    self.api.call(&Method::PUT, &target, Some((&body).into()), Repeat::Once)?
                }
                Err(conflict) => conflict,
            };
            if turned_away(&reply) != Some(Turned::Changed) || attempt == ATTEMPTS {
                return self.answer(&reply, new);
            }
            let now = self.read(path)?;
            if metadata(&now, "resourceVersion") == metadata(&kept, "resourceVersion") && attempt > 1 {
                // Nobody changed it: the object itself is based on another one.
                return verdict(&reply);
            }
            kept = now;
            attempt += 1;
        }
    }

    /// The stored object with the status of the old one, or the conflict that kept it from being stored.
    fn with_status(
        &self,
        resource: &Resource,
        path: &str,
        kept: &Value,
        old: &Value,
    ) -> Result<Result<Value, Reply>, OracleFailure> {
        // A server drops the status of what is created where the status is a resource of its own.
        let status = old.get("status").filter(|status| status.as_object().is_some_and(|it| !it.is_empty()));
        let (Some(status), true) = (status, resource.status) else { return Ok(Ok(kept.clone())) };
        let mut with_status = kept.clone();
        if let Some(members) = with_status.as_object_mut() {
            members.insert("status".to_owned(), status.clone());
        }
        let target = format!("{path}/status?fieldValidation=Ignore");
        let reply = self.api.call(&Method::PUT, &target, Some((&with_status).into()), Repeat::Never)?;
        if turned_away(&reply) == Some(Turned::Changed) { Ok(Err(reply)) } else { made(&reply).map(Ok) }
    }

    /// Stores an object in the scratch namespace; returns it as the server has it.
    fn store(&self, path: &str, object: &Value) -> Result<Value, OracleFailure> {
        let target = format!("{path}?fieldValidation=Ignore");
        made(&self.api.call(&Method::POST, &target, Some(object.into()), Repeat::Never)?)
    }

    fn read(&self, path: &str) -> Result<Value, OracleFailure> {
        made(&self.api.call(&Method::GET, path, None, Repeat::Once)?)
    }
}

/// The object that was made.
fn made(reply: &Reply) -> Result<Value, OracleFailure> {
    let kept = (200..300).contains(&reply.code).then(|| serde_json::from_slice::<Value>(&reply.body).ok()).flatten();
    match kept {
        Some(kept) if !metadata(&kept, "uid").is_empty() => Ok(kept),
        _ => {
            let message = format!("the old object cannot be stored: {}", refused(reply));
            // What it says of the object is no fault of the server.
            Err(match verdict(reply) {
                Ok(_) => OracleFailure::declined("it does not store the old object", message),
                Err(_) => OracleFailure::new(message),
            })
        }
    }
}
