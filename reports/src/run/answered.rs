//! What a candidate says in the stead of a check.

use std::collections::BTreeMap;
use takeover_harness::evidence::MAX_ANSWERS;

/// Shapes of messages of the candidate, with the cases of each.
#[derive(Clone, Default)]
pub(super) struct Answered<'e>(BTreeMap<&'e str, u64>);

/// An answer to at most one in this many of a check's cases was given by chance, if it is the usual answer to another check.
const BY_CHANCE: u64 = 10;

impl<'e> Answered<'e> {
    pub(super) fn add(&mut self, answer: &'e str, cases: u64) {
        *self.0.entry(answer).or_default() += cases;
    }

    pub(super) fn add_all(&mut self, other: Self) {
        other.0.into_iter().for_each(|(answer, cases)| self.add(answer, cases));
    }

    /// Whether all that it says is known.
    pub(super) fn is_known(&self) -> bool {
        !self.0.is_empty() && self.0.len() < MAX_ANSWERS
    }

    /// Cases in which it gives this answer. Where the evaluation of a rule failed, those in which the rule did not hold count as well.
    pub(super) fn cases(&self, answer: &str) -> u64 {
        let same = |other: &&str| *other == answer || (has_failed(answer) && of_rule(other) == of_rule(answer));
        self.0.iter().filter(|(other, _)| same(other)).map(|(_, cases)| cases).sum()
    }

    /// Whether it gives this answer in at least half of the cases.
    pub(super) fn is_usual(&self, answer: &str) -> bool {
        let cases = self.cases(answer);
        cases > 0 && 2 * cases >= self.all()
    }

    /// Whether it gives an answer by chance: seldom, while that is what it usually says in the stead of one of `others` with the same type
    /// and field, which rejected the object for a reason that this check did not look for.
    pub(super) fn is_by_chance(&self, answer: &str, others: &[&Self]) -> bool {
        BY_CHANCE * self.cases(answer) <= self.all() && others.iter().any(|of| of.is_usual(answer))
    }

    fn all(&self) -> u64 {
        self.0.values().sum()
    }
}

/// The message of a CEL rule, also where its evaluation failed: `no such key: size evaluating rule: too large` is `too large`.
fn of_rule(shape: &str) -> &str {
    shape.split_once(" evaluating rule: ").map_or(shape, |(_, message)| message)
}

/// Whether it says that a CEL rule could not be evaluated.
pub(super) fn has_failed(shape: &str) -> bool {
    of_rule(shape) != shape
}

#[cfg(test)]
mod tests {
    use super::Answered;

    fn answered(of: &[(&'static str, u64)]) -> Answered<'static> {
        Answered(of.iter().copied().collect())
    }

    #[test]
    fn the_usual_answer_to_another_check_is_given_by_chance_where_it_is_rare() {
        let weights = answered(&[("weights must sum to N", 900), ("too many", 300)]);
        for (own, others, expected) in [
            (answered(&[("size", 90), ("weights must sum to N", 10)]), vec![&weights], true),
            (answered(&[("size", 80), ("weights must sum to N", 20)]), vec![&weights], false),
            (answered(&[("weights must sum to N", 100)]), vec![&weights], false),
            (answered(&[("size", 90), ("weights must sum to N", 10)]), vec![], false),
        ] {
            assert_eq!(own.is_by_chance("weights must sum to N", &others), expected, "{:?}", own.0);
        }
        let own = answered(&[("size", 99), ("too many", 1)]);
        assert!(!own.is_by_chance("too many", &[&weights]), "it is not the usual answer of either");
    }

    #[test]
    fn a_rule_that_cannot_be_evaluated_says_what_it_says_where_it_does_not_hold_and_not_the_reverse() {
        let failed = "no duration evaluating rule: too short";
        assert_eq!(answered(&[("too short", 3), (failed, 2)]).cases(failed), 5);
        assert_eq!(answered(&[(failed, 2)]).cases("too short"), 0);
        assert_eq!(answered(&[("too short", 3), ("other", 1)]).cases("too short"), 3);
    }
}
