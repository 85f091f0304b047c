//! Questions about the whole chain of tags on a line.

use super::def::{PREFIX, Requiredness, TagStability};
use super::registry::lookup;
use crate::grammar::Tag;
use takeover_harness::error::Stability;

/// The chain of a tag without lifecycle wrappers and prefixes: `subfield(name)=format=k8s-long-name`.
pub(crate) fn chain_text(tag: &Tag) -> String {
    let parts: Vec<&str> = tag
        .chain()
        .filter(|tag| !is_lifecycle(tag))
        .map(|tag| tag.text.strip_prefix(PREFIX).unwrap_or(&tag.text))
        .collect();
    parts.join("=")
}

/// The `since` of the outermost lifecycle wrapper.
pub(crate) fn since(tag: &Tag) -> Option<String> {
    tag.chain().find(|tag| is_lifecycle(tag))?.named("since").map(|since| since.as_text().to_owned())
}

/// The tag of a chain whose own meaning is least settled, the outermost of several; lifecycle tags and those that nobody
/// registered aside.
pub(crate) fn least_settled(tag: &Tag) -> Option<(String, TagStability)> {
    let registered = tag.chain().filter(|tag| !is_lifecycle(tag)).filter_map(|tag| lookup(&tag.name));
    registered.map(|def| (def.name.to_owned(), def.stability)).min_by_key(|(_, stability)| *stability)
}

/// The level that a tag gives the rules in its value.
pub(crate) fn level(tag: &Tag) -> Option<Stability> {
    lookup(&tag.name)?.level
}

/// How a tag treats values that are not set.
pub(crate) fn requiredness(tag: &Tag) -> Option<Requiredness> {
    lookup(&tag.name)?.requiredness
}

fn is_lifecycle(tag: &Tag) -> bool {
    level(tag).is_some()
}
