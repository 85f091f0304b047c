//! A candidate with one fault.

use super::apply::apply;
use super::change::{Change, Mutant};
use super::list;
use crate::declarative::Declarative;
use crate::declarative::eval::program::Program;
use takeover_harness::error::ErrorList;
use takeover_harness::oracle::{Oracle, OracleFailure, Prepared};
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
    fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
        self.planted.judge(&self.candidate, case, errors)
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
        case: &Prepared<'_>,
        errors: &mut ErrorList,
    ) -> Result<(), OracleFailure> {
        let Some(rule) = self.unratcheted else { return candidate.judge(&self.program, case, true, errors) };
        // What the other rules find, then what this one finds when nothing is skipped.
        let (mut sound, mut all) = (ErrorList::new(), ErrorList::new());
        for (ratchets, list) in [(true, &mut sound), (false, &mut all)] {
            if let Err(failure) = candidate.judge(&self.program, case, ratchets, list) {
                // A failure is the answer, and leaves its one error.
                for error in std::mem::take(list).into_vec() {
                    errors.push(error);
                }
                return Err(failure);
            }
        }
        for reached in sound.reached().iter().chain(all.reached().iter().filter(|reached| *reached == rule)) {
            errors.reach(reached);
        }
        let others = sound.into_vec().into_iter().filter(|error| error.rule != Some(rule));
        let own = all.into_vec().into_iter().filter(|error| error.rule == Some(rule));
        for error in others.chain(own) {
            errors.push(error);
        }
        Ok(())
    }
}
