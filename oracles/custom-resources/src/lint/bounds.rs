//! Bounds that leave no value, and defaults where servers do not look.

use super::{Add, BOUNDS, DEFAULT};
use crate::refuse::{UnknownFields, is_accepted_default, is_sound_default};
use crate::rules::{NodeLanguage, Old, Outcome};
use crate::structural::{Checks, ListType, SchemaType, Structural};
use crate::validate::{accepts, has_sound_lists, keyword_errors};
use takeover_cel::cost::limits;
use takeover_harness::path::Path;

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
    steps(node, add);
    counts(node, add);
    let others = Checks { enumeration: Vec::new(), ..checks.clone() };
    let without = Structural { checks: others, ..node.clone() };
    for (index, value) in checks.enumeration.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        if !accepts(&without, value) {
            let message = format!("{value} is in the enum, but the other constraints of the field reject it");
            add(&BOUNDS, &format!("enum[{index}]"), message, None);
        }
    }
}

/// Bounds without a whole number, or without a multiple, between them.
fn steps(node: &Structural, add: Add<'_>) {
    let checks = &node.checks;
    let (Some(low), Some(high)) = (checks.minimum, checks.maximum) else { return };
    if low > high || (checks.exclusive_minimum || checks.exclusive_maximum) && low >= high {
        return;
    }
    let whole = (node.ty == Some(SchemaType::Integer)).then_some((1.0, "maximum", "whole number".to_owned()));
    let multiple = checks.multiple_of.filter(|factor| *factor > 0.0);
    let multiple = multiple.map(|factor| (factor, "multipleOf", format!("multiple of {factor}")));
    for (step, member, what) in multiple.into_iter().chain(whole) {
        let mut least = (low / step).ceil() * step;
        if checks.exclusive_minimum && least <= low {
            least += step;
        }
        if least > high || checks.exclusive_maximum && least >= high {
            let exclusive = if checks.exclusive_minimum || checks.exclusive_maximum { ", exclusive" } else { "" };
            let message = format!("no {what} lies between minimum {low} and maximum {high}{exclusive}");
            add(&BOUNDS, member, message, None);
            return;
        }
    }
}

/// Numbers of members that required and declared members contradict.
fn counts(node: &Structural, add: Add<'_>) {
    if node.ty != Some(SchemaType::Object) {
        return;
    }
    let checks = &node.checks;
    let size = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let required = size(checks.required.len());
    if let Some(most) = checks.max_properties
        && required > most
    {
        let message = format!("{required} members are required, but maxProperties is {most}");
        add(&BOUNDS, "maxProperties", message, None);
    }
    let is_closed = !node.preserve_unknown && node.additional.is_none() && !node.embedded;
    let declared = size(node.properties.len());
    if let Some(least) = checks.min_properties
        && is_closed
        && declared > 0
        && least > declared
    {
        let message =
            format!("minProperties is {least}, but only {declared} members are declared: servers drop others");
        add(&BOUNDS, "minProperties", message, None);
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
    let different = |items: &Structural| match (items.checks.enumeration.len(), items.ty) {
        (0, Some(SchemaType::Boolean)) => 2,
        (listed, _) => listed,
    };
    let allowed = node.items.as_deref().map_or(0, different);
    if let (ListType::Set, Some(least)) = (node.list_type, node.checks.min_items)
        && allowed > 0
        && usize::try_from(least).is_ok_and(|least| least > allowed)
    {
        let message = format!("minItems is {least}, but only {allowed} different elements are allowed");
        add(&BOUNDS, "minItems", message, None);
    }
}

/// Calls `add` where the default of a node is not valid by the node. `seen` tells whether servers look at it themselves, for all but
/// duplicates and the type of an int-or-string.
pub(super) fn default(language: Option<&NodeLanguage>, node: &Structural, seen: bool, add: Add<'_>) {
    let Some(default) = &node.default else { return };
    let mut errors = Vec::new();
    if seen && node.holds_int_or_string() && is_accepted_default(node, default) {
        errors = keyword_errors(node, default, "");
    } else if !seen && is_sound_default(node, default, UnknownFields::Refused, &Path::ROOT, &mut errors) {
        for rule in &node.rules {
            let program =
                language.and_then(|language| language.compile(rule).ok()).filter(|program| !program.uses_old());
            let held = program.map(|program| program.run(default, Old::Unbound, limits::PER_CALL).outcome);
            if held.is_some_and(|outcome| outcome != Outcome::Holds) {
                add(&DEFAULT, "default", format!("{default} breaks the rule `{}`", rule.rule), None);
            }
        }
    }
    if let Some(error) = errors.first() {
        let at = if error.field.is_empty() || error.field == "<nil>" {
            String::new()
        } else {
            format!("`{}`: ", error.field)
        };
        let then = if seen { ": servers create the CRD, and reject requests that get it" } else { "" };
        add(&DEFAULT, "default", format!("{default} is not valid: {at}{}{then}", error.detail.trim()), None);
    } else if !has_sound_lists(node, default) {
        let message = format!(
            "{default} has equal elements in a set, or elements with equal keys: requests that get it are rejected"
        );
        add(&DEFAULT, "default", message, None);
    }
}
