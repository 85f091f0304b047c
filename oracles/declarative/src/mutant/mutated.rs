//! A candidate with one fault.

use super::apply::apply;
use super::change::{Change, Mutant};
use super::list;
use crate::Declarative;
use crate::eval::program::Program;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::rule::RuleId;

impl Declarative {
    /// The mutants of a rule: every registered fault of its tags at its place, those that make no difference there marked so.
    /// Empty for rules that are not in the catalogue.
    #[must_use]
    pub fn mutants(&self, rule: RuleId) -> Vec<Mutant> {
        let of = |rule| list::mutants(self.program(), rule, self.is_filled(rule));
        self.rules().get(rule.index()).map(of).unwrap_or_default()
    }

    /// The same rules with one of them at fault. Everything else is as it was, the catalogue included.
    ///
    /// `mutant` is one of [`Declarative::mutants`] of the same rules.
    #[must_use]
    pub fn mutated(&self, mutant: &Mutant) -> Mutated {
        Mutated { planted: Planted::new(self.program(), mutant), candidate: self.clone() }
    }
}

/// A candidate with one fault in one rule; see [`Declarative::mutated`].
#[derive(Debug)]
pub struct Mutated {
    candidate: Declarative,
    planted: Planted,
}

impl Oracle for Mutated {
    fn precision(&self) -> Precision {
        self.candidate.precision()
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.planted.judge(&self.candidate, question, answer)
    }
}

/// A program with a fault.
#[derive(Debug)]
pub(super) struct Planted {
    program: Program,
    /// The rule that also judges what an update leaves as it was.
    unratcheted: Option<RuleId>,
}

impl Planted {
    /// Plants the fault of `mutant` in a copy of `sound`.
    pub(super) fn new(sound: &Program, mutant: &Mutant) -> Self {
        let mut program = sound.clone();
        apply(&mut program, mutant.rule, &mutant.change);
        let unratcheted = matches!(mutant.change, Change::Unratcheted).then_some(mutant.rule);
        Self { program, unratcheted }
    }

    /// Judges a case as `candidate` would by this program.
    pub(super) fn judge(
        &self,
        candidate: &Declarative,
        question: &Question<'_>,
        answer: &mut Answer,
    ) -> Result<(), OracleFailure> {
        let Some(rule) = self.unratcheted else { return candidate.judge(&self.program, question, true, answer) };
        // What the other rules find, then what this one finds when nothing is skipped.
        let (mut sound, mut all) = (Answer::new(), Answer::new());
        for (ratchets, part) in [(true, &mut sound), (false, &mut all)] {
            if let Err(failure) = candidate.judge(&self.program, question, ratchets, part) {
                // A failure is the answer, and leaves its one error.
                for error in std::mem::take(part).errors.into_vec() {
                    answer.push(error);
                }
                return Err(failure);
            }
        }
        for reached in sound.reached.iter().chain(all.reached.iter().filter(|reached| *reached == rule)) {
            answer.reach(reached);
        }
        let others = sound.errors.into_vec().into_iter().filter(|error| error.rule != Some(rule));
        let own = all.errors.into_vec().into_iter().filter(|error| error.rule == Some(rule));
        for error in others.chain(own) {
            answer.push(error);
        }
        Ok(())
    }
}
