//! The extensions that tags of Go types and fields add to what a server publishes of them, as kube-openapi reads the tags.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use takeover_oracles::declarative::idl::TagLine;

/// Tags, their extensions, and whether the value is always a list.
const TAGS: [(&str, &str, bool); 7] = [
    ("listType", "x-kubernetes-list-type", false),
    ("listMapKey", "x-kubernetes-list-map-keys", true),
    ("mapType", "x-kubernetes-map-type", false),
    ("structType", "x-kubernetes-map-type", false),
    ("patchStrategy", "x-kubernetes-patch-strategy", false),
    ("patchMergeKey", "x-kubernetes-patch-merge-key", false),
    ("validations", "x-kubernetes-validations", false),
];

/// Structs of packages without tags that merge as a whole.
pub(super) const ATOMIC: [&str; 2] =
    ["k8s.io/apimachinery/pkg/apis/meta/v1.LabelSelector", "k8s.io/apimachinery/pkg/apis/meta/v1.OwnerReference"];

/// Whether the types of a package come with this program, which knows how they merge without tags.
pub(super) fn is_without_tags(package: &str) -> bool {
    package.starts_with("k8s.io/apimachinery/")
}

/// The names of all extensions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TAGS.into_iter().map(|(_, name, _)| name)
}

/// The extensions of a type or field with these tags, also of `+k8s:openapi-gen=x-kubernetes-NAME:VALUE`. A list without a tag has none:
/// that it is atomic goes without saying.
pub(super) fn of_tags(tags: &[TagLine]) -> BTreeMap<String, Value> {
    let named = tags.iter().filter_map(|line| {
        let (name, value) = line.text.strip_prefix("k8s:openapi-gen=")?.split_once(':')?;
        name.starts_with("x-kubernetes-").then(|| (name.to_owned(), json!(value)))
    });
    let mut found: BTreeMap<String, Value> = named.collect();
    for (tag, name, is_list) in TAGS {
        let value = |line: &TagLine| {
            line.text.split_once('=').filter(|(of, _)| of.trim() == tag).map(|(_, value)| value.trim().to_owned())
        };
        let values: Vec<String> = tags.iter().filter_map(value).collect();
        match values.as_slice() {
            [] => continue,
            [value] if !is_list => found.insert(name.to_owned(), json!(value)),
            _ => found.insert(name.to_owned(), json!(values)),
        };
    }
    found
}
