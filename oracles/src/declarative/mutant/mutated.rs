//! A candidate with one fault.

use super::apply::apply;
use super::change::{Change, Mutant};
use super::list;
use crate::declarative::Declarative;
use takeover_harness::error::ErrorList;
use takeover_harness::oracle::{Oracle, OracleFailure, Prepared};
use takeover_harness::rule::RuleId;

impl Declarative {
    /// The mutants of a rule: every registered fault of its tags that can change an answer at its place. Empty for rules that
    /// only steer without effect, and for rules that are not in the catalogue.
    #[must_use]
    pub fn mutants(&self, rule: RuleId) -> Vec<Mutant> {
        self.rules().get(rule.index()).map(|rule| list::mutants(self.program(), rule)).unwrap_or_default()
    }

    /// The same rules with one of them at fault. Everything else is as it was, the catalogue included.
    ///
    /// `mutant` is one of [`Declarative::mutants`] of the same rules.
    #[must_use]
    pub fn mutated(&self, mutant: &Mutant) -> Mutated {
        let mut faulty = self.clone();
        apply(faulty.program_mut(), mutant.rule, &mutant.change);
        let unratcheted = matches!(mutant.change, Change::Unratcheted).then_some(mutant.rule);
        Mutated { faulty, unratcheted }
    }
}

/// A candidate with one fault in one rule; see [`Declarative::mutated`].
#[derive(Debug)]
pub struct Mutated {
    faulty: Declarative,
    /// The rule that also judges what an update leaves as it was.
    unratcheted: Option<RuleId>,
}

impl Oracle for Mutated {
    fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
        let Some(rule) = self.unratcheted else { return self.faulty.validate(case, errors) };
        // What the other rules find, then what this one finds when nothing is skipped.
        let (mut sound, mut all) = (ErrorList::new(), ErrorList::new());
        let failed = self.faulty.validate(case, &mut sound).err();
        // A failure is the answer, and leaves its one error.
        let failed = failed.map(|failure| (failure, std::mem::take(&mut sound)));
        let failed = failed.or_else(|| {
            let failure = self.faulty.validate_unratcheted(case, &mut all).err()?;
            Some((failure, std::mem::take(&mut all)))
        });
        if let Some((failure, list)) = failed {
            for error in list.into_vec() {
                errors.push(error);
            }
            return Err(failure);
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
