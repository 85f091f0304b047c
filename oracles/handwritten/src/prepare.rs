//! Preparations that registry strategies of several kinds share.

use takeover_harness::object::{Edit, Node, equal};

/// Numbers the versions of the spec: a new object starts at one, and an update that changes the spec counts on from the
/// stored number.
pub fn count_spec_changes<'a>(object: &mut Edit<'a>, old: Option<&Edit<'a>>, _: &str) {
    let changed = old.is_some_and(|old| !equal(&object.get("spec"), &old.get("spec")));
    count(object, old, changed);
}

/// Sets the generation of a new object, or of one of which an update changed what is `counted`.
pub fn count<'a>(object: &mut Edit<'a>, old: Option<&Edit<'a>>, counted: bool) {
    let generation = match old {
        None => 1,
        Some(_) if !counted => return,
        Some(old) => match old.inside("metadata").map(|meta| meta.get("generation")) {
            Some(Node::Int(generation)) => generation.wrapping_add(1),
            _ => 1,
        },
    };
    object.edit("metadata", |meta| meta.set("generation", Node::Int(generation)));
}
