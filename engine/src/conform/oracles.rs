//! Our oracles in the place of the recorded ones: as their answers would have been recorded.

use super::judging::judged;
use super::made_up::{put_recorded_words, sorted_members};
use super::mismatch;
use super::objects::put_request_times;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use takeover_corpora::fixture::Cause;
use takeover_harness::authority::{AuthorityPolicy, decide};
use takeover_harness::compare::{Matcher, Mismatch, mismatches};
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::judge::{CaseRecord, NoAnswer, consult};
use takeover_harness::object::to_value;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;

/// The answer of one side, as a server has it.
fn served(oracle: &dyn Oracle, question: &Question<'_>) -> Result<Answer, OracleFailure> {
    match consult(oracle, question) {
        Ok(answer) => Ok(answer),
        // A server loses all other errors, and answers with this one.
        Err(NoAnswer::Panicked(panic)) => {
            let mut answer = Answer::new();
            answer.push(FieldError { bad_value: BadValue::Null, ..panic.as_error() });
            Ok(answer)
        }
        Err(failure) => Err(OracleFailure::new(failure.to_string())),
    }
}

/// An oracle of ours in a server, which survives its panics. It is of one question, and asked once for all pairs of it.
#[derive(Clone)]
pub(super) struct Served {
    oracle: Arc<dyn Oracle>,
    said: Arc<OnceLock<Result<Answer, OracleFailure>>>,
}

impl Served {
    /// The oracle, for one question.
    pub(super) fn new(oracle: &Arc<dyn Oracle>) -> Self {
        Self { oracle: Arc::clone(oracle), said: Arc::default() }
    }
}

impl Oracle for Served {
    fn precision(&self) -> Precision {
        self.oracle.precision()
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let said = self.said.get_or_init(|| served(self.oracle.as_ref(), question));
        let Answer { errors, decision, .. } = said.clone()?;
        (answer.errors, answer.decision) = (errors, decision);
        Ok(())
    }
}

/// An oracle of ours with its errors as they would have been recorded.
pub(super) struct AsRecorded<O> {
    /// The oracle, in a server.
    pub oracle: O,
    /// The errors that were recorded.
    pub recorded: Vec<FieldError>,
    /// The marks that were recorded at all; none of ours has another one.
    pub marks: BTreeSet<&'static str>,
}

impl<O: Oracle> Oracle for AsRecorded<O> {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.oracle.answer(question, view, answer)?;
        let errors = answer.errors.as_mut_slice();
        put_recorded_words(errors, &self.recorded);
        for error in errors {
            error.short_circuit &= self.marks.contains("shortCircuit");
            error.stability = error.stability.filter(|_| self.marks.contains("stability"));
            error.covered_by_declarative &= self.marks.contains("coveredByDeclarative");
        }
        Ok(())
    }
}

/// The mismatches of a pair as errors.
pub(super) struct Mismatches<W> {
    /// The pair.
    pub pair: Pair,
    /// The words of a mismatch as it would have been recorded.
    pub words: W,
}

impl<W: Fn(&Mismatch<'_>) -> String + Send + Sync> Oracle for Mismatches<W> {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let mut record = CaseRecord::new();
        if let Some((_, explanation)) = judged(&self.pair, question, &mut record).reason() {
            return Err(OracleFailure::new(explanation));
        }
        let (reference, candidate) = (record.reference.errors.as_slice(), record.candidate.errors.as_slice());
        for mismatch in mismatches(&record.comparison, reference, candidate) {
            answer.push(mismatch::as_error(mismatch.error, (self.words)(&mismatch)));
        }
        Ok(())
    }
}

/// What the user gets from both sides, as a server prints it.
pub(super) struct Told {
    /// The handwritten side.
    pub reference: Arc<dyn Oracle>,
    /// The declarative side.
    pub candidate: Arc<dyn Oracle>,
    /// Which of their errors the user gets.
    pub policy: AuthorityPolicy,
    /// How their errors are matched.
    pub matcher: Matcher,
}

impl Oracle for Told {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let handwritten = served(self.reference.as_ref(), question)?.errors.into_vec();
        let declarative = served(self.candidate.as_ref(), question)?.errors.into_vec();
        let decision = decide(self.policy, &handwritten, &declarative, &self.matcher);
        let told = decision.errors(&handwritten, &declarative).filter_map(|error| told(&Cause::from(error)));
        told.for_each(|error| answer.push(error));
        Ok(())
    }
}

/// What the user sees of an error, as an error; none when its type is not known.
pub(super) fn told(cause: &Cause) -> Option<FieldError> {
    let error = cause.error()?;
    Some(FieldError { detail: sorted_members(&error.detail).into(), ..error })
}

/// The object that it is asked about, as decoding and the steps before validation made it, at the time of the recorded request.
pub(super) struct Made {
    /// The object that was recorded.
    pub recorded: Option<Value>,
}

impl Oracle for Made {
    fn precision(&self) -> Precision {
        Precision::OBJECTS
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let objects = &question.objects;
        let mut made = to_value(objects.schema, objects.root, &objects.new);
        if let Some(recorded) = &self.recorded {
            put_request_times(&mut made, recorded);
        }
        answer.object = Some(made);
        Ok(())
    }
}
