//! Specs and allocations as Kubernetes prints its own structs: Go's names in Go's order, and everything that is not set.

use crate::quantity;
use crate::report::text;
use crate::time;
use crate::types::core::v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};
use crate::types::resource::v1::{
    AllocationResult, CapacityRequirements, DeviceRequest, DeviceSelector, DeviceSubRequest, DeviceToleration,
    ExactDeviceRequest, OpaqueDeviceConfiguration, ResourceClaimSpec,
};
use crate::types::{Map, Quantity};
use serde_json::{Value, json};

/// What a form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// An error shows it.
    Printed,
    /// Forms of two values are compared by [`same`].
    Compared,
}

/// The form of a claim's spec, and whether it has a list of requests, be it empty.
#[must_use]
pub fn claim_spec(spec: &ResourceClaimSpec, has_requests: bool, to: Use) -> Value {
    let devices = &spec.devices;
    let requests = Some(devices.requests).filter(|requests| has_requests || !requests.is_empty());
    let constraints = list(
        devices.constraints,
        |item| json!({"Requests": item.requests, "MatchAttribute": item.match_attribute, "DistinctAttribute": item.distinct_attribute}),
    );
    let config = list(devices.config, |item| json!({"Requests": item.requests, "Opaque": opaque(item.opaque, to)}));
    json!({"Devices": {"Requests": list(requests, |item| request(item, to)), "Constraints": constraints, "Config": config}})
}

/// The form of an allocation, and whether its selector of nodes has a list of terms, be it empty.
#[must_use]
pub fn allocation(allocation: &AllocationResult, has_terms: bool, to: Use) -> Value {
    let devices = allocation.devices;
    let results = list(devices.and_then(|devices| devices.results), |item| {
        json!({
            "Request": item.request, "Driver": item.driver, "Pool": item.pool, "Device": item.device,
            "AdminAccess": item.admin_access, "Tolerations": list(item.tolerations, toleration),
            "BindingConditions": item.binding_conditions, "BindingFailureConditions": item.binding_failure_conditions,
            "ShareID": item.share_id, "ConsumedCapacity": quantities(item.consumed_capacity, to),
        })
    });
    let config = list(
        devices.and_then(|devices| devices.config),
        |item| json!({"Source": item.source, "Requests": item.requests, "Opaque": opaque(item.opaque, to)}),
    );
    json!({
        "Devices": {"Results": results, "Config": config},
        "NodeSelector": allocation.node_selector.map_or(Value::Null, |selector| node_selector(selector, has_terms)),
        "AllocationTimestamp": allocation.allocation_timestamp.map_or(Value::Null, time::json),
    })
}

/// Whether two compared forms are of equal values: no list and an empty one are equal, and so are maps.
#[must_use]
pub fn same(a: &Value, b: &Value) -> bool {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b || (empty(a) && empty(b)),
    }
}

fn list<T>(items: Option<&[T]>, form: impl Fn(&T) -> Value) -> Value {
    items.map_or(Value::Null, |items| Value::Array(items.iter().map(form).collect()))
}

fn request(request: &DeviceRequest, to: Use) -> Value {
    json!({
        "Name": request.name,
        "Exactly": request.exactly.map_or(Value::Null, |request| exactly(request, to)),
        "FirstAvailable": list(request.first_available, |request| alternative(request, to)),
    })
}

fn exactly(request: &ExactDeviceRequest, to: Use) -> Value {
    json!({
        "DeviceClassName": request.device_class_name, "Selectors": list(request.selectors, selector),
        "AllocationMode": text(request.allocation_mode), "Count": request.count.unwrap_or(0),
        "AdminAccess": request.admin_access, "Tolerations": list(request.tolerations, toleration),
        "Capacity": capacity(request.capacity, to),
    })
}

fn alternative(request: &DeviceSubRequest, to: Use) -> Value {
    json!({
        "Name": request.name, "DeviceClassName": request.device_class_name,
        "Selectors": list(request.selectors, selector),
        "AllocationMode": text(request.allocation_mode), "Count": request.count.unwrap_or(0),
        "Tolerations": list(request.tolerations, toleration),
        "Capacity": capacity(request.capacity, to),
    })
}

fn selector(selector: &DeviceSelector) -> Value {
    json!({"CEL": selector.cel.map(|cel| json!({"Expression": cel.expression}))})
}

fn toleration(toleration: &DeviceToleration) -> Value {
    json!({
        "Key": text(toleration.key), "Operator": text(toleration.operator), "Value": text(toleration.value),
        "Effect": text(toleration.effect), "TolerationSeconds": toleration.toleration_seconds,
    })
}

fn capacity(capacity: Option<&CapacityRequirements>, to: Use) -> Value {
    capacity.map_or(Value::Null, |capacity| json!({"Requests": quantities(capacity.requests, to)}))
}

/// Quantities are compared by number, whatever their notation, and shown in Kubernetes' own.
fn quantities(all: Option<Map<Quantity>>, to: Use) -> Value {
    let Some(all) = all else { return Value::Null };
    let form = |quantity: &Quantity| match to {
        Use::Compared => quantity.nanos().to_string(),
        Use::Printed => quantity::canonical(quantity),
    };
    all.iter().map(|(name, quantity)| (name, form(quantity))).collect()
}

/// Parameters are bytes to Kubernetes: nothing in them is equal to anything else.
fn opaque(opaque: Option<&OpaqueDeviceConfiguration>, to: Use) -> Value {
    opaque.map_or(Value::Null, |opaque| {
        let parameters = opaque.parameters.to_value();
        let parameters = if to == Use::Compared { parameters.to_string().into() } else { parameters };
        json!({"Driver": opaque.driver, "Parameters": parameters})
    })
}

fn node_selector(selector: &NodeSelector, has_terms: bool) -> Value {
    let given = Some(selector.node_selector_terms).filter(|terms| has_terms || !terms.is_empty());
    json!({"NodeSelectorTerms": terms(given)})
}

/// The form of the terms of a selector of nodes.
#[must_use]
pub fn terms(terms: Option<&[NodeSelectorTerm]>) -> Value {
    let requirement = |requirement: &NodeSelectorRequirement| json!({"Key": requirement.key, "Operator": requirement.operator, "Values": requirement.values});
    list(terms, |term| {
        json!({
            "MatchExpressions": list(term.match_expressions, requirement),
            "MatchFields": list(term.match_fields, requirement),
        })
    })
}
