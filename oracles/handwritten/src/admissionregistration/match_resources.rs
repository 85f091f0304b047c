//! Which requests a policy looks at.

use super::rules::validate_rule;
use crate::names::path_segment;
use crate::report::not_supported;
use crate::selector::{SelectorValues, validate_label_selector};
use crate::types::admissionregistration::v1::{MatchResources, NamedRuleWithOperations};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// Defaults of `matchResources`.
pub(crate) fn default_match_resources(resources: &mut Edit<'_>) {
    resources.set_default("matchPolicy", Node::Text("Equivalent"));
    for selector in ["namespaceSelector", "objectSelector"] {
        resources.set_default(selector, Edit::empty_struct(true));
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        resources.edit_each(rules, |rule| rule.set_default("scope", Node::Text("*")));
    }
}

/// Checks `matchResources`.
pub(super) fn validate_match_resources(resources: &MatchResources, path: &Path<'_>, errors: &mut ErrorList) {
    let policy = path.child("matchPolicy");
    match resources.match_policy {
        None => errors.push(FieldError::required(&policy, "")),
        Some("Equivalent" | "Exact") => {}
        Some(other) => errors.push(not_supported(&policy, other, &["Equivalent", "Exact"])),
    }
    for (selector, name) in
        [(resources.namespace_selector, "namespaceSelector"), (resources.object_selector, "objectSelector")]
    {
        let at = path.child(name);
        match selector {
            None => errors.push(FieldError::required(&at, "")),
            Some(_) => validate_label_selector(selector, SelectorValues::Checked, &at, errors),
        }
    }
    for (rules, name) in
        [(resources.resource_rules, "resourceRules"), (resources.exclude_resource_rules, "excludeResourceRules")]
    {
        let at = path.child(name);
        for (index, rule) in rules.into_iter().flatten().enumerate() {
            validate_named_rule(rule, &at.index(index), errors);
        }
    }
}

fn validate_named_rule(rule: &NamedRuleWithOperations, path: &Path<'_>, errors: &mut ErrorList) {
    let names = rule.resource_names.unwrap_or_default();
    let at = path.child("resourceNames");
    for (index, name) in names.iter().enumerate() {
        for problem in path_segment(name) {
            errors.push(FieldError::invalid(&at.index(index), *name, problem));
        }
        if names.iter().take(index).any(|earlier| earlier == name) {
            errors.push(FieldError::duplicate(&at.index(index), *name));
        }
    }
    validate_rule(rule, path, errors);
}
