//! Values whose members have an order.

use takeover_harness::object::{Json, Node};

/// Whether the order of members can change a value: only untyped JSON keeps the order of its source.
pub(super) fn is_ordered(node: &Node<'_>) -> bool {
    match node {
        Node::Struct { fields, .. } => fields.iter().any(|(_, field)| is_ordered(field)),
        Node::List(items) => items.iter().any(is_ordered),
        Node::Map(entries) => entries.iter().any(|(_, value)| is_ordered(value)),
        Node::Raw(json) => has_order(json),
        _ => false,
    }
}

fn has_order(json: &Json<'_>) -> bool {
    match json {
        Json::Array(items) => items.iter().any(has_order),
        Json::Object(members) => members.len() > 1 || members.iter().any(|(_, value)| has_order(value)),
        _ => false,
    }
}

/// Whether the members of all untyped JSON have the order of their names.
pub(super) fn is_sorted(node: &Node<'_>) -> bool {
    match node {
        Node::Struct { fields, .. } => fields.iter().all(|(_, field)| is_sorted(field)),
        Node::List(items) => items.iter().all(is_sorted),
        Node::Map(entries) => entries.iter().all(|(_, value)| is_sorted(value)),
        Node::Raw(json) => has_sorted(json),
        _ => true,
    }
}

fn has_sorted(json: &Json<'_>) -> bool {
    match json {
        Json::Array(items) => items.iter().all(has_sorted),
        Json::Object(members) => {
            members.is_sorted_by_key(|(name, _)| *name) && members.iter().all(|(_, value)| has_sorted(value))
        }
        _ => true,
    }
}
