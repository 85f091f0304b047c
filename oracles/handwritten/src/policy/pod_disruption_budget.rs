//! PodDisruptionBudget.

use crate::conditions::validate_conditions;
use crate::int_or_percent::{shown, validate_at_most_all, validate_int_or_percent};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::Scope;
use crate::prepare::count_spec_changes;
use crate::report::{Covered, non_negative, not_supported};
use crate::selector::{SelectorValues, can_select, selector_form, validate_label_selector};
use crate::types::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// What an empty selector of `policy/v1beta1` is stored as: a requirement of this key.
const OLD_EMPTY_SELECTOR: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
const EVICTION_POLICIES: [&str; 2] = ["AlwaysAllow", "IfHealthyBudget"];

/// Judges PodDisruptionBudgets as a Kubernetes 1.36 server does. The kind has no rule of its own for its metadata.
#[derive(Clone, Copy, Debug)]
pub struct PodDisruptionBudgets;

impl Served for PodDisruptionBudgets {
    type Kind = Self;

    const PREPARE: Option<Prepare> = Some(prepare);
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(|budget| {
        budget.edit_if_set("spec", |spec| spec.edit_if_set("selector", drop_old_empty_selector));
    });
}

/// A budget starts without status; afterwards `/status` changes that alone, and nothing else does.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        Some(old) if subresource == "status" => {
            new.copy("spec", old);
            return;
        }
        Some(old) => new.copy("status", old),
        None => new.clear("status"),
    }
    count_spec_changes(new, old, subresource);
}

/// The key that stands for an empty selector of the older version is nobody's to combine with others: alone it stays, and
/// selects nothing.
fn drop_old_empty_selector(selector: &mut Edit<'_>) {
    const LIST: &str = "matchExpressions";
    let requirements = || selector.elements(LIST);
    let is_old = |requirement: &Edit<'_>| requirement.text("key") == OLD_EMPTY_SELECTOR;
    let nothing = selector.get("matchLabels").entries().is_empty()
        && requirements().count() == 1
        && requirements().all(|requirement| {
            is_old(&requirement)
                && requirement.text("operator") == "Exists"
                && requirement.get("values").items().is_empty()
        });
    if nothing || !requirements().any(|requirement| is_old(&requirement)) {
        return;
    }
    let items = selector.get(LIST);
    let kept = items.items().iter().zip(requirements()).filter(|(_, requirement)| !is_old(requirement));
    let kept: Vec<Node<'_>> = kept.map(|(item, _)| *item).collect();
    let kept = selector.arena().alloc_slice_copy(&kept);
    selector.set(LIST, Node::List(kept));
}

impl Checks for PodDisruptionBudgets {
    type Object<'a> = PodDisruptionBudget<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const UNCONDITIONAL_UPDATE: bool = false;
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &PodDisruptionBudget, _: &Request<'_>, errors: &mut ErrorList) {
        validate_spec(new.spec, SelectorValues::Checked, errors);
    }

    fn update(new: &PodDisruptionBudget, old: &PodDisruptionBudget, request: &Request<'_>, errors: &mut ErrorList) {
        if request.subresource == "status" {
            validate_status(new.status, errors);
        } else {
            validate_spec(new.spec, tolerated(old), errors);
        }
    }
}

/// Any fault of the stored selector excuses bad values.
fn tolerated(old: &PodDisruptionBudget) -> SelectorValues {
    let selector = old.spec.and_then(|spec| spec.selector);
    if selector.is_none_or(can_select) { SelectorValues::Checked } else { SelectorValues::Tolerated }
}

fn validate_spec(spec: Option<&PodDisruptionBudgetSpec>, values: SelectorValues, errors: &mut ErrorList) {
    let Some(spec) = spec else { return };
    let path = Path::ROOT.child("spec");
    if spec.min_available.is_some() && spec.max_unavailable.is_some() {
        let detail = "minAvailable and maxUnavailable cannot be both set";
        errors.push(FieldError::invalid(&path, internal_form(spec), detail));
    }
    for (bound, name) in [(&spec.min_available, "minAvailable"), (&spec.max_unavailable, "maxUnavailable")] {
        if let Some(bound) = bound {
            let at = path.child(name);
            validate_int_or_percent(bound, &at, errors);
            validate_at_most_all(bound, &at, errors);
        }
    }
    validate_label_selector(spec.selector, values, &path.child("selector"), errors);
    if let Some(policy) = spec.unhealthy_pod_eviction_policy
        && !EVICTION_POLICIES.contains(&policy)
    {
        errors.push(not_supported(&path.child("unhealthyPodEvictionPolicy"), policy, &EVICTION_POLICIES));
    }
}

fn validate_status(status: Option<&PodDisruptionBudgetStatus>, errors: &mut ErrorList) {
    let Some(status) = status else { return };
    let path = Path::ROOT.child("status");
    validate_conditions(status.conditions.unwrap_or_default(), &path.child("conditions"), errors);
    for (count, name) in [
        (status.disruptions_allowed, "disruptionsAllowed"),
        (status.current_healthy, "currentHealthy"),
        (status.desired_healthy, "desiredHealthy"),
        (status.expected_pods, "expectedPods"),
    ] {
        non_negative(count.into(), &path.child(name), Covered::No, errors);
    }
}

/// Errors show the server's internal struct, whose members have Go's names; the selector in it is the one of the API.
fn internal_form(spec: &PodDisruptionBudgetSpec) -> BadValue {
    BadValue::Struct(vec![
        ("MinAvailable", spec.min_available.as_ref().map(shown).into()),
        ("Selector", selector_form(spec.selector)),
        ("MaxUnavailable", spec.max_unavailable.as_ref().map(shown).into()),
        ("UnhealthyPodEvictionPolicy", spec.unhealthy_pod_eviction_policy.into()),
    ])
}
