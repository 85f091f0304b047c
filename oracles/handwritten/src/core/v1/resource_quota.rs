//! `v1` ResourceQuota and its `/status`.

use super::part_defaults::default_resources;
use super::resources::{Pages, is_standard, validate_amount, validate_any_resource_name};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::{IMMUTABLE, text};
use crate::types::Map;
use crate::types::Quantity;
use crate::types::core::v1::{ResourceQuota, ResourceQuotaSpec, ScopeSelector, ScopedResourceSelectorRequirement};
use serde_json::json;
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::path::Path;

/// Amounts by resource.
type Amounts<'a> = Map<'a, Quantity<'a>>;

/// How quotas are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// What a pod as such takes.
const OF_PODS: [&str; 7] = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
/// What a claim takes.
const OF_CLAIMS: [&str; 2] = ["persistentvolumeclaims", "requests.storage"];
/// Scopes of which no object has both.
const OPPOSITES: [[&str; 2]; 2] = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];

/// Judges ResourceQuotas as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct ResourceQuotas;

impl Served for ResourceQuotas {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|quota| {
        quota.edit("spec", |spec| default_resources(spec, "hard"));
        quota.edit("status", |status| ["hard", "used"].into_iter().for_each(|list| default_resources(status, list)));
    });
    const PREPARE: Option<Prepare> = Some(|new, old, subresource| match old {
        None => new.clear("status"),
        Some(old) => new.copy(if subresource.is_empty() { "status" } else { "spec" }, old),
    });
}

impl Checks for ResourceQuotas {
    type Object<'a> = ResourceQuota<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &ResourceQuota, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(spec(new), errors);
        validate_status(new, errors);
    }

    fn update(new: &ResourceQuota, old: &ResourceQuota, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if request.subresource.is_empty() {
            validate_spec(spec(new), errors);
            let [scopes, before] = [new, old].map(|quota| spec(quota).scopes);
            let [now, stored] = [scopes, before].map(|scopes| scopes.into_iter().flatten().collect::<BTreeSet<_>>());
            if now != stored {
                let path = Path::ROOT.child("spec");
                errors.push(FieldError::invalid(&path.child("scopes"), list(scopes), IMMUTABLE));
            }
        } else {
            if text(new.metadata.resource_version).is_empty() {
                errors.push(FieldError::required(&Path::ROOT.child("resourceVersion"), ""));
            }
            validate_status(new, errors);
        }
    }
}

/// The spec, which a quota need not have.
fn spec<'a>(quota: &ResourceQuota<'a>) -> &'a ResourceQuotaSpec<'a> {
    const NONE: &ResourceQuotaSpec<'_> = &ResourceQuotaSpec { hard: None, scope_selector: None, scopes: None };
    quota.spec.unwrap_or(NONE)
}

fn validate_amounts(amounts: Option<&Amounts>, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, quantity) in amounts.into_iter().flatten() {
        let at = path.key(name);
        validate_any_resource_name(name, &at, errors);
        if !name.contains('/') && !is_quota(name) {
            errors.push(FieldError::invalid(&at, name, "must be a standard resource for quota"));
        }
        validate_amount(name, quantity, Pages::Partial, &at, errors);
    }
}

/// Whether Kubernetes itself counts a resource of this name.
fn is_quota(name: &str) -> bool {
    is_standard(name) && name != "storage"
}

fn validate_status(quota: &ResourceQuota, errors: &mut ErrorList) {
    let path = Path::ROOT.child("status");
    if let Some(status) = quota.status {
        validate_amounts(status.hard.as_ref(), &path.child("hard"), errors);
        validate_amounts(status.used.as_ref(), &path.child("used"), errors);
    }
}

fn validate_spec(spec: &ResourceQuotaSpec, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    validate_amounts(spec.hard.as_ref(), &path.child("hard"), errors);
    let scopes = spec.scopes.unwrap_or_default();
    let at = path.child("scopes");
    for scope in scopes {
        if !is_scope(scope) {
            errors.push(FieldError::invalid(&at, list(Some(scopes)), "unsupported scope"));
        }
        for _ in beyond(spec, scope) {
            errors.push(FieldError::invalid(&at, list(Some(scopes)), "unsupported scope applied to resource"));
        }
    }
    validate_opposites(scopes.iter().copied(), spec, &at, errors);
    if let Some(selector) = spec.scope_selector {
        let path = path.child("scopeSelector");
        validate_selector(selector, spec, &path.child("matchExpressions"), errors);
    }
}

/// The limited resources of which objects of this scope take none.
fn beyond<'a>(spec: &ResourceQuotaSpec<'a>, scope: &str) -> impl Iterator<Item = &'a str> {
    let taken: Option<&[&str]> = match scope {
        "Terminating" | "NotTerminating" | "NotBestEffort" | "PriorityClass" | "CrossNamespacePodAffinity" => {
            Some(&OF_PODS)
        }
        "BestEffort" => Some(&["pods"]),
        "VolumeAttributesClass" => Some(&OF_CLAIMS),
        _ => None,
    };
    let limited = spec.hard.into_iter().flat_map(Map::keys).filter(|name| is_quota(name));
    limited.filter(move |name| taken.is_some_and(|taken| !taken.contains(name)))
}

fn is_scope(name: &str) -> bool {
    name == "PriorityClass" || name == "VolumeAttributesClass" || is_valueless(name)
}

/// Whether an object has this property or not, without values.
fn is_valueless(scope: &str) -> bool {
    scope == "CrossNamespacePodAffinity" || OPPOSITES.as_flattened().contains(&scope)
}

fn validate_opposites<'a>(
    scopes: impl Iterator<Item = &'a str> + Clone,
    spec: &ResourceQuotaSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for pair in OPPOSITES {
        if pair.iter().all(|opposite| scopes.clone().any(|scope| scope == *opposite)) {
            // Kubernetes shows these scopes even where others are selected.
            errors.push(FieldError::invalid(path, list(spec.scopes), "conflicting scopes"));
        }
    }
}

fn validate_selector(selector: &ScopeSelector, spec: &ResourceQuotaSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let requirements = selector.match_expressions.unwrap_or_default();
    for requirement in requirements {
        let (scope, operator) = (requirement.scope_name, requirement.operator);
        if !is_scope(scope) {
            errors.push(FieldError::invalid(&path.child("scopeName"), scope, "unsupported scope"));
        }
        for _ in beyond(spec, scope) {
            let detail = "unsupported scope applied to resource";
            errors.push(FieldError::invalid(path, internal_form(selector), detail));
        }
        if is_valueless(scope) && operator != "Exists" {
            let detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                          ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                          ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
            errors.push(FieldError::invalid(&path.child("operator"), operator, detail));
        }
        validate_values(requirement, path, errors);
    }
    validate_opposites(requirements.iter().map(|requirement| requirement.scope_name), spec, path, errors);
}

fn validate_values(requirement: &ScopedResourceSelectorRequirement, path: &Path<'_>, errors: &mut ErrorList) {
    let values = requirement.values;
    let none = values.is_none_or(<[_]>::is_empty);
    match requirement.operator {
        "In" | "NotIn" if none => {
            let detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
            errors.push(FieldError::required(&path.child("values"), detail));
        }
        "Exists" | "DoesNotExist" if !none => {
            let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
            errors.push(FieldError::invalid(&path.child("values"), list(values), detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        operator => {
            errors.push(FieldError::invalid(&path.child("operator"), operator, "not a valid selector operator"));
        }
    }
}

fn list(items: Option<&[&str]>) -> BadValue {
    items.map_or(BadValue::Null, |items| BadValue::json(json!(items)))
}

/// Errors show the server's internal struct, whose members have Go's names.
fn internal_form(selector: &ScopeSelector) -> BadValue {
    let form = |requirement: &ScopedResourceSelectorRequirement| json!({"ScopeName": requirement.scope_name, "Operator": requirement.operator, "Values": requirement.values});
    let requirements = selector.match_expressions;
    let requirements = requirements.map(|all| BadValue::json(all.iter().map(form).collect()));
    BadValue::Struct(vec![("MatchExpressions", requirements.into())])
}
