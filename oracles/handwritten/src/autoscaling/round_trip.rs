//! What `v1` keeps in annotations because its fields have no place for it.
//!
//! Both annotations hold JSON. One that does not fit its type counts for nothing, as Go's decoder has it.

use crate::quantity;
use k8s_openapi::api::autoscaling::v2::{
    ContainerResourceMetricSource, CrossVersionObjectReference, ExternalMetricSource, HPAScalingPolicy,
    HPAScalingRules, HorizontalPodAutoscalerBehavior, MetricIdentifier, MetricSpec, MetricTarget, ObjectMetricSource,
    PodsMetricSource, ResourceMetricSource,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde::de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::fmt;
use takeover_harness::object;

/// Metrics beside the processor load.
pub(super) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
/// How fast to scale.
pub(super) const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
/// The member whose own members are data.
const LABELS: &str = "matchLabels";
/// Annotations that stand for parts of the object and are no annotations of the hub form.
pub(super) const ANNOTATIONS: [&str; 4] = [
    METRICS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/conditions",
];

/// Members of metrics; `matchLabels` holds names of labels instead.
const METRIC_MEMBERS: &[&str] = &[
    "apiVersion",
    "averageValue",
    "container",
    "containerResource",
    "external",
    "key",
    "kind",
    "matchExpressions",
    LABELS,
    "metricName",
    "metricSelector",
    "name",
    "object",
    "operator",
    "pods",
    "resource",
    "selector",
    "target",
    "targetAverageUtilization",
    "targetAverageValue",
    "targetValue",
    "type",
    "values",
];

/// Members of a behavior, which are written with Go's field names.
const BEHAVIOR_MEMBERS: &[&str] = &[
    "PeriodSeconds",
    "Policies",
    "ScaleDown",
    "ScaleUp",
    "SelectPolicy",
    "StabilizationWindowSeconds",
    "Tolerance",
    "Type",
    "Value",
];

/// The metrics of an annotation.
pub(super) fn metrics(annotation: &str) -> Option<Vec<MetricSpec>> {
    let metrics: Option<Vec<Option<Metric>>> = read(annotation, METRIC_MEMBERS)?;
    Some(metrics.unwrap_or_default().into_iter().map(|metric| metric.unwrap_or_default().into()).collect())
}

/// The behavior of an annotation, when it says something.
pub(super) fn behavior(annotation: &str) -> Option<HorizontalPodAutoscalerBehavior> {
    let behavior = read::<Option<Behavior>>(annotation, BEHAVIOR_MEMBERS)??;
    let behavior = HorizontalPodAutoscalerBehavior {
        scale_up: behavior.scale_up.map(Rules::into),
        scale_down: behavior.scale_down.map(Rules::into),
    };
    (behavior != HorizontalPodAutoscalerBehavior::default()).then_some(behavior)
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metric {
    #[serde(rename = "type")]
    kind: Option<String>,
    object: Option<ObjectSource>,
    pods: Option<PodsSource>,
    resource: Option<ResourceSource>,
    container_resource: Option<ResourceSource>,
    external: Option<ExternalSource>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ObjectSource {
    target: Option<Reference>,
    metric_name: Option<String>,
    #[serde(deserialize_with = "read_quantity")]
    target_value: Option<Quantity>,
    selector: Option<LabelSelector>,
    #[serde(deserialize_with = "read_quantity")]
    average_value: Option<Quantity>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Reference {
    kind: Option<String>,
    name: Option<String>,
    api_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodsSource {
    metric_name: Option<String>,
    #[serde(deserialize_with = "read_quantity")]
    target_average_value: Option<Quantity>,
    selector: Option<LabelSelector>,
}

/// A resource of pods, or of one of their containers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ResourceSource {
    name: Option<String>,
    container: Option<String>,
    target_average_utilization: Option<i32>,
    #[serde(deserialize_with = "read_quantity")]
    target_average_value: Option<Quantity>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExternalSource {
    metric_name: Option<String>,
    metric_selector: Option<LabelSelector>,
    #[serde(deserialize_with = "read_quantity")]
    target_value: Option<Quantity>,
    #[serde(deserialize_with = "read_quantity")]
    target_average_value: Option<Quantity>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Behavior {
    scale_up: Option<Rules>,
    scale_down: Option<Rules>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Rules {
    stabilization_window_seconds: Option<i32>,
    select_policy: Option<String>,
    policies: Option<Vec<Option<ScalingPolicy>>>,
    #[serde(deserialize_with = "read_quantity")]
    tolerance: Option<Quantity>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct ScalingPolicy {
    #[serde(rename = "Type")]
    kind: Option<String>,
    value: Option<i32>,
    period_seconds: Option<i32>,
}

/// Reads JSON with these members as Go's decoder does: whatever the case of their letters, and the last of several counts.
fn read<T: DeserializeOwned>(text: &str, members: &[&str]) -> Option<T> {
    let mut source = serde_json::Deserializer::from_str(text);
    let value = Members(members).deserialize(&mut source).ok()?;
    source.end().ok()?;
    serde_json::from_value(value).ok()
}

/// Reads any JSON and spells its members like these.
#[derive(Clone, Copy)]
struct Members<'m>(&'m [&'m str]);

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = source.next_element_seed(self)? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = source.next_key::<String>()? {
            let known = self.0.iter().find(|known| known.eq_ignore_ascii_case(&name));
            let value = match known {
                Some(&LABELS) => source.next_value()?,
                _ => source.next_value_seed(self)?,
            };
            object.insert(known.map_or(name, |known| (*known).to_owned()), value);
        }
        Ok(object.into())
    }
}

fn read_quantity<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Quantity>, D::Error> {
    let text = match Option::<Value>::deserialize(source)? {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text,
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => return Err(serde::de::Error::custom("no quantity")),
    };
    object::Quantity::parse(&text, true).map_err(serde::de::Error::custom)?;
    Ok(Some(Quantity(text)))
}

fn identifier(name: Option<String>, selector: Option<LabelSelector>) -> MetricIdentifier {
    MetricIdentifier { name: name.unwrap_or_default(), selector }
}

/// A target of type `kind`, or of an average value when there is none of that kind.
fn target(kind: &str, value: Option<Quantity>, average: Option<Quantity>, share: Option<i32>) -> MetricTarget {
    MetricTarget { type_: kind.to_owned(), value, average_value: average, average_utilization: share }
}

impl From<Metric> for MetricSpec {
    fn from(metric: Metric) -> Self {
        Self {
            type_: metric.kind.unwrap_or_default(),
            object: metric.object.map(Into::into),
            pods: metric.pods.map(Into::into),
            resource: metric.resource.map(|source| {
                let (name, target) = source.name_and_target();
                ResourceMetricSource { name, target }
            }),
            container_resource: metric.container_resource.map(|mut source| {
                let container = source.container.take().unwrap_or_default();
                let (name, target) = source.name_and_target();
                ContainerResourceMetricSource { name, target, container }
            }),
            external: metric.external.map(Into::into),
        }
    }
}

impl From<ObjectSource> for ObjectMetricSource {
    fn from(source: ObjectSource) -> Self {
        let kind = if source.average_value.is_some() { "AverageValue" } else { "Value" };
        // The value has no pointer in `v1`, so that it is always written: beside an average, zero says nothing.
        let value = source.target_value.unwrap_or_else(zero);
        let said = source.average_value.is_none() || quantity::sign(&value).is_ne();
        let reference = source.target.unwrap_or_default();
        Self {
            described_object: CrossVersionObjectReference {
                kind: reference.kind.unwrap_or_default(),
                name: reference.name.unwrap_or_default(),
                api_version: reference.api_version,
            },
            target: target(kind, said.then_some(value), source.average_value, None),
            metric: identifier(source.metric_name, source.selector),
        }
    }
}

impl From<PodsSource> for PodsMetricSource {
    fn from(source: PodsSource) -> Self {
        let average = source.target_average_value.unwrap_or_else(zero);
        Self {
            metric: identifier(source.metric_name, source.selector),
            target: target("AverageValue", None, Some(average), None),
        }
    }
}

impl ResourceSource {
    fn name_and_target(self) -> (String, MetricTarget) {
        let share = self.target_average_utilization;
        let kind = if share.is_some() { "Utilization" } else { "AverageValue" };
        (self.name.unwrap_or_default(), target(kind, None, self.target_average_value, share))
    }
}

impl From<ExternalSource> for ExternalMetricSource {
    fn from(source: ExternalSource) -> Self {
        let kind = if source.target_value.is_some() { "Value" } else { "AverageValue" };
        Self {
            metric: identifier(source.metric_name, source.metric_selector),
            target: target(kind, source.target_value, source.target_average_value, None),
        }
    }
}

impl From<Rules> for HPAScalingRules {
    fn from(rules: Rules) -> Self {
        let policies = rules.policies.map(|policies| {
            let policies = policies.into_iter().map(Option::unwrap_or_default);
            policies
                .map(|policy| HPAScalingPolicy {
                    type_: policy.kind.unwrap_or_default(),
                    value: policy.value.unwrap_or_default(),
                    period_seconds: policy.period_seconds.unwrap_or_default(),
                })
                .collect()
        });
        Self {
            policies,
            select_policy: rules.select_policy,
            stabilization_window_seconds: rules.stabilization_window_seconds,
            tolerance: rules.tolerance,
        }
    }
}

fn zero() -> Quantity {
    Quantity("0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::metrics;

    #[test]
    fn names_of_labels_keep_their_case() {
        let annotation = r#"[{"TYPE":"Pods","pods":{"SELECTOR":{"MatchLabels":{"type":"a","TYPE":"b"}}}}]"#;
        let metrics = metrics(annotation).unwrap_or_default();
        let labels = metrics
            .into_iter()
            .filter_map(|metric| metric.pods?.metric.selector?.match_labels)
            .flatten()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>();
        assert_eq!(labels, ["TYPE=b", "type=a"]);
    }

    #[test]
    fn what_does_not_fit_counts_for_nothing() {
        for annotation in ["", "[", "{}", "[{}] []", r#"[{"TYPE":1}]"#, r#"[{"pods":{"metricName":[]}}]"#] {
            assert!(metrics(annotation).is_none(), "{annotation}");
        }
        assert_eq!(metrics("null").map(|metrics| metrics.len()), Some(0));
    }
}
