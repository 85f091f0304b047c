//! The laws of server-side apply: the objects that keep them, those that break them, and the faults that are found by them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{Cause, Difference, What};
use takeover_harness::control::Control;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Oracle};
use takeover_harness::pair::Pair;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::apply::{EXTRACTED, NAME, OBJECT, VERDICT};
use takeover_oracles::registry::Registry;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::of_builtin().unwrap());

fn pair(api_version: &str, kind: &str) -> Pair {
    REGISTRY.pair(&PairId::named(SubjectId::new(api_version, kind), NAME).unwrap()).unwrap()
}

fn case(object: &Value, old: Option<&Value>) -> Case<'static> {
    let payload = |object: &Value| Payload::Value(Arc::new(object.clone()));
    Case {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        object: payload(object),
        old: old.map(payload),
        options: Options::new(),
        provenance: Provenance::File { path: "test".to_owned(), document: 1, line: 1 },
    }
}

/// Where a law is broken: fields, with the origin and detail of each error.
fn broken(pair: &Pair, object: &Value, old: Option<&Value>) -> Vec<[String; 3]> {
    let mut record = CaseRecord::new();
    let judged = Judge::new(pair).case(&case(object, old), &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(_)), "{judged:?}");
    let errors = record.differences.iter().filter_map(|difference| match &difference.what {
        What::Error(error) => Some([error.field.clone(), error.origin.to_string(), error.detail.to_string()]),
        _ => None,
    });
    errors.collect()
}

fn service(spec: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop", "namespace": "default"}, "spec": spec})
}

fn deployment(spec: Value) -> Value {
    let metadata = json!({"name": "shop", "namespace": "default", "labels": {"a": "1", "b": "2"}});
    let mut object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {
        "selector": {"matchLabels": {"app": "shop"}}, "template": {"metadata": {"labels": {"app": "shop"}},
        "spec": {"containers": [{"name": "one", "image": "shop:1", "resources": {"limits": {"cpu": "1000m"}}},
            {"name": "two", "image": "shop:2", "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]}],
            "volumes": [{"name": "tmp", "emptyDir": {}}]}}}});
    for (name, value) in spec.as_object().unwrap() {
        object["spec"][name] = value.clone();
    }
    object
}

#[test]
fn ordinary_objects_keep_every_law() {
    let deployments = pair("apps/v1", "Deployment");
    let (one, other) = (deployment(json!({"replicas": 0, "paused": true})), deployment(json!({"replicas": 3})));
    assert_eq!(broken(&deployments, &one, None), Vec::<[String; 3]>::new());
    assert_eq!(broken(&deployments, &other, Some(&one)), Vec::<[String; 3]>::new());
    let services = pair("v1", "Service");
    let ports = json!([{"port": 80, "name": "a"}, {"port": 80, "protocol": "UDP", "name": "b"}]);
    let one = service(&json!({"selector": {"a": "1"}, "ports": ports}));
    let other = service(&json!({"selector": {"b": "1"}, "ports": [{"port": 81, "name": "a"}]}));
    assert_eq!(broken(&services, &one, None), Vec::<[String; 3]>::new());
    assert_eq!(broken(&services, &other, Some(&one)), Vec::<[String; 3]>::new());
}

/// An update that leaves out the default of another strategy loses it; an apply keeps it, and is rejected.
#[test]
fn a_default_that_stays_after_an_apply_is_found_at_its_field_with_the_other_verdict() {
    let deployments = pair("apps/v1", "Deployment");
    let new = deployment(json!({"strategy": {"type": "Recreate"}}));
    let found = broken(&deployments, &new, Some(&deployment(json!({}))));
    let of = |origin: &str| -> BTreeSet<String> {
        found.iter().filter(|of| of[1] == origin).map(|of| of[0].clone()).collect()
    };
    assert_eq!(of(VERDICT), ["spec.strategy.rollingUpdate".to_owned()].into(), "{found:?}");
    assert!(of(OBJECT).iter().all(|field| field.starts_with("spec.strategy.rollingUpdate")), "{found:?}");
    assert!(!of(OBJECT).is_empty());
}

/// Validation accepts two variables of one name, and an apply of them is refused.
#[test]
fn items_without_keys_of_their_own_are_found_where_validation_accepts_them() {
    let deployments = pair("apps/v1", "Deployment");
    let mut twice = deployment(json!({}));
    twice["spec"]["template"]["spec"]["containers"][0]["env"] = json!([{"name": "A", "value": "1"}, {"name": "A"}]);
    let found = broken(&deployments, &twice, None);
    let [[field, origin, detail]] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(field, "spec.template.spec.containers[0].env[1]");
    assert_eq!(origin, VERDICT);
    assert!(detail.contains("duplicate entries for key [name=\"A\"]"), "{detail}");
}

/// Why laws are broken: fields, with the cause of each.
fn causes(pair: &Pair, object: &Value, old: Option<&Value>) -> BTreeSet<(String, Cause)> {
    let mut record = CaseRecord::new();
    let judged = Judge::new(pair).case(&case(object, old), &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(_)), "{judged:?}");
    let of = |difference: &Difference| (difference.what.field().to_owned(), difference.cause.unwrap());
    record.differences.iter().map(of).collect()
}

/// The smallest objects that break a law in a way that servers are known for: version and kind, object before, object, field, cause.
type Row = (&'static str, &'static str, Option<Value>, Value, &'static str, Cause);

#[test]
fn each_known_way_to_break_a_law_is_named_at_its_field() {
    let containers = |container: Value| json!({"template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": [container]}}});
    let probed = containers(json!({"name": "one", "livenessProbe": {}}));
    let field_ref = json!([{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]);
    let rounded = json!({"limits": {"cpu": "0.1m"}});
    let driver = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "a"}});
    let policy = json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "a"}});
    let with_spec = |object: &Value, spec: Value| {
        let mut object = object.clone();
        object["spec"] = spec;
        object
    };
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a", "namespace": "b"}, "secrets": [{}]});
    let controller = |containers: Value| {
        json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "b"},
            "spec": {"template": {"spec": {"containers": containers}}}})
    };
    let selecting = |template: Value| {
        json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "b"},
            "spec": {"selector": {"app": ""}, "template": template}})
    };
    let volume_of = |mut object: Value, volume: Value| {
        object["spec"]["template"]["spec"]["volumes"] = json!([volume]);
        object
    };
    let volume = |volume: Value| volume_of(deployment(json!({})), volume);
    let daemons = |volume: Value| {
        let mut object = volume_of(deployment(json!({})), volume);
        object["kind"] = json!("DaemonSet");
        object
    };
    let claim = json!({"apiVersion": "resource.k8s.io/v1beta2", "kind": "ResourceClaim",
        "metadata": {"name": "a", "namespace": "b"},
        "status": {"allocation": {"devices": {"config": [{"opaque": {"parameters": ""}}]}}}});
    let rows: [Row; 17] = [
        // Also where the member that was applied takes defaults of its own.
        (
            "apps/v1",
            "Deployment",
            Some(volume(json!({"name": "one"}))),
            volume(json!({"name": "one", "secret": {}})),
            "spec.template.spec.volumes[0].emptyDir",
            Cause::StaleDefault,
        ),
        // The volume has a name too, so that of the ConfigMap is extracted.
        (
            "apps/v1",
            "DaemonSet",
            Some(daemons(json!({"name": "one", "configMap": {"name": "a"}}))),
            daemons(json!({"name": "one", "configMap": {}})),
            "spec.template.spec.volumes[0].configMap.name",
            Cause::FilledStruct,
        ),
        (
            "resource.k8s.io/v1beta2",
            "ResourceClaim",
            None,
            claim,
            "status.allocation.devices.config[0].opaque.parameters",
            Cause::OtherJsonType,
        ),
        ("v1", "ServiceAccount", None, account, "secrets[0]", Cause::MissingKey),
        (
            "apps/v1",
            "Deployment",
            None,
            deployment(probed),
            "spec.template.spec.containers[0].livenessProbe",
            Cause::FilledStruct,
        ),
        (
            "apps/v1",
            "Deployment",
            None,
            deployment(containers(json!({"name": "one", "env": field_ref}))),
            "spec.template.spec.containers[0].env[0].valueFrom.fieldRef.apiVersion",
            Cause::AtomicDefault,
        ),
        (
            "v1",
            "Service",
            None,
            service(&json!({"sessionAffinityConfig": {}})),
            "spec.sessionAffinityConfig",
            Cause::ChangedByDefault,
        ),
        (
            "apps/v1",
            "Deployment",
            None,
            deployment(containers(json!({"name": "one", "resources": rounded}))),
            "spec.template.spec.containers[0].resources.limits[cpu]",
            Cause::ChangedByDefault,
        ),
        (
            "apps/v1",
            "Deployment",
            Some(deployment(json!({}))),
            deployment(json!({"strategy": {"type": "Recreate"}})),
            "spec.strategy.rollingUpdate",
            Cause::StaleDefault,
        ),
        ("v1", "ReplicationController", None, controller(json!([])), "spec.template", Cause::UnownedStruct),
        // Nobody owns the struct that is sent, so it goes with what was applied before.
        (
            "v1",
            "ReplicationController",
            Some(controller(json!([{"name": "one"}]))),
            controller(json!([])),
            "spec.template",
            Cause::UnownedStruct,
        ),
        (
            "v1",
            "ReplicationController",
            Some(selecting(json!({}))),
            selecting(json!({"spec": {"containers": []}})),
            "spec.template",
            Cause::UnownedStruct,
        ),
        (
            "storage.k8s.io/v1",
            "CSIDriver",
            Some(driver.clone()),
            with_spec(&driver, json!({"volumeLifecycleModes": ["a"]})),
            "spec.volumeLifecycleModes",
            Cause::StaleDefault,
        ),
        (
            "networking.k8s.io/v1",
            "NetworkPolicy",
            None,
            policy.clone(),
            "metadata.managedFields",
            Cause::BeforeFirstApply,
        ),
        (
            "networking.k8s.io/v1",
            "NetworkPolicy",
            Some(policy.clone()),
            with_spec(&policy, json!({"policyTypes": ["Egress"]})),
            "spec.policyTypes",
            Cause::BeforeFirstApply,
        ),
        (
            "apps/v1",
            "Deployment",
            None,
            deployment(containers(json!({"name": "one", "image": "shop:1", "env": [{"name": "A"}, {"name": "A"}]}))),
            "spec.template.spec.containers[0].env[1]",
            Cause::DuplicateKey,
        ),
        (
            "apps/v1",
            "Deployment",
            Some(deployment(json!({}))),
            deployment(json!({"template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": []}}})),
            "spec.template.spec.containers",
            Cause::EmptiedList,
        ),
    ];
    for (api_version, kind, old, object, field, cause) in rows {
        let found = causes(&pair(api_version, kind), &object, old.as_ref());
        assert!(found.iter().any(|of| of.0.starts_with(field) && of.1 == cause), "{object}: {found:?}");
        assert!(found.iter().all(|of| of.1 != Cause::BreaksLaw), "{object}: {found:?}");
    }
}

/// What a client leaves unset, Go writes as zero: nobody owns it, and another may set it.
#[test]
fn zeros_that_go_writes_unasked_are_no_conflict() {
    let signing = |spec: Value| json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "a"}, "spec": spec});
    let requests = pair("certificates.k8s.io/v1", "CertificateSigningRequest");
    let found = broken(&requests, &signing(json!({"signerName": "b.com/b"})), Some(&signing(json!({}))));
    assert_eq!(found, Vec::<[String; 3]>::new());
}

/// A pointer that an update leaves unset is null where its type has no `omitempty`, and belongs to who updated.
#[test]
fn a_null_in_an_item_is_a_conflict_with_its_owner() {
    let workload = |template: Value| {
        json!({"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "Workload", "metadata": {"name": "a", "namespace": "b"},
            "spec": {"podGroupTemplates": [template]}})
    };
    let (old, new) = (json!({"name": "one"}), json!({"name": "one", "schedulingConstraints": {}}));
    let found = broken(&pair("scheduling.k8s.io/v1alpha2", "Workload"), &workload(new), Some(&workload(old)));
    assert_eq!(found, Vec::<[String; 3]>::new());
}

/// Requests name their object in the path, where a server refuses the namespace of one that has none.
#[test]
fn objects_of_requests_have_the_name_of_their_path() {
    let roles = pair("rbac.authorization.k8s.io/v1", "ClusterRole");
    let role = |metadata: Value| json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata, "rules": []});
    for metadata in [json!({"name": "a", "namespace": "b"}), json!({"namespace": "b"}), json!({})] {
        assert_eq!(broken(&roles, &role(metadata.clone()), None), Vec::<[String; 3]>::new(), "{metadata}");
    }
}

/// Go writes pointers to empty structs and JSON of no type as `{}`, and leaves out empty maps.
#[test]
fn empty_structs_and_json_are_extracted_and_empty_maps_are_not_applied() {
    let class = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "a"},
        "spec": {"config": [{"opaque": {"driver": "x.com", "parameters": {}}}]}});
    let group = json!({"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
        "metadata": {"name": "a", "namespace": "b"}, "spec": {"schedulingPolicy": {"basic": {}}}});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"},
        "status": {"nodeAllocatableResourceClaimStatuses": [{"resources": {}}]}});
    for object in [class, group, pod] {
        let pair = pair(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap());
        let found = broken(&pair, &object, None);
        assert!(found.iter().all(|of| of[1] != EXTRACTED), "{object}: {found:?}");
    }
}

/// What the planted faults are called, by whether these cases expose them.
fn exposed(pair: &Pair, cases: &[Case]) -> (BTreeSet<String>, BTreeSet<String>) {
    let controls = pair.controls.as_ref().unwrap();
    let mut exposure = controls.exposure();
    for case in cases {
        let arena = Arena::new();
        let prepared = pair.prepare(case, &arena).unwrap();
        let mut answer = Answer::new();
        pair.candidate.answer(&prepared.question, &prepared.views.candidate, &mut answer).unwrap();
        controls.judge(&prepared.question, &prepared.views.candidate, &answer, &mut exposure);
    }
    let mut split = (BTreeSet::new(), BTreeSet::new());
    for (at, control) in controls.catalogue().iter().enumerate() {
        let side = if exposure.contains(at) { &mut split.0 } else { &mut split.1 };
        side.insert(format!("{}: {}", pair.rules[control.rule.index()].chain, control.name));
    }
    split
}

/// Three requests about Deployments that differ in zeros, keys, atomic lists and maps.
fn telling() -> [Case<'static>; 3] {
    let mut one = deployment(json!({"replicas": 0, "paused": true, "minReadySeconds": 5}));
    one["metadata"]["finalizers"] = json!(["example.com/a", "example.com/b"]);
    one["spec"]["template"]["spec"]["containers"][0]["command"] = json!(["sh", "-c"]);
    let mut other = deployment(json!({"replicas": 3, "selector": {"matchLabels": {"tier": "other"}}}));
    other["spec"]["template"]["spec"]["containers"] = json!([{"name": "one", "command": ["sleep"]}]);
    [case(&one, None), case(&other, Some(&one)), case(&one, Some(&other))]
}

#[test]
fn every_planted_fault_is_exposed_by_a_few_objects() {
    let deployments = pair("apps/v1", "Deployment");
    let cases = telling();
    let (found, missed) = exposed(&deployments, &cases);
    assert_eq!(missed, BTreeSet::new(), "{found:?}");
    let of = |law: &str| found.iter().filter(|name| name.starts_with(law)).count();
    assert!(of("what is extracted is what was applied") >= 10, "{found:?}");
    assert!(of("update and apply make the same object") >= 10, "{found:?}");
}

/// Where the engine with each fault breaks a law first that the sound one keeps there: by the name of the fault, the law and the field.
fn first_breaches(id: &SubjectId, cases: &[Case]) -> Vec<[String; 3]> {
    let planted = REGISTRY.planted_in_apply(id).unwrap();
    let pair = REGISTRY.apply_pair(id).unwrap().unwrap();
    let errors = |engine: &dyn Oracle, case: &Case| {
        let arena = Arena::new();
        let prepared = pair.prepare(case, &arena).unwrap();
        let mut answer = Answer::new();
        engine.answer(&prepared.question, &prepared.views.candidate, &mut answer).unwrap();
        answer.errors.iter().map(|error| [error.origin.to_string(), error.field.clone()]).collect::<BTreeSet<_>>()
    };
    let sound = planted.engine(None);
    let known: Vec<BTreeSet<[String; 2]>> = cases.iter().map(|case| errors(&*sound, case)).collect();
    let first = |(at, control): (usize, &Control)| {
        let engine = planted.engine(Some(at));
        let mut new = cases
            .iter()
            .zip(&known)
            .filter_map(|(case, known)| errors(&*engine, case).difference(known).next().cloned());
        let [law, field] = new.next().unwrap_or_default();
        [control.name.clone(), law, field]
    };
    planted.controls().catalogue().iter().enumerate().map(first).collect()
}

/// Each fault that Deployments can show, with the law that it breaks, and the field.
const FIELDS: [&str; 37] = [
    "zero values left out: lost in an apply configuration: spec.replicas",
    "empty structs left out: lost in an apply configuration: spec.template.spec.volumes[0].emptyDir",
    "fields of others extracted: not extracted as it was applied: metadata.finalizers[1]",
    "updated fields extracted: not extracted as it was applied: metadata.finalizers",
    "whole object extracted: not extracted as it was applied: spec.progressDeadlineSeconds",
    "whole items extracted: not extracted as it was applied: spec.template.spec.containers[0].imagePullPolicy",
    "keys not extracted: not extracted as it was applied: spec.template.spec.containers[0].name",
    "first item extracted alone: not extracted as it was applied: metadata.finalizers[1]",
    "zero values not extracted: not extracted as it was applied: spec.replicas",
    "empty structs not extracted: not extracted as it was applied: spec.template.spec.volumes[0].emptyDir",
    "atomic lists and maps not extracted: not extracted as it was applied: spec.template.spec.containers[0].command",
    "entries of maps not extracted: not extracted as it was applied: metadata.labels",
    "name not extracted: not extracted as it was applied: metadata.name",
    "keyed lists replaced: not extracted as it was applied: spec.template.spec.containers",
    "sets replaced: not extracted as it was applied: metadata.finalizers",
    "atomic lists merged: not extracted as it was applied: spec.template.spec.containers[0].command[0]",
    "atomic maps merged: not extracted as it was applied: spec.selector.matchLabels[app]",
    "items found by their first key: differs after an update and an apply: spec.template.spec.containers[name=\"two\"].ports",
    "old values kept: not extracted as it was applied: spec.replicas",
    "fields no longer applied kept: differs after an update and an apply: metadata.finalizers",
    "fields of others removed: not extracted as it was applied: metadata.finalizers",
    "new items first: not extracted as it was applied: spec.template.spec.containers[0].image",
    "zero values not applied: not extracted as it was applied: spec.replicas",
    "defaults not set: differs after an update and an apply: spec.strategy.rollingUpdate",
    "other managers forgotten: not extracted as it was applied: metadata.finalizers",
    "whole object owned: not extracted as it was applied: metadata.managedFields",
    "time renewed without change: changes when the same is applied again: metadata.managedFields[0].time",
    "conflicts ignored: another conflict than ownership has: spec.replicas",
    "first conflict reported alone: another conflict than ownership has: spec.selector",
    "no conflict with updates: another conflict than ownership has: spec.replicas",
    "no conflict in items of lists: another conflict than ownership has: spec.template.spec.containers[name=\"one\"].command",
    "conflict at the parent: another conflict than ownership has: spec.replicas",
    "conflict with the applier: another conflict than ownership has: spec.replicas",
    "conflict over an unchanged field: another conflict than ownership has: metadata.labels.a",
    "forced field still owned by others: another conflict than ownership has: spec.replicas",
    "forced field not owned: not extracted as it was applied: spec.template.spec.containers[0].command",
    "forced field not changed: not extracted as it was applied: spec.replicas",
];

#[test]
fn every_planted_fault_is_reported_at_the_field_that_it_spoils() {
    let found = first_breaches(&SubjectId::new("apps/v1", "Deployment"), &telling());
    let found: Vec<String> = found.iter().map(|[fault, law, field]| format!("{fault}: {law}: {field}")).collect();
    assert_eq!(found, FIELDS, "{found:#?}");
}
