//! Where pods may run: affinity and spreading.

use crate::labels::validate_label_key;
use crate::names::{dns_label, label_value, subdomain_name};
use crate::report::not_supported;
use crate::selector::{SelectorValues, validate_label_selector};
use crate::types::core::v1::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm, PodSpec,
    TopologySpreadConstraint, WeightedPodAffinityTerm,
};
use crate::types::meta::v1::LabelSelector;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What Kubernetes says of a number below one.
const NOT_POSITIVE: &str = "must be greater than zero";

/// Checks affinity and topology spread constraints of a pod spec; `old` is the stored spec on updates, whose bad selector
/// values may stay, and `values` are those in selectors of pod terms.
pub(super) fn validate_scheduling(
    spec: &PodSpec,
    old: Option<&PodSpec>,
    values: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(affinity) = spec.affinity {
        validate_affinity(affinity, old.and_then(|old| old.affinity), values, &path.child("affinity"), errors);
    }
    let stored = old.and_then(|old| old.topology_spread_constraints).unwrap_or_default();
    let constraints = spec.topology_spread_constraints.unwrap_or_default();
    validate_spread(constraints, stored, &path.child("topologySpreadConstraints"), errors);
}

/// What a stored pod makes of values in selectors of pod terms: one that has anything bad in them may have bad values in all.
pub(super) fn stored_values(old: Option<&PodSpec>) -> SelectorValues {
    tolerated(old.and_then(|old| old.affinity).is_some_and(|old| pod_terms(old).any(has_bad_term)))
}

fn validate_affinity(
    affinity: &Affinity,
    old: Option<&Affinity>,
    values: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(node) = affinity.node_affinity {
        let bad = old.and_then(|old| old.node_affinity).is_some_and(requires_bad_value);
        validate_node_affinity(node, tolerated(bad), &path.child("nodeAffinity"), errors);
    }
    if let Some(pods) = affinity.pod_affinity {
        let at = path.child("podAffinity");
        let required = pods.required_during_scheduling_ignored_during_execution;
        let preferred = pods.preferred_during_scheduling_ignored_during_execution;
        validate_pod_terms(required.unwrap_or_default(), preferred.unwrap_or_default(), values, &at, errors);
    }
    if let Some(pods) = affinity.pod_anti_affinity {
        let at = path.child("podAntiAffinity");
        let required = pods.required_during_scheduling_ignored_during_execution;
        let preferred = pods.preferred_during_scheduling_ignored_during_execution;
        validate_pod_terms(required.unwrap_or_default(), preferred.unwrap_or_default(), values, &at, errors);
    }
}

fn tolerated(bad: bool) -> SelectorValues {
    if bad { SelectorValues::Tolerated } else { SelectorValues::Checked }
}

fn requires_bad_value(affinity: &NodeAffinity) -> bool {
    let required = affinity.required_during_scheduling_ignored_during_execution.into_iter();
    let terms = required.flat_map(|selector| selector.node_selector_terms);
    let values = terms
        .flat_map(|term| term.match_expressions.into_iter().flatten())
        .flat_map(|one| one.values.into_iter().flatten());
    values.into_iter().any(|value| !label_value(value).is_empty())
}

/// Every pod term of an affinity.
fn pod_terms<'a>(affinity: &Affinity<'a>) -> impl Iterator<Item = &'a PodAffinityTerm<'a>> {
    let for_pods = affinity.pod_affinity.into_iter().flat_map(|pods| {
        let required = pods.required_during_scheduling_ignored_during_execution.into_iter().flatten();
        let preferred = pods.preferred_during_scheduling_ignored_during_execution.into_iter().flatten();
        required.chain(preferred.map(|weighted| &weighted.pod_affinity_term))
    });
    let against_pods = affinity.pod_anti_affinity.into_iter().flat_map(|pods| {
        let required = pods.required_during_scheduling_ignored_during_execution.into_iter().flatten();
        let preferred = pods.preferred_during_scheduling_ignored_during_execution.into_iter().flatten();
        required.chain(preferred.map(|weighted| &weighted.pod_affinity_term))
    });
    for_pods.chain(against_pods)
}

fn has_bad_term(term: &PodAffinityTerm) -> bool {
    has_bad_selector(term.label_selector) || has_bad_selector(term.namespace_selector)
}

fn validate_node_affinity(affinity: &NodeAffinity, values: SelectorValues, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(selector) = affinity.required_during_scheduling_ignored_during_execution {
        let at = path.child("requiredDuringSchedulingIgnoredDuringExecution");
        validate_node_selector(selector, values, &at, errors);
    }
    let at = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    for (index, term) in affinity.preferred_during_scheduling_ignored_during_execution.into_iter().flatten().enumerate()
    {
        let at = at.index(index);
        validate_weight(term.weight, &at.child("weight"), errors);
        // A preference that matches no node does no harm.
        validate_node_term(&term.preference, SelectorValues::Tolerated, &at.child("preference"), errors);
    }
}

fn validate_weight(weight: i32, path: &Path<'_>, errors: &mut ErrorList) {
    if !(1..=100).contains(&weight) {
        errors.push(FieldError::invalid(path, weight, "must be in the range 1-100"));
    }
}

/// Checks a node selector: at least one term.
pub fn validate_node_selector(
    selector: &NodeSelector,
    values: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("nodeSelectorTerms");
    if selector.node_selector_terms.is_empty() {
        errors.push(FieldError::required(&at, "must have at least one node selector term"));
    }
    for (index, term) in selector.node_selector_terms.iter().enumerate() {
        validate_node_term(term, values, &at.index(index), errors);
    }
}

fn validate_node_term(term: &NodeSelectorTerm, values: SelectorValues, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("matchExpressions");
    for (index, requirement) in term.match_expressions.into_iter().flatten().enumerate() {
        validate_node_requirement(requirement, values, &at.index(index), errors);
    }
    let at = path.child("matchFields");
    for (index, requirement) in term.match_fields.into_iter().flatten().enumerate() {
        validate_node_field(requirement, &at.index(index), errors);
    }
}

fn validate_node_requirement(
    requirement: &NodeSelectorRequirement,
    checked: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let values = requirement.values.unwrap_or_default();
    let at = path.child("values");
    match requirement.operator {
        "In" | "NotIn" if values.is_empty() => {
            errors.push(FieldError::required(&at, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(FieldError::forbidden(&at, detail));
        }
        "Gt" | "Lt" if values.len() != 1 => {
            let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(FieldError::required(&at, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        operator => {
            errors.push(FieldError::invalid(&path.child("operator"), operator, "not a valid selector operator"));
        }
    }
    validate_label_key(requirement.key, &path.child("key"), errors);
    if checked == SelectorValues::Checked {
        for (index, value) in values.iter().enumerate() {
            for problem in label_value(value) {
                let error = FieldError::invalid(&at.index(index), *value, problem);
                errors.push(error.with_origin("format=k8s-label-value"));
            }
        }
    }
}

/// A node's only selectable field is its name.
fn validate_node_field(requirement: &NodeSelectorRequirement, path: &Path<'_>, errors: &mut ErrorList) {
    let values = requirement.values.unwrap_or_default();
    let at = path.child("values");
    match requirement.operator {
        "In" | "NotIn" if values.len() == 1 => {}
        "In" | "NotIn" => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.push(FieldError::required(&at, detail));
        }
        operator => {
            errors.push(FieldError::invalid(&path.child("operator"), operator, "not a valid selector operator"));
        }
    }
    if requirement.key != "metadata.name" {
        let key = requirement.key;
        errors.push(FieldError::invalid(&path.child("key"), key, "not a valid field selector key"));
        return;
    }
    for (index, value) in values.iter().enumerate() {
        for problem in subdomain_name(value) {
            errors.push(FieldError::invalid(&at.index(index), *value, problem));
        }
    }
}

fn validate_pod_terms(
    required: &[PodAffinityTerm],
    preferred: &[WeightedPodAffinityTerm],
    values: SelectorValues,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("requiredDuringSchedulingIgnoredDuringExecution");
    for (index, term) in required.iter().enumerate() {
        validate_pod_term(term, values, &at.index(index), errors);
    }
    let at = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    for (index, weighted) in preferred.iter().enumerate() {
        let at = at.index(index);
        validate_weight(weighted.weight, &at.child("weight"), errors);
        validate_pod_term(&weighted.pod_affinity_term, values, &at.child("podAffinityTerm"), errors);
    }
}

fn validate_pod_term(term: &PodAffinityTerm, values: SelectorValues, path: &Path<'_>, errors: &mut ErrorList) {
    validate_label_selector(term.label_selector, values, &path.child("labelSelector"), errors);
    validate_label_selector(term.namespace_selector, values, &path.child("namespaceSelector"), errors);
    for name in term.namespaces.into_iter().flatten() {
        for problem in dns_label(name) {
            errors.push(FieldError::invalid(&path.child("namespace"), *name, problem));
        }
    }
    let same = term.match_label_keys.unwrap_or_default();
    let other = term.mismatch_label_keys.unwrap_or_default();
    validate_label_keys(same, other, term.label_selector, path, errors);
    let at = path.child("topologyKey");
    if term.topology_key.is_empty() {
        errors.push(FieldError::required(&at, "can not be empty"));
    }
    validate_label_key(term.topology_key, &at, errors);
}

/// The keys that a server merges into the selector on its own.
fn validate_label_keys(
    same: &[&str],
    other: &[&str],
    selector: Option<&LabelSelector>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (keys, member) in [(same, "matchLabelKeys"), (other, "mismatchLabelKeys")] {
        let at = path.child(member);
        if !keys.is_empty() && selector.is_none() {
            errors.push(FieldError::forbidden(&at, "must not be specified when labelSelector is not set"));
            continue;
        }
        for (index, key) in keys.iter().enumerate() {
            validate_label_key(key, &at.index(index), errors);
        }
    }
    if let Some(selector) = selector {
        validate_merged_keys(same, selector, path, errors);
    }
    let at = path.child("matchLabelKeys");
    for (index, key) in same.iter().enumerate().filter(|(_, key)| other.contains(key)) {
        let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
        let error = FieldError::invalid(&at.index(index), *key, detail);
        errors.push(error.with_origin("duplicatedMismatchLabelKeys"));
    }
}

/// A merged key stands once among the expressions; once more means that the user selects by it too.
fn validate_merged_keys(keys: &[&str], selector: &LabelSelector, path: &Path<'_>, errors: &mut ErrorList) {
    let labels = selector.match_labels.as_ref();
    let expressions = selector.match_expressions.unwrap_or_default();
    for (at, expression) in expressions.iter().enumerate() {
        let Some(index) = keys.iter().rposition(|key| *key == expression.key) else { continue };
        let before = expressions.iter().take(at).any(|earlier| earlier.key == expression.key);
        if before || labels.is_some_and(|labels| labels.contains_key(expression.key)) {
            let detail = "exists in both matchLabelKeys and labelSelector";
            let error = FieldError::invalid(&path.index(index), expression.key, detail);
            errors.push(error.with_origin("duplicatedLabelKeys"));
        }
    }
}

fn validate_spread(
    constraints: &[TopologySpreadConstraint],
    stored: &[TopologySpreadConstraint],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, constraint) in constraints.iter().enumerate() {
        let at = path.index(index);
        if constraint.max_skew <= 0 {
            let error = FieldError::invalid(&at.child("maxSkew"), constraint.max_skew, NOT_POSITIVE);
            errors.push(error.with_origin("minimum"));
        }
        if constraint.topology_key.is_empty() {
            errors.push(FieldError::required(&at.child("topologyKey"), "can not be empty"));
        }
        let action = constraint.when_unsatisfiable;
        if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
            errors.push(not_supported(&at.child("whenUnsatisfiable"), action, &["DoNotSchedule", "ScheduleAnyway"]));
        }
        let same = |other: &TopologySpreadConstraint| {
            other.topology_key == constraint.topology_key && other.when_unsatisfiable == action
        };
        if constraints.iter().skip(index + 1).any(same) {
            let pair = format!("{{{}, {action}}}", constraint.topology_key);
            errors.push(FieldError::duplicate(&at.child("{topologyKey, whenUnsatisfiable}"), pair));
        }
        validate_min_domains(constraint.min_domains, action, &at.child("minDomains"), errors);
        let policies = [
            ("nodeAffinityPolicy", &constraint.node_affinity_policy),
            ("nodeTaintsPolicy", &constraint.node_taints_policy),
        ];
        for (member, policy) in policies {
            if let Some(policy) = policy.as_deref().filter(|policy| !matches!(*policy, "Honor" | "Ignore")) {
                errors.push(not_supported(&at.child(member), policy, &["Honor", "Ignore"]));
            }
        }
        validate_spread_keys(constraint, stored, &at, errors);
        if !stored.iter().any(|stored| has_bad_selector(stored.label_selector)) {
            let at = at.child("labelSelector");
            validate_label_selector(constraint.label_selector, SelectorValues::Checked, &at, errors);
        }
    }
}

fn has_bad_selector(selector: Option<&LabelSelector>) -> bool {
    let mut errors = ErrorList::new();
    validate_label_selector(selector, SelectorValues::Checked, &Path::ROOT, &mut errors);
    !errors.is_empty()
}

/// The keys that a server merges into the selector of a constraint. One that is stored with bad keys is judged as before there
/// was merging.
fn validate_spread_keys(
    constraint: &TopologySpreadConstraint,
    stored: &[TopologySpreadConstraint],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let keys = |constraint: &TopologySpreadConstraint, path: &Path<'_>, errors: &mut ErrorList| {
        let keys = constraint.match_label_keys.unwrap_or_default();
        validate_label_keys(keys, &[], constraint.label_selector, path, errors);
    };
    let bad = |stored: &TopologySpreadConstraint| {
        let mut errors = ErrorList::new();
        keys(stored, &Path::ROOT, &mut errors);
        !errors.is_empty()
    };
    if constraint.match_label_keys.is_none_or(<[_]>::is_empty) {
        return;
    }
    if stored.iter().any(bad) {
        validate_unmerged_keys(constraint, &path.child("matchLabelKeys"), errors);
    } else {
        keys(constraint, path, errors);
    }
}

/// No key may stand in the selector too.
fn validate_unmerged_keys(constraint: &TopologySpreadConstraint, path: &Path<'_>, errors: &mut ErrorList) {
    if constraint.label_selector.is_none() {
        errors.push(FieldError::forbidden(path, "must not be specified when labelSelector is not set"));
    }
    let selector = constraint.label_selector;
    let selects = |key: &str| {
        selector.is_some_and(|selector| {
            let mut expressions = selector.match_expressions.into_iter().flatten();
            selector.match_labels.as_ref().is_some_and(|labels| labels.contains_key(key))
                || expressions.any(|expression| expression.key == key)
        })
    };
    for (index, key) in constraint.match_label_keys.into_iter().flatten().enumerate() {
        let at = path.index(index);
        validate_label_key(key, &at, errors);
        if selects(key) {
            let detail = "exists in both matchLabelKeys and labelSelector";
            errors.push(FieldError::invalid(&at, *key, detail).with_origin("duplicatedLabelKeys"));
        }
    }
}

fn validate_min_domains(domains: Option<i32>, action: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(domains) = domains else { return };
    if domains <= 0 {
        errors.push(FieldError::invalid(path, domains, NOT_POSITIVE).with_origin("minimum"));
    }
    if action != "DoNotSchedule" {
        let detail = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
        errors.push(FieldError::invalid(path, domains, detail).with_origin("dependsOn"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn fields(spec: &Value, old: Option<&Value>) -> Vec<String> {
        let typed = |value: &Value| crate::types::read_json::<PodSpec<'_>>(value);
        let mut errors = ErrorList::new();
        let old = old.map(typed);
        validate_scheduling(&typed(spec), old.as_ref(), stored_values(old.as_ref()), &Path::ROOT, &mut errors);
        errors.iter().map(|error| format!("{} {}", error.error_type.api_name(), error.field)).collect()
    }

    fn node_affinity(expression: &Value) -> Value {
        json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
            {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}})
    }

    #[test]
    fn node_selectors_are_checked_operator_by_operator() {
        let at = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]";
        for (operator, values, expected) in [
            ("In", json!(["a"]), None),
            ("Gt", json!(["1"]), None),
            ("Exists", json!([]), None),
            ("NotIn", json!([]), Some("FieldValueRequired values")),
            ("DoesNotExist", json!(["a"]), Some("FieldValueForbidden values")),
            ("Lt", json!(["1", "2"]), Some("FieldValueRequired values")),
            ("Is", json!(["1"]), Some("FieldValueInvalid operator")),
            ("In", json!(["-"]), Some("FieldValueInvalid values[0]")),
        ] {
            let spec = node_affinity(&json!({"key": "k", "operator": operator, "values": values}));
            let expected: Vec<String> = expected
                .iter()
                .filter_map(|line| line.split_once(' '))
                .map(|(kind, member)| format!("{kind} {at}.{member}"))
                .collect();
            assert_eq!(fields(&spec, None), expected, "{operator}");
        }
        let none = json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}});
        assert_eq!(fields(&none, None).len(), 1);
    }

    #[test]
    fn stored_bad_values_may_stay() {
        let bad = |operator: &str| node_affinity(&json!({"key": "k", "operator": operator, "values": ["-"]}));
        assert_eq!(fields(&bad("NotIn"), None).len(), 1);
        assert_eq!(fields(&bad("NotIn"), Some(&bad("In"))), [""; 0]);
        assert_eq!(fields(&bad("NotIn"), Some(&json!({}))).len(), 1);
        let spread = json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"a": "-"}}}]});
        assert_eq!(fields(&spread, None), ["FieldValueInvalid topologySpreadConstraints[0].labelSelector.matchLabels"]);
        assert_eq!(fields(&spread, Some(&spread)), [""; 0]);
    }

    #[test]
    fn pod_terms_need_a_key_and_a_weight() {
        let spec = json!({"affinity": {"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]},
                 "namespaces": ["A"], "matchLabelKeys": ["b"], "mismatchLabelKeys": ["b"]},
                {"topologyKey": "zone", "matchLabelKeys": ["b"]}],
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 101, "podAffinityTerm": {"topologyKey": ""}}]}}});
        let required = "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution";
        let preferred = "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]";
        assert_eq!(
            fields(&spec, None),
            [
                format!("FieldValueInvalid {required}[0].labelSelector.matchExpressions[0].values[0]"),
                format!("FieldValueInvalid {required}[0].namespace"),
                format!("FieldValueInvalid {required}[0].matchLabelKeys[0]"),
                format!("FieldValueForbidden {required}[1].matchLabelKeys"),
                format!("FieldValueInvalid {preferred}.weight"),
                format!("FieldValueRequired {preferred}.podAffinityTerm.topologyKey"),
                format!("FieldValueInvalid {preferred}.podAffinityTerm.topologyKey"),
                format!("FieldValueInvalid {preferred}.podAffinityTerm.topologyKey"),
            ]
        );
    }

    #[test]
    fn spread_constraints_are_checked_one_by_one_and_in_pairs() {
        let spec = json!({"topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "ScheduleAnyway", "minDomains": 0},
            {"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": "X", "nodeTaintsPolicy": "Y"},
            {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "ScheduleAnyway"}]});
        assert_eq!(
            fields(&spec, None),
            [
                "FieldValueDuplicate topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
                "FieldValueInvalid topologySpreadConstraints[0].minDomains",
                "FieldValueInvalid topologySpreadConstraints[0].minDomains",
                "FieldValueInvalid topologySpreadConstraints[1].maxSkew",
                "FieldValueRequired topologySpreadConstraints[1].topologyKey",
                "FieldValueNotSupported topologySpreadConstraints[1].whenUnsatisfiable",
                "FieldValueNotSupported topologySpreadConstraints[1].nodeTaintsPolicy",
            ]
        );
    }
}
