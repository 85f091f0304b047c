//! A live API server as an oracle.

use super::api::{Api, Resource};
use super::error::{ServerError, ServerErrorKind};
use super::plan::Plan;
use super::rewrite::{changed, created, stored};
use super::scratch::{LIVE, Live, Scratch, delete};
use super::verdict::{refused, verdict};
use crate::http::{Repeat, Sent, Workers, metadata};
use serde_json::Value;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use takeover_harness::oracle::{Answer, BatchAnswers, BatchOracle, BatchQuestion, OracleFailure, Precision};
use takeover_harness::subject::SubjectId;
use ureq::http::Method;

/// How many questions each thread gets from a batch.
const QUESTIONS_PER_THREAD: usize = 4;

/// Most threads of a server.
const MOST_THREADS: usize = 64;

/// What makes a request a dry run in which unknown members do not count.
const DRY_RUN: &str = "?dryRun=All&fieldValidation=Ignore";

/// A live API server that is asked with dry runs. The scratch namespace is removed when it is closed or dropped.
pub struct Server {
    // INVARIANT: dropped before the namespace, so that nothing is stored in a namespace that is going.
    workers: Workers<Sent, Result<Answer, OracleFailure>>,
    scratch: Scratch,
    sentences: Vec<String>,
    namespace: String,
    subject: Option<SubjectId>,
    threads: usize,
}

impl Server {
    /// Does the first part of the plan: makes the scratch namespace.
    ///
    /// # Errors
    /// Returns an error when the certificates cannot be used, or when the server does not make the namespace.
    pub fn connect(plan: Plan) -> Result<Self, ServerError> {
        Self::connect_in(plan, &LIVE)
    }

    /// The same, with the namespaces among which the scratch namespace counts.
    pub(super) fn connect_in(plan: Plan, live: &Live) -> Result<Self, ServerError> {
        let sentences = plan.sentences();
        let Plan { settings, access, namespace } = plan;
        let threads = settings.concurrency.clamp(1, MOST_THREADS);
        let api = Api::new(&access, settings.rate, settings.timeout, threads)
            .map_err(|why| ServerErrorKind::Trust { context: settings.context.clone(), why })?;
        let api = Arc::new(api);
        let scratch = Scratch::make(&api, &namespace, live)?;
        let asking = Asking { api, namespace: namespace.clone(), updates: settings.updates, names: AtomicU64::new(0) };
        let workers =
            Workers::start(threads, "api-server", move |sent| asking.ask(sent)).map_err(ServerErrorKind::Threads)?;
        Ok(Self { workers, scratch, sentences, namespace, subject: settings.subject, threads })
    }

    /// What is done to the cluster, for people: the sentences of the [`Plan`].
    #[must_use]
    pub fn plan(&self) -> Vec<String> {
        self.sentences.clone()
    }

    /// The name of the scratch namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Removes the scratch namespace, as dropping does, and says whether that worked.
    ///
    /// # Errors
    /// Returns an error when the server does not delete the namespace.
    pub fn close(self) -> Result<(), ServerError> {
        let Self { workers, scratch, .. } = self;
        drop(workers);
        Ok(scratch.remove()?)
    }

    /// Asks everything; see [`Workers::ask`].
    pub(super) fn ask_all(
        &self,
        asked: &[BatchQuestion<'_>],
        give: &mut dyn FnMut(usize, Result<Answer, OracleFailure>),
    ) {
        self.workers.ask(asked, |asked| Sent::of(asked.question, self.subject.as_ref()), give);
    }
}

/// Removes the scratch namespaces of this process, which is about to end without dropping its servers. Returns how many are not known
/// to be gone when `time` is over.
pub fn remove_scratch(time: Duration) -> usize {
    LIVE.remove(time)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

impl BatchOracle for Server {
    fn precision(&self) -> Precision {
        let batch = NonZeroUsize::new(self.threads * QUESTIONS_PER_THREAD).unwrap_or(NonZeroUsize::MIN);
        Precision { batch, ..Precision::ERRORS }
    }

    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        self.ask_all(asked, &mut |number, answer| match answer {
            Ok(answer) => answers.give(number, answer),
            Err(failure) => answers.fail(number, failure),
        });
        Ok(())
    }
}

/// What the threads share.
struct Asking {
    api: Arc<Api>,
    namespace: String,
    updates: bool,
    names: AtomicU64,
}

impl Asking {
    fn ask(&self, sent: Sent) -> Result<Answer, OracleFailure> {
        let resource = self.api.resource(&sent.subject)?;
        let Sent { object, old, subject } = sent;
        let refuse = |why: String| Err(OracleFailure::new(why));
        match (old, subject.subresource.as_str()) {
            (None, "") => self.create(&resource, object),
            (Some(_), _) if !self.updates => refuse("updates are not asked: they are switched off".to_owned()),
            (Some(_), _) if !resource.namespaced => refuse(format!(
                "updates of `{}` are not asked: it has no namespaces, so the old object would be stored for the whole cluster",
                subject.kind
            )),
            (Some(old), "") => self.update(&resource, old, object, ""),
            (Some(old), "status") if resource.status => self.update(&resource, old, object, "/status"),
            (_, subresource) => {
                refuse(format!("`{}/{subresource}` is not asked: it has no dry run here", subject.kind))
            }
        }
    }

    fn create(&self, resource: &Resource, object: Value) -> Result<Answer, OracleFailure> {
        let object = created(object, resource.namespaced.then_some(self.namespace.as_str()));
        let target = format!("{}{DRY_RUN}", resource.path(&self.namespace));
        verdict(&self.api.call(&Method::POST, &target, Some(&object), Repeat::Once)?)
    }

    fn update(&self, resource: &Resource, old: Value, new: Value, part: &str) -> Result<Answer, OracleFailure> {
        let name = format!("takeover-{}", self.names.fetch_add(1, Ordering::Relaxed));
        let objects = resource.path(&self.namespace);
        let path = format!("{objects}/{name}");
        let kept = self.store(&objects, &stored(old.clone(), &self.namespace, &name), Method::POST)?;
        let answer = self.change(resource, &path, &kept, &old, new, part);
        // Whatever is left goes with the namespace.
        let _ = delete(&self.api, &path, metadata(&kept, "uid"));
        answer
    }

    /// Gives the stored object the status of the old one, and sends the new one.
    fn change(
        &self,
        resource: &Resource,
        path: &str,
        kept: &Value,
        old: &Value,
        new: Value,
        part: &str,
    ) -> Result<Answer, OracleFailure> {
        // A server drops the status of what is created where the status is a resource of its own.
        let has_status = old.get("status").is_some_and(|status| status.as_object().is_some_and(|it| !it.is_empty()));
        let with_status;
        let kept = if has_status && resource.status {
            let mut status = kept.clone();
            if let (Some(members), Some(given)) = (status.as_object_mut(), old.get("status")) {
                members.insert("status".to_owned(), given.clone());
            }
            with_status = self.store(&format!("{path}/status"), &status, Method::PUT)?;
            &with_status
        } else {
            kept
        };
        let target = format!("{path}{part}{DRY_RUN}");
        verdict(&self.api.call(&Method::PUT, &target, Some(&changed(new, old, kept)), Repeat::Once)?)
    }

    /// Stores an object in the scratch namespace; returns it as the server has it.
    fn store(&self, path: &str, object: &Value, method: Method) -> Result<Value, OracleFailure> {
        let target = format!("{path}?fieldValidation=Ignore");
        let reply = self.api.call(&method, &target, Some(object), Repeat::Never)?;
        let kept =
            (200..300).contains(&reply.code).then(|| serde_json::from_slice::<Value>(&reply.body).ok()).flatten();
        match kept {
            Some(kept) if !metadata(&kept, "uid").is_empty() => Ok(kept),
            _ => Err(OracleFailure::new(format!("the old object cannot be stored: {}", refused(&reply)))),
        }
    }
}
