//! Members of older versions that `apps/v1` keeps in annotations. The server's internal version has them as numbers in the
//! spec, so that an annotation that holds no number makes the object undecodable.

use crate::strconv::parse_int;
use crate::types::meta::v1::ObjectMeta;
use takeover_harness::object::{Arena, Edit, Node};

/// The revision that a deployment is to go back to.
pub(super) const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
/// How often the template of a daemon set has changed.
pub(super) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Takes an annotation out of metadata.
pub(super) fn take<'a>(meta: &mut ObjectMeta<'a>, key: &str, arena: &'a Arena) -> Option<&'a str> {
    let annotations = meta.annotations?;
    let taken = annotations.get(key)?;
    meta.annotations = Some(annotations.filtered(arena, |other, _| other != key));
    Some(taken)
}

/// The text of an annotation.
pub(super) fn annotation<'a>(object: &Edit<'a>, key: &str) -> Option<&'a str> {
    object.inside("metadata")?.get("annotations").entry(key).map(|text| text.text())
}

/// The number in an annotation; none when it holds something else.
pub(super) fn number(object: &Edit<'_>, key: &str) -> Option<i64> {
    annotation(object, key).and_then(|text| parse_int(text).ok())
}

/// Sets an annotation, or removes it.
pub(super) fn annotate<'a>(object: &mut Edit<'a>, key: &'static str, value: Option<&'a str>) {
    if annotation(object, key) == value {
        return;
    }
    object.edit("metadata", |meta| {
        let stored = meta.get("annotations");
        let others = stored.entries().iter().copied().filter(|(other, _)| *other != key);
        let mut entries: Vec<(&'a str, Node<'a>)> = others.chain(value.map(|value| (key, Node::Text(value)))).collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        let entries = meta.arena().alloc_slice_copy(&entries);
        meta.set("annotations", if entries.is_empty() { Node::Unset } else { Node::Map(entries) });
    });
}

/// Sets an annotation to a number.
pub(super) fn annotate_number(object: &mut Edit<'_>, key: &'static str, number: i64) {
    let text = object.arena().alloc_str(&number.to_string());
    annotate(object, key, Some(text));
}
