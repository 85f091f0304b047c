//! Defaults of autoscalers.

use takeover_harness::object::{Edit, Node};

/// Share of the requested processor time that pods should use, in percent.
pub(super) const CPU_PERCENT: i32 = 80;

/// Defaults of `v2`.
pub fn default_autoscaler(autoscaler: &mut Edit<'_>) {
    autoscaler.edit("spec", |spec| {
        spec.set_default("minReplicas", Node::Int(1));
        if spec.get("metrics").items().is_empty() {
            spec.set_list("metrics", 1, |_, metric| default_metric(metric));
        }
        spec.edit_if_set("behavior", |behavior| {
            behavior.edit("scaleUp", |rules| {
                rules.set_default("stabilizationWindowSeconds", Node::Int(0));
                default_rules(rules, &[("Pods", 4), ("Percent", 100)]);
            });
            behavior.edit("scaleDown", |rules| default_rules(rules, &[("Percent", 100)]));
        });
    });
}

/// Defaults of `v1`. That of the processor load depends on annotations and belongs to the conversion.
pub fn default_autoscaler_v1(autoscaler: &mut Edit<'_>) {
    autoscaler.edit("spec", |spec| spec.set_default("minReplicas", Node::Int(1)));
}

fn default_metric(metric: &mut Edit<'_>) {
    metric.set("type", Node::Text("Resource"));
    metric.edit("resource", |resource| {
        resource.set("name", Node::Text("cpu"));
        resource.edit("target", |target| {
            target.set("type", Node::Text("Utilization"));
            target.set("averageUtilization", Node::Int(CPU_PERCENT.into()));
        });
    });
}

/// The strongest of `policies`, every quarter of a minute. An empty list of policies is a choice and stays.
fn default_rules(rules: &mut Edit<'_>, policies: &[(&'static str, i64)]) {
    rules.set_default_text("selectPolicy", "Max");
    if rules.get("policies").is_unset() {
        rules.set_list("policies", policies.len(), |index, policy| {
            let (kind, value) = policies.get(index).copied().unwrap_or_default();
            policy.set("type", Node::Text(kind));
            policy.set("value", Node::Int(value));
            policy.set("periodSeconds", Node::Int(15));
        });
    }
}
