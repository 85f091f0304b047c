//! From the selectors of a policy and its bindings to labels, namespaces and names on both sides of each.

use super::reader::Comparison;
use super::samples::{ANY, class};
use crate::api::{MatchResources, Selector};
use crate::cluster::Cluster;
use crate::matching::{Labels, parse};
use serde_json::{Value, json};
use takeover_harness::rule::Boundary;

/// The label that API servers give each namespace: its name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";
/// Where the name of the namespace stands.
const NAMESPACE: &str = "metadata.namespace";
/// A namespace that no selector names.
const OTHER_NAMESPACE: &str = "other";
/// Most namespaces that are tried on each side.
const MOST_NAMESPACES: usize = 3;

/// What decides whether a request is matched, apart from its resource and operation.
pub(super) fn comparisons(resources: &MatchResources, cluster: &Cluster) -> Vec<Comparison> {
    let mut found: Vec<Comparison> = resources.object_selector.iter().flat_map(labels).collect();
    found.extend(resources.namespace_selector.as_ref().and_then(|selector| namespaces(selector, cluster)));
    let rules = resources.resource_rules.iter().chain(&resources.exclude_resource_rules);
    found.extend(rules.filter(|rule| !rule.resource_names.is_empty()).map(|rule| {
        let named = rule.resource_names.iter().map(|name| class(format!("named {name}"), false, json!(name)));
        let other = class("another name".to_owned(), true, json!(format!("not-{ANY}")));
        let what = format!("matches {}", rule.resource_names.join(", "));
        Comparison::of_value("metadata.name".to_owned(), what, named.chain([other]).collect())
    }));
    found
}

/// The labels that each requirement of an object selector asks for.
fn labels(selector: &Selector) -> Vec<Comparison> {
    let equal = selector.match_labels.iter().map(|(key, value)| (key, "In", vec![value.clone()]));
    let others = selector.match_expressions.iter();
    let others = others.map(|of| (&of.key, of.operator.as_str(), of.values.clone()));
    let of_key = |(key, operator, values): (&String, &str, Vec<String>)| {
        let with = |value: &str, breaks: bool| class(format!("{key}={value}"), breaks, json!({key.as_str(): value}));
        let without = |breaks: bool| class(format!("without {key}"), breaks, json!({format!("not-{ANY}"): ANY}));
        let boundaries: Vec<Boundary> = match operator {
            "In" | "NotIn" => {
                let is_in = operator == "In";
                let named = values.iter().map(|value| with(value, !is_in));
                named.chain([with(&format!("not-{ANY}"), is_in), without(is_in)]).collect()
            }
            "Exists" | "DoesNotExist" => {
                let exists = operator == "Exists";
                vec![with(ANY, !exists), without(exists)]
            }
            _ => return None,
        };
        let what = format!("matches {key} {operator} {}", values.join(", "));
        let path = "metadata.labels".to_owned();
        Some(Comparison {
            key: Some(key.clone()),
            ..Comparison::of_value(path, what.trim_end().to_owned(), boundaries)
        })
    };
    equal.chain(others).filter_map(of_key).collect()
}

/// Whether a namespace selector accepts all known namespaces, or none, as its comparison shows.
pub(super) fn selects_alike(comparison: &Comparison) -> bool {
    let has = |breaks: bool| comparison.boundaries.iter().any(|boundary| boundary.breaks == breaks);
    comparison.path == NAMESPACE && !(has(true) && has(false))
}

/// Namespaces that a selector accepts and rejects; none if it accepts all or makes no sense.
fn namespaces(selector: &Selector, cluster: &Cluster) -> Option<Comparison> {
    let parsed = parse(selector).ok().filter(|parsed| !parsed.is_empty())?;
    let named = selector.match_labels.get(NAME_LABEL).into_iter();
    let listed = selector.match_expressions.iter().filter(|of| of.key == NAME_LABEL).flat_map(|of| &of.values);
    let known = cluster.objects("v1", "Namespace").into_iter();
    let known = known.filter_map(|namespace| namespace.pointer("/metadata/name").and_then(Value::as_str));
    let mut names: Vec<&str> = named.chain(listed).map(String::as_str).chain(known).chain([OTHER_NAMESPACE]).collect();
    names.sort_unstable();
    names.dedup();
    let (accepted, rejected): (Vec<&str>, Vec<&str>) = names
        .into_iter()
        .filter_map(|name| Some((name, cluster.namespace(name)?)))
        .map(|(name, namespace)| (name, parsed.accepts(&Labels::of(Some(&namespace)))))
        .fold((Vec::new(), Vec::new()), |(mut accepted, mut rejected), (name, accepts)| {
            if accepts {
                accepted.push(name)
            } else {
                rejected.push(name)
            }
            (accepted, rejected)
        });
    let classes = |names: Vec<&str>, breaks: bool| {
        let names = names.into_iter().take(MOST_NAMESPACES);
        names.map(|name| class(format!("in {name}"), breaks, json!(name))).collect::<Vec<_>>()
    };
    let boundaries = [classes(accepted, false), classes(rejected, true)].concat();
    Some(Comparison::of_value(NAMESPACE.to_owned(), "matches the namespace".to_owned(), boundaries))
}
