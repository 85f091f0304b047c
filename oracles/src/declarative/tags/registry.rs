//! All registered tags.

use super::def::TagDef;
use super::{
    custom, dependent, each, enumeration, format, item, lifecycle, limits, lists, mode, monotonic, neq, opaque,
    options, pattern, requiredness, sizes, subfield, testing, union, update,
};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What every validation tag's name starts with.
pub const PREFIX: &str = "k8s:";

/// The families, in the order of the tag reference.
const FAMILIES: &[&[TagDef]] = &[
    lifecycle::TAGS,
    requiredness::TAGS,
    limits::TAGS,
    sizes::TAGS,
    format::TAGS,
    pattern::TAGS,
    enumeration::TAGS,
    neq::TAGS,
    update::TAGS,
    monotonic::TAGS,
    lists::TAGS,
    each::TAGS,
    subfield::TAGS,
    item::TAGS,
    union::TAGS,
    mode::TAGS,
    dependent::TAGS,
    options::TAGS,
    opaque::TAGS,
    custom::TAGS,
    testing::TAGS,
];

/// What the tags of a family tell each other while types compile.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) lists: lists::State,
    pub(crate) unions: union::State,
    pub(crate) modes: mode::State,
    pub(crate) updates: update::State,
    pub(crate) subfields: subfield::State,
    pub(crate) opaque: opaque::State,
}

/// Every tag, in the order of the tag reference.
pub fn all() -> impl Iterator<Item = &'static TagDef> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The tag with this name, prefix included: `k8s:minimum`.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static TagDef> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static TagDef>> =
        LazyLock::new(|| all().map(|def| (def.name, def)).collect());
    BY_NAME.get(name.strip_prefix(PREFIX)?).copied()
}

/// Whether a name means something that is no validation tag: which types are roots, which subresources they serve, what
/// lint leaves alone.
pub(crate) fn is_marker(name: &str) -> bool {
    let Some(name) = name.strip_prefix(PREFIX) else { return false };
    matches!(name, "supportsSubresource" | "isSubresource" | "validation-lifecycle-exempt")
        || name.starts_with("validation-gen")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_registered_once_and_documented() {
        let mut seen = std::collections::HashSet::new();
        for def in all() {
            assert!(seen.insert(def.name), "`{}` is registered twice", def.name);
            assert!(def.summary.ends_with('.') && def.semantics.ends_with('.'), "`{}` lacks prose", def.name);
            let example = def.example.trim_start_matches('+');
            assert!(example.contains(def.name), "the example of `{}` shows another tag", def.name);
            assert!(
                crate::declarative::grammar::parse(example).is_ok(),
                "the example of `{}` does not parse",
                def.name
            );
            assert!(!def.places.is_empty(), "`{}` has no place", def.name);
        }
        assert_eq!(lookup("k8s:minimum").map(|def| def.name), Some("minimum"));
        assert!(lookup("minimum").is_none() && lookup("k8s:nope").is_none());
    }
}
