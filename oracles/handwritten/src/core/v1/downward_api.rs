//! What a pod may read about itself: fields of its object and resources of its containers.

use super::names::qualified;
use crate::quantity::{canonical, sign};
use crate::report::{not_supported, text};
use crate::types::core::v1::{ObjectFieldSelector, ResourceFieldSelector};
use std::cmp::Ordering;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Fields of pods that have a label of their own.
const LABELLED: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// Fields that hold maps, whose entries can be read one by one.
const MAPS: [&str; 2] = ["metadata.annotations", "metadata.labels"];
/// Resources of containers.
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const HUGE_PAGES: [&str; 2] = ["limits.hugepages-", "requests.hugepages-"];
/// Units in which bytes are read.
const BYTE_UNITS: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// Checks the choice of a field of the pod, which must be among `allowed`; they are printed in the given order.
pub(super) fn validate_field_selector(
    selector: &ObjectFieldSelector,
    allowed: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let version = text(selector.api_version);
    let label = selector.field_path;
    let at = path.child("fieldPath");
    if version.is_empty() {
        errors.push(FieldError::required(&path.child("apiVersion"), ""));
    } else if label.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if let Some(problem) = label_problem(version, label) {
        errors.push(FieldError::invalid(&at, label, format!("error converting fieldPath: {problem}")));
    } else {
        match subscript(label) {
            // Annotations forget about case.
            Some(("metadata.annotations", key)) => qualified(&key.to_lowercase(), path, errors),
            Some((_, key)) => qualified(key, path, errors),
            None => {
                // The name of the node once was called `spec.host`.
                let field = if label == "spec.host" { "spec.nodeName" } else { label };
                if !allowed.contains(&field) {
                    errors.push(not_supported(&at, field, allowed));
                }
            }
        }
    }
}

/// Why the label names no field of a pod.
fn label_problem(version: &str, label: &str) -> Option<String> {
    if version != "v1" {
        return Some(format!("unsupported pod version: {version}"));
    }
    match subscript(label) {
        Some((map, _)) if MAPS.contains(&map) => None,
        Some(_) => Some(format!("field label does not support subscript: {label}")),
        None if LABELLED.contains(&label) || label == "spec.host" => None,
        None => Some(format!("field label not supported: {label}")),
    }
}

/// The map and the key of `map['key']`.
fn subscript(label: &str) -> Option<(&str, &str)> {
    label.strip_suffix("']")?.split_once("['").filter(|(map, _)| !map.is_empty())
}

/// Checks the choice of a resource of a container that is named, as volumes must.
pub(super) fn validate_resource_selector(selector: &ResourceFieldSelector, path: &Path<'_>, errors: &mut ErrorList) {
    let resource = selector.resource;
    let at = path.child("resource");
    let is_huge = HUGE_PAGES.iter().any(|prefix| resource.starts_with(prefix));
    if text(selector.container_name).is_empty() {
        errors.push(FieldError::required(&path.child("containerName"), ""));
    } else if resource.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if !is_huge && !RESOURCES.contains(&resource) {
        errors.push(not_supported(&at, resource, &RESOURCES));
    }
    let Some(divisor) = selector.divisor.as_ref().filter(|divisor| sign(divisor) != Ordering::Equal) else { return };
    let unit = canonical(divisor);
    let kind = match resource.split_once('.').map(|(_, kind)| kind).filter(|_| RESOURCES.contains(&resource)) {
        Some("cpu") if !matches!(unit.as_str(), "1m" | "1") => {
            let detail = "only divisor's values 1m and 1 are supported with the cpu resource";
            errors.push(FieldError::invalid(&path.child("divisor"), resource, detail));
            return;
        }
        Some("memory") => "memory",
        Some("ephemeral-storage") => "local ephemeral storage",
        None if is_huge => "hugepages",
        _ => return,
    };
    if !BYTE_UNITS.contains(&unit.as_str()) {
        let units = BYTE_UNITS.join(", ");
        let detail = format!("only divisor's values {units} are supported with the {kind} resource");
        errors.push(FieldError::invalid(&path.child("divisor"), resource, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::of_text;

    #[test]
    fn fields_are_chosen_by_label_or_by_key() {
        for (version, label, expected) in [
            ("v1", "metadata.name", ""),
            ("v1", "metadata.labels['example.com/A']", ""),
            ("v1", "metadata.annotations['Example.com/A']", ""),
            ("", "metadata.name", "f.apiVersion: "),
            ("v1", "", "f.fieldPath: "),
            ("v2", "metadata.name", "f.fieldPath: error converting fieldPath: unsupported pod version: v2"),
            ("v1", "metadata.nam", "f.fieldPath: error converting fieldPath: field label not supported: metadata.nam"),
            (
                "v1",
                "metadata.name['a']",
                "f.fieldPath: error converting fieldPath: field label does not support subscript: metadata.name['a']",
            ),
            ("v1", "['a']", "f.fieldPath: error converting fieldPath: field label not supported: ['a']"),
            ("v1", "spec.host", "f.fieldPath: supported values: \"metadata.name\""),
            ("v1", "metadata.labels", "f.fieldPath: supported values: \"metadata.name\""),
            ("v1", "metadata.labels['a/b/c']", "f: a valid label key must consist"),
        ] {
            let selector = ObjectFieldSelector { api_version: Some(version), field_path: label };
            let mut errors = ErrorList::new();
            validate_field_selector(&selector, &["metadata.name"], &Path::ROOT.child("f"), &mut errors);
            let found = errors.iter().map(|error| format!("{}: {}", error.field, error.detail)).collect::<String>();
            assert!(found.starts_with(expected) && found.is_empty() == expected.is_empty(), "{label}: {found}");
        }
    }

    #[test]
    fn resources_are_read_in_units_of_their_kind() {
        for (container, resource, divisor, expected) in [
            ("c", "limits.cpu", "0", ""),
            ("c", "limits.cpu", "1m", ""),
            ("c", "limits.cpu", "1000m", ""),
            ("c", "requests.memory", "1Mi", ""),
            ("c", "requests.hugepages-2Mi", "1Ki", ""),
            ("", "limits.cpu", "1", "r.containerName"),
            ("c", "", "1", "r.resource"),
            ("c", "cpu", "7", "r.resource"),
            ("c", "limits.cpu", "2", "r.divisor"),
            ("c", "limits.memory", "2", "r.divisor"),
            ("c", "limits.ephemeral-storage", "1m", "r.divisor"),
            ("c", "limits.hugepages-2Mi", "2Mi", "r.divisor"),
            ("", "limits.cpu", "2", "r.containerName r.divisor"),
        ] {
            let selector =
                ResourceFieldSelector { container_name: Some(container), resource, divisor: Some(of_text(divisor)) };
            let mut errors = ErrorList::new();
            validate_resource_selector(&selector, &Path::ROOT.child("r"), &mut errors);
            let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
            assert_eq!(found.join(" "), expected, "{resource} {divisor}");
        }
    }
}
