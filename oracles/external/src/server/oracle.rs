//! A live API server as an oracle.

use super::api::Api;
use super::asking::Asking;
use super::error::{ServerError, ServerErrorKind};
use super::plan::Plan;
use super::scratch::{LIVE, Live, Scratch};
use crate::http::{Sent, Workers};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use takeover_harness::oracle::{Answer, BatchAnswers, BatchOracle, BatchQuestion, OracleFailure, Precision, Question};
use takeover_harness::subject::SubjectId;

/// Most threads of a server.
const MOST_THREADS: usize = 64;

/// A live API server that is asked with dry runs. The scratch namespace is removed when it is closed or dropped.
pub struct Server {
    // INVARIANT: dropped before the namespace, so that nothing is stored in a namespace that is going.
    workers: Workers<Sent, Result<Answer, OracleFailure>>,
    scratch: Scratch,
    sentences: Vec<String>,
    namespace: String,
    subject: Option<SubjectId>,
    threads: usize,
    precision: Precision,
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
        let kind = settings.subject.as_ref().map(|subject| subject.kind.as_str());
        let scratch = Scratch::make(&api, &namespace, kind, live)?;
        let asking = Asking::new(api, namespace.clone(), settings.updates, settings.objects);
        let workers =
            Workers::start(threads, "api-server", move |sent| asking.ask(sent)).map_err(ServerErrorKind::Threads)?;
        let precision = if settings.objects { Precision::OBJECTS } else { Precision::ERRORS };
        Ok(Self { workers, scratch, sentences, namespace, subject: settings.subject, threads, precision })
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
        self.workers.ask(asked, |asked| self.sent(asked.question), give);
    }

    fn sent(&self, question: &Question<'_>) -> Result<Sent, OracleFailure> {
        match question.options.iter().find(|(_, on)| *on) {
            // What a server was started with, nobody tells.
            Some((name, _)) => Err(OracleFailure::declined(
                "no request turns feature gates on",
                format!("a case with `{name}` on is not asked: gates are set when the server starts"),
            )),
            None => Sent::as_given(question, self.subject.as_ref()),
        }
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
        // A run is taken to hang when a batch takes too long, so that no question waits for another.
        let batch = NonZeroUsize::new(self.threads).unwrap_or(NonZeroUsize::MIN);
        Precision { batch, ..self.precision }
    }

    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        self.ask_all(asked, &mut |number, answer| match answer {
            Ok(answer) => answers.give(number, answer),
            Err(failure) => answers.fail(number, failure),
        });
        Ok(())
    }
}
