//! One device of a slice.

use super::attribute::{validate_attribute, value_count};
use super::binding::validate_binding;
use super::capacity::validate_policy;
use super::counters::validate_counter_set;
use super::lists::{no_duplicates, within};
use super::names::{validate_qualified_name, validate_short_name};
use super::nodes::{validate_node_name, validate_only_true};
use super::taint::validate_taint;
use crate::core::v1::scheduling::validate_node_selector;
use crate::report::Covered;
use crate::selector::SelectorValues;
use crate::types::resource::v1::Device;
use std::borrow::Cow;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most attributes and capacities of a device, together.
const MEMBER_LIMIT: usize = 32;
/// Most values of all attributes of a device.
const VALUE_LIMIT: usize = 48;
/// Longest name of an attribute or a capacity that a path shows in full, in bytes.
const KEY_LIMIT: usize = 96;
/// Most taints of a device.
const TAINT_LIMIT: usize = 16;
/// Most counter sets that a device consumes from.
const CONSUMPTION_LIMIT: usize = 2;

/// Who says on which nodes devices are available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The slice, for all of its devices.
    PerSlice,
    /// Each device.
    PerDevice,
}

/// Checks a device; `old` is the stored one of the same name.
pub fn validate_device(
    device: &Device,
    old: Option<&Device>,
    selection: Selection,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_short_name(device.name, &path.child("name"), errors);
    validate_members(device, path, errors);
    let taints = device.taints.unwrap_or_default();
    let at = path.child("taints");
    // Taints that an update leaves alone are left alone.
    let kept = old.is_some_and(|old| old.taints.unwrap_or_default() == taints);
    if !kept && within(taints.len(), TAINT_LIMIT, Covered::No, &at, errors) {
        for (index, taint) in taints.iter().enumerate() {
            validate_taint(taint, &at.index(index), errors);
        }
    }
    let consumed = device.consumes_counters.unwrap_or_default();
    let at = path.child("consumesCounters");
    if within(consumed.len(), CONSUMPTION_LIMIT, Covered::Yes, &at, errors) {
        for (index, set) in consumed.iter().enumerate() {
            let counters = set.counters.unwrap_or_default();
            validate_counter_set(set.counter_set, counters, "counterSet", &at.index(index), errors);
        }
        let names = consumed.iter().map(|set| set.counter_set);
        no_duplicates(names, BadValue::from, Covered::Yes, &at, errors);
    }
    match selection {
        Selection::PerDevice => validate_nodes(device, path, errors),
        Selection::PerSlice => {
            if device.node_name.is_some() || device.node_selector.is_some() || device.all_nodes.is_some() {
                let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is \
                              set to true in the ResourceSlice spec";
                errors.push(FieldError::invalid(path, BadValue::Null, detail));
            }
        }
    }
    validate_binding(device.binding_conditions, device.binding_failure_conditions, path, errors);
}

/// Attributes and capacities.
fn validate_members(device: &Device, path: &Path<'_>, errors: &mut ErrorList) {
    let attributes = || device.attributes.into_iter().flatten();
    let capacities = || device.capacity.into_iter().flatten();
    let members = attributes().count() + capacities().count();
    if members > MEMBER_LIMIT {
        let detail = format!("the total number of attributes and capacities must not exceed {MEMBER_LIMIT}");
        errors.push(FieldError::invalid(path, members, detail));
    }
    let values: usize = attributes().map(|(_, attribute)| value_count(attribute)).sum();
    if values > VALUE_LIMIT {
        let detail = format!("the total number of attribute values must not exceed {VALUE_LIMIT}");
        errors.push(FieldError::invalid(path, values, detail));
    }
    let at = path.child("attributes");
    for (name, attribute) in attributes() {
        validate_qualified_name(name, &at, errors);
        validate_attribute(attribute, &at.key(&shortened(name)), errors);
    }
    let at = path.child("capacity");
    for (name, capacity) in capacities() {
        validate_qualified_name(name, &at, errors);
        let Some(policy) = capacity.request_policy else { continue };
        let (key, element);
        key = shortened(name);
        element = at.key(&key);
        let at = element.child("requestPolicy");
        if device.allow_multiple_allocations == Some(true) {
            validate_policy(policy, &capacity.value, &at, errors);
        } else {
            errors.push(FieldError::forbidden(&at, "allowMultipleAllocations must be true"));
        }
    }
}

/// A name as paths show it: the middle of a long one is left out.
fn shortened(name: &str) -> Cow<'_, str> {
    const MARK: &str = "...";
    if name.len() <= KEY_LIMIT {
        return Cow::Borrowed(name);
    }
    let kept = KEY_LIMIT - MARK.len();
    let bytes = name.as_bytes();
    let (start, _) = bytes.split_at(kept.div_ceil(2));
    let (_, end) = bytes.split_at(bytes.len() - kept / 2);
    Cow::Owned(format!("{}{MARK}{}", String::from_utf8_lossy(start), String::from_utf8_lossy(end)))
}

/// The nodes of a device, said in exactly one way.
fn validate_nodes(device: &Device, path: &Path<'_>, errors: &mut ErrorList) {
    let mut set = Vec::new();
    if let Some(name) = device.node_name {
        let at = path.child("nodeName");
        if name.is_empty() {
            errors.push(FieldError::invalid(&at, name, "must not be empty"));
        } else {
            set.push("`nodeName`");
            validate_node_name(name, &at, errors);
        }
    }
    if let Some(selector) = device.node_selector {
        set.push("`nodeSelector`");
        validate_node_selector(selector, SelectorValues::Checked, &path.child("nodeSelector"), errors);
    }
    if validate_only_true(device.all_nodes, &path.child("allNodes"), errors) {
        set.push("`allNodes`");
    }
    let detail = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set \
                  to true in the ResourceSlice spec";
    match set.len() {
        0 => errors.push(FieldError::required(path, detail)),
        1 => {}
        _ => errors.push(FieldError::invalid(path, format!("{{{}}}", set.join(", ")), detail)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("model"), "model");
        let name = format!("{}{}", "a".repeat(60), "b".repeat(60));
        assert_eq!(shortened(&name), format!("{}...{}", "a".repeat(47), "b".repeat(46)));
    }
}
