//! Names of resources that containers consume.

use crate::handwritten::names::label_key;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Resources of containers that need no domain.
const OF_CONTAINERS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// Resources that need no domain anywhere.
const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// Checks the name of a resource that a container consumes.
pub fn validate_container_resource_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let before = errors.len();
    for problem in label_key(name) {
        errors.push(FieldError::invalid(path, name, problem).with_origin("format=qualified-name"));
    }
    let huge_pages = name.starts_with("hugepages-");
    if !name.contains('/') {
        let standard = STANDARD.contains(&name) || huge_pages || name.starts_with("requests.hugepages-");
        if errors.len() == before && !standard {
            errors.push(FieldError::invalid(path, name, "must be a standard resource type or fully qualified"));
        }
        if !(OF_CONTAINERS.contains(&name) || huge_pages) {
            errors.push(FieldError::invalid(path, name, "must be a standard resource for containers"));
        }
    } else if !name.contains("kubernetes.io/") && !is_extended(name) {
        errors.push(FieldError::invalid(path, name, "doesn't follow extended resource name standard"));
    }
}

/// Whether a name with a domain can have a quota, which puts `requests.` before it.
fn is_extended(name: &str) -> bool {
    !name.starts_with("requests.") && label_key(&format!("requests.{name}")).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_consume_standard_huge_page_and_extended_resources() {
        let long = format!("{}/gpu", "a".repeat(250));
        for (name, details) in [
            ("cpu", &[][..]),
            ("hugepages-2Mi", &[]),
            ("example.com/gpu", &[]),
            ("kubernetes.io/gpu", &[]),
            ("pods", &["must be a standard resource for containers"]),
            ("requests.hugepages-1Gi", &["must be a standard resource for containers"]),
            ("gpu", &["must be a standard resource type or fully", "must be a standard resource for containers"]),
            ("g u", &["name part must consist", "must be a standard resource for containers"]),
            ("requests.example.com/gpu", &["doesn't follow extended resource name standard"]),
            (&long, &["doesn't follow extended resource name standard"]),
        ] {
            let mut errors = ErrorList::new();
            validate_container_resource_name(name, &Path::ROOT.child("name"), &mut errors);
            let found: Vec<_> = errors.iter().map(|error| error.detail.as_ref()).collect();
            assert_eq!(found.len(), details.len(), "{name}: {found:?}");
            assert!(found.iter().zip(details).all(|(found, start)| found.starts_with(start)), "{name}: {found:?}");
        }
    }
}
