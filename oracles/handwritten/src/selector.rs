//! Selectors and what they match.

use super::labels::{Labels, validate_label_key, validate_labels};
use super::names::label_value;
use crate::types::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde_json::{Value, json};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Whether every pair of `selector` is among `labels`. An empty selector matches everything.
#[must_use]
pub fn matches(selector: Option<&Labels>, labels: Option<&Labels>) -> bool {
    selector.into_iter().flatten().all(|(key, value)| labels.and_then(|labels| labels.get(key)) == Some(value))
}

/// Whether `labels` have what a selector asks for. An empty selector matches everything. The selector must be one that
/// [`can_select`].
#[must_use]
pub fn selects(selector: &LabelSelector, labels: Option<&Labels>) -> bool {
    matches(selector.match_labels.as_ref(), labels)
        && selector.match_expressions.into_iter().flatten().all(|requirement| {
            let value = labels.and_then(|labels| labels.get(requirement.key));
            let listed =
                value.is_some_and(|value| requirement.values.into_iter().flatten().any(|listed| listed == value));
            match requirement.operator {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => value.is_some(),
                _ => value.is_none(),
            }
        })
}

/// Whether a selector can be applied to labels: nothing is wrong with it, not even with its values.
#[must_use]
pub fn can_select(selector: &LabelSelector) -> bool {
    let mut errors = ErrorList::new();
    validate_label_selector(Some(selector), SelectorValues::Checked, &Path::ROOT, &mut errors);
    errors.is_empty()
}

/// Whether a selector asks for nothing.
#[must_use]
pub fn is_empty(selector: &LabelSelector) -> bool {
    selector.match_labels.is_none_or(Labels::is_empty) && selector.match_expressions.is_none_or(<[_]>::is_empty)
}

/// Labels as errors show them.
#[must_use]
pub fn labels_form(labels: Option<&Labels>) -> BadValue {
    labels.map_or(BadValue::Null, |labels| BadValue::json(json!(labels)))
}

/// A label selector as errors show it, which is also its form for comparison: a missing list or map is an empty one.
#[must_use]
pub fn selector_form(selector: Option<&LabelSelector>) -> BadValue {
    let Some(selector) = selector else { return BadValue::Null };
    let mut members = Vec::new();
    if let Some(labels) = selector.match_labels.as_ref().filter(|labels| !labels.is_empty()) {
        members.push(("matchLabels", labels_form(Some(labels))));
    }
    if let Some(requirements) = selector.match_expressions.filter(|requirements| !requirements.is_empty()) {
        members.push(("matchExpressions", BadValue::json(requirements.iter().map(requirement_form).collect())));
    }
    BadValue::Struct(members)
}

fn requirement_form(requirement: &LabelSelectorRequirement) -> Value {
    match requirement.values.filter(|values| !values.is_empty()) {
        Some(values) => json!({"key": requirement.key, "operator": requirement.operator, "values": values}),
        None => json!({"key": requirement.key, "operator": requirement.operator}),
    }
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
    for (index, requirement) in selector.match_expressions.into_iter().flatten().enumerate() {
        validate_requirement(requirement, values, &at.index(index), errors);
    }
}

fn validate_requirement(
    requirement: &LabelSelectorRequirement,
    checked: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let values = requirement.values.unwrap_or_default();
    validate_operator(requirement.operator, values, path, errors);
    validate_label_key(requirement.key, &path.child("key"), errors);
    if checked == SelectorValues::Tolerated {
        return;
    }
    let at = path.child("values");
    for (index, value) in values.iter().enumerate() {
        for problem in label_value(value) {
            errors.push(FieldError::invalid(&at.index(index), *value, problem));
        }
    }
}

fn validate_operator(operator: &str, values: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
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
        for (operator, values, field) in [
            ("In", &["b"][..], ""),
            ("Exists", &[], ""),
            ("NotIn", &[], "s.matchExpressions[0].values"),
            ("DoesNotExist", &["b"], "s.matchExpressions[0].values"),
            ("Gt", &["1"], "s.matchExpressions[0].operator"),
            ("In", &["b", "-"], "s.matchExpressions[0].values[1]"),
        ] {
            let requirement = LabelSelectorRequirement { key: "a", operator, values: Some(values) };
            let selector = LabelSelector { match_labels: None, match_expressions: Some(&[requirement]) };
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

    #[test]
    fn expressions_are_applied_operator_by_operator() {
        let found = labels(&[("a", "1")]);
        for (requirement, expected) in [
            (json!({"key": "a", "operator": "In", "values": ["0", "1"]}), true),
            (json!({"key": "a", "operator": "In", "values": ["0"]}), false),
            (json!({"key": "b", "operator": "In", "values": ["1"]}), false),
            (json!({"key": "a", "operator": "NotIn", "values": ["1"]}), false),
            (json!({"key": "b", "operator": "NotIn", "values": ["1"]}), true),
            (json!({"key": "a", "operator": "Exists"}), true),
            (json!({"key": "b", "operator": "Exists"}), false),
            (json!({"key": "a", "operator": "DoesNotExist"}), false),
            (json!({"key": "b", "operator": "DoesNotExist"}), true),
        ] {
            let selector = json!({"matchLabels": {"a": "1"}, "matchExpressions": [requirement]});
            let selector: LabelSelector<'_> = crate::types::read_json(&selector);
            assert_eq!(selects(&selector, Some(&found)), expected, "{requirement}");
            assert!(!selects(&selector, None), "{requirement}");
        }
        assert!(selects(&LabelSelector::default(), None));
    }

    #[test]
    fn selectors_are_shown_without_what_is_empty() {
        for (selector, expected) in [
            (json!({}), "{}"),
            (json!({"matchLabels": {}, "matchExpressions": []}), "{}"),
            (
                json!({"matchExpressions": [{"key": "a", "operator": "Exists", "values": []}], "matchLabels": {"b": ""}}),
                r#"{"matchLabels":{"b":""},"matchExpressions":[{"key":"a","operator":"Exists"}]}"#,
            ),
        ] {
            let selector: LabelSelector<'_> = crate::types::read_json(&selector);
            assert_eq!(selector_form(Some(&selector)).to_string(), expected);
        }
        assert_eq!(selector_form(None), BadValue::Null);
    }

    fn labels<'a>(pairs: &'a [(&'a str, &'a str)]) -> Labels<'a> {
        Labels::new(pairs)
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
