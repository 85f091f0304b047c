//! Kubernetes' comparison of two error lists.

use super::Matcher;
use super::lookup::{Lookup, normalized_fields};
use super::matcher::is_below;
use crate::compare::Comparison;
use crate::error::{ErrorType, FieldError};
use crate::side::Side;
use std::collections::HashMap;

/// Compares the errors of the two sides; see [`compare_into`].
#[must_use]
pub fn compare(reference: &[FieldError], candidate: &[FieldError], matcher: &Matcher) -> Comparison {
    let mut comparison = Comparison::default();
    compare_into(reference, candidate, matcher, &mut comparison);
    comparison
}

/// Compares the errors of the two sides, replacing what `out` held.
///
/// Which errors take part, and the details of matching, are the matcher's; a reference error that is not covered is by default
/// nobody's partner: it is of a check that has not been migrated (`gatherDeclarativeValidationMismatches` of
/// `k8s.io/apiserver/pkg/registry/rest`).
pub fn compare_into(reference: &[FieldError], candidate: &[FieldError], matcher: &Matcher, out: &mut Comparison) {
    out.clear();
    if reference.is_empty() && candidate.is_empty() {
        return;
    }
    dedupe(reference, matcher, &mut out.kept);
    out.used.resize(candidate.len(), false);
    let normalized = normalized_fields(candidate, matcher);
    let lookup = Lookup::new(candidate, &normalized, out.kept.len());
    let participation = matcher.participation;
    let takes_part = |at: usize| candidate.get(at).is_some_and(|error| participation.includes(Side::Candidate, error));
    let may_match = |at: usize| candidate.get(at).is_some_and(|error| matcher.may_match(Side::Candidate, error));
    let stops: Vec<(usize, &FieldError)> = match matcher.short_circuit {
        true => candidate.iter().enumerate().filter(|(at, got)| got.short_circuit && takes_part(*at)).collect(),
        false => Vec::new(),
    };
    let Comparison { matched, excused, missing, extra, kept, used } = out;
    for &at in kept.iter() {
        let Some(want) = reference.get(at).filter(|error| participation.includes(Side::Reference, error)) else {
            continue;
        };
        let matched_before = matched.len();
        lookup.each_match(want, |partner| {
            let Some(used) = used.get_mut(partner) else { return };
            if may_match(partner) && !(*used && matcher.semantics.uses_up()) {
                *used = true;
                matched.push((at, partner));
            }
        });
        if matched.len() > matched_before {
            continue;
        }
        let excuses = |(partner, got): &(usize, &FieldError)| {
            is_below(&want.field, &got.field)
                || lookup.alias(*partner).is_some_and(|alias| is_below(&want.field, alias))
        };
        if stops.iter().any(excuses) {
            excused.push(at);
        } else {
            missing.push(at);
        }
    }
    extra.extend((0..candidate.len()).filter(|at| takes_part(*at) && !used.get(*at).copied().unwrap_or_default()));
}

/// Which reference errors match a candidate error that `counts`, whether or not they take part in the comparison.
pub(crate) fn answered(
    reference: &[FieldError],
    candidate: &[FieldError],
    matcher: &Matcher,
    counts: impl Fn(&FieldError) -> bool,
) -> Vec<bool> {
    let normalized = normalized_fields(candidate, matcher);
    let lookup = Lookup::new(candidate, &normalized, reference.len());
    let is_answered = |want: &FieldError| {
        let mut any = false;
        lookup.each_match(want, |at| any |= candidate.get(at).is_some_and(&counts));
        any
    };
    reference.iter().map(is_answered).collect()
}

/// Indexes of the reference errors without duplicates, the first of each kept. In 1.35, duplicates are equal in everything that the user
/// sees, and in the origin.
fn dedupe(reference: &[FieldError], matcher: &Matcher, kept: &mut Vec<usize>) {
    if reference.len() < 2 {
        kept.extend(0..reference.len());
        return;
    }
    if matcher.semantics.dedupes_exactly() {
        let mut alike: HashMap<(ErrorType, &str, &str, &str), Vec<usize>> = HashMap::new();
        for (at, error) in reference.iter().enumerate() {
            let key = (error.error_type, error.field.as_str(), error.origin.as_ref(), error.detail.as_ref());
            let before = alike.entry(key).or_default();
            if !before.iter().filter_map(|at| reference.get(*at)).any(|first| first.bad_value == error.bad_value) {
                before.push(at);
                kept.push(at);
            }
        }
        return;
    }
    let normalized = normalized_fields(reference, matcher);
    let lookup = Lookup::new(reference, &normalized, reference.len());
    // Each kept error strikes out the later errors that repeat it.
    let mut duplicate = vec![false; reference.len()];
    for (at, error) in reference.iter().enumerate() {
        if duplicate.get(at).copied().unwrap_or_default() {
            continue;
        }
        kept.push(at);
        lookup.each_match(error, |later| {
            if later > at
                && let Some(duplicate) = duplicate.get_mut(later)
            {
                *duplicate = true;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Candidates, Semantics};
    use crate::error::Stability;
    use crate::path::Path;
    use proptest::prelude::*;
    use regex::Regex;

    fn error(error_type: ErrorType, field: &str, origin: &'static str) -> FieldError {
        FieldError { field: field.to_owned(), ..FieldError::new(error_type, &Path::ROOT, 1, "") }.with_origin(origin)
    }

    fn covered(field: &str, origin: &'static str) -> FieldError {
        error(ErrorType::Invalid, field, origin).covered()
    }

    fn alpha(field: &str, origin: &'static str) -> FieldError {
        FieldError { stability: Some(Stability::Alpha), ..error(ErrorType::Invalid, field, origin) }
    }

    #[test]
    fn only_1_37_lets_one_candidate_error_answer_for_several_reference_errors() {
        let rules = vec![(Regex::new("^spec").unwrap(), "status".to_owned())];
        let reference = [covered("spec.a", "minimum"), covered("status.a", "minimum")];
        let candidate = [alpha("spec.a", "minimum")];
        for (semantics, missing) in
            [(Semantics::V1_35, vec![1]), (Semantics::V1_36, vec![1]), (Semantics::V1_37, vec![])]
        {
            let comparison = compare(&reference, &candidate, &Matcher::new(semantics).normalization(rules.clone()));
            assert_eq!(comparison.missing, missing, "{semantics}");
        }
    }

    #[test]
    fn only_1_35_tells_reference_errors_with_different_details_apart() {
        let reference = [covered("a", "minimum"), FieldError { detail: "other".into(), ..covered("a", "minimum") }];
        for (semantics, missing) in
            [(Semantics::V1_35, vec![0, 1]), (Semantics::V1_36, vec![0]), (Semantics::V1_37, vec![0])]
        {
            assert_eq!(compare(&reference, &[], &Matcher::new(semantics)).missing, missing, "{semantics}");
        }
    }

    #[test]
    fn standard_errors_are_extra_only_where_every_candidate_error_takes_part() {
        let candidate = [error(ErrorType::Required, "a", ""), alpha("b", "minimum")];
        for (candidates, extra) in [(Candidates::Leveled, vec![1]), (Candidates::All, vec![0, 1])] {
            let matcher = Matcher::new(Semantics::V1_37).candidates(candidates);
            assert_eq!(compare(&[], &candidate, &matcher).extra, extra, "{candidates:?}");
        }
    }

    #[test]
    fn standard_errors_answer_checks_only_where_it_is_asked_which_of_them_may_go() {
        let reference = [covered("a", "minimum"), covered("b", "minimum")];
        let standard = |field: &str| error(ErrorType::Invalid, field, "minimum");
        let candidate = [standard("a"), standard("c")];
        let leveled = Matcher::new(Semantics::V1_37);
        for (matcher, missing, extra) in [
            (leveled.clone(), vec![0, 1], vec![]),
            (leveled.clone().answering(), vec![1], vec![]),
            (leveled.candidates(Candidates::All).answering(), vec![1], vec![1]),
        ] {
            let comparison = compare(&reference, &candidate, &matcher);
            assert_eq!((comparison.missing, comparison.extra), (missing, extra), "{matcher:?}");
        }
    }

    #[test]
    fn what_makes_two_errors_match() {
        let pairs = |want: &FieldError, got: &FieldError| {
            let want = [want.clone()];
            let got = [FieldError { stability: Some(Stability::Beta), ..got.clone() }];
            compare(&want, &got, &Matcher::new(Semantics::V1_37)).agrees()
        };
        let base = covered("a", "minimum");
        assert!(pairs(&base, &FieldError { detail: "x".into(), bad_value: 7.into(), ..base.clone() }), "value, detail");
        assert!(!pairs(&base, &FieldError { error_type: ErrorType::TooLong, ..base.clone() }), "type");
        assert!(!pairs(&base, &FieldError { field: "b".into(), ..base.clone() }), "field");
        assert!(!pairs(&base, &FieldError { origin: "maximum".into(), ..base.clone() }), "origin");
        assert!(!pairs(&covered("a", ""), &covered("a", "")), "Invalid without origin");
        let required = error(ErrorType::Required, "a", "").covered();
        assert!(pairs(&required, &required), "other types need no origin");
        assert!(!pairs(&FieldError { covered_by_declarative: false, ..base.clone() }, &base), "not covered");
    }

    #[test]
    fn a_short_circuited_ancestor_excuses_only_what_lies_strictly_below_it() {
        let rows = [
            ("spec", "spec.a", true, true),
            ("spec", "spec[0]", true, true),
            ("spec", "spec", true, false),
            ("spec", "specific", true, false),
            ("", "spec", true, false),
            ("spec", "spec.a", false, false),
        ];
        for (ancestor, field, short_circuit, excused) in rows {
            let candidate = [FieldError { short_circuit, ..alpha(ancestor, "immutable") }];
            let matcher = Matcher::new(Semantics::V1_37).short_circuit(true);
            let comparison = compare(&[covered(field, "minimum")], &candidate, &matcher);
            assert_eq!(!comparison.excused.is_empty(), excused, "{ancestor} over {field}");
            assert_eq!(comparison.extra, [0], "the ancestor itself stays unanswered");
        }
    }

    fn lists() -> impl Strategy<Value = Vec<FieldError>> {
        let one =
            (0..3u8, 0..4usize, 0..3usize, any::<bool>(), 0..3u8).prop_map(|(kind, field, origin, covered, level)| {
                let error_type = [ErrorType::Invalid, ErrorType::Required, ErrorType::TooLong][usize::from(kind)];
                let field = ["spec.a", "status.a", "spec.b[0]", ""][field];
                FieldError {
                    covered_by_declarative: covered,
                    stability: [None, Some(Stability::Alpha), Some(Stability::Beta)][usize::from(level)],
                    ..error(error_type, field, ["", "minimum", "format=x"][origin])
                }
            });
        prop::collection::vec(one, 0..12)
    }

    /// Kubernetes' words on matching, put down again without a line of what is tested: the field as it is or with `spec` in front
    /// read as `status`, the same type and origin, and no Invalid without origin.
    fn same(want: &FieldError, got: &FieldError) -> bool {
        let alias = got.field.strip_prefix("spec").map(|rest| format!("status{rest}"));
        let field = want.field == got.field || alias.as_ref() == Some(&want.field);
        let nameless = want.error_type == ErrorType::Invalid && want.origin.is_empty();
        field && !nameless && (want.error_type, &want.origin) == (got.error_type, &got.origin)
    }

    /// The algorithm in its plainest form, as a yardstick.
    fn plain(
        reference: &[FieldError],
        candidate: &[FieldError],
        semantics: Semantics,
        candidates: Candidates,
    ) -> (Vec<usize>, Vec<usize>) {
        let mut kept: Vec<usize> = Vec::new();
        for (at, error) in reference.iter().enumerate() {
            let text = |error: &FieldError| (error.to_string(), error.origin.clone());
            let repeated = |first: &usize| match semantics {
                Semantics::V1_35 => text(&reference[*first]) == text(error),
                _ => same(&reference[*first], error),
            };
            if !kept.iter().any(repeated) {
                kept.push(at);
            }
        }
        let looked_at = |at: &usize| candidates == Candidates::All || candidate[*at].stability.is_some();
        let mut used = vec![false; candidate.len()];
        let mut missing = Vec::new();
        for at in kept.into_iter().filter(|at| reference[*at].covered_by_declarative) {
            let free = |partner: &usize| semantics == Semantics::V1_37 || !used[*partner];
            let partners: Vec<usize> = (0..candidate.len())
                .filter(looked_at)
                .filter(free)
                .filter(|partner| same(&reference[at], &candidate[*partner]))
                .collect();
            partners.iter().for_each(|partner| used[*partner] = true);
            if partners.is_empty() {
                missing.push(at);
            }
        }
        let extra = (0..candidate.len()).filter(|at| !used[*at]).filter(looked_at).collect();
        (missing, extra)
    }

    proptest! {
        #[test]
        fn short_and_long_lists_are_compared_alike(reference in lists(), candidate in lists(), many in any::<bool>()) {
            let rules = vec![(Regex::new("^spec").unwrap(), "status".to_owned())];
            // Uncovered errors that match nothing make the lists long enough for an index.
            let filler = (0..if many { 5000 } else { 0 }).map(|at| error(ErrorType::NotFound, &format!("x[{at}]"), ""));
            let mut reference = reference;
            reference.extend(filler);
            for semantics in Semantics::ALL {
                for candidates in [Candidates::Leveled, Candidates::All] {
                    let matcher = Matcher::new(semantics).candidates(candidates).normalization(rules.clone());
                    let comparison = compare(&reference, &candidate, &matcher);
                    let short: Vec<FieldError> = reference.iter().take_while(|e| e.error_type != ErrorType::NotFound).cloned().collect();
                    prop_assert_eq!((comparison.missing, comparison.extra), plain(&short, &candidate, semantics, candidates));
                }
            }
        }
    }
}
