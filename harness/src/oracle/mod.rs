//! Oracles: anything that answers a question about an object, with errors, with an object, or with a decision alone.

mod answer;
mod batch;
mod failure;
mod given;
mod precision;
mod question;
mod view;
mod with_precision;

pub use answer::{Answer, Decision};
pub(crate) use batch::answer_batch;
pub use batch::{BatchAnswers, BatchOracle, BatchQuestion, Batched};
pub(crate) use failure::MODELLED;
pub use failure::{OracleFailure, WORKER_PROCESS};
pub(crate) use given::is_zero;
pub use precision::{Detail, Precision};
pub use question::{AsSent, Objects, Question};
pub use view::{Bound, View};
pub use with_precision::WithPrecision;

use crate::object::Arena;

/// Answers questions about the objects of one subject.
///
/// An oracle does not know on which side of a pair it stands. It changes nothing, and it may panic: the harness survives that
/// and counts it.
pub trait Oracle: Send + Sync {
    /// What its answers can say. By default errors and nothing else, and the same answer to the same question.
    fn precision(&self) -> Precision {
        Precision::default()
    }

    /// Builds whatever form of the decoded objects this oracle judges, in `arena` where it borrows from them. Runs once per case; the
    /// result comes back in [`Oracle::answer`].
    ///
    /// # Errors
    /// Returns an error when the objects cannot take that form; the case is then undecodable for both sides.
    fn view<'a>(&self, _objects: &Objects<'a>, _arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        Ok(View::none())
    }

    /// Answers `question`, adding to the empty `answer`; `view` is what [`Oracle::view`] made of its objects.
    ///
    /// # Errors
    /// Returns an error when the oracle could not judge; an invalid object is no error.
    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure>;

    /// The same oracle for many questions at once, where that costs less than one at a time: see [`Batched`].
    fn batch(&self) -> Option<&dyn BatchOracle> {
        None
    }

    /// Whether questions leave this process; by default, if they can be asked in batches.
    fn is_far(&self) -> bool {
        self.batch().is_some()
    }

    /// Why it no longer answers; `None` while it may. An oracle that has given up never answers again.
    fn given_up(&self) -> Option<String> {
        None
    }

    /// Drops what earlier answers of this thread cached for later ones, so that the whole work can be measured. Returns false
    /// when nothing is ever cached. It never changes an answer.
    fn forget(&self) -> bool {
        false
    }
}

/// A function as an oracle that reports errors and cannot fail.
///
/// ```
/// use takeover_harness::error::FieldError;
/// use takeover_harness::oracle::{Answer, Oracle, Question};
/// use takeover_harness::path::Path;
/// let oracle: Box<dyn Oracle> = Box::new(|question: &Question<'_>, answer: &mut Answer| {
///     if question.objects.new.is_unset() {
///         answer.errors.push(FieldError::required(&Path::ROOT, ""));
///     }
/// });
/// assert!(!oracle.precision().marks);
/// ```
impl<F: Fn(&Question<'_>, &mut Answer) + Send + Sync> Oracle for F {
    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self(question, answer);
        Ok(())
    }
}
