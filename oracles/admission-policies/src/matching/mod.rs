//! Whether a policy or a binding applies to a request.

mod rule;
mod selector;

pub(crate) use selector::{Labels, parse};

use crate::api::{MatchResources, Rule};
use crate::cluster::Cluster;
use crate::request::{Request, Resource};
use selector::Parsed;
use serde_json::Value;

/// What matched.
pub(crate) enum Match {
    /// The request under this resource.
    Yes(Resource),
    /// It applies to other requests.
    No,
}

/// Whether `resources` match the request.
///
/// # Errors
/// Returns what an API server says when it cannot tell.
pub(crate) fn matches(resources: &MatchResources, request: &Request, cluster: &Cluster) -> Result<Match, String> {
    let in_namespace = namespace_matches(resources, request, cluster);
    if in_namespace == Ok(false) {
        return Ok(Match::No);
    }
    let of_object = object_matches(resources, request);
    if of_object == Ok(false) {
        return Ok(Match::No);
    }
    let exact = resources.match_policy.as_deref().is_none_or(|policy| policy == "Exact");
    if by_rules(&resources.exclude_resource_rules, exact, request, cluster).is_some() {
        return Ok(Match::No);
    }
    let matched = if resources.resource_rules.is_empty() {
        Some(request.resource())
    } else {
        by_rules(&resources.resource_rules, exact, request, cluster)
    };
    let Some(matched) = matched else { return Ok(Match::No) };
    // Only a policy that otherwise applies to the request can fail.
    in_namespace?;
    of_object?;
    Ok(Match::Yes(matched))
}

/// Whether a rule names the resource and operation of a request, whatever the name of its object.
pub(crate) fn may_match(resources: &MatchResources, request: &Request, cluster: &Cluster) -> bool {
    let mut under = cluster.equivalents(&request.resource());
    under.push(request.resource());
    resources.resource_rules.iter().any(|rule| under.iter().any(|resource| rule::matches(rule, resource, request)))
}

/// The resource by which a rule matches the request.
fn by_rules(rules: &[Rule], exact: bool, request: &Request, cluster: &Cluster) -> Option<Resource> {
    let own = request.resource();
    let names = |rule: &Rule| rule.resource_names.is_empty() || rule.resource_names.contains(&request.name);
    if rules.iter().any(|rule| rule::matches(rule, &own, request) && names(rule)) {
        return Some(own);
    }
    if exact {
        return None;
    }
    let equivalents = cluster.equivalents(&own);
    let among = |rule: &Rule| equivalents.iter().find(|other| rule::matches(rule, other, request) && names(rule));
    rules.iter().find_map(|rule| among(rule).cloned())
}

fn internal(reason: &str) -> String {
    format!("Internal error occurred: {reason}")
}

fn namespace_matches(resources: &MatchResources, request: &Request, cluster: &Cluster) -> Result<bool, String> {
    let is_namespaces = request.resource == "namespaces";
    if request.namespace.is_empty() && !is_namespaces {
        return Ok(true);
    }
    let Some(selector) = &resources.namespace_selector else {
        return Err(internal("a nil namespace selector was passed, please ensure selectors are initialized properly"));
    };
    let selector = parse(selector).map_err(|error| internal(&error))?;
    if selector.is_empty() {
        return Ok(true);
    }
    if is_namespaces && request.subresource.is_empty() && matches!(request.operation.as_str(), "CREATE" | "UPDATE") {
        return Ok(selector.accepts(&Labels::of(request.object.as_ref())));
    }
    let namespace = cluster.namespace(&request.namespace).ok_or_else(|| not_found(&request.namespace))?;
    Ok(selector.accepts(&Labels::of(Some(&namespace))))
}

/// What API servers say of a namespace that does not exist.
pub(crate) fn not_found(namespace: &str) -> String {
    format!("namespaces {} not found", takeover_cel::scalar::text::quoted(namespace))
}

fn object_matches(resources: &MatchResources, request: &Request) -> Result<bool, String> {
    let Some(selector) = &resources.object_selector else {
        return Err(internal("a nil object selector was passed, please ensure selectors are initialized properly"));
    };
    let selector = parse(selector).map_err(|error| internal(&error))?;
    if selector.is_empty() {
        return Ok(true);
    }
    // The options of a connection have no metadata.
    let has_metadata = request.operation != "CONNECT";
    let accepts = |object: &Option<Value>, selector: &Parsed| {
        object.as_ref().is_some_and(|object| selector.accepts(&Labels::of(Some(object))))
    };
    Ok(has_metadata && (accepts(&request.object, &selector) || accepts(&request.old_object, &selector)))
}
