//! Which requests a policy or binding applies to.

use super::{not_supported, rules};
use crate::api::{MatchResources, Selector};
use crate::names::{label_value, qualified_name};
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// Judges `matchConstraints` or `matchResources`.
pub(super) fn judge(resources: &MatchResources, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    const POLICIES: [&str; 2] = ["Equivalent", "Exact"];
    match resources.match_policy.as_deref() {
        None => errors.push(FieldError::required(&path.child("matchPolicy"), "")),
        Some(policy) if POLICIES.contains(&policy) => {}
        Some(policy) => errors.push(not_supported(&path.child("matchPolicy"), policy, &POLICIES)),
    }
    for (name, given) in
        [("namespaceSelector", &resources.namespace_selector), ("objectSelector", &resources.object_selector)]
    {
        match given {
            None => errors.push(FieldError::required(&path.child(name), "")),
            Some(given) => selector(given, &path.child(name), errors),
        }
    }
    for (name, rules) in
        [("resourceRules", &resources.resource_rules), ("excludeResourceRules", &resources.exclude_resource_rules)]
    {
        for (index, rule) in rules.iter().enumerate() {
            rules::judge(rule, &path.child(name).index(index), errors);
        }
    }
}

/// Judges a label selector.
pub(super) fn selector(selector: &Selector, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (key, value) in &selector.match_labels {
        let path = path.child("matchLabels");
        label(key, &path, errors);
        errors
            .extend(label_value(value).into_iter().map(|problem| FieldError::invalid(&path, value.as_str(), problem)));
    }
    for (index, requirement) in selector.match_expressions.iter().enumerate() {
        let list = path.child("matchExpressions");
        let path = list.index(index);
        match requirement.operator.as_str() {
            "In" | "NotIn" if requirement.values.is_empty() => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.push(FieldError::required(&path.child("values"), detail));
            }
            "Exists" | "DoesNotExist" if !requirement.values.is_empty() => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.push(FieldError::forbidden(&path.child("values"), detail));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => {
                errors.push(FieldError::invalid(&path.child("operator"), other, "not a valid selector operator"));
            }
        }
        label(&requirement.key, &path.child("key"), errors);
        for (index, value) in requirement.values.iter().enumerate() {
            let values = path.child("values");
            let problems = label_value(value).into_iter();
            errors.extend(problems.map(|problem| FieldError::invalid(&values.index(index), value.as_str(), problem)));
        }
    }
}

fn label(key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(qualified_name(key).into_iter().map(|problem| FieldError::invalid(path, key, problem)));
}
