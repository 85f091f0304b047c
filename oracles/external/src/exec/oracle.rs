//! The oracle.

use super::asking::Asking;
use super::pool::{Incident, Pool};
use super::process::Process;
use super::{ExecError, ExecSettings};
use crate::protocol::Hello;
use std::sync::Arc;
use takeover_harness::oracle::{Answer, BatchAnswers, BatchOracle, BatchQuestion, OracleFailure, Precision, Question};
use takeover_harness::subject::SubjectId;

/// An oracle that is a program: a pool of its processes, started as they are needed.
///
/// Clones share the processes. They end with the last clone: their standard input is closed, and what still runs after two seconds
/// is killed, with everything that it started.
#[derive(Clone)]
pub struct Exec {
    pool: Arc<Pool>,
    subject: Option<SubjectId>,
}

impl Exec {
    /// Starts one process and exchanges hellos with it.
    ///
    /// # Errors
    /// Returns an error when the process does not start, does not say hello in time, or says one that cannot be used.
    pub fn start(settings: ExecSettings) -> Result<Self, ExecError> {
        let (process, hello) = Process::start(&settings)?;
        Ok(Self { pool: Arc::new(Pool::new(settings, hello, process)), subject: None })
    }

    /// What the oracle said of itself.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        self.pool.hello()
    }

    /// Why processes of the oracle ended before their time so far, in the order in which each first happened: also what made no
    /// question fail, because it did not happen again when the questions were asked one by one.
    #[must_use]
    pub fn incidents(&self) -> Vec<Incident> {
        self.pool.incidents()
    }

    /// The same oracle for objects of one kind. Without it the kind of an object is what the object says, and an object that says
    /// nothing is not judged. The subresource always comes from the question.
    #[must_use]
    pub fn judging(&self, subject: SubjectId) -> Self {
        Self { pool: Arc::clone(&self.pool), subject: Some(subject) }
    }

    /// Asks one process all these questions, and returns what became of each in turn. Waits for a process that is free.
    ///
    /// A question fails that the oracle does not judge, and one to which it dies, gives no answer in time or breaks the protocol
    /// also when it is asked by itself. The message says which of these.
    pub fn ask<'q>(
        &'q self,
        questions: impl IntoIterator<Item = &'q Question<'q>>,
    ) -> Vec<Result<Answer, OracleFailure>> {
        let mut asking = Asking::of(&self.pool, questions.into_iter().map(|question| (question, self.kind(question))));
        asking.ask();
        asking.into_results().collect()
    }

    /// Version and kind of the object of a question, if the oracle judges it.
    fn kind<'q>(&'q self, question: &'q Question<'_>) -> Result<(&'q str, &'q str), OracleFailure> {
        let (api_version, kind) = match &self.subject {
            Some(subject) => (subject.api_version.as_str(), subject.kind.as_str()),
            None => (member(question, "apiVersion"), member(question, "kind")),
        };
        if api_version.is_empty() || kind.is_empty() {
            return Err(OracleFailure::new("the object does not say its `apiVersion` and `kind`"));
        }
        let hello = self.hello();
        if hello.judges(api_version, kind, question.subresource) {
            return Ok((api_version, kind));
        }
        let subject = SubjectId::new(api_version, kind).with_subresource(question.subresource);
        Err(OracleFailure::new(format!("{} does not judge {subject}", hello.title())))
    }
}

/// The text of a member of the object of a question; empty when there is none.
fn member<'q>(question: &Question<'q>, name: &str) -> &'q str {
    let objects = &question.objects;
    let member = objects.schema.as_struct(objects.root).and_then(|(_, fields)| fields.member(name));
    member.map_or("", |member| objects.new.member(&member.slots).text())
}

impl BatchOracle for Exec {
    fn precision(&self) -> Precision {
        self.hello().precision()
    }

    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        let results = self.ask(asked.iter().map(|asked| asked.question));
        for (number, result) in results.into_iter().enumerate() {
            match result {
                Ok(answer) => answers.give(number, answer),
                Err(failure) => answers.fail(number, failure),
            }
        }
        Ok(())
    }

    fn given_up(&self) -> Option<String> {
        self.pool.given_up()
    }
}
