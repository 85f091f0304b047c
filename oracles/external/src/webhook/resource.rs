//! Names of kinds and resources in a review.

use serde::Serialize;

/// A kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct GroupKind<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) kind: &'a str,
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Resource<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) resource: String,
}

/// A resource as the settings name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    plural: String,
    /// Version and group.
    of: Option<(String, String)>,
}

impl Named {
    /// Reads `widgets` or `widgets.v1.shop.example.com`; the core group is empty: `pods.v1.`
    pub(super) fn of(text: &str) -> Option<Self> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
        let (plural, of) = match text.split_once('.') {
            None => (text, None),
            Some((plural, rest)) => (plural, Some(rest.split_once('.')?)),
        };
        let whole = !plural.is_empty() && of.is_none_or(|(version, _)| !version.is_empty()) && text.chars().all(fits);
        let of = of.map(|(version, group)| (version.to_owned(), group.to_owned()));
        whole.then(|| Self { plural: plural.to_owned(), of })
    }
}

/// The resource of an object of this kind.
pub(super) fn resource<'a>(kind: &GroupKind<'a>, named: Option<&'a Named>) -> Resource<'a> {
    match named {
        None => Resource { group: kind.group, version: kind.version, resource: guess(kind.kind) },
        Some(Named { plural, of: None }) => {
            Resource { group: kind.group, version: kind.version, resource: plural.clone() }
        }
        Some(Named { plural, of: Some((version, group)) }) => Resource { group, version, resource: plural.clone() },
    }
}

/// The plural of a kind, as `meta.UnsafeGuessKindToResource` guesses it.
fn guess(kind: &str) -> String {
    let singular = kind.to_lowercase();
    if singular.is_empty() || singular.ends_with("endpoints") {
        singular
    } else if singular.ends_with('s') {
        format!("{singular}es")
    } else if let Some(stem) = singular.strip_suffix('y') {
        format!("{stem}ies")
    } else {
        format!("{singular}s")
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupKind, Named, guess, resource};

    #[test]
    fn plurals_are_guessed_as_kubernetes_guesses_them() {
        for (kind, plural) in [
            ("Widget", "widgets"),
            ("Ingress", "ingresses"),
            ("NetworkPolicy", "networkpolicies"),
            ("Gateway", "gatewaies"),
            ("Endpoints", "endpoints"),
        ] {
            assert_eq!(guess(kind), plural);
        }
    }

    #[test]
    fn a_named_resource_may_be_of_another_group() {
        let kind = GroupKind { group: "autoscaling", version: "v1", kind: "Scale" };
        let named = |text: &str| {
            let named = Named::of(text)?;
            let found = resource(&kind, Some(&named));
            Some(format!("{} {} {}", found.group, found.version, found.resource))
        };
        assert_eq!(named("scales").as_deref(), Some("autoscaling v1 scales"));
        assert_eq!(named("replicasets.v1.apps").as_deref(), Some("apps v1 replicasets"));
        assert_eq!(named("widgets.v1.shop.example.com").as_deref(), Some("shop.example.com v1 widgets"));
        assert_eq!(named("replicationcontrollers.v1.").as_deref(), Some(" v1 replicationcontrollers"));
        for wrong in ["", "Widgets", "widgets.v1", ".v1.apps", "a/b"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }
}
