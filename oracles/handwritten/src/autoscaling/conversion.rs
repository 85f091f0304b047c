//! `autoscaling/v1` HorizontalPodAutoscaler, judged in the form of `v2`.

use super::defaults::{CPU_PERCENT, default_autoscaler_v1};
use super::horizontal_pod_autoscaler::{HorizontalPodAutoscalers, prepare, switched_on};
use super::round_trip::{self, ANNOTATIONS, BEHAVIOR, METRICS};
use crate::kind::{Prepare, Served};
use k8s_openapi::api::autoscaling::v1;
use k8s_openapi::api::autoscaling::v2::{
    CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec, MetricTarget,
    ResourceMetricSource,
};
use takeover_harness::object::{Edit, Node};
use takeover_harness::oracle::{Objects, OracleFailure, TypedPair};

/// HorizontalPodAutoscalers as `v1` has them: the processor load is a field, everything else about metrics an annotation.
#[derive(Clone, Copy, Debug)]
pub struct HorizontalPodAutoscalersV1;

impl Served for HorizontalPodAutoscalersV1 {
    type Kind = HorizontalPodAutoscalers;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_autoscaler_v1);
    const PREPARE: Option<Prepare> = Some(prepare_v1);
    const SWITCHED_ON: Option<fn(&Objects<'_>) -> Option<&'static str>> = Some(switched_on);

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<HorizontalPodAutoscaler>, OracleFailure> {
        Ok(TypedPair::<v1::HorizontalPodAutoscaler>::of(objects)?.map(to_hub))
    }
}

/// As in `v2`; the default of the processor load is visible from here on.
fn prepare_v1<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    prepare(new, old, subresource);
    let annotations = new.inside("metadata").map(|meta| meta.get("annotations"));
    let annotated = annotations
        .and_then(|annotations| annotations.entry(METRICS))
        .and_then(|annotation| round_trip::metrics(annotation.text()))
        .is_some_and(|metrics| !metrics.is_empty());
    if !annotated {
        new.edit("spec", |spec| spec.set_default("targetCPUUtilizationPercentage", Node::Int(CPU_PERCENT.into())));
    }
}

/// Metrics from the annotation come first, then the processor load; without any metric there is a default for the load.
fn to_hub(autoscaler: v1::HorizontalPodAutoscaler) -> HorizontalPodAutoscaler {
    let v1::HorizontalPodAutoscaler { mut metadata, spec, .. } = autoscaler;
    let annotation = |name: &str| metadata.annotations.as_ref().and_then(|annotations| annotations.get(name));
    let mut metrics = annotation(METRICS).and_then(|text| round_trip::metrics(text)).unwrap_or_default();
    let behavior = annotation(BEHAVIOR).and_then(|text| round_trip::behavior(text));
    if let Some(percent) = spec.target_cpu_utilization_percentage {
        metrics.push(cpu(percent));
    } else if metrics.is_empty() {
        metrics.push(cpu(CPU_PERCENT));
    }
    if let Some(annotations) = &mut metadata.annotations {
        annotations.retain(|name, _| !ANNOTATIONS.contains(&name.as_str()));
    }
    let target = spec.scale_target_ref;
    HorizontalPodAutoscaler {
        metadata,
        spec: HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: target.api_version,
                kind: target.kind,
                name: target.name,
            },
            min_replicas: spec.min_replicas,
            max_replicas: spec.max_replicas,
            metrics: Some(metrics),
            behavior,
        },
        // Nothing judges the status on the way to the main resource.
        status: None,
    }
}

fn cpu(percent: i32) -> MetricSpec {
    MetricSpec {
        type_: "Resource".to_owned(),
        resource: Some(ResourceMetricSource {
            name: "cpu".to_owned(),
            target: MetricTarget {
                type_: "Utilization".to_owned(),
                average_utilization: Some(percent),
                ..MetricTarget::default()
            },
        }),
        ..MetricSpec::default()
    }
}
