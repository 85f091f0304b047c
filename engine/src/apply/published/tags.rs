//! Tags as `openapi-gen` reads them, and changes to what is published.

use serde_json::{Value, json};
use takeover_harness::schema::{Field, Presence};
use takeover_oracles::declarative::idl::{FieldInfo, TagLine};

/// Whether a tag is there, with or without a value.
pub(super) fn has_tag(tags: &[TagLine], name: &str) -> bool {
    tags.iter().any(|tag| tag.text.split('=').next() == Some(name))
}

/// The option right behind the name in the JSON tag.
fn first_option(info: &FieldInfo) -> Option<&str> {
    info.json_tag.split(',').nth(1)
}

/// Whether the members of an embedded struct are published among the others.
pub(super) fn is_inline(info: &FieldInfo) -> bool {
    first_option(info) == Some("inline")
}

/// Whether a field is published as a text, whatever its type.
pub(super) fn is_quoted(info: &FieldInfo) -> bool {
    first_option(info) == Some("string")
}

/// Whether a field has `omitempty`; `omitzero` is not read.
pub(super) fn omits_empty(info: &FieldInfo) -> bool {
    info.json_tag.contains("omitempty")
}

/// Whether a field is published: it is not tagged `+k8s:openapi-gen=false`, and its JSON tag, if it has one, begins with a name.
pub(super) fn is_published(field: &Field, info: &FieldInfo) -> bool {
    let is_left_out = info.tags.iter().any(|tag| &*tag.text == "k8s:openapi-gen=false");
    let has_no_name = !info.json_tag.is_empty() && matches!(info.json_tag.split(',').next(), None | Some("" | "-"));
    !(is_left_out || field.presence == Presence::Named && has_no_name)
}

/// Removes a member of a schema; a reference that is left alone needs no list around it.
pub(super) fn unset(schema: &mut Value, name: &str) {
    let Some(members) = schema.as_object_mut() else { return };
    if members.remove(name).is_none() || members.len() > 1 {
        return;
    }
    if let Some(reference) = schema.pointer("/allOf/0").filter(|first| first.get("$ref").is_some()).cloned() {
        *schema = reference;
    }
}

/// Sets a member of a schema; nothing may stand beside a reference.
pub(super) fn set(schema: &mut Value, name: &str, value: Value) {
    if let Some(reference) = schema.get("$ref").cloned() {
        *schema = json!({"allOf": [{"$ref": reference}]});
    }
    if let Some(members) = schema.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
