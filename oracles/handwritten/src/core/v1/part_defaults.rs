//! Defaults of what several parts of a pod, and other kinds, have in common.

use crate::quantity::rounded_to_millis;
use takeover_harness::object::{Edit, Node, Quantity};

/// The version of a field selector.
pub(super) fn default_field_selector(selector: &mut Edit<'_>) {
    selector.set_default_text("apiVersion", "v1");
}

/// Limits and requests, rounded.
pub(crate) fn default_requirements(requirements: &mut Edit<'_>) {
    default_resources(requirements, "limits");
    default_resources(requirements, "requests");
}

/// Rounds the quantities of the resource list `name` of an object up to thousandths, away from zero.
pub fn default_resources(object: &mut Edit<'_>, name: &str) {
    let arena = object.arena();
    object.edit_entries(name, |value| {
        let Node::Quantity(quantity) = value else { return None };
        let text = arena.alloc_str(&rounded_to_millis(quantity)?);
        let rounded = Quantity::parse(text, quantity.behind_pointer()).ok()?;
        Some(Node::Quantity(arena.alloc(rounded)))
    });
}
