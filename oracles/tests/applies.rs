//! Laws of apply: which changes break them, where, and that the others do not.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

use serde_json::{Value, json};
use std::sync::LazyLock;
use takeover_oracles::applies::{Law, Laws};
use takeover_oracles::registry::Registry;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::of_builtin().unwrap());

fn object(api_version: &str, kind: &str, members: Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "one", "namespace": "n"}});
    object.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    object
}

/// The laws that a change of a kind breaks, with the fields.
fn broken(api_version: &str, kind: &str, old: Option<Value>, new: Value) -> Vec<(Law, String)> {
    let laws = Laws::of(&REGISTRY, api_version, kind).unwrap();
    let old = old.map(|old| object(api_version, kind, old));
    let broken = laws.broken(old.as_ref(), &object(api_version, kind, new));
    broken.into_iter().map(|broken| (broken.law, broken.field)).collect()
}

#[test]
fn a_default_that_depends_on_another_field_stays_after_an_apply_and_not_after_an_update() {
    let ports = |port: i32| json!({"spec": {"ports": [{"name": "web", "port": port, "protocol": "TCP"}]}});
    assert_eq!(broken("v1", "Service", None, ports(80)), []);
    let image = |image: &str| json!({"spec": {"containers": [{"name": "a", "image": image}]}});
    let found = broken("v1", "Pod", Some(image("a:1")), image("a"));
    assert_eq!(found, [(Law::Update, "spec.containers[0].imagePullPolicy".to_owned())]);
}

#[test]
fn duplicates_that_an_update_may_send_are_rejected_by_an_apply() {
    let twice = json!({"spec": {"containers": [{"name": "a"}, {"name": "a"}]}});
    assert_eq!(broken("v1", "Pod", None, twice), [(Law::Create, "spec.containers".to_owned())]);
}

#[test]
fn ordinary_changes_break_no_law() {
    let of = |replicas: i32, image: &str| {
        let template =
            json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": image}]}});
        json!({"spec": {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template}})
    };
    assert_eq!(broken("apps/v1", "Deployment", Some(of(0, "x:1")), of(3, "x:2")), []);
    let data = |value: &str| json!({"data": {"a": value}, "immutable": false});
    assert_eq!(broken("v1", "ConfigMap", Some(data("")), data("x")), []);
    assert_eq!(broken("v1", "ConfigMap", Some(data("")), json!({})), []);
}
