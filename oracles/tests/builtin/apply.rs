//! Built-in kinds as server-side apply sees them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use std::sync::LazyLock;
use takeover_apply::extract::{Scope, configuration};
use takeover_apply::fields::FieldSet;
use takeover_apply::managed::{FieldManager, ObjectType, Request};
use takeover_harness::subject::SubjectId;
use takeover_oracles::apply::BuiltinType;
use takeover_oracles::registry::Registry;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::of_builtin().unwrap());

fn applied(kind: &BuiltinType, live: Option<&Value>, members: Value, manager: &str) -> Result<Value, String> {
    let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind(), "metadata": {"name": "one"}});
    for (name, value) in members.as_object().unwrap() {
        object[name] = value.clone();
    }
    let request = Request { manager, subresource: "", now: "2026-01-01T00:00:01Z", reset: &FieldSet::new() };
    FieldManager::new(kind).apply(live, &object, request, false).map_err(|refusal| refusal.to_string())
}

#[test]
fn ports_of_a_service_merge_by_number_and_protocol_and_objects_are_written_as_go_writes_them() {
    let kind = REGISTRY.applied(&SubjectId::new("v1", "Service")).unwrap();
    let live = applied(&kind, None, json!({"spec": {"ports": [{"port": 80, "name": "http"}]}}), "one").unwrap();
    assert_eq!(live["spec"]["ports"][0], json!({"name": "http", "port": 80, "protocol": "TCP", "targetPort": 80}));
    assert_eq!(live["status"], json!({"loadBalancer": {}}));
    let ports = json!({"spec": {"ports": [{"port": 80, "protocol": "UDP", "name": "quic"}]}});
    let live = applied(&kind, Some(&live), ports, "other").unwrap();
    assert_eq!(live["spec"]["ports"].as_array().unwrap().len(), 2);
    let own = configuration(kind.schema(), kind.scope(), &live, "other", "").unwrap();
    let ports = json!([{"port": 80, "protocol": "UDP", "name": "quic"}]);
    assert_eq!(own["spec"], json!({"ports": ports}));
    assert_eq!(own["metadata"], json!({"name": "one", "namespace": ""}));
    let refused = applied(&kind, None, json!({"spec": {"port": 80}}), "one").unwrap_err();
    assert!(refused.ends_with(".spec.port: field not declared in schema"), "{refused}");
}

#[test]
fn kinds_without_a_reference_are_defaulted() {
    for (api_version, kind, members, at, made) in [
        (
            "v1",
            "Pod",
            json!({"spec": {"containers": [{"name": "a", "resources": {"limits": {"cpu": "1"}}}]}}),
            "/spec/containers/0/resources/requests/cpu",
            json!("1"),
        ),
        ("v1", "Node", json!({"status": {"capacity": {"pods": "9"}}}), "/status/allocatable/pods", json!("9")),
        ("v1", "PersistentVolume", json!({}), "/spec/persistentVolumeReclaimPolicy", json!("Retain")),
        ("v1", "PersistentVolumeClaim", json!({}), "/spec/volumeMode", json!("Filesystem")),
        ("batch/v1", "Job", json!({}), "/spec/backoffLimit", json!(6)),
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", json!({}), "/spec/matchingPrecedence", json!(1000)),
        ("scheduling.k8s.io/v1", "PriorityClass", json!({}), "/preemptionPolicy", json!("PreemptLowerPriority")),
        ("storage.k8s.io/v1", "CSIDriver", json!({}), "/spec/volumeLifecycleModes", json!(["Persistent"])),
        (
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
            json!({"spec": {"matchConstraints": {}}}),
            "/spec/matchConstraints/matchPolicy",
            json!("Equivalent"),
        ),
    ] {
        let kind = REGISTRY.applied(&SubjectId::new(api_version, kind)).unwrap();
        let object = applied(&kind, None, members, "one").unwrap();
        assert_eq!(object.pointer(at), Some(&made), "{object}");
        let again = kind.defaulted(object.clone()).unwrap();
        assert_eq!(again, object, "defaulting twice changes nothing more");
    }
}

#[test]
fn only_kinds_with_types_are_known_and_they_know_their_scope() {
    assert!(REGISTRY.applied(&SubjectId::new("v1", "Gadget")).is_none());
    for (api_version, kind, scope) in [
        ("v1", "Node", Scope::Cluster),
        ("v1", "Namespace", Scope::Cluster),
        ("v1", "Pod", Scope::Namespaced),
        ("coordination.k8s.io/v1", "Lease", Scope::Namespaced),
    ] {
        assert_eq!(REGISTRY.applied(&SubjectId::new(api_version, kind)).unwrap().scope(), scope);
    }
}
