//! Selectors and what they match.

use super::labels::{validate_label_key, validate_labels};
use super::names::label_value;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use std::collections::BTreeMap;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Labels as the API types hold them.
pub type Labels = BTreeMap<String, String>;

/// Whether every pair of `selector` is among `labels`. An empty selector matches everything.
#[must_use]
pub fn matches(selector: Option<&Labels>, labels: Option<&Labels>) -> bool {
    selector.into_iter().flatten().all(|(key, value)| labels.and_then(|labels| labels.get(key)) == Some(value))
}

/// Whether values that are no label values may stand in a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorValues {
    /// They must be label values.
    Checked,
    /// Anything goes, because the stored object has such values too.
    Tolerated,
}

/// Checks a label selector; a missing one is fine.
pub fn validate_label_selector(
    selector: Option<&LabelSelector>,
    values: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(selector) = selector else { return };
    validate_labels(selector.match_labels.as_ref(), &path.child("matchLabels"), errors);
    let at = path.child("matchExpressions");
    for (index, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        validate_requirement(requirement, values, &at.index(index), errors);
    }
}

fn validate_requirement(
    requirement: &LabelSelectorRequirement,
    checked: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let values = requirement.values.as_deref().unwrap_or_default();
    validate_operator(&requirement.operator, values, path, errors);
    validate_label_key(&requirement.key, &path.child("key"), errors);
    if checked == SelectorValues::Tolerated {
        return;
    }
    let at = path.child("values");
    for (index, value) in values.iter().enumerate() {
        for problem in label_value(value) {
            errors.push(FieldError::invalid(&at.index(index), value.as_str(), problem));
        }
    }
}

fn validate_operator(operator: &str, values: &[String], path: &Path<'_>, errors: &mut ErrorList) {
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(FieldError::required(&path.child("values"), detail));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(FieldError::forbidden(&path.child("values"), detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => errors.push(FieldError::invalid(&path.child("operator"), operator, "not a valid selector operator")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_checked_operator_by_operator() {
        let requirement = |operator: &str, values: &[&str]| LabelSelectorRequirement {
            key: "a".to_owned(),
            operator: operator.to_owned(),
            values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
        };
        for (operator, values, field) in [
            ("In", &["b"][..], ""),
            ("Exists", &[], ""),
            ("NotIn", &[], "s.matchExpressions[0].values"),
            ("DoesNotExist", &["b"], "s.matchExpressions[0].values"),
            ("Gt", &["1"], "s.matchExpressions[0].operator"),
            ("In", &["b", "-"], "s.matchExpressions[0].values[1]"),
        ] {
            let selector =
                LabelSelector { match_labels: None, match_expressions: Some(vec![requirement(operator, values)]) };
            let mut errors = ErrorList::new();
            validate_label_selector(Some(&selector), SelectorValues::Checked, &Path::ROOT.child("s"), &mut errors);
            let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
            assert_eq!(found.join(" "), field, "{operator} {values:?}");
            if values.contains(&"-") {
                errors.clear();
                validate_label_selector(
                    Some(&selector),
                    SelectorValues::Tolerated,
                    &Path::ROOT.child("s"),
                    &mut errors,
                );
                assert!(errors.is_empty());
            }
        }
    }

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_selector_matches_when_every_pair_is_a_label() {
        for (selector, found, expected) in [
            (None, None, true),
            (Some(labels(&[])), None, true),
            (Some(labels(&[("a", "1")])), Some(labels(&[("a", "1"), ("b", "2")])), true),
            (Some(labels(&[("a", "1")])), Some(labels(&[("a", "2")])), false),
            (Some(labels(&[("a", "")])), Some(labels(&[("b", "")])), false),
            (Some(labels(&[("a", "")])), None, false),
            (Some(labels(&[("a", "")])), Some(labels(&[("a", "")])), true),
        ] {
            assert_eq!(matches(selector.as_ref(), found.as_ref()), expected, "{selector:?} {found:?}");
        }
    }
}
