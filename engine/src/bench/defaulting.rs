//! Defaulting alone, beside a deep copy of the same objects.

use super::measure::Work;
use serde_json::Value;
use std::hint::black_box;
use takeover_harness::case::Case;
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::{Arena, Node, from_bytes, from_value};
use takeover_harness::pair::Pair;

/// The line of defaulting.
pub(super) const DEFAULT: &str = "default, from decoded objects";
/// The line of what defaulting is compared with.
pub(super) const COPY: &str = "deep copy of decoded objects";
/// The names of the lines.
pub(super) const NAMES: [&str; 2] = [DEFAULT, COPY];

/// Objects as they were decoded, before anything is set in them.
pub(super) fn decoded<'a>(pair: &'a Pair, values: &'a [Value], arena: &'a Arena) -> Vec<Node<'a>> {
    values.iter().filter_map(|value| from_value(&pair.form.schema, pair.form.root, value, arena).ok()).collect()
}

/// The objects of all requests, as JSON trees.
pub(super) fn values<'c>(cases: impl Iterator<Item = &'c Case<'static>>) -> Vec<Value> {
    let payloads = cases.flat_map(|case| std::iter::once(&case.object).chain(&case.old));
    payloads.filter_map(|payload| payload.to_value().ok()).collect()
}

/// The work of both lines; none where the kind has no defaults. An item is one object.
pub(super) fn works<'w>(pair: &'w Pair, decoded: &'w [Node<'w>]) -> Vec<Work<'w>> {
    let Some(defaulter) = pair.form.defaulter.as_deref().filter(|_| !decoded.is_empty()) else { return Vec::new() };
    vec![default(&pair.form, defaulter, decoded), copy(decoded)]
}

/// Sets the defaults of all objects.
pub(super) fn default<'w>(form: &'w Form, defaulter: &'w dyn Defaulter, decoded: &'w [Node<'w>]) -> Work<'w> {
    let mut arena = Arena::new();
    Box::new(move || {
        arena.reset();
        for node in decoded {
            black_box(defaulter.apply(&form.schema, form.root, *node, &arena));
        }
        decoded.len()
    })
}

/// Copies all objects.
pub(super) fn copy<'w>(decoded: &'w [Node<'w>]) -> Work<'w> {
    let mut arena = Arena::new();
    Box::new(move || {
        arena.reset();
        for node in decoded {
            black_box(copied(node, &arena));
        }
        decoded.len()
    })
}

/// Decodes all objects from JSON text.
pub(super) fn decode<'w>(form: &'w Form, texts: &'w [String]) -> Work<'w> {
    let mut arena = Arena::new();
    Box::new(move || {
        arena.reset();
        for text in texts {
            let _ = black_box(from_bytes(&form.schema, form.root, text.as_bytes(), &arena).is_ok());
        }
        texts.len()
    })
}

/// A copy that shares nothing with `node`. Quantities and JSON without a type are left out, which makes it cheaper than it is.
fn copied<'a>(node: &Node<'_>, arena: &'a Arena) -> Node<'a> {
    match node {
        Node::Text(text) => Node::Text(arena.alloc_str(text)),
        Node::Bytes(bytes) => Node::Bytes(arena.alloc_slice_copy(bytes)),
        Node::Struct { fields, pointer } => {
            let fields = fields.iter().map(|(slot, field)| (*slot, copied(field, arena)));
            Node::Struct { fields: arena.alloc_slice_fill_iter(fields), pointer: *pointer }
        }
        Node::List(items) => Node::List(arena.alloc_slice_fill_iter(items.iter().map(|item| copied(item, arena)))),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (&*arena.alloc_str(key), copied(value, arena)));
            Node::Map(arena.alloc_slice_fill_iter(entries))
        }
        Node::Bool(value) => Node::Bool(*value),
        Node::Int(value) => Node::Int(*value),
        Node::Uint(value) => Node::Uint(*value),
        Node::Float(value) => Node::Float(*value),
        Node::Time(value) => Node::Time(*value),
        _ => Node::Unset,
    }
}
