//! `autoscaling/v1` HorizontalPodAutoscaler, judged in the form of `v2`.

use super::defaults::{CPU_PERCENT, default_autoscaler_v1};
use super::horizontal_pod_autoscaler::{HorizontalPodAutoscalers, prepare, switched_on};
use super::round_trip::{self, ANNOTATIONS, BEHAVIOR, METRICS};
use crate::kind::{Prepare, Served};
use crate::typed_pair::TypedPair;
use crate::types::autoscaling::v1;
use crate::types::autoscaling::v2::{
    CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec, MetricTarget,
    ResourceMetricSource,
};
use takeover_harness::object::{Arena, Edit, Node};
use takeover_harness::oracle::{Objects, OracleFailure};

/// HorizontalPodAutoscalers as `v1` has them: the processor load is a field, everything else about metrics an annotation.
#[derive(Clone, Copy, Debug)]
pub struct HorizontalPodAutoscalersV1;

impl Served for HorizontalPodAutoscalersV1 {
    type Kind = HorizontalPodAutoscalers;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_autoscaler_v1);
    const PREPARE: Option<Prepare> = Some(prepare_v1);
    const SWITCHED_ON: Option<fn(&Objects<'_>) -> Option<&'static str>> = Some(switched_on);

    fn objects<'a>(
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Result<TypedPair<HorizontalPodAutoscaler<'a>>, OracleFailure> {
        Ok(TypedPair::of(objects, arena)?.map(|autoscaler| to_hub(autoscaler, arena)))
    }
}

/// As in `v2`; the default of the processor load is visible from here on.
fn prepare_v1<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    prepare(new, old, subresource);
    let annotations = new.inside("metadata").map(|meta| meta.get("annotations"));
    let annotated = annotations
        .and_then(|annotations| annotations.entry(METRICS))
        .and_then(|annotation| round_trip::metrics(annotation.text(), new.arena()))
        .is_some_and(|metrics| !metrics.is_empty());
    if !annotated {
        new.edit("spec", |spec| spec.set_default("targetCPUUtilizationPercentage", Node::Int(CPU_PERCENT.into())));
    }
}

/// Metrics from the annotation come first, then the processor load; without any metric there is a default for the load.
fn to_hub<'a>(autoscaler: v1::HorizontalPodAutoscaler<'a>, arena: &'a Arena) -> HorizontalPodAutoscaler<'a> {
    let v1::HorizontalPodAutoscaler { mut metadata, spec, .. } = autoscaler;
    let spec = spec.copied().unwrap_or_default();
    let annotation = |name: &str| metadata.annotations.and_then(|annotations| annotations.get(name));
    let mut metrics = annotation(METRICS).and_then(|text| round_trip::metrics(text, arena)).unwrap_or_default();
    let behavior = annotation(BEHAVIOR).and_then(|text| round_trip::behavior(text, arena));
    if let Some(percent) = spec.target_cpu_utilization_percentage {
        metrics.push(cpu(percent, arena));
    } else if metrics.is_empty() {
        metrics.push(cpu(CPU_PERCENT, arena));
    }
    let is_kept = |name: &str, _: &&str| !ANNOTATIONS.contains(&name);
    metadata.annotations = metadata.annotations.map(|annotations| annotations.filtered(arena, is_kept));
    let target = spec.scale_target_ref;
    HorizontalPodAutoscaler {
        metadata,
        spec: Some(arena.alloc(HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: target.api_version,
                kind: target.kind,
                name: target.name,
            },
            min_replicas: spec.min_replicas,
            max_replicas: spec.max_replicas,
            metrics: Some(arena.alloc_slice_copy(&metrics)),
            behavior,
        })),
        // Nothing judges the status on the way to the main resource.
        status: None,
    }
}

fn cpu(percent: i32, arena: &Arena) -> MetricSpec<'_> {
    MetricSpec {
        type_: "Resource",
        resource: Some(arena.alloc(ResourceMetricSource {
            name: "cpu",
            target: MetricTarget {
                type_: "Utilization",
                average_utilization: Some(percent),
                ..MetricTarget::default()
            },
        })),
        ..MetricSpec::default()
    }
}
