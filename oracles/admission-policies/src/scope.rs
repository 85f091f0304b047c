//! Which built-in resources are in no namespace, and how kinds name their resources.

/// Resources of Kubernetes 1.36 that are in no namespace: group and plural.
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["componentstatuses", "namespaces", "nodes", "persistentvolumes"]),
    (
        "admissionregistration.k8s.io",
        &[
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "mutatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
        ],
    ),
    ("apiextensions.k8s.io", &["customresourcedefinitions"]),
    ("apiregistration.k8s.io", &["apiservices"]),
    ("authentication.k8s.io", &["selfsubjectreviews", "tokenreviews"]),
    ("authorization.k8s.io", &["selfsubjectaccessreviews", "selfsubjectrulesreviews", "subjectaccessreviews"]),
    ("certificates.k8s.io", &["certificatesigningrequests", "clustertrustbundles"]),
    ("flowcontrol.apiserver.k8s.io", &["flowschemas", "prioritylevelconfigurations"]),
    ("internal.apiserver.k8s.io", &["storageversions"]),
    ("networking.k8s.io", &["ingressclasses", "ipaddresses", "servicecidrs"]),
    ("node.k8s.io", &["runtimeclasses"]),
    ("rbac.authorization.k8s.io", &["clusterrolebindings", "clusterroles"]),
    ("resource.k8s.io", &["deviceclasses", "devicetaintrules", "resourcepoolstatusrequests", "resourceslices"]),
    ("scheduling.k8s.io", &["priorityclasses"]),
    ("storage.k8s.io", &["csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattributesclasses"]),
    ("storagemigration.k8s.io", &["storageversionmigrations"]),
];

/// Whether a built-in resource is in no namespace.
#[must_use]
pub fn is_cluster_scoped(group: &str, resource: &str) -> bool {
    CLUSTER_SCOPED.iter().any(|(known, resources)| *known == group && resources.contains(&resource))
}

/// The resource of a kind, as Kubernetes guesses it.
#[must_use]
pub fn plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.strip_suffix('y') {
        _ if singular.is_empty() || singular.ends_with("endpoints") => singular,
        // Kubernetes guesses otherwise, but serves this.
        _ if singular.ends_with("gateway") => format!("{singular}s"),
        Some(stem) => format!("{stem}ies"),
        None if singular.ends_with('s') => format!("{singular}es"),
        None => format!("{singular}s"),
    }
}
