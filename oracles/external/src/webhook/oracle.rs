//! A webhook as an oracle.

use super::breaker::Breaker;
use super::failure::{WebhookError, WebhookErrorKind};
use super::request::review;
use super::resource::Named;
use super::review::read;
use super::settings::{Answers, User, WebhookSettings};
use crate::http::{Client, NoAnswer, Origin, Repeat, Sent, Trust, Uids, Workers};
use http::Method;
use serde_json::Value;
use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use takeover_harness::oracle::{Answer, BatchAnswers, BatchOracle, BatchQuestion, Detail, OracleFailure, Precision};
use takeover_harness::subject::SubjectId;

/// How many requests each thread gets from a batch: enough that none waits for the next batch for long.
const REQUESTS_PER_THREAD: usize = 32;

/// Most threads of a webhook.
const MOST_THREADS: usize = 256;

/// A webhook that is asked with reviews, several at the same time, over connections that are kept.
pub struct Webhook {
    shown: String,
    subject: Option<SubjectId>,
    resource: Option<Named>,
    user: User,
    answers: Answers,
    uids: Uids,
    threads: usize,
    breaker: Arc<Breaker>,
    workers: Workers<Asked, Result<Answer, OracleFailure>>,
}

/// A review to send.
struct Asked {
    uid: String,
    review: Vec<u8>,
    object: Option<Value>,
}

impl Webhook {
    /// Prepares to ask the webhook of these settings. Nothing is sent before the first question.
    ///
    /// # Errors
    /// Returns an error when the URL, the certificates or the resource cannot be used.
    pub fn new(settings: WebhookSettings) -> Result<Self, WebhookError> {
        Ok(Self::of(settings, |_| Ok(()))?)
    }

    /// Prepares to ask the webhook of these settings, once it is known that something listens there: it gets a GET, to which any answer
    /// is fine.
    ///
    /// # Errors
    /// As [`Webhook::new`], and when there is no connection or its certificate is not trusted.
    pub fn connect(settings: WebhookSettings) -> Result<Self, WebhookError> {
        let url = settings.url.clone();
        Ok(Self::of(settings, |client| match client.send(&Method::GET, &url, None, Repeat::Once) {
            Err(error @ (NoAnswer::Connect(_) | NoAnswer::Timeout(_))) => Err(error),
            _ => Ok(()),
        })?)
    }

    fn of(
        settings: WebhookSettings,
        check: impl FnOnce(&Client) -> Result<(), NoAnswer>,
    ) -> Result<Self, WebhookErrorKind> {
        let origin = Origin::of(&settings.url).map_err(WebhookErrorKind::Url)?;
        let trust = trust(&settings, &origin)?;
        let threads = settings.concurrency.clamp(1, MOST_THREADS);
        let client =
            Client::new(&trust, settings.timeout, threads, settings.address).map_err(WebhookErrorKind::Trust)?;
        let named = |text: &String| Named::of(text).ok_or_else(|| WebhookErrorKind::Resource(text.clone()));
        let resource = settings.resource.as_ref().map(named).transpose()?;
        let (url, shown, answers) = (settings.url, origin.shown, settings.answers);
        check(&client).map_err(|error| WebhookErrorKind::Unreachable(error.at(&shown)))?;
        let name = shown.clone();
        let breaker: Arc<Breaker> = Arc::default();
        let counted = Arc::clone(&breaker);
        let workers = Workers::start(threads, "webhook", move |asked: Asked| {
            if let Some(why) = counted.given_up() {
                return Err(OracleFailure::new(why));
            }
            let reply = client.send(&Method::POST, &url, Some(&asked.review), Repeat::Once).map_err(|error| {
                let message = error.at(&name);
                thread::sleep(counted.failed(&error, &message, Instant::now()));
                OracleFailure::new(message)
            })?;
            counted.answered();
            read(&reply, &name, &asked.uid, answers, asked.object)
        })
        .map_err(WebhookErrorKind::Threads)?;
        Ok(Self {
            shown,
            subject: settings.subject,
            resource,
            user: settings.user,
            answers,
            uids: Uids::new(),
            threads,
            breaker,
            workers,
        })
    }

    fn ask(&self, asked: &BatchQuestion<'_>) -> Result<Asked, OracleFailure> {
        let question = asked.question;
        let sent = Sent::of(question, self.subject.as_ref())?;
        let uid = self.uids.next();
        let review = review(&uid, &sent, question.operation, self.resource.as_ref(), &self.user)?;
        Ok(Asked { uid, review, object: (self.answers == Answers::Object).then_some(sent.object) })
    }

    /// Asks everything; see [`Workers::ask`].
    pub(super) fn ask_all(
        &self,
        asked: &[BatchQuestion<'_>],
        give: &mut dyn FnMut(usize, Result<Answer, OracleFailure>),
    ) {
        self.workers.ask(asked, |question| self.ask(question), give);
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("url", &self.shown).field("answers", &self.answers).finish_non_exhaustive()
    }
}

fn trust(settings: &WebhookSettings, origin: &Origin) -> Result<Trust, WebhookErrorKind> {
    let read = |path: &Path| fs::read(path).map_err(|error| WebhookErrorKind::Read { path: path.to_owned(), error });
    // Nobody else answers on this machine, and webhooks under development sign their own certificates.
    let insecure = settings.ca.is_none() && origin.loopback;
    if origin.tls && settings.ca.is_none() && !insecure {
        return Err(WebhookErrorKind::Untrusted(origin.shown.clone()));
    }
    let identity = match (&settings.client_certificate, &settings.client_key) {
        (Some(certificate), Some(key)) => Some((read(certificate)?, read(key)?)),
        (Some(_), None) => return Err(WebhookErrorKind::Half("the certificate", "its key")),
        (None, Some(_)) => return Err(WebhookErrorKind::Half("the key", "its certificate")),
        (None, None) => None,
    };
    let authorities = settings.ca.as_ref().map(|path: &PathBuf| read(path)).transpose()?;
    Ok(Trust { authorities, identity, insecure })
}

impl BatchOracle for Webhook {
    fn precision(&self) -> Precision {
        let detail = match self.answers {
            Answers::Errors => Detail::Errors,
            Answers::Decision => Detail::Decision,
            Answers::Object => Detail::Object,
        };
        let batch = NonZeroUsize::new(self.threads * REQUESTS_PER_THREAD).unwrap_or(NonZeroUsize::MIN);
        Precision { detail, batch, ..Precision::ERRORS }
    }

    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        self.ask_all(asked, &mut |number, answer| match answer {
            Ok(answer) => answers.give(number, answer),
            Err(failure) => answers.fail(number, failure),
        });
        Ok(())
    }

    fn given_up(&self) -> Option<String> {
        self.breaker.given_up()
    }
}
