//! Defaults of `v1`: what the API server sets before validation.

use super::image::default_pull_policy;
use super::part_defaults::{default_field_selector, default_requirements, default_resources};
use super::volume_defaults::default_volume;
use takeover_harness::object::{Edit, Node};

/// Defaults of ReplicationControllers.
pub fn default_replication_controller(controller: &mut Edit<'_>) {
    let mut labels = Node::Unset;
    controller.edit("spec", |spec| {
        spec.set_default("replicas", Node::Int(1));
        spec.edit_if_set("template", |template| {
            template.edit("metadata", |meta| labels = meta.get("labels"));
            template.edit_alone("spec", default_pod_spec);
        });
        default_labels(spec, "selector", labels);
    });
    controller.edit("metadata", |meta| default_labels(meta, "labels", labels));
}

/// An empty map takes over the labels of the pod template.
fn default_labels<'a>(object: &mut Edit<'a>, name: &str, labels: Node<'a>) {
    if object.get(name).entries().is_empty() && !labels.is_unset() {
        object.set(name, labels);
    }
}

/// Defaults of a pod spec that is part of another kind's template: pods themselves get more.
pub fn default_pod_spec(spec: &mut Edit<'_>) {
    spec.set_default_text("dnsPolicy", "ClusterFirst");
    spec.set_default_text("restartPolicy", "Always");
    spec.set_default_text("schedulerName", "default-scheduler");
    spec.set_default("securityContext", Edit::empty_struct(true));
    spec.set_default("terminationGracePeriodSeconds", Node::Int(30));
    for containers in ["initContainers", "containers", "ephemeralContainers"] {
        spec.edit_each_alone(containers, default_container);
    }
    spec.edit_each_alone("volumes", default_volume);
    spec.edit_if_set("resources", default_requirements);
    default_resources(spec, "overhead");
}

fn default_container(container: &mut Edit<'_>) {
    if container.get("imagePullPolicy").is_unset() {
        let policy = default_pull_policy(container.text("image"));
        container.set_default_text("imagePullPolicy", policy);
    }
    container.set_default_text("terminationMessagePath", "/dev/termination-log");
    container.set_default_text("terminationMessagePolicy", "File");
    container.edit_each("ports", |port| port.set_default_text("protocol", "TCP"));
    container.edit_each("env", |variable| {
        variable.edit_if_set("valueFrom", |source| {
            source.edit_if_set("fieldRef", default_field_selector);
            source.edit_if_set("fileKeyRef", |file| file.set_default("optional", Node::Bool(false)));
        });
    });
    container.edit_if_set("resources", default_requirements);
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        container.edit_if_set(probe, default_probe);
    }
    container.edit_if_set("lifecycle", |lifecycle| {
        lifecycle.edit_if_set("postStart", default_handler);
        lifecycle.edit_if_set("preStop", default_handler);
    });
}

fn default_probe(probe: &mut Edit<'_>) {
    for (name, value) in
        [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
    {
        probe.set_default(name, Node::Int(value));
    }
    default_handler(probe);
    probe.edit_if_set("grpc", |grpc| grpc.set_default("service", Node::Text("")));
}

fn default_handler(handler: &mut Edit<'_>) {
    handler.edit_if_set("httpGet", |get| {
        get.set_default_text("path", "/");
        get.set_default_text("scheme", "HTTP");
    });
}
