//! Bounds that leave no value, and defaults where servers do not look.

use super::{Add, BOUNDS, DEFAULT};
use crate::structural::{Checks, ListType, SchemaType, Structural};
use crate::validate::{accepts, keyword_errors};

/// Members that objects have whatever their schema declares.
const OF_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Calls `add` where no value keeps the constraints of a node. `whole` tells whether its values are objects of their own.
pub(super) fn check(node: &Structural, whole: bool, add: Add<'_>) {
    let checks = &node.checks;
    members(node, whole, add);
    elements(node, add);
    for (low_name, low, high_name, high) in [
        ("minLength", checks.min_length, "maxLength", checks.max_length),
        ("minItems", checks.min_items, "maxItems", checks.max_items),
        ("minProperties", checks.min_properties, "maxProperties", checks.max_properties),
    ] {
        if let (Some(low), Some(high)) = (low, high)
            && low > high
        {
            add(&BOUNDS, high_name, format!("no value satisfies both {low_name} {low} and {high_name} {high}"), None);
        }
    }
    if let (Some(low), Some(high)) = (checks.minimum, checks.maximum) {
        let exclusive = checks.exclusive_minimum || checks.exclusive_maximum;
        if low > high || exclusive && low >= high {
            let excluded = if exclusive { ", one of them exclusive" } else { "" };
            add(
                &BOUNDS,
                "maximum",
                format!("no value satisfies both minimum {low} and maximum {high}{excluded}"),
                None,
            );
        }
    }
    if let (Some(factor), Some(low), Some(high)) = (checks.multiple_of, checks.minimum, checks.maximum) {
        let least = (low / factor).ceil() * factor;
        if low <= high && least > high {
            let message = format!("no multiple of {factor} lies between minimum {low} and maximum {high}");
            add(&BOUNDS, "multipleOf", message, None);
        }
    }
    let others = Checks { enumeration: Vec::new(), ..checks.clone() };
    let without = Structural { checks: others, ..node.clone() };
    for (index, value) in checks.enumeration.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        if !accepts(&without, value) {
            let message = format!("{value} is in the enum, but the other constraints of the field reject it");
            add(&BOUNDS, &format!("enum[{index}]"), message, None);
        }
    }
}

/// A member that is required and that servers drop, as no schema declares it.
fn members(node: &Structural, whole: bool, add: Add<'_>) {
    if node.ty != Some(SchemaType::Object) || node.preserve_unknown || node.additional.is_some() {
        return;
    }
    for (index, name) in node.checks.required.iter().enumerate() {
        if node.member(name).is_none() && !(whole && OF_OBJECTS.contains(&name.as_str())) {
            let message = format!("`{name}` is required, but not declared: servers drop it, and reject every object");
            add(&BOUNDS, &format!("required[{index}]"), message, Some("declare it in `properties`".into()));
        }
    }
}

/// A set that is to have more elements than there are.
fn elements(node: &Structural, add: Add<'_>) {
    let allowed = node.items.as_ref().map_or(0, |items| items.checks.enumeration.len());
    if let (ListType::Set, Some(least)) = (node.list_type, node.checks.min_items)
        && allowed > 0
        && usize::try_from(least).is_ok_and(|least| least > allowed)
    {
        let message = format!("minItems is {least}, but the enum allows only {allowed} different elements");
        add(&BOUNDS, "minItems", message, None);
    }
}

/// Calls `add` where the default of a node is not valid by the node.
pub(super) fn default(node: &Structural, add: Add<'_>) {
    let Some(default) = &node.default else { return };
    if let Some(error) = keyword_errors(node, default, "").into_iter().next() {
        add(&DEFAULT, "default", format!("{default} is not valid: {}", error.detail.trim()), None);
    }
}
