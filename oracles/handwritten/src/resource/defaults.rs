//! Defaults of claims and their templates.

use crate::strategy::REQUEST_TIME;
use takeover_harness::object::{Edit, Instant, Node, Quantity};

/// The allocation mode of a request that names none.
const EXACT_COUNT: &str = "ExactCount";

/// Sets the defaults of a slice. Devices of `v1beta1` keep theirs in `basic`.
pub fn default_slice(slice: &mut Edit<'_>) {
    slice.edit("spec", |spec| {
        spec.edit_each("devices", |device| {
            default_device(device);
            device.edit_if_set("basic", default_device);
        });
    });
}

/// A taint without a time was added now, and resources of the node are counted once.
fn default_device(device: &mut Edit<'_>) {
    let now = Instant::parse(REQUEST_TIME).map_or(Node::Unset, Node::Time);
    device.edit_each("taints", |taint| taint.set_default("timeAdded", now));
    let arena = device.arena();
    device.edit_each_value("nodeAllocatableResourceMappings", |mapping| {
        if mapping.get("allocationMultiplier").is_unset()
            && let Ok(one) = Quantity::parse("1", true)
        {
            mapping.set("allocationMultiplier", Node::Quantity(arena.alloc(one)));
        }
    });
}

/// Sets the defaults of a claim of `v1` or `v1beta2`.
pub fn default_claim(claim: &mut Edit<'_>) {
    claim.edit("spec", default_spec);
    default_results(claim);
}

/// Sets the defaults of a claim of `v1beta1`.
pub fn default_flat_claim(claim: &mut Edit<'_>) {
    claim.edit("spec", default_flat_spec);
    default_results(claim);
}

/// Sets the defaults of a template of `v1` or `v1beta2`.
pub fn default_template(template: &mut Edit<'_>) {
    template.edit("spec", |template| template.edit("spec", default_spec));
}

/// Sets the defaults of a template of `v1beta1`.
pub fn default_flat_template(template: &mut Edit<'_>) {
    template.edit("spec", |template| template.edit("spec", default_flat_spec));
}

fn default_spec(spec: &mut Edit<'_>) {
    spec.edit("devices", |devices| {
        devices.edit_each("requests", |request| {
            request.edit_if_set("exactly", default_request);
            request.edit_each("firstAvailable", default_request);
        });
    });
}

fn default_flat_spec(spec: &mut Edit<'_>) {
    spec.edit("devices", |devices| {
        devices.edit_each("requests", |request| {
            // Without a class the request has alternatives, and no mode of its own.
            if request.text("deviceClassName").is_empty() {
                default_tolerations(request);
            } else {
                default_request(request);
            }
            request.edit_each("firstAvailable", default_request);
        });
    });
}

fn default_request(request: &mut Edit<'_>) {
    request.set_default_text("allocationMode", EXACT_COUNT);
    if request.text("allocationMode") == EXACT_COUNT {
        request.set_default("count", Node::Int(1));
    }
    default_tolerations(request);
}

/// Allocated devices carry the tolerations of their request.
fn default_results(claim: &mut Edit<'_>) {
    claim.edit("status", |status| {
        status.edit_if_set("allocation", |allocation| {
            allocation.edit("devices", |devices| devices.edit_each("results", default_tolerations));
        });
    });
}

fn default_tolerations(holder: &mut Edit<'_>) {
    holder.edit_each("tolerations", |toleration| toleration.set_default_text("operator", "Equal"));
}
