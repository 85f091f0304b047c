//! Oracles that answer many questions in one call.

use super::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use crate::object::Arena;

/// Answers many questions in one call, because every call is a long way: a webhook, a process, a live server.
///
/// [`Batched`] makes an [`Oracle`] of it, to which a single question is a batch of one. The answer to a question does not depend
/// on the other questions of its batch.
///
/// ```
/// use takeover_harness::error::FieldError;
/// use takeover_harness::oracle::{
///     Answer, Batched, BatchAnswers, BatchOracle, BatchQuestion, Oracle, OracleFailure, Precision,
/// };
/// use takeover_harness::path::Path;
/// use std::num::NonZeroUsize;
///
/// /// Stands for a server that is sent all questions at once.
/// struct Server;
///
/// impl BatchOracle for Server {
///     fn precision(&self) -> Precision {
///         Precision { batch: NonZeroUsize::new(100).unwrap_or(NonZeroUsize::MIN), ..Precision::ERRORS }
///     }
///
///     fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
///         for (number, BatchQuestion { question, .. }) in asked.iter().enumerate() {
///             let mut answer = Answer::new();
///             if question.objects.new.is_unset() {
///                 answer.push(FieldError::required(&Path::ROOT, ""));
///             }
///             answers.give(number, answer);
///         }
///         Ok(())
///     }
/// }
///
/// let oracle: Box<dyn Oracle> = Box::new(Batched(Server));
/// assert!(oracle.batch().is_some());
/// assert_eq!(oracle.precision().batch.get(), 100);
/// ```
pub trait BatchOracle: Send + Sync {
    /// What its answers can say, and how many questions it takes at once. By default errors alone, one question at a time.
    fn precision(&self) -> Precision {
        Precision::default()
    }

    /// Builds the form of the decoded objects that this oracle judges, as [`Oracle::view`] does.
    ///
    /// # Errors
    /// Returns an error when the objects cannot take that form; the case is then undecodable for both sides.
    fn view<'a>(&self, _objects: &Objects<'a>, _arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        Ok(View::none())
    }

    /// Answers the questions of `asked` on `answers`, each under its index in `asked`.
    ///
    /// # Errors
    /// Returns an error when the whole batch failed; its questions then count as unanswered. One question that fails is for
    /// [`BatchAnswers::fail`].
    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure>;

    /// Why it no longer answers, as [`Oracle::given_up`].
    fn given_up(&self) -> Option<String> {
        None
    }
}

/// One question of a batch.
#[derive(Clone, Copy)]
pub struct BatchQuestion<'a> {
    /// The question.
    pub question: &'a Question<'a>,
    /// What [`BatchOracle::view`] made of its objects.
    pub view: &'a View<'a>,
}

/// What became of each question of a batch.
///
/// A question that gets no answer has failed. An answer for a question that was not asked, or a second answer to the same
/// question, makes the whole batch fail, because then nobody knows which answer belongs to which question.
#[derive(Debug)]
pub struct BatchAnswers {
    answers: Vec<Option<Result<Answer, OracleFailure>>>,
    confused: Option<&'static str>,
}

impl BatchAnswers {
    fn to(questions: usize) -> Self {
        Self { answers: (0..questions).map(|_| None).collect(), confused: None }
    }

    /// Answers the question with this index.
    pub fn give(&mut self, question: usize, answer: Answer) {
        self.set(question, Ok(answer));
    }

    /// Notes that the question with this index could not be judged.
    pub fn fail(&mut self, question: usize, failure: OracleFailure) {
        self.set(question, Err(failure));
    }

    fn set(&mut self, question: usize, answer: Result<Answer, OracleFailure>) {
        match self.answers.get_mut(question) {
            None => self.confused = Some("the oracle answered a question that it was not asked"),
            Some(Some(_)) => self.confused = Some("the oracle answered a question twice"),
            Some(free) => *free = Some(answer),
        }
    }
}

/// Asks a batch, and returns what became of each question in turn; the failure if the batch failed as a whole.
pub(crate) fn answer_batch(
    oracle: &dyn BatchOracle,
    asked: &[BatchQuestion<'_>],
) -> Result<Vec<Result<Answer, OracleFailure>>, OracleFailure> {
    let mut answers = BatchAnswers::to(asked.len());
    oracle.answer_all(asked, &mut answers)?;
    if let Some(confused) = answers.confused {
        return Err(OracleFailure::new(confused));
    }
    let lost = || OracleFailure::new("the oracle left the question without an answer");
    Ok(answers.answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(lost()))).collect())
}

/// An oracle that is asked in batches.
pub struct Batched<B>(pub B);

impl<B: BatchOracle> Oracle for Batched<B> {
    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.0.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        for given in answer_batch(&self.0, &[BatchQuestion { question, view }])? {
            *answer = given?;
        }
        Ok(())
    }

    fn batch(&self) -> Option<&dyn BatchOracle> {
        Some(&self.0)
    }

    fn given_up(&self) -> Option<String> {
        self.0.given_up()
    }
}
