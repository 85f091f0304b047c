//! What `v1` keeps in annotations because its fields have no place for it.
//!
//! Both annotations hold JSON. One that does not fit its type counts for nothing, as Go's decoder has it.

use crate::quantity;
use crate::types::Quantity;
use crate::types::autoscaling::v2::{
    ContainerResourceMetricSource, CrossVersionObjectReference, ExternalMetricSource, HPAScalingPolicy,
    HPAScalingRules, HorizontalPodAutoscalerBehavior, MetricIdentifier, MetricSpec, MetricTarget, ObjectMetricSource,
    PodsMetricSource, ResourceMetricSource,
};
use crate::types::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use takeover_harness::object::{Arena, Map};

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
pub(super) fn metrics<'a>(annotation: &str, arena: &'a Arena) -> Option<Vec<MetricSpec<'a>>> {
    let metrics: Option<Vec<Option<Metric>>> = read(annotation, METRIC_MEMBERS)?;
    Some(metrics.unwrap_or_default().into_iter().map(|metric| metric.unwrap_or_default().to_hub(arena)).collect())
}

/// The behavior of an annotation, when it says something.
pub(super) fn behavior<'a>(annotation: &str, arena: &'a Arena) -> Option<&'a HorizontalPodAutoscalerBehavior<'a>> {
    let behavior = read::<Option<Behavior>>(annotation, BEHAVIOR_MEMBERS)??;
    let behavior = HorizontalPodAutoscalerBehavior {
        scale_up: behavior.scale_up.map(|rules| rules.to_hub(arena)),
        scale_down: behavior.scale_down.map(|rules| rules.to_hub(arena)),
    };
    (behavior != HorizontalPodAutoscalerBehavior::default()).then(|| &*arena.alloc(behavior))
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
    target_value: Option<String>,
    selector: Option<Selector>,
    #[serde(deserialize_with = "read_quantity")]
    average_value: Option<String>,
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
    target_average_value: Option<String>,
    selector: Option<Selector>,
}

/// A resource of pods, or of one of their containers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ResourceSource {
    name: Option<String>,
    container: Option<String>,
    target_average_utilization: Option<i32>,
    #[serde(deserialize_with = "read_quantity")]
    target_average_value: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExternalSource {
    metric_name: Option<String>,
    metric_selector: Option<Selector>,
    #[serde(deserialize_with = "read_quantity")]
    target_value: Option<String>,
    #[serde(deserialize_with = "read_quantity")]
    target_average_value: Option<String>,
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
    tolerance: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct ScalingPolicy {
    #[serde(rename = "Type")]
    kind: Option<String>,
    value: Option<i32>,
    period_seconds: Option<i32>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Selector {
    match_labels: Option<BTreeMap<String, String>>,
    match_expressions: Option<Vec<Requirement>>,
    /// With this, the struct is not read from a list of its members.
    #[serde(flatten)]
    _others: IgnoredAny,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Requirement {
    key: Option<String>,
    operator: Option<String>,
    values: Option<Vec<String>>,
    /// As in [`Selector`].
    #[serde(flatten)]
    _others: IgnoredAny,
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
        let mut object = serde_json::Map::new();
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

fn read_quantity<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    let text = match Option::<Value>::deserialize(source)? {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text,
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => return Err(serde::de::Error::custom("no quantity")),
    };
    Quantity::parse(&text, true).map_err(serde::de::Error::custom)?;
    Ok(Some(text))
}

/// Copies the text of a member into the arena; an unset member is empty.
fn text<'a>(member: Option<&str>, arena: &'a Arena) -> &'a str {
    arena.alloc_str(member.unwrap_or_default())
}

fn amount<'a>(member: Option<&str>, arena: &'a Arena) -> Option<Quantity<'a>> {
    member.map(|text| quantity::of_text(arena.alloc_str(text)))
}

fn identifier<'a>(name: Option<&str>, selector: Option<&Selector>, arena: &'a Arena) -> MetricIdentifier<'a> {
    MetricIdentifier { name: text(name, arena), selector: selector.map(|selector| selector.to_hub(arena)) }
}

/// A target of type `kind`, or of an average value when there is none of that kind.
fn target<'a>(
    kind: &'static str,
    value: Option<Quantity<'a>>,
    average: Option<Quantity<'a>>,
    share: Option<i32>,
) -> MetricTarget<'a> {
    MetricTarget { type_: kind, value, average_value: average, average_utilization: share }
}

impl Metric {
    fn to_hub<'a>(&self, arena: &'a Arena) -> MetricSpec<'a> {
        MetricSpec {
            type_: text(self.kind.as_deref(), arena),
            object: self.object.as_ref().map(|source| source.to_hub(arena)),
            pods: self.pods.as_ref().map(|source| source.to_hub(arena)),
            resource: self.resource.as_ref().map(|source| {
                let (name, target) = source.name_and_target(arena);
                &*arena.alloc(ResourceMetricSource { name, target })
            }),
            container_resource: self.container_resource.as_ref().map(|source| {
                let container = text(source.container.as_deref(), arena);
                let (name, target) = source.name_and_target(arena);
                &*arena.alloc(ContainerResourceMetricSource { name, target, container })
            }),
            external: self.external.as_ref().map(|source| source.to_hub(arena)),
        }
    }
}

impl ObjectSource {
    fn to_hub<'a>(&self, arena: &'a Arena) -> &'a ObjectMetricSource<'a> {
        let average = amount(self.average_value.as_deref(), arena);
        let kind = if average.is_some() { "AverageValue" } else { "Value" };
        // The value has no pointer in `v1`, so that it is always written: beside an average, zero says nothing.
        let value = amount(self.target_value.as_deref(), arena).unwrap_or_default();
        let said = average.is_none() || quantity::sign(&value).is_ne();
        let reference = self.target.as_ref().map(|reference| CrossVersionObjectReference {
            kind: text(reference.kind.as_deref(), arena),
            name: text(reference.name.as_deref(), arena),
            api_version: reference.api_version.as_deref().map(|version| &*arena.alloc_str(version)),
        });
        arena.alloc(ObjectMetricSource {
            described_object: reference.unwrap_or_default(),
            target: target(kind, said.then_some(value), average, None),
            metric: identifier(self.metric_name.as_deref(), self.selector.as_ref(), arena),
        })
    }
}

impl PodsSource {
    fn to_hub<'a>(&self, arena: &'a Arena) -> &'a PodsMetricSource<'a> {
        let average = amount(self.target_average_value.as_deref(), arena).unwrap_or_default();
        arena.alloc(PodsMetricSource {
            metric: identifier(self.metric_name.as_deref(), self.selector.as_ref(), arena),
            target: target("AverageValue", None, Some(average), None),
        })
    }
}

impl ResourceSource {
    fn name_and_target<'a>(&self, arena: &'a Arena) -> (&'a str, MetricTarget<'a>) {
        let share = self.target_average_utilization;
        let kind = if share.is_some() { "Utilization" } else { "AverageValue" };
        let average = amount(self.target_average_value.as_deref(), arena);
        (text(self.name.as_deref(), arena), target(kind, None, average, share))
    }
}

impl ExternalSource {
    fn to_hub<'a>(&self, arena: &'a Arena) -> &'a ExternalMetricSource<'a> {
        let value = amount(self.target_value.as_deref(), arena);
        let kind = if value.is_some() { "Value" } else { "AverageValue" };
        let average = amount(self.target_average_value.as_deref(), arena);
        arena.alloc(ExternalMetricSource {
            metric: identifier(self.metric_name.as_deref(), self.metric_selector.as_ref(), arena),
            target: target(kind, value, average, None),
        })
    }
}

impl Selector {
    fn to_hub<'a>(&self, arena: &'a Arena) -> &'a LabelSelector<'a> {
        let labels = self.match_labels.as_ref().map(|labels| {
            let entry = |(name, value): (&String, &String)| (&*arena.alloc_str(name), &*arena.alloc_str(value));
            Map::new(arena.alloc_slice_fill_iter(labels.iter().map(entry)))
        });
        let requirements = self.match_expressions.as_ref().map(|requirements| {
            let requirements = requirements.iter().map(|requirement| requirement.to_hub(arena));
            &*arena.alloc_slice_fill_iter(requirements)
        });
        arena.alloc(LabelSelector { match_labels: labels, match_expressions: requirements })
    }
}

impl Requirement {
    fn to_hub<'a>(&self, arena: &'a Arena) -> LabelSelectorRequirement<'a> {
        let values = self.values.as_ref().map(|values| {
            let values = values.iter().map(|value| &*arena.alloc_str(value));
            &*arena.alloc_slice_fill_iter(values)
        });
        LabelSelectorRequirement {
            key: text(self.key.as_deref(), arena),
            operator: text(self.operator.as_deref(), arena),
            values,
        }
    }
}

impl Rules {
    fn to_hub<'a>(&self, arena: &'a Arena) -> &'a HPAScalingRules<'a> {
        let policies = self.policies.as_ref().map(|policies| {
            let policies = policies.iter().map(|policy| match policy {
                Some(policy) => policy.to_hub(arena),
                None => HPAScalingPolicy::default(),
            });
            &*arena.alloc_slice_fill_iter(policies)
        });
        arena.alloc(HPAScalingRules {
            policies,
            select_policy: self.select_policy.as_deref().map(|policy| &*arena.alloc_str(policy)),
            stabilization_window_seconds: self.stabilization_window_seconds,
            tolerance: amount(self.tolerance.as_deref(), arena),
        })
    }
}

impl ScalingPolicy {
    fn to_hub<'a>(&self, arena: &'a Arena) -> HPAScalingPolicy<'a> {
        HPAScalingPolicy {
            type_: text(self.kind.as_deref(), arena),
            value: self.value.unwrap_or_default(),
            period_seconds: self.period_seconds.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::metrics;
    use takeover_harness::object::Arena;

    #[test]
    fn names_of_labels_keep_their_case() {
        let arena = Arena::new();
        let annotation = r#"[{"TYPE":"Pods","pods":{"SELECTOR":{"MatchLabels":{"type":"a","TYPE":"b"}}}}]"#;
        let metrics = metrics(annotation, &arena).unwrap_or_default();
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
        let arena = Arena::new();
        for annotation in [
            "",
            "[",
            "{}",
            "[{}] []",
            r#"[{"TYPE":1}]"#,
            r#"[{"pods":{"metricName":[]}}]"#,
            r#"[{"pods":{"selector":[]}}]"#,
            r#"[{"pods":{"selector":{"matchExpressions":[[]]}}}]"#,
            r#"[{"pods":{"selector":{"matchExpressions":[null]}}}]"#,
        ] {
            assert!(metrics(annotation, &arena).is_none(), "{annotation}");
        }
        assert_eq!(metrics("null", &arena).map(|metrics| metrics.len()), Some(0));
        let selector =
            r#"[{"pods":{"selector":{"other":1,"matchExpressions":[{"KEY":"a","other":2,"values":null}]}}}]"#;
        let found = metrics(selector, &arena).unwrap_or_default();
        let requirements = found.iter().filter_map(|metric| metric.pods?.metric.selector?.match_expressions).flatten();
        assert_eq!(
            requirements.map(|requirement| (requirement.key, requirement.values)).collect::<Vec<_>>(),
            [("a", None)]
        );
    }
}
