//! The answer of a run: which handwritten checks may be deleted. `check` is the answer about one check, `gather` makes it from the
//! subjects of a report, `summary` adds up, and `words` says it.

mod check;
mod gather;
mod summary;
mod words;

pub use check::{Answer, CheckAnswer};
pub(super) use gather::answers;
pub use summary::{CaseSums, CheckSums, DefaultSums, FaultSums, FindingSums, LawSums, PairSums, RuleSums, Summary};
pub use words::sentence;
pub(crate) use words::{
    AnswerRow, MATTERS, apart_defaults, apart_rules, asked, counted_in, decided, findings, rows, sentences,
};

use super::subject::SubjectReport;

impl Summary {
    /// The sums over `subjects` alone.
    #[must_use]
    pub fn of_subjects<'r>(subjects: impl IntoIterator<Item = &'r SubjectReport> + Clone) -> Self {
        let answers = answers(subjects.clone().into_iter());
        Self::of(subjects, &answers)
    }
}
