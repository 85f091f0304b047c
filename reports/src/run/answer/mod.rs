//! The answer of a run: which handwritten checks may be deleted. `check` is the answer about one check, `gather` makes it from the
//! subjects of a report, `summary` adds up, and `words` says it.

mod check;
mod gather;
mod summary;
mod words;

pub use check::{Answer, CheckAnswer};
pub use summary::{CaseSums, CheckSums, FaultSums, FindingSums, PairSums, RuleSums, Summary};
pub use words::sentence;
pub(crate) use words::{apart_rules, decided, findings, rows};

use super::model::{RunReport, SubjectReport};

impl RunReport {
    /// Gathers what follows from the subjects as they now are: findings by cause, answers and the summary.
    pub fn gather(&mut self) {
        self.gather_causes();
        self.answers = gather::answers(self.headline());
        self.summary = Summary::of(self.headline(), &self.answers);
        // Every subject lists the others already.
        self.answers.retain(CheckAnswer::is_about_a_rule);
    }
}

impl Summary {
    /// The sums over `subjects` alone.
    #[must_use]
    pub fn of_subjects<'r>(subjects: impl IntoIterator<Item = &'r SubjectReport> + Clone) -> Self {
        let answers = gather::answers(subjects.clone().into_iter());
        Self::of(subjects, &answers)
    }
}
