//! Slices of devices.

use super::support::Rows;
use serde_json::{Value, json};

fn slice() -> Value {
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s", "resourceVersion": "1"},
           "spec": {"driver": "d.example.com", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "nodeName": "n",
                    "devices": [{"name": "a", "taints": [{"key": "k", "effect": "Evict"}]}]}})
}

fn rows() -> Rows {
    Rows::of("resource.k8s.io/v1", "ResourceSlice", slice())
}

#[test]
fn stored_taints_of_a_device_of_the_same_name_are_left_alone() {
    let effect = "spec.devices[0].taints[0].effect: Unsupported value: \"Evict\"";
    rows().created(&[(&[], &[effect])]);
    let renamed = json!([{"name": "b", "taints": [{"key": "k", "effect": "Evict"}]}]);
    let changed = json!([{"name": "a", "taints": [{"key": "l", "effect": "Evict"}]}]);
    rows().updated(&[
        (&[("/spec/pool/generation", json!(2))], &[]),
        (&[("/spec/devices", renamed)], &[effect]),
        (&[("/spec/devices", changed)], &[effect]),
    ]);
}

#[test]
fn devices_with_taints_or_counters_are_fewer() {
    let devices = |count: usize, first: Value| {
        let mut devices: Vec<Value> = (1..count).map(|index| json!({"name": format!("d{index}")})).collect();
        devices.push(first);
        Value::Array(devices)
    };
    let tainted = json!({"name": "t", "taints": [{"key": "k", "effect": "None"}]});
    rows().created(&[
        (&[("/spec/devices", devices(128, json!({"name": "p"})))], &[]),
        (
            &[("/spec/devices", devices(129, json!({"name": "p"})))],
            &["spec.devices: Too many: 129: must have at most 128"],
        ),
        (&[("/spec/devices", devices(64, tainted.clone()))], &[]),
        (&[("/spec/devices", devices(65, tainted))], &["spec.devices: Too many: 65: must have at most 64 items"]),
    ]);
}

#[test]
fn lists_of_values_are_counted_value_by_value() {
    let device = |attributes: Value| [("/spec/devices", json!([{"name": "a", "attributes": attributes}]))];
    let both: serde_json::Map<String, Value> =
        (0..32).map(|index| (format!("a{index}"), json!({"int": 1, "bool": true}))).collect();
    let mut names: Vec<String> = (0..32).map(|index| format!("a{index}")).collect();
    names.sort();
    let twice: Vec<String> = names
        .iter()
        .map(|name| format!("spec.devices[0].attributes[{name}]: Invalid value…exactly one value must be specified"))
        .collect();
    let twice: Vec<&str> = twice.iter().map(String::as_str).collect();
    let values: Vec<u8> = (0..48).collect();
    rows().created(&[
        (&device(Value::Object(both)), &twice),
        (&device(json!({"a": {"ints": values}})), &[]),
        (
            &device(json!({"a": {"ints": values}, "b": {"bool": true}})),
            &["spec.devices[0]: Invalid value: 49: the total number of attribute values must not exceed 48"],
        ),
    ]);
    let mut devices: Vec<Value> = (1..65).map(|index| json!({"name": format!("d{index}")})).collect();
    devices.push(json!({"name": "l", "attributes": {"a": {"bools": [true]}}}));
    let limit = "spec.devices: Too many: 65: must have at most 64 items";
    rows().created(&[(&[("/spec/devices", Value::Array(devices))], &[limit])]);
}

#[test]
fn resources_of_the_node_are_counted_once_unless_said_otherwise() {
    let mappings = json!({"cpu": {}, "memory": {"capacityKey": "m", "allocationMultiplier": "2"}});
    let filled =
        json!({"cpu": {"allocationMultiplier": "1"}, "memory": {"capacityKey": "m", "allocationMultiplier": "2"}});
    for (version, device) in [
        ("v1", json!({"name": "a", "nodeAllocatableResourceMappings": mappings})),
        ("v1beta1", json!({"name": "a", "basic": {"nodeAllocatableResourceMappings": mappings}})),
    ] {
        let mut slice = slice();
        slice["apiVersion"] = json!(format!("resource.k8s.io/{version}"));
        slice["spec"]["devices"] = json!([device]);
        let rows = Rows::of(&format!("resource.k8s.io/{version}"), "ResourceSlice", slice.clone());
        let found = rows.prepared(&slice, None);
        let device = &found["spec"]["devices"][0];
        let device = device.get("basic").unwrap_or(device);
        assert_eq!(device["nodeAllocatableResourceMappings"], filled, "{version}");
    }
}

#[test]
fn a_selector_of_nodes_has_exactly_one_term() {
    let term = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]});
    let none = Value::Null;
    let base = [("/spec/nodeName", none), ("/spec/devices", json!([{"name": "a"}]))];
    let with = |terms: Value| {
        [base.clone().to_vec(), vec![("/spec/nodeSelector", json!({"nodeSelectorTerms": terms}))]].concat()
    };
    rows().created(&[
        (&with(json!([term])), &[]),
        (
            &with(Value::Null),
            &[
                "spec.nodeSelector.nodeSelectorTerms: Required value",
                "spec.nodeSelector.nodeSelectorTerms: Invalid value: null: must have exactly one",
            ],
        ),
        (&with(json!([term, term])), &["spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"]),
    ]);
}

#[test]
fn long_names_of_capacities_are_shortened_in_paths() {
    let name = format!("{}/{}", "a".repeat(63), "b".repeat(40));
    let device = json!([{"name": "a", "capacity": {name: {"value": "1", "requestPolicy": {}}}}]);
    let path = format!("spec.devices[0].capacity[{}...{}].requestPolicy: Forbidden", "a".repeat(47), "b".repeat(40));
    let path = path.replace(&format!("...{}", "b".repeat(40)), &format!("...{}/{}", "a".repeat(5), "b".repeat(40)));
    rows().created(&[(&[("/spec/devices", device)], &["spec.devices[0].capacity: Too long", &path])]);
}
