//! All registered tags.

use super::FAMILIES;
use super::def::{PREFIX, TagDef};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Every tag, in the order of the tag reference.
pub fn all() -> impl Iterator<Item = &'static TagDef> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The tag with this name, prefix included: `k8s:minimum`.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static TagDef> {
    named(name.strip_prefix(PREFIX)?)
}

/// The tag with this name, without prefix: `minimum`.
#[must_use]
pub fn named(name: &str) -> Option<&'static TagDef> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static TagDef>> =
        LazyLock::new(|| all().map(|def| (def.name, def)).collect());
    BY_NAME.get(name).copied()
}

/// A name with the prefix that is no validation tag: it says which types are validated and how they are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Name without prefix: `supportsSubresource`.
    pub name: &'static str,
    /// How it is written, prefix and value included.
    pub form: &'static str,
    /// Where it stands and what it means.
    pub summary: &'static str,
    /// Whether anything is read from it here; the others are for the generator of Kubernetes or its linter alone.
    pub read: bool,
}

/// The markers, in the order of the tag reference.
pub const MARKERS: &[Marker] = &[
    Marker {
        name: "supportsSubresource",
        form: "+k8s:supportsSubresource=\"/status\"",
        summary: "Above a root type, repeatable: its rules also judge requests to this subresource.",
        read: true,
    },
    Marker {
        name: "isSubresource",
        form: "+k8s:isSubresource=\"/scale\"",
        summary: "Above a root type, once: the type is this subresource, and its rules do not judge the main resource.",
        read: true,
    },
    Marker {
        name: "validation-gen",
        form: "+k8s:validation-gen=TypesWithField=TypeMeta",
        summary: "In `doc.go`: which types are roots. Above a type: `true` or `false` makes it one or not.",
        read: false,
    },
    Marker {
        name: "validation-gen-input",
        form: "+k8s:validation-gen-input=k8s.io/api/core/v1",
        summary: "In `doc.go`: the types are those of another package.",
        read: false,
    },
    Marker {
        name: "validation-gen-scheme-registry",
        form: "+k8s:validation-gen-scheme-registry=nil",
        summary: "In `doc.go`: functions are generated and not registered.",
        read: false,
    },
    Marker {
        name: "validation-gen-nolint",
        form: "+k8s:validation-gen-nolint",
        summary: "In `doc.go` or above a type: lint leaves the package, or the type and everything below it, alone.",
        read: false,
    },
    Marker {
        name: "validation-lifecycle-exempt",
        form: "+k8s:validation-lifecycle-exempt=\"issue …\"",
        summary: "Above a field (KEP-5073 as proposed): no reminder that its rules could move to the next level.",
        read: false,
    },
];

/// Whether a name is that of a marker; any other `validation-gen…` is one too.
pub(crate) fn is_marker(name: &str) -> bool {
    let Some(name) = name.strip_prefix(PREFIX) else { return false };
    MARKERS.iter().any(|marker| marker.name == name) || name.starts_with("validation-gen")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tags::Standing;

    #[test]
    fn every_tag_is_registered_once_and_documented() {
        let mut seen = std::collections::HashSet::new();
        for def in all() {
            assert!(seen.insert(def.name), "`{}` is registered twice", def.name);
            assert!(def.summary.ends_with('.') && def.semantics.ends_with('.'), "`{}` lacks prose", def.name);
            let example = def.example.trim_start_matches('+');
            assert!(example.contains(def.name), "the example of `{}` shows another tag", def.name);
            assert!(crate::grammar::parse(example).is_ok(), "the example of `{}` does not parse", def.name);
            assert!(!def.places.is_empty(), "`{}` has no place", def.name);
            assert_eq!(def.go.matches('@').count(), 1, "the Go code of `{}` has one place for the example", def.name);
            if let Standing::Older(today) = def.standing {
                assert!(lookup(&format!("{PREFIX}{today}")).is_some(), "`{}` has no successor `{today}`", def.name);
            }
        }
        assert_eq!(lookup("k8s:minimum").map(|def| def.name), Some("minimum"));
        assert!(lookup("minimum").is_none() && lookup("k8s:nope").is_none());
    }
}
