//! The errors that the user gets for one case.

use super::{AuthorityPolicy, LifecycleGates, LifecycleRelease};
use crate::compare::{Matcher, answered};
use crate::error::{FieldError, Stability};
use std::collections::HashSet;

/// Who is returned to the user, as indexes into the two lists: the handwritten errors first, then the declarative ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Handwritten errors that stay.
    pub reference: Vec<usize>,
    /// Declarative errors that are enforced.
    pub candidate: Vec<usize>,
}

impl Decision {
    /// The errors in the order in which the user gets them. `reference` and `candidate` are the lists that were decided on.
    pub fn errors<'e>(
        &'e self,
        reference: &'e [FieldError],
        candidate: &'e [FieldError],
    ) -> impl Iterator<Item = &'e FieldError> {
        let stay = self.reference.iter().filter_map(|at| reference.get(*at));
        stay.chain(self.candidate.iter().filter_map(|at| candidate.get(*at)))
    }
}

/// Decides between the errors of the two sides.
///
/// Whichever policy filters handwritten errors by rule also removes those of identical printed text, since the filter goes
/// through an aggregate; the shadow modes and the takeover of 1.35 keep them. The matcher's choice of candidates and its
/// ancestor matching play no part.
#[must_use]
pub fn decide(
    policy: AuthorityPolicy,
    reference: &[FieldError],
    candidate: &[FieldError],
    matcher: &Matcher,
) -> Decision {
    if !policy.runs_candidate() {
        return Decision { reference: (0..reference.len()).collect(), candidate: Vec::new() };
    }
    let enforced: Vec<usize> =
        candidate.iter().enumerate().filter(|(_, error)| policy.enforces(error)).map(|(at, _)| at).collect();
    let answered = answers(policy, reference, candidate, matcher);
    let dropped = |at: usize, error: &FieldError| {
        error.covered_by_declarative && gives_way(policy, error, answered.get(at).copied().unwrap_or_default())
    };
    let mut printed = HashSet::new();
    let stays = |(at, error): &(usize, &FieldError)| {
        let repeated = aggregates(policy) && !printed.insert(error.to_string());
        !repeated && !dropped(*at, error)
    };
    Decision { reference: reference.iter().enumerate().filter(stays).map(|(at, _)| at).collect(), candidate: enforced }
}

/// Whether the policy sends the handwritten errors through an aggregate.
fn aggregates(policy: AuthorityPolicy) -> bool {
    match policy {
        AuthorityPolicy::Takeover(_) => false,
        AuthorityPolicy::Lifecycle(gates) => gates.enforces() || gates.everything_enforced,
    }
}

/// Which handwritten errors an enforced beta error says the same as; empty for policies that do not ask.
fn answers(
    policy: AuthorityPolicy,
    reference: &[FieldError],
    candidate: &[FieldError],
    matcher: &Matcher,
) -> Vec<bool> {
    let AuthorityPolicy::Lifecycle(LifecycleGates { release: LifecycleRelease::V1_37, .. }) = policy else {
        return Vec::new();
    };
    let counts = |got: &FieldError| got.stability == Some(Stability::Beta) && policy.enforces(got);
    answered(reference, candidate, matcher, counts)
}

/// Whether the covered handwritten error `error` is dropped, for which an enforced beta error is `answered` or not.
fn gives_way(policy: AuthorityPolicy, error: &FieldError, answered: bool) -> bool {
    match policy {
        AuthorityPolicy::Takeover(gates) => gates.takeover,
        AuthorityPolicy::Lifecycle(LifecycleGates { everything_enforced: true, .. }) => true,
        // 1.36 goes by the mark of the handwritten error itself, whatever the declarative side reports.
        AuthorityPolicy::Lifecycle(LifecycleGates {
            release: LifecycleRelease::V1_36 { enforcement }, beta, ..
        }) => enforcement && beta && error.stability == Some(Stability::Beta),
        // 1.37 asks for an enforced beta error that says the same.
        AuthorityPolicy::Lifecycle(LifecycleGates { release: LifecycleRelease::V1_37, .. }) => answered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::TakeoverGates;
    use crate::compare::{Advice, Candidates, Semantics};
    use crate::error::ErrorType;
    use crate::path::Path;

    fn error(error_type: ErrorType, field: &str, stability: Option<Stability>) -> FieldError {
        FieldError { field: field.to_owned(), stability, ..FieldError::new(error_type, &Path::ROOT, 1, "") }
            .with_origin("minimum")
    }

    fn invalid(field: &str, stability: Option<Stability>) -> FieldError {
        error(ErrorType::Invalid, field, stability)
    }

    const LEVELS: [Option<Stability>; 3] = [None, Some(Stability::Beta), Some(Stability::Alpha)];

    /// Which declarative errors are returned (`R`), alone: standard, beta, alpha, then InternalErrors of the same levels.
    fn returned(policy: AuthorityPolicy) -> String {
        let types = [ErrorType::Invalid, ErrorType::Internal];
        let classes = types.iter().flat_map(|kind| LEVELS.map(|level| error(*kind, "a", level)));
        classes
            .map(|got| match decide(policy, &[], &[got], &Matcher::default()).candidate.as_slice() {
                [0] => 'R',
                _ => '.',
            })
            .collect()
    }

    /// Which handwritten errors stay (`k`) or are dropped (`-`): by their own mark (none, beta, alpha), and within each by
    /// the level of the declarative error that matches (no match, standard, beta, alpha).
    fn kept(policy: AuthorityPolicy, covered: bool) -> String {
        let mut kept = Vec::new();
        for mark in LEVELS {
            let partners = [None].into_iter().chain(LEVELS.map(Some));
            let row = partners.map(|partner| {
                let want = FieldError { covered_by_declarative: covered, ..invalid("a", mark) };
                let mut candidate = vec![invalid("other", Some(Stability::Beta))];
                candidate.extend(partner.map(|level| invalid("a", level)));
                if decide(policy, &[want], &candidate, &Matcher::default()).reference.is_empty() { '-' } else { 'k' }
            });
            kept.push(row.collect::<String>());
        }
        kept.join(" ")
    }

    const KEPT: &str = "kkkk kkkk kkkk";
    const GONE: &str = "---- ---- ----";

    fn takeover(declarative_validation: bool, takeover: bool) -> AuthorityPolicy {
        AuthorityPolicy::Takeover(TakeoverGates { declarative_validation, takeover })
    }

    fn lifecycle(
        release: LifecycleRelease,
        [declarative_validation, beta, everything_enforced]: [bool; 3],
    ) -> AuthorityPolicy {
        AuthorityPolicy::Lifecycle(LifecycleGates { release, declarative_validation, beta, everything_enforced })
    }

    const SHADOW: LifecycleRelease = LifecycleRelease::V1_36 { enforcement: false };
    const ENFORCED: LifecycleRelease = LifecycleRelease::V1_36 { enforcement: true };
    const NEXT: LifecycleRelease = LifecycleRelease::V1_37;

    #[test]
    fn every_combination_of_gates_level_mark_and_match_is_decided_as_the_release_does() {
        let (on, off) = (true, false);
        // policy, declarative errors returned, covered handwritten errors that stay
        let rows = [
            (takeover(off, off), "......", KEPT),
            (takeover(off, on), "......", KEPT),
            (takeover(on, off), "......", KEPT),
            (takeover(on, on), "RRRRRR", GONE),
            // gates: DeclarativeValidation, DeclarativeValidationBeta, everything enforced
            (lifecycle(SHADOW, [off, off, off]), "......", KEPT),
            (lifecycle(SHADOW, [off, off, on]), "RRRRRR", GONE),
            (lifecycle(SHADOW, [off, on, off]), "......", KEPT),
            (lifecycle(SHADOW, [off, on, on]), "RRRRRR", GONE),
            (lifecycle(SHADOW, [on, off, off]), "......", KEPT),
            (lifecycle(SHADOW, [on, off, on]), "RRRRRR", GONE),
            (lifecycle(SHADOW, [on, on, off]), "......", KEPT),
            (lifecycle(SHADOW, [on, on, on]), "RRRRRR", GONE),
            (lifecycle(ENFORCED, [off, off, off]), "R..RRR", KEPT),
            (lifecycle(ENFORCED, [off, off, on]), "RRRRRR", GONE),
            (lifecycle(ENFORCED, [off, on, off]), "RR.RRR", "kkkk ---- kkkk"),
            (lifecycle(ENFORCED, [off, on, on]), "RRRRRR", GONE),
            (lifecycle(ENFORCED, [on, off, off]), "R..RRR", KEPT),
            (lifecycle(ENFORCED, [on, off, on]), "RRRRRR", GONE),
            (lifecycle(ENFORCED, [on, on, off]), "RR.RRR", "kkkk ---- kkkk"),
            (lifecycle(ENFORCED, [on, on, on]), "RRRRRR", GONE),
            (lifecycle(NEXT, [off, off, off]), "R..RRR", KEPT),
            (lifecycle(NEXT, [off, off, on]), "RRRRRR", GONE),
            (lifecycle(NEXT, [off, on, off]), "RR.RRR", "kk-k kk-k kk-k"),
            (lifecycle(NEXT, [off, on, on]), "RRRRRR", GONE),
            (lifecycle(NEXT, [on, off, off]), "R..RRR", KEPT),
            (lifecycle(NEXT, [on, off, on]), "RRRRRR", GONE),
            (lifecycle(NEXT, [on, on, off]), "RR.RRR", "kk-k kk-k kk-k"),
            (lifecycle(NEXT, [on, on, on]), "RRRRRR", GONE),
        ];
        for (policy, declarative, handwritten) in rows {
            assert_eq!(returned(policy), declarative, "declarative errors, {policy:?}");
            assert_eq!(kept(policy, true), handwritten, "covered handwritten errors, {policy:?}");
            assert_eq!(kept(policy, false), KEPT, "handwritten errors not covered, {policy:?}");
        }
    }

    #[test]
    fn every_combination_of_gates_runs_compares_and_advises_as_the_release_does() {
        let (on, off) = (true, false);
        let (all, leveled) = (Candidates::All, Candidates::Leveled);
        let (hand, beta) = (Advice::Handwritten, Advice::DisableBeta);
        // policy, declarative side runs, sides are compared, candidates, advice, a panic is reported
        let rows = [
            (takeover(off, off), off, off, all, hand, off),
            (takeover(off, on), off, off, all, Advice::DisableTakeover, off),
            (takeover(on, off), on, on, all, hand, off),
            (takeover(on, on), on, on, all, Advice::DisableTakeover, on),
            (lifecycle(SHADOW, [off, off, off]), off, off, all, hand, off),
            (lifecycle(SHADOW, [off, off, on]), on, off, all, hand, off),
            (lifecycle(SHADOW, [off, on, off]), off, off, all, hand, off),
            (lifecycle(SHADOW, [off, on, on]), on, off, all, hand, off),
            (lifecycle(SHADOW, [on, off, off]), on, on, all, hand, off),
            (lifecycle(SHADOW, [on, off, on]), on, on, all, hand, off),
            (lifecycle(SHADOW, [on, on, off]), on, on, all, hand, off),
            (lifecycle(SHADOW, [on, on, on]), on, on, all, hand, off),
            (lifecycle(ENFORCED, [off, off, off]), on, off, leveled, hand, on),
            (lifecycle(ENFORCED, [off, off, on]), on, off, leveled, hand, on),
            (lifecycle(ENFORCED, [off, on, off]), on, off, leveled, beta, on),
            (lifecycle(ENFORCED, [off, on, on]), on, off, leveled, beta, on),
            (lifecycle(ENFORCED, [on, off, off]), on, on, leveled, hand, on),
            (lifecycle(ENFORCED, [on, off, on]), on, on, leveled, hand, on),
            (lifecycle(ENFORCED, [on, on, off]), on, on, leveled, beta, on),
            (lifecycle(ENFORCED, [on, on, on]), on, on, leveled, beta, on),
            (lifecycle(NEXT, [off, off, off]), on, off, leveled, hand, on),
            (lifecycle(NEXT, [off, off, on]), on, off, leveled, hand, on),
            (lifecycle(NEXT, [off, on, off]), on, off, leveled, beta, on),
            (lifecycle(NEXT, [off, on, on]), on, off, leveled, beta, on),
            (lifecycle(NEXT, [on, off, off]), on, on, leveled, hand, on),
            (lifecycle(NEXT, [on, off, on]), on, on, leveled, hand, on),
            (lifecycle(NEXT, [on, on, off]), on, on, leveled, beta, on),
            (lifecycle(NEXT, [on, on, on]), on, on, leveled, beta, on),
        ];
        for (policy, runs, compares, candidates, advice, panics) in rows {
            assert_eq!(policy.runs_candidate(), runs, "runs, {policy:?}");
            assert_eq!(policy.compares(), compares, "compares, {policy:?}");
            assert_eq!(policy.candidates(), candidates, "candidates, {policy:?}");
            assert_eq!(policy.advice(), advice, "advice, {policy:?}");
            assert_eq!(policy.reports_panics(), panics, "panics, {policy:?}");
        }
    }

    #[test]
    fn each_policy_compares_by_its_own_release() {
        let gates = |release| lifecycle(release, [true, true, false]);
        for (policy, semantics) in [
            (takeover(true, false), Semantics::V1_35),
            (gates(SHADOW), Semantics::V1_36),
            (gates(ENFORCED), Semantics::V1_36),
            (gates(NEXT), Semantics::V1_37),
        ] {
            assert_eq!(policy.semantics(), semantics, "{policy:?}");
        }
    }

    #[test]
    fn filtering_removes_errors_of_identical_text_and_shadow_modes_keep_them() {
        let reference = [invalid("a", None), invalid("b", None), invalid("a", None)];
        for (policy, stay) in [
            (takeover(true, true), vec![0, 1, 2]),
            (lifecycle(SHADOW, [true, true, false]), vec![0, 1, 2]),
            (lifecycle(SHADOW, [true, true, true]), vec![0, 1]),
            (lifecycle(ENFORCED, [true, true, false]), vec![0, 1]),
            (lifecycle(NEXT, [true, true, false]), vec![0, 1]),
        ] {
            assert_eq!(decide(policy, &reference, &[], &Matcher::default()).reference, stay, "{policy:?}");
        }
    }

    #[test]
    fn handwritten_errors_come_before_declarative_ones() {
        let reference = [invalid("z", None)];
        let candidate = [invalid("a", None)];
        let decision = decide(lifecycle(NEXT, [true, true, false]), &reference, &candidate, &Matcher::default());
        let fields: Vec<&str> = decision.errors(&reference, &candidate).map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["z", "a"]);
    }
}
