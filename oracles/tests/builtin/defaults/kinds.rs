//! The defaults of built-in kinds.

use super::shop::case;
use serde_json::{Value, json};
use std::sync::Arc;
use takeover_harness::case::{Case, Payload};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome};
use takeover_harness::object::{Arena, from_value, identical};
use takeover_harness::rule::{Law, Sample};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults;
use takeover_oracles::registry::Registry;

#[test]
fn a_service_is_compared_and_a_config_map_has_no_defaults() {
    let registry = Registry::of_builtin().unwrap();
    let id = |kind: &str| PairId::named(SubjectId::new("v1", kind), defaults::NAME).unwrap();
    let paths: Vec<String> = registry
        .pair(&id("Service"))
        .unwrap()
        .rules
        .iter()
        .filter(|rule| rule.law.is_none())
        .map(|rule| rule.path.clone())
        .collect();
    assert_eq!(paths, ["spec.ports[*].protocol"]);
    assert!(registry.pair(&id("ConfigMap")).is_err());
    // A kind with code and without markers has laws only.
    let slice = PairId::named(SubjectId::new("discovery.k8s.io/v1", "EndpointSlice"), defaults::NAME).unwrap();
    assert!(registry.pair(&slice).unwrap().rules.iter().all(|rule| rule.law.is_some()));
    let all: Vec<String> = registry.defaulting().iter().map(ToString::to_string).collect();
    assert!(all.len() > 15 && all.contains(&"v1 Pod".to_owned()), "{all:?}");
}

#[test]
fn a_law_that_nothing_tries_is_not_among_the_rules() {
    let laws = |kind: &str| -> Vec<Law> {
        let id = PairId::named(SubjectId::new("v1", kind), defaults::NAME).unwrap();
        Registry::of_builtin().unwrap().pair(&id).unwrap().rules.iter().filter_map(|rule| rule.law).collect()
    };
    assert_eq!(laws("Service"), Law::OF_DEFAULTS);
    // Takeover has no validator for Pods.
    assert_eq!(laws("Pod"), [Law::Twice, Law::Order, Law::Kept, Law::Later, Law::Independent]);
}

/// The object that `docs/defaults.md` shows, and what the page says of it.
#[test]
fn the_example_of_the_page_is_true() {
    let page = include_str!("../../../../docs/defaults.md").replace("\r\n", "\n");
    let object: Value =
        serde_json::from_str(page.split("```").find_map(|block| block.strip_prefix("json")).unwrap()).unwrap();
    let registry = Registry::of_builtin().unwrap();
    let pair = registry.pair(&PairId::named(SubjectId::new("v1", "Service"), defaults::NAME).unwrap()).unwrap();
    let case = Case { object: Payload::Value(Arc::new(object)), ..case(json!({})) };
    let mut record = CaseRecord::new();
    let judged = Judge::new(&pair).case(&case, &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(Outcome::Extra)), "{judged:?}");
    let mut fields: Vec<&str> = record.differences.iter().map(|difference| difference.what.field()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["spec.ports[0].targetPort", "spec.sessionAffinityConfig"]);
    let of = |field: &str| record.reference.errors.iter().find(|error| error.field == field).unwrap();
    let (protocol, target) = (of("spec.ports[0].protocol"), of("spec.ports[0].targetPort"));
    assert!(protocol.covered_by_declarative && protocol.origin == "default=\"TCP\"", "{protocol}");
    assert!(!target.covered_by_declarative && target.detail.ends_with("80"), "{target}");
    let broken = |field: &str| record.candidate.errors.iter().find(|error| error.field == field).unwrap();
    for error in [protocol, broken("spec.sessionAffinityConfig"), broken("spec.ports[0].targetPort")] {
        assert!(page.contains(error.field.as_str()) && page.contains(error.origin.as_ref()), "{error}");
    }
}

/// KEP-575 asks that defaulting be considerably faster than a deep copy: nothing is copied where nothing is set.
#[test]
fn an_object_that_has_its_defaults_is_not_copied() {
    let registry = Registry::of_builtin().unwrap();
    let schema = registry.schema();
    let template = json!({"metadata": {"labels": {"app": "one"}}, "spec": {
        "containers": [{
            "name": "one", "image": "example.com/one:1", "ports": [{"containerPort": 80}],
            "resources": {"limits": {"cpu": "100m", "memory": "20Gi"}},
            "livenessProbe": {"httpGet": {"port": 80}},
            "env": [{"name": "ONE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        }],
        "volumes": [{"name": "one"}, {"name": "two", "secret": {"secretName": "two"}}],
    }});
    let kinds = [("v1", "ReplicationController"), ("apps/v1", "Deployment"), ("apps/v1", "DaemonSet"), ("v1", "Pod")];
    for (api_version, kind) in kinds {
        let id = SubjectId::new(api_version, kind);
        let (root, defaulter) = (registry.root(api_version, kind).unwrap(), registry.defaults(&id).unwrap());
        let (arena, spare) = (Arena::new(), Arena::new());
        let spec = if kind == "Pod" { template["spec"].clone() } else { json!({"template": &template}) };
        let object = json!({"apiVersion": api_version, "kind": kind, "spec": spec});
        let node = from_value(schema, root, &object, &arena).unwrap();
        let once = defaulter.apply(schema, root, node, &arena);
        let twice = defaulter.apply(schema, root, once, &spare);
        assert!(identical(&once, &twice) && !identical(&node, &once), "{id}");
        assert_eq!(spare.allocated_bytes(), 0, "{id}");
    }
}

#[test]
fn the_generator_knows_on_which_values_defaults_depend() {
    let registry = Registry::of_builtin().unwrap();
    for (api_version, kind, path, values) in [
        ("v1", "Pod", "spec.containers[*].image", &["a", "a:1", "a:latest"][..]),
        ("apps/v1", "Deployment", "spec.template.spec.initContainers[*].image", &["a"]),
        ("batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec.volumes[*].image.reference", &["a"]),
        ("v1", "Service", "spec.type", &["ExternalName", "NodePort"]),
        ("v1", "ReplicationController", "spec.template.spec.ephemeralContainers[*].image", &["a"]),
    ] {
        let pair = registry.defaults_pair(&SubjectId::new(api_version, kind)).unwrap();
        let rule = pair.baseline.iter().find(|rule| rule.path == path);
        let samples: Vec<&Sample> = rule.into_iter().flat_map(|rule| &rule.boundaries).map(|of| &of.sample).collect();
        assert!(values.iter().all(|text| samples.contains(&&Sample::Value((*text).into()))), "{samples:?}");
        assert!(samples.contains(&&Sample::Absent));
    }
}
