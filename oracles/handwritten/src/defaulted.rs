//! Kinds whose objects are defaulted, and not judged: there is no reference for them, but server-side apply makes objects of them.

use crate::admissionregistration::match_resources::default_match_resources;
use crate::apps::claims::default_claim;
use crate::batch::default_job;
use crate::core::v1::defaults::default_pod_spec;
use crate::core::v1::part_defaults::{default_requirements, default_resources};
use crate::core::v1::volume_defaults::default_shared_sources;
use crate::meta::Scope;
use takeover_harness::object::{Edit, Node};

/// A kind without a reference.
pub struct Defaulted {
    /// Group and version.
    pub api_version: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Whether its objects are in a namespace.
    pub scope: Scope,
    /// Sets its defaults; none if it has none.
    pub defaults: Option<fn(&mut Edit<'_>)>,
    /// Whether its types have rules, by which its objects are judged all the same.
    pub has_rules: bool,
}

/// Every such kind.
pub const DEFAULTED: &[Defaulted] = &[
    kind("v1", "Node", Scope::Cluster, Some(default_node)),
    kind("v1", "PersistentVolume", Scope::Cluster, Some(default_volume)),
    kind("v1", "PersistentVolumeClaim", Scope::Namespaced, Some(default_claim)),
    kind("v1", "Pod", Scope::Namespaced, Some(default_pod)),
    kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", Scope::Cluster, Some(default_policy)),
    kind("batch/v1", "Job", Scope::Namespaced, Some(default_whole_job)),
    kind("coordination.k8s.io/v1", "Lease", Scope::Namespaced, None),
    kind("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", Scope::Cluster, Some(default_flow_schema)),
    kind("networking.k8s.io/v1", "Ingress", Scope::Namespaced, None),
    kind("scheduling.k8s.io/v1", "PriorityClass", Scope::Cluster, Some(default_priority_class)),
    kind("storage.k8s.io/v1", "CSIDriver", Scope::Cluster, Some(default_driver)),
    ruled("apps/v1beta1", "Scale"),
    ruled("apps/v1beta2", "Scale"),
    ruled("autoscaling/v1", "Scale"),
    ruled("extensions/v1beta1", "Scale"),
    ruled("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest"),
    ruled("scheduling.k8s.io/v1alpha2", "PodGroup"),
    ruled("scheduling.k8s.io/v1alpha2", "Workload"),
];

const fn kind(
    api_version: &'static str,
    kind: &'static str,
    scope: Scope,
    defaults: Option<fn(&mut Edit<'_>)>,
) -> Defaulted {
    Defaulted { api_version, kind, scope, defaults, has_rules: false }
}

/// A kind whose types have rules, and for which no code sets anything.
const fn ruled(api_version: &'static str, name: &'static str) -> Defaulted {
    let scope = match name.as_bytes() {
        b"ResourcePoolStatusRequest" => Scope::Cluster,
        _ => Scope::Namespaced,
    };
    Defaulted { has_rules: true, ..kind(api_version, name, scope, None) }
}

/// The kind, if it is one of these.
#[must_use]
pub fn defaulted(api_version: &str, kind: &str) -> Option<&'static Defaulted> {
    DEFAULTED.iter().find(|known| known.api_version == api_version && known.kind == kind)
}

fn default_node(node: &mut Edit<'_>) {
    node.edit("status", |status| {
        let capacity = status.get("capacity");
        if !capacity.is_unset() {
            status.set_default("allocatable", capacity);
        }
        default_resources(status, "capacity");
        default_resources(status, "allocatable");
    });
}

fn default_volume(volume: &mut Edit<'_>) {
    volume.edit("status", |status| status.set_default_text("phase", "Pending"));
    volume.edit("spec", |spec| {
        spec.set_default_text("persistentVolumeReclaimPolicy", "Retain");
        spec.set_default("volumeMode", Node::Text("Filesystem"));
        default_resources(spec, "capacity");
        default_shared_sources(spec);
    });
}

/// Defaults of a pod, which are more than those of a pod template. Requests of a whole pod are not made of those of its containers.
fn default_pod(pod: &mut Edit<'_>) {
    pod.edit("spec", |spec| {
        for containers in ["containers", "initContainers"] {
            spec.edit_each(containers, |container| container.edit("resources", request_what_is_limited));
        }
        spec.set_default("enableServiceLinks", Node::Bool(true));
        if matches!(spec.get("hostNetwork"), Node::Bool(true)) {
            for containers in ["containers", "initContainers"] {
                spec.edit_each(containers, |container| {
                    container.edit_each("ports", |port| {
                        let inside = port.get("containerPort");
                        port.set_default("hostPort", inside);
                    });
                });
            }
        }
        default_pod_spec(spec);
    });
    pod.edit("status", |status| {
        for containers in ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] {
            status.edit_each(containers, |container| {
                default_resources(container, "allocatedResources");
                container.edit_if_set("resources", default_requirements);
            });
        }
        default_resources(status, "allocatedResources");
        status.edit_if_set("resources", default_requirements);
    });
}

/// Requests as much of a resource as there may be used at most, where it says nothing else.
fn request_what_is_limited<'a>(resources: &mut Edit<'a>) {
    let limits = resources.get("limits");
    if limits.is_unset() {
        return;
    }
    let requested = resources.get("requests");
    let is_requested = |name: &str| requested.entries().iter().any(|(requested, _)| *requested == name);
    if !requested.is_unset() && limits.entries().iter().all(|(name, _)| is_requested(name)) {
        return;
    }
    let mut requests = requested.entries().to_vec();
    for (name, limit) in limits.entries() {
        if !requests.iter().any(|(requested, _)| requested == name) {
            requests.push((name, *limit));
        }
    }
    let requests: &'a [(&'a str, Node<'a>)] = resources.arena().alloc_slice_copy(&requests);
    resources.set("requests", Node::Map(requests));
}

fn default_policy(policy: &mut Edit<'_>) {
    policy.edit("spec", |spec| {
        spec.set_default("failurePolicy", Node::Text("Fail"));
        spec.edit_if_set("matchConstraints", default_match_resources);
    });
}

fn default_whole_job(job: &mut Edit<'_>) {
    let mut labels = Node::Unset;
    job.edit("spec", |spec| {
        if spec.get("completions").is_unset() && spec.get("parallelism").is_unset() {
            spec.set("completions", Node::Int(1));
        }
        spec.set_default("parallelism", Node::Int(1));
        let by_index = !spec.get("backoffLimitPerIndex").is_unset();
        spec.set_default("backoffLimit", Node::Int(if by_index { i32::MAX.into() } else { 6 }));
        spec.set_default("completionMode", Node::Text("NonIndexed"));
        spec.set_default("suspend", Node::Bool(false));
        let replaced = if spec.get("podFailurePolicy").is_unset() { "TerminatingOrFailed" } else { "Failed" };
        spec.set_default("podReplacementPolicy", Node::Text(replaced));
        spec.set_default("manualSelector", Node::Bool(false));
        spec.edit("template", |template| template.edit("metadata", |meta| labels = meta.get("labels")));
        default_job(spec);
    });
    job.edit("metadata", |meta| {
        if meta.get("labels").entries().is_empty() && !labels.is_unset() {
            meta.set("labels", labels);
        }
    });
}

fn default_flow_schema(schema: &mut Edit<'_>) {
    schema.edit("spec", |spec| spec.set_default("matchingPrecedence", Node::Int(1000)));
}

fn default_priority_class(class: &mut Edit<'_>) {
    class.set_default("preemptionPolicy", Node::Text("PreemptLowerPriority"));
}

fn default_driver(driver: &mut Edit<'_>) {
    driver.edit("spec", |spec| {
        spec.set_default("attachRequired", Node::Bool(true));
        for flag in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
            spec.set_default(flag, Node::Bool(false));
        }
        spec.set_default("fsGroupPolicy", Node::Text("ReadWriteOnceWithFSType"));
        if spec.get("volumeLifecycleModes").items().is_empty() {
            spec.set("volumeLifecycleModes", Node::List(&[Node::Text("Persistent")]));
        }
    });
}
