//! The handwritten validators by version and kind.

use std::ops::RangeInclusive;
use takeover_declarative::SwitchedOn;
use takeover_handwritten::admissionregistration::{
    MutatingWebhookConfigurations, ValidatingAdmissionPolicyBindings, ValidatingAdmissionPolicyBindingsV1alpha1,
    ValidatingWebhookConfigurations,
};
use takeover_handwritten::apps::daemon_set::DaemonSets;
use takeover_handwritten::apps::deployment::Deployments;
use takeover_handwritten::apps::replica_set::ReplicaSets;
use takeover_handwritten::apps::stateful_set::StatefulSets;
use takeover_handwritten::autoscaling::conversion::HorizontalPodAutoscalersV1;
use takeover_handwritten::autoscaling::horizontal_pod_autoscaler::HorizontalPodAutoscalers;
use takeover_handwritten::autoscaling::scale::Scales;
use takeover_handwritten::batch::CronJobs;
use takeover_handwritten::certificates::signing_request::{
    CertificateSigningRequests, CertificateSigningRequestsV1beta1,
};
use takeover_handwritten::core::v1::config_map::ConfigMaps;
use takeover_handwritten::core::v1::endpoints::EndpointLists;
use takeover_handwritten::core::v1::limit_range::LimitRanges;
use takeover_handwritten::core::v1::namespace::Namespaces;
use takeover_handwritten::core::v1::pod_templates::PodTemplates;
use takeover_handwritten::core::v1::replication_controller::ReplicationControllers;
use takeover_handwritten::core::v1::resource_quota::ResourceQuotas;
use takeover_handwritten::core::v1::secret::Secrets;
use takeover_handwritten::core::v1::service::Services;
use takeover_handwritten::core::v1::service_account::ServiceAccounts;
use takeover_handwritten::discovery::{EndpointSlices, EndpointSlicesV1beta1};
use takeover_handwritten::flowcontrol::conversion::{PriorityLevelsV1Beta2, PriorityLevelsV1Beta3};
use takeover_handwritten::flowcontrol::priority_level::PriorityLevels;
use takeover_handwritten::kind::{Checks, Gate, Handwritten, Prepare, Served};
use takeover_handwritten::meta::Scope;
use takeover_handwritten::networking::ingress_class::{IngressClasses, IngressClassesV1beta1};
use takeover_handwritten::networking::ip_address::IpAddresses;
use takeover_handwritten::networking::network_policy::NetworkPolicies;
use takeover_handwritten::node::{RuntimeClasses, RuntimeClassesV1alpha1};
use takeover_handwritten::policy::PodDisruptionBudgets;
use takeover_handwritten::rbac::{
    ClusterRoleBindings, ClusterRoleBindingsV1alpha1, ClusterRoles, RoleBindings, RoleBindingsV1alpha1, Roles,
};
use takeover_handwritten::request::RequestChecks;
use takeover_handwritten::resource::basic_slice::BasicResourceSlices;
use takeover_handwritten::resource::device_class::DeviceClasses;
use takeover_handwritten::resource::flat::{FlatResourceClaimTemplates, FlatResourceClaims};
use takeover_handwritten::resource::resource_claim::ResourceClaims;
use takeover_handwritten::resource::resource_claim_template::ResourceClaimTemplates;
use takeover_handwritten::resource::resource_slice::ResourceSlices;
use takeover_handwritten::storage::{StorageClasses, VolumeAttachments, VolumeAttachmentsV1alpha1};
use takeover_harness::object::Edit;
use takeover_harness::oracle::Oracle;
use takeover_harness::pair::Delegated;
use takeover_harness::release::Release;
use takeover_harness::subject::SubjectId;

/// The handwritten side of a served version, found by version, kind and release.
pub(super) struct Reference {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) main: bool,
    pub(super) subresources: &'static [&'static str],
    pub(super) releases: RangeInclusive<Release>,
    pub(super) oracle: fn(RequestChecks, Release) -> Box<dyn Oracle>,
    pub(super) defaults: Option<fn(&mut Edit<'_>)>,
    pub(super) declared_defaults: bool,
    pub(super) filled: &'static [&'static str],
    pub(super) switched_on: Option<SwitchedOn>,
    pub(super) scope: Scope,
    pub(super) unconditional: bool,
    pub(super) gates: &'static [Gate],
    pub(super) prepare: Option<Prepare>,
    pub(super) convert: Option<fn(&mut Edit<'_>)>,
    pub(super) stored: Option<fn(&mut Edit<'_>)>,
    pub(super) user_fields: &'static [&'static str],
    pub(super) normalization: &'static [(&'static str, &'static str)],
    pub(super) delegated: fn() -> Vec<Delegated>,
}

impl Reference {
    const fn of<S: Served>(api_version: &'static str, kind: &'static str) -> Self {
        Self {
            api_version,
            kind,
            main: <S::Kind as Checks>::MAIN,
            subresources: <S::Kind as Checks>::SUBRESOURCES,
            releases: S::RELEASES,
            oracle: |checks, release| Box::new(Handwritten::<S>::new(checks, release)),
            defaults: S::DEFAULTS,
            declared_defaults: S::DECLARED_DEFAULTS,
            filled: S::FILLED,
            switched_on: S::SWITCHED_ON,
            scope: <S::Kind as Checks>::SCOPE,
            unconditional: <S::Kind as Checks>::UNCONDITIONAL_UPDATE,
            gates: <S::Kind as Checks>::GATES,
            prepare: S::PREPARE,
            convert: S::CONVERT,
            stored: S::STORED,
            user_fields: S::USER_FIELDS,
            normalization: S::NORMALIZATION,
            delegated: <S::Kind as Checks>::delegated,
        }
    }

    /// The subjects of the version: the kind and its subresources.
    pub(super) fn subjects(&self) -> impl Iterator<Item = SubjectId> + use<> {
        let id = SubjectId::new(self.api_version, self.kind);
        let below = self.subresources.iter().map({
            let id = id.clone();
            move |subresource| id.clone().with_subresource(*subresource)
        });
        self.main.then_some(id).into_iter().chain(below)
    }
}

/// Every version that has a reference and rules, by group: what a run compares.
pub(super) const REFERENCES: &[Reference] = &[
    Reference::of::<ReplicationControllers>("v1", "ReplicationController"),
    Reference::of::<HorizontalPodAutoscalersV1>("autoscaling/v1", "HorizontalPodAutoscaler"),
    Reference::of::<HorizontalPodAutoscalers>("autoscaling/v2", "HorizontalPodAutoscaler"),
    Reference::of::<Scales>("autoscaling/v1", "Scale"),
    Reference::of::<ValidatingAdmissionPolicyBindings>(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
    ),
    Reference::of::<ValidatingAdmissionPolicyBindingsV1alpha1>(
        "admissionregistration.k8s.io/v1alpha1",
        "ValidatingAdmissionPolicyBinding",
    ),
    Reference::of::<ValidatingAdmissionPolicyBindings>(
        "admissionregistration.k8s.io/v1beta1",
        "ValidatingAdmissionPolicyBinding",
    ),
    Reference::of::<CertificateSigningRequests>("certificates.k8s.io/v1", "CertificateSigningRequest"),
    Reference::of::<CertificateSigningRequestsV1beta1>("certificates.k8s.io/v1beta1", "CertificateSigningRequest"),
    Reference::of::<CronJobs>("batch/v1", "CronJob"),
    Reference::of::<CronJobs>("batch/v1beta1", "CronJob"),
    Reference::of::<EndpointSlices>("discovery.k8s.io/v1", "EndpointSlice"),
    Reference::of::<EndpointSlicesV1beta1>("discovery.k8s.io/v1beta1", "EndpointSlice"),
    Reference::of::<PriorityLevels>("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"),
    Reference::of::<PriorityLevelsV1Beta3>("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration"),
    Reference::of::<PriorityLevelsV1Beta2>("flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfiguration"),
    Reference::of::<PriorityLevelsV1Beta2>("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration"),
    Reference::of::<IpAddresses>("networking.k8s.io/v1", "IPAddress"),
    Reference::of::<IngressClasses>("networking.k8s.io/v1", "IngressClass"),
    Reference::of::<NetworkPolicies>("networking.k8s.io/v1", "NetworkPolicy"),
    Reference::of::<IpAddresses>("networking.k8s.io/v1beta1", "IPAddress"),
    Reference::of::<IngressClassesV1beta1>("networking.k8s.io/v1beta1", "IngressClass"),
    Reference::of::<RuntimeClasses>("node.k8s.io/v1", "RuntimeClass"),
    Reference::of::<RuntimeClassesV1alpha1>("node.k8s.io/v1alpha1", "RuntimeClass"),
    Reference::of::<RuntimeClasses>("node.k8s.io/v1beta1", "RuntimeClass"),
    Reference::of::<ClusterRoles>("rbac.authorization.k8s.io/v1", "ClusterRole"),
    Reference::of::<ClusterRoles>("rbac.authorization.k8s.io/v1alpha1", "ClusterRole"),
    Reference::of::<ClusterRoles>("rbac.authorization.k8s.io/v1beta1", "ClusterRole"),
    Reference::of::<ClusterRoleBindings>("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    Reference::of::<ClusterRoleBindingsV1alpha1>("rbac.authorization.k8s.io/v1alpha1", "ClusterRoleBinding"),
    Reference::of::<ClusterRoleBindings>("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding"),
    Reference::of::<Roles>("rbac.authorization.k8s.io/v1", "Role"),
    Reference::of::<Roles>("rbac.authorization.k8s.io/v1alpha1", "Role"),
    Reference::of::<Roles>("rbac.authorization.k8s.io/v1beta1", "Role"),
    Reference::of::<RoleBindings>("rbac.authorization.k8s.io/v1", "RoleBinding"),
    Reference::of::<RoleBindingsV1alpha1>("rbac.authorization.k8s.io/v1alpha1", "RoleBinding"),
    Reference::of::<RoleBindings>("rbac.authorization.k8s.io/v1beta1", "RoleBinding"),
    Reference::of::<DeviceClasses>("resource.k8s.io/v1", "DeviceClass"),
    Reference::of::<DeviceClasses>("resource.k8s.io/v1beta1", "DeviceClass"),
    Reference::of::<DeviceClasses>("resource.k8s.io/v1beta2", "DeviceClass"),
    Reference::of::<ResourceClaims>("resource.k8s.io/v1", "ResourceClaim"),
    Reference::of::<FlatResourceClaims>("resource.k8s.io/v1beta1", "ResourceClaim"),
    Reference::of::<ResourceClaims>("resource.k8s.io/v1beta2", "ResourceClaim"),
    Reference::of::<ResourceClaimTemplates>("resource.k8s.io/v1", "ResourceClaimTemplate"),
    Reference::of::<FlatResourceClaimTemplates>("resource.k8s.io/v1beta1", "ResourceClaimTemplate"),
    Reference::of::<ResourceClaimTemplates>("resource.k8s.io/v1beta2", "ResourceClaimTemplate"),
    Reference::of::<ResourceSlices>("resource.k8s.io/v1", "ResourceSlice"),
    Reference::of::<BasicResourceSlices>("resource.k8s.io/v1beta1", "ResourceSlice"),
    Reference::of::<ResourceSlices>("resource.k8s.io/v1beta2", "ResourceSlice"),
    Reference::of::<StorageClasses>("storage.k8s.io/v1", "StorageClass"),
    Reference::of::<StorageClasses>("storage.k8s.io/v1beta1", "StorageClass"),
    Reference::of::<VolumeAttachments>("storage.k8s.io/v1", "VolumeAttachment"),
    Reference::of::<VolumeAttachmentsV1alpha1>("storage.k8s.io/v1alpha1", "VolumeAttachment"),
    Reference::of::<VolumeAttachments>("storage.k8s.io/v1beta1", "VolumeAttachment"),
];

/// Versions that have a reference, and in the built-in types no rule yet. There is nothing to compare; their reference judges
/// manifests and recorded verdicts, and is there when somebody's own types declare the first rule.
pub(super) const WITHOUT_RULES: &[Reference] = &[
    Reference::of::<ConfigMaps>("v1", "ConfigMap"),
    Reference::of::<EndpointLists>("v1", "Endpoints"),
    Reference::of::<LimitRanges>("v1", "LimitRange"),
    Reference::of::<Namespaces>("v1", "Namespace"),
    Reference::of::<PodTemplates>("v1", "PodTemplate"),
    Reference::of::<ResourceQuotas>("v1", "ResourceQuota"),
    Reference::of::<Secrets>("v1", "Secret"),
    Reference::of::<Services>("v1", "Service"),
    Reference::of::<ServiceAccounts>("v1", "ServiceAccount"),
    Reference::of::<DaemonSets>("apps/v1", "DaemonSet"),
    Reference::of::<Deployments>("apps/v1", "Deployment"),
    Reference::of::<ReplicaSets>("apps/v1", "ReplicaSet"),
    Reference::of::<StatefulSets>("apps/v1", "StatefulSet"),
    Reference::of::<ValidatingWebhookConfigurations>(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
    ),
    Reference::of::<MutatingWebhookConfigurations>("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    Reference::of::<PodDisruptionBudgets>("policy/v1", "PodDisruptionBudget"),
];

/// Every version that has a reference.
pub(super) fn references() -> impl Iterator<Item = &'static Reference> {
    REFERENCES.iter().chain(WITHOUT_RULES)
}

/// The reference of a subject in a release.
pub(super) fn reference(id: &SubjectId, release: Release) -> Option<&'static Reference> {
    references().find(|entry| {
        entry.releases.contains(&release)
            && entry.api_version == id.api_version
            && entry.kind == id.kind
            && if id.subresource.is_empty() {
                entry.main
            } else {
                entry.subresources.contains(&id.subresource.as_str())
            }
    })
}
