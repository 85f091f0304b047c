//! Bounds that leave no value, and defaults where servers do not look.

use super::{Add, BOUNDS, DEFAULT};
use crate::structural::{Checks, Structural};
use crate::validate::{accepts, keyword_errors};

/// Calls `add` where no value keeps the constraints of a node.
pub(super) fn check(node: &Structural, add: Add<'_>) {
    let checks = &node.checks;
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
    let others = Checks { enumeration: Vec::new(), ..checks.clone() };
    let without = Structural { checks: others, ..node.clone() };
    for (index, value) in checks.enumeration.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        if !accepts(&without, value) {
            let message = format!("{value} is in the enum, but the other constraints of the field reject it");
            add(&BOUNDS, &format!("enum[{index}]"), message, None);
        }
    }
}

/// Calls `add` where the default of a node is not valid by the node.
pub(super) fn default(node: &Structural, add: Add<'_>) {
    let Some(default) = &node.default else { return };
    if let Some(error) = keyword_errors(node, default, "").into_iter().next() {
        add(&DEFAULT, "default", format!("{default} is not valid: {}", error.detail.trim()), None);
    }
}
