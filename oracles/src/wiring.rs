//! Which releases of Kubernetes serve the subjects, and whether their strategies run the rules.
//!
//! Versions: the lifecycle markers of `k8s.io/api` (`+k8s:prerelease-lifecycle-gen`), the deprecation guide and the change logs for
//! versions that went before there were markers, and the resources that kube-apiserver enables by default. Beta versions that were
//! introduced since 1.24 are off until `--runtime-config` enables them. Strategies: `pkg/registry/*/strategy.go`, and verdicts recorded
//! at the strategies of 1.36.2.

use takeover_harness::release::Release;
use takeover_harness::subject::SubjectId;
use takeover_harness::wiring::{Running, Serving, Wiring};

/// From when to when a version is served.
#[derive(Clone, Copy)]
enum Span {
    /// By default, without end.
    Stable,
    /// When enabled, up to the release before this minor release of 1, if an end is known.
    Enabled(Option<u32>),
    /// By default once, up to the release before this minor release of 1.
    Gone(u32),
}

impl Span {
    fn serving(self, release: Release) -> Serving {
        let ended = |minor: u32| Some(Release::of_minor(minor)).filter(|end| release >= *end).map(Serving::NotSince);
        match self {
            Self::Stable => Serving::ByDefault,
            Self::Enabled(end) => end.and_then(ended).unwrap_or(Serving::WhenEnabled),
            Self::Gone(end) => ended(end).unwrap_or(Serving::ByDefault),
        }
    }
}

/// The versions of the kinds: main resources and subresources are served together.
const VERSIONS: &[(&str, Span, &[&str])] = &[
    (
        "v1",
        Span::Stable,
        &[
            "ConfigMap",
            "Endpoints",
            "LimitRange",
            "Namespace",
            "PodTemplate",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
    ),
    (
        "admissionregistration.k8s.io/v1",
        Span::Stable,
        &["MutatingWebhookConfiguration", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"],
    ),
    ("admissionregistration.k8s.io/v1alpha1", Span::Gone(33), &["ValidatingAdmissionPolicyBinding"]),
    ("admissionregistration.k8s.io/v1beta1", Span::Gone(34), &["ValidatingAdmissionPolicyBinding"]),
    ("apps/v1", Span::Stable, &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("autoscaling/v1", Span::Stable, &["HorizontalPodAutoscaler", "Scale"]),
    ("autoscaling/v2", Span::Stable, &["HorizontalPodAutoscaler"]),
    ("batch/v1", Span::Stable, &["CronJob"]),
    ("batch/v1beta1", Span::Gone(25), &["CronJob"]),
    ("certificates.k8s.io/v1", Span::Stable, &["CertificateSigningRequest"]),
    ("certificates.k8s.io/v1beta1", Span::Gone(22), &["CertificateSigningRequest"]),
    ("discovery.k8s.io/v1", Span::Stable, &["EndpointSlice"]),
    ("discovery.k8s.io/v1beta1", Span::Gone(25), &["EndpointSlice"]),
    ("flowcontrol.apiserver.k8s.io/v1", Span::Stable, &["PriorityLevelConfiguration"]),
    ("flowcontrol.apiserver.k8s.io/v1beta1", Span::Gone(26), &["PriorityLevelConfiguration"]),
    ("flowcontrol.apiserver.k8s.io/v1beta2", Span::Gone(29), &["PriorityLevelConfiguration"]),
    ("flowcontrol.apiserver.k8s.io/v1beta3", Span::Gone(32), &["PriorityLevelConfiguration"]),
    ("networking.k8s.io/v1", Span::Stable, &["IPAddress", "IngressClass", "NetworkPolicy"]),
    ("networking.k8s.io/v1beta1", Span::Enabled(Some(37)), &["IPAddress"]),
    ("networking.k8s.io/v1beta1", Span::Gone(22), &["IngressClass"]),
    ("node.k8s.io/v1", Span::Stable, &["RuntimeClass"]),
    ("node.k8s.io/v1alpha1", Span::Gone(24), &["RuntimeClass"]),
    ("node.k8s.io/v1beta1", Span::Gone(25), &["RuntimeClass"]),
    ("policy/v1", Span::Stable, &["PodDisruptionBudget"]),
    ("rbac.authorization.k8s.io/v1", Span::Stable, &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
    (
        "rbac.authorization.k8s.io/v1alpha1",
        Span::Gone(23),
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ),
    (
        "rbac.authorization.k8s.io/v1beta1",
        Span::Gone(22),
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ),
    ("resource.k8s.io/v1", Span::Stable, &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"]),
    (
        "resource.k8s.io/v1beta1",
        Span::Enabled(None),
        &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    ),
    (
        "resource.k8s.io/v1beta2",
        Span::Enabled(None),
        &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    ),
    ("storage.k8s.io/v1", Span::Stable, &["StorageClass", "VolumeAttachment"]),
    ("storage.k8s.io/v1alpha1", Span::Gone(24), &["VolumeAttachment"]),
    ("storage.k8s.io/v1beta1", Span::Gone(22), &["StorageClass", "VolumeAttachment"]),
];

/// Kinds whose strategies run their rules in 1.36. Since 1.37, a strategy runs the rules of its kind without being told to.
const RUN_IN_1_36: &[&str] = &[
    "CertificateSigningRequest",
    "ClusterRole",
    "CronJob",
    "DeviceClass",
    "EndpointSlice",
    "HorizontalPodAutoscaler",
    "IPAddress",
    "IngressClass",
    "NetworkPolicy",
    "PriorityLevelConfiguration",
    "ReplicationController",
    "ResourceClaim",
    "ResourceSlice",
    "Role",
    "RoleBinding",
    "RuntimeClass",
    "Scale",
    "StorageClass",
    "ValidatingAdmissionPolicyBinding",
    "VolumeAttachment",
];

/// Of those, the kinds whose strategies did so in 1.35 already.
const RUN_IN_1_35: &[&str] =
    &["CertificateSigningRequest", "DeviceClass", "ReplicationController", "ResourceClaim", "ResourceSlice"];

/// Of those, the kinds whose strategies did not do so in 1.35 yet. What neither list names was not looked up.
const NOT_IN_1_35: &[&str] = &["Role", "ValidatingAdmissionPolicyBinding"];

/// How a release treats a subject; none where nothing is known of the version.
#[must_use]
pub fn wiring(id: &SubjectId, release: Release) -> Option<Wiring> {
    let (_, span, _) =
        VERSIONS.iter().find(|(version, _, kinds)| *version == id.api_version && kinds.contains(&id.kind.as_str()))?;
    Some(Wiring { release, serving: span.serving(release), running: running(&id.kind, release) })
}

/// Strategies of subresources run the rules where those of their main resources do.
fn running(kind: &str, release: Release) -> Running {
    let in_1_36 = RUN_IN_1_36.contains(&kind);
    if release > Release::V1_36 {
        Running::Yes
    } else if !in_1_36 {
        Running::No
    } else if release == Release::V1_36 || RUN_IN_1_35.contains(&kind) {
        Running::Yes
    } else if NOT_IN_1_35.contains(&kind) {
        Running::No
    } else {
        Running::Unknown
    }
}
