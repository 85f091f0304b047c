//! The metrics of an autoscaler and their targets.

use super::target::{ApiVersions, validate_reference};
use crate::core::v1::resources::validate_resource_name;
use crate::names::{dns_label, path_segment};
use crate::quantity;
use crate::report::not_supported;
use crate::types::Quantity;
use crate::types::autoscaling::v2::{
    ContainerResourceMetricSource, ExternalMetricSource, MetricIdentifier, MetricSpec, MetricTarget,
    ObjectMetricSource, PodsMetricSource, ResourceMetricSource,
};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Where metrics come from, in the order of messages.
const SOURCES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/// Checks the metrics of an autoscaler that scales down to `min_replicas`.
pub fn validate_metrics(
    metrics: &[MetricSpec],
    min_replicas: Option<i32>,
    objects: ApiVersions,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, metric) in metrics.iter().enumerate() {
        validate_metric(metric, objects, &path.index(index), errors);
    }
    // Metrics of pods say nothing when there are none.
    if min_replicas == Some(0) && !metrics.iter().any(|metric| matches!(metric.type_, "Object" | "External")) {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.push(FieldError::forbidden(path, detail));
    }
}

fn validate_metric(metric: &MetricSpec, objects: ApiVersions, path: &Path<'_>, errors: &mut ErrorList) {
    let kind = metric.type_;
    let at = path.child("type");
    if kind.is_empty() {
        errors.push(FieldError::required(&at, "must specify a metric source type"));
    }
    if !SOURCES.contains(&kind) {
        errors.push(not_supported(&at, kind, &SOURCES));
    }
    let sources = [
        ("object", "Object", metric.object.is_some()),
        ("external", "External", metric.external.is_some()),
        ("pods", "Pods", metric.pods.is_some()),
        ("resource", "Resource", metric.resource.is_some()),
        ("containerResource", "ContainerResource", metric.container_resource.is_some()),
    ];
    let mut present = sources.iter().filter(|(_, _, set)| *set).map(|(member, _, _)| *member);
    // Only the first source is looked into.
    match present.clone().next() {
        Some("object") => validate_object(metric.object, objects, &path.child("object"), errors),
        Some("external") => validate_external(metric.external, &path.child("external"), errors),
        Some("pods") => validate_pods(metric.pods, &path.child("pods"), errors),
        Some("resource") => validate_resource(metric.resource, &path.child("resource"), errors),
        Some(_) => validate_container(metric.container_resource, &path.child("containerResource"), errors),
        None => {}
    }
    let expected = sources.iter().find(|(_, name, _)| *name == kind);
    match expected {
        Some((member, _, false)) => {
            let detail = "must populate information for the given metric source";
            errors.push(FieldError::required(&path.child(member), detail));
        }
        Some(_) => {}
        // The type is looked at twice, once for what it may be and once for the source it names.
        None => errors.push(not_supported(&at, kind, &SOURCES)),
    }
    if present.clone().count() > 1 {
        let expected = expected.map(|(member, _, _)| *member);
        for member in present.by_ref().filter(|member| Some(*member) != expected) {
            let detail = "must populate the given metric source only";
            errors.push(FieldError::forbidden(&path.child(member), detail));
        }
    }
}

fn validate_object(
    source: Option<&ObjectMetricSource>,
    versions: ApiVersions,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(source) = source else { return };
    validate_reference(&source.described_object, versions, &path.child("describedObject"), errors);
    validate_identifier(&source.metric, &path.child("metric"), errors);
    let at = path.child("target");
    validate_target(&source.target, &at, errors);
    if source.target.value.is_none() && source.target.average_value.is_none() {
        let detail = "must set either a target value or averageValue";
        errors.push(FieldError::required(&at.child("averageValue"), detail));
    }
}

fn validate_external(source: Option<&ExternalMetricSource>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(source) = source else { return };
    validate_identifier(&source.metric, &path.child("metric"), errors);
    let at = path.child("target");
    validate_target(&source.target, &at, errors);
    match (&source.target.value, &source.target.average_value) {
        (None, None) => {
            let detail = "must set either a target value for metric or a per-pod target";
            errors.push(FieldError::required(&at.child("averageValue"), detail));
        }
        (Some(_), Some(_)) => {
            let detail = "may not set both a target value for metric and a per-pod target";
            errors.push(FieldError::forbidden(&at.child("value"), detail));
        }
        _ => {}
    }
}

fn validate_pods(source: Option<&PodsMetricSource>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(source) = source else { return };
    validate_identifier(&source.metric, &path.child("metric"), errors);
    let at = path.child("target");
    validate_target(&source.target, &at, errors);
    if source.target.average_value.is_none() {
        let detail = "must specify a positive target averageValue";
        errors.push(FieldError::required(&at.child("averageValue"), detail));
    }
}

fn validate_resource(source: Option<&ResourceMetricSource>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(source) = source else { return };
    if source.name.is_empty() {
        errors.push(FieldError::required(&path.child("name"), "must specify a resource name"));
    }
    validate_resource_target(&source.target, &path.child("target"), errors);
}

fn validate_container(source: Option<&ContainerResourceMetricSource>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(source) = source else { return };
    let at = path.child("name");
    if source.name.is_empty() {
        errors.push(FieldError::required(&at, "must specify a resource name"));
    } else {
        validate_resource_name(source.name, "format=qualified-name", &at, errors);
    }
    let at = path.child("container");
    if source.container.is_empty() {
        errors.push(FieldError::required(&at, "must specify a container"));
    } else {
        for problem in dns_label(source.container) {
            let error = FieldError::invalid(&at, source.container, problem);
            errors.push(error.with_origin("format=k8s-short-name"));
        }
    }
    validate_resource_target(&source.target, &path.child("target"), errors);
}

/// The target of a resource is an average, raw or as a share of what is requested.
fn validate_resource_target(target: &MetricTarget, path: &Path<'_>, errors: &mut ErrorList) {
    validate_target(target, path, errors);
    match (target.average_utilization, &target.average_value) {
        (None, None) => {
            let detail = "must set either a target raw value or a target utilization";
            errors.push(FieldError::required(&path.child("averageUtilization"), detail));
        }
        (Some(_), Some(_)) => {
            let detail = "may not set both a target raw value and a target utilization";
            errors.push(FieldError::forbidden(&path.child("averageValue"), detail));
        }
        _ => {}
    }
}

fn validate_identifier(metric: &MetricIdentifier, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("name");
    if metric.name.is_empty() {
        errors.push(FieldError::required(&at, "must specify a metric name"));
    }
    for problem in path_segment(metric.name) {
        errors.push(FieldError::invalid(&at, metric.name, problem));
    }
}

fn validate_target(target: &MetricTarget, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("type");
    if target.type_.is_empty() {
        errors.push(FieldError::required(&at, "must specify a metric target type"));
    }
    if !matches!(target.type_, "Utilization" | "Value" | "AverageValue") {
        let detail = "must be either Utilization, Value, or AverageValue";
        errors.push(FieldError::invalid(&at, target.type_, detail));
    }
    validate_positive(target.value.as_ref(), &path.child("value"), errors);
    validate_positive(target.average_value.as_ref(), &path.child("averageValue"), errors);
    if let Some(share) = target.average_utilization.filter(|share| *share < 1) {
        errors.push(FieldError::invalid(&path.child("averageUtilization"), share, "must be greater than 0"));
    }
}

fn validate_positive(value: Option<&Quantity>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(value) = value.filter(|value| quantity::sign(value).is_le()) {
        errors.push(FieldError::invalid(path, quantity::bad_value(value), "must be positive"));
    }
}
