//! Bounds of what single objects, and all of a namespace together, may take.

use super::support::Rows;
use serde_json::{Value, json};

fn limits(item: Value) -> [(&'static str, Value); 1] {
    [("/spec/limits", json!([item]))]
}

fn ranges() -> Rows {
    let range = json!({"apiVersion": "v1", "kind": "LimitRange",
                       "metadata": {"name": "r", "namespace": "n", "resourceVersion": "1"}, "spec": {"limits": []}});
    Rows::of("v1", "LimitRange", range)
}

#[test]
fn types_of_limits_are_standard_or_qualified_and_come_once() {
    let of = |name: &str| limits(json!({"type": name}));
    let unqualified = "spec.limits[0].type: Invalid value: \"Node\": must be a standard limit type or fully qualified";
    ranges().created(&[
        (&[], &[]),
        (&of("Pod"), &[]),
        (&of("a.io/Image"), &[]),
        (&of("Node"), &[unqualified]),
        (
            &of(""),
            &[
                "spec.limits[0].type: Invalid value: \"\": name part must be non-empty",
                "spec.limits[0].type: Invalid value: \"\": name part must consist",
            ],
        ),
        (
            &[("/spec/limits", json!([{"type": "Pod"}, {"type": "Pod"}]))],
            &["spec.limits[1].type: Duplicate value: \"Pod\""],
        ),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
    ]);
    ranges().updated(&[(&of("Node"), &[unqualified])]);
}

#[test]
fn resources_are_those_of_the_type_of_limit() {
    let named = "must be a standard resource type or fully qualified";
    let of_containers = "must be a standard resource for containers";
    let ratio = |name: &str, detail: &str| {
        format!("spec.limits[0].maxLimitRequestRatio[{name}]: Invalid value: \"{name}\": {detail}")
    };
    let vendor = "spec.limits[0].maxLimitRequestRatio[requests.a.io/x]: Invalid value…doesn't follow extended resource name standard";
    let of = |kind: &str, list: &str, name: &str| limits(json!({"type": kind, list: {name: "1"}}));
    for list in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
        let at = format!("spec.limits[0].{list}[gpu]: Invalid value: \"gpu\": {named}");
        ranges().created(&[
            (&of("a.io/Image", list, "gpu"), &[&at]),
            (&of("a.io/Image", list, "storage"), &[]),
            (&of("a.io/Image", list, "requests.a.io/x"), &[]),
            (
                &of("a.io/Image", list, "-"),
                &[&format!("spec.limits[0].{list}[-]: Invalid value: \"-\": name part must consist")],
            ),
        ]);
    }
    for kind in ["Pod", "Container"] {
        ranges().created(&[
            (&of(kind, "maxLimitRequestRatio", "storage"), &[&ratio("storage", of_containers)]),
            (&of(kind, "maxLimitRequestRatio", "gpu"), &[&ratio("gpu", named), &ratio("gpu", of_containers)]),
            (&of(kind, "maxLimitRequestRatio", "requests.a.io/x"), &[vendor]),
            (&of(kind, "maxLimitRequestRatio", "a.io/x"), &[]),
        ]);
    }
    let no = "may not be specified when `type` is 'Pod'";
    ranges().created(&[
        (&of("Pod", "default", "gpu"), &[&format!("spec.limits[0].default: Forbidden: {no}")]),
        (&of("Pod", "defaultRequest", "gpu"), &[&format!("spec.limits[0].defaultRequest: Forbidden: {no}")]),
        (
            &of("PersistentVolumeClaim", "max", "cpu"),
            &["spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided"],
        ),
        (&of("PersistentVolumeClaim", "max", "storage"), &[]),
        (&of("PersistentVolumeClaim", "min", "storage"), &[]),
    ]);
}

#[test]
fn lower_bounds_stay_below_upper_ones() {
    let image = |lists: Value| {
        let mut item = lists;
        item["type"] = json!("a.io/Image");
        limits(item)
    };
    let cpu = |amount: &str| json!({"cpu": amount});
    ranges().created(&[
        (&image(json!({"min": cpu("1"), "max": cpu("1000m"), "default": cpu("1"), "defaultRequest": cpu("1")})), &[]),
        (
            &image(json!({"min": cpu("2"), "max": cpu("1")})),
            &["spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1"],
        ),
        (
            &image(json!({"min": cpu("2"), "defaultRequest": cpu("1500m")})),
            &["spec.limits[0].defaultRequest[cpu]: Invalid value: \"1500m\": min value 2 is greater than default request value 1500m"],
        ),
        (
            &image(json!({"max": cpu("1"), "defaultRequest": cpu("2")})),
            &["spec.limits[0].defaultRequest[cpu]: Invalid value: \"2\": default request value 2 is greater than max value 1"],
        ),
        (
            &image(json!({"default": cpu("1"), "defaultRequest": cpu("2")})),
            &["spec.limits[0].defaultRequest[cpu]: Invalid value: \"2\": default request value 2 is greater than default limit value 1"],
        ),
        (
            &image(json!({"min": cpu("2"), "default": cpu("1")})),
            &["spec.limits[0].default[cpu]: Invalid value: \"2\": min value 2 is greater than default value 1"],
        ),
        (
            &image(json!({"max": cpu("1"), "default": cpu("2")})),
            &["spec.limits[0].default[cpu]: Invalid value: \"1\": default value 2 is greater than max value 1"],
        ),
        (
            &image(json!({"default": {"a.io/x": "2"}, "defaultRequest": {"a.io/x": "1"}})),
            &["spec.limits[0].defaultRequest[a.io/x]: Invalid value: \"1\": default value 2 must equal to defaultRequest value 1 in a.io/x"],
        ),
        (
            &image(json!({"default": {"hugepages-2Mi": "4Mi"}, "defaultRequest": {"hugepages-2Mi": "2Mi"}})),
            &["spec.limits[0].defaultRequest[hugepages-2Mi]: Invalid value…default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi"],
        ),
        (&image(json!({"default": {"kubernetes.io/x": "2"}, "defaultRequest": {"kubernetes.io/x": "1"}})), &[]),
    ]);
}

#[test]
fn ratios_are_at_least_one_and_possible() {
    let pod = |min: &str, max: &str, ratio: &str| {
        let lists = [("min", min), ("max", max), ("maxLimitRequestRatio", ratio)];
        let lists = lists.map(|(list, amount)| (list.to_owned(), json!({"cpu": amount})));
        limits([("type".to_owned(), json!("Pod"))].into_iter().chain(lists).collect())
    };
    let at = "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value:";
    let large = "9223372036854775";
    ranges().created(&[
        (&pod("1", "2", "2"), &[]),
        (&pod("0", "2", "9"), &[]),
        (&pod("0", "0", "9"), &[]),
        (&limits(json!({"type": "Pod", "maxLimitRequestRatio": {"cpu": "9"}})), &[]),
        (&pod("1", "2", "500m"), &[&format!("{at} \"500m\": ratio 500m is less than 1")]),
        (&pod("1", "2", "2500m"), &[&format!("{at} \"2500m\": ratio 2500m is greater than max/min = 2.000000")]),
        (&pod("3", "4", "2"), &[&format!("{at} \"2\": ratio 2 is greater than max/min = 1.333333")]),
        // Of amounts that do not fit as thousandths, whole ones are compared.
        (&pod("1", large, large), &[]),
        (&pod("1500m", "3", "2001m"), &[&format!("{at} \"2001m\": ratio 2001m is greater than max/min = 2.000000")]),
        (&pod("1500m", large, large), &["spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value…is greater than max/min = 4611686018427388.000000"]),
        (&pod("0", "-1", "2"), &["spec.limits[0].min[cpu]: Invalid value…min value 0 is greater than max value -1", "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value…is greater than max/min = -Inf"]),
    ]);
}

#[test]
fn limits_of_containers_fill_each_other_in() {
    let of = |lists: Value| {
        let mut item = lists;
        item["type"] = json!("Container");
        limits(item)
    };
    ranges().created(&[
        (&of(json!({"max": {"cpu": "1"}, "min": {"memory": "1"}})), &[]),
        // The default is the most there may be, and then what is asked for.
        (
            &of(json!({"max": {"cpu": "1"}, "min": {"cpu": "2"}})),
            &[
                "spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1",
                "spec.limits[0].defaultRequest[cpu]: Invalid value: \"1\": min value 2 is greater than default request value 1",
                "spec.limits[0].default[cpu]: Invalid value: \"2\": min value 2 is greater than default value 1",
            ],
        ),
        (
            &of(json!({"max": {"cpu": "1"}, "defaultRequest": {"cpu": "2"}})),
            &["spec.limits[0].defaultRequest[cpu]: Invalid value…default request value 2 is greater than max value 1", "spec.limits[0].defaultRequest[cpu]: Invalid value…is greater than default limit value 1"],
        ),
    ]);
}

fn quotas() -> Rows {
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota",
                       "metadata": {"name": "q", "namespace": "n", "resourceVersion": "1"}, "spec": {"hard": {"pods": "5"}}});
    Rows::of("v1", "ResourceQuota", quota)
}

#[test]
fn quotas_bound_resources_that_are_counted() {
    let hard = |name: &str, amount: &str| [("/spec/hard", json!({name: amount}))];
    let unknown =
        |name: &str| format!("spec.hard[{name}]: Invalid value: \"{name}\": must be a standard resource for quota");
    quotas().created(&[
        (&[], &[]),
        (&[("/spec", Value::Null)], &[]),
        (&hard("count/deployments.apps", "1"), &[]),
        (&hard("requests.hugepages-2Mi", "3Mi"), &[]),
        (&hard("requests.storage", "1500m"), &[]),
        (&hard("storage", "1"), &[&unknown("storage")]),
        (
            &hard("gpu", "1"),
            &["spec.hard[gpu]: Invalid value: \"gpu\": must be a standard resource type", &unknown("gpu")],
        ),
        (&hard("a b", "1"), &["spec.hard[a b]: Invalid value: \"a b\": name part must consist", &unknown("a b")]),
        (&hard("a.io/-", "1"), &["spec.hard[a.io/-]: Invalid value: \"a.io/-\": name part must consist"]),
        (&hard("pods", "-1"), &["spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0"]),
        (
            &hard("services.nodeports", "1500m"),
            &["spec.hard[services.nodeports]: Invalid value: \"1500m\": must be an integer"],
        ),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
        (
            &[("/status", json!({"hard": {"gpu": "1"}}))],
            &["status.hard[gpu]: Invalid value", "status.hard[gpu]: Invalid value"],
        ),
    ]);
    // A name is not looked at again.
    quotas().changed(&[(&[("/metadata/name", json!("A"))], (&[("/metadata/name", json!("A"))], &[]))]);
}

#[test]
fn scopes_are_known_agree_and_stay() {
    let scopes = |names: &[&str]| [("/spec/scopes", json!(names))];
    let with = |name: &str, hard: &[&str]| {
        let hard: Value = hard.iter().map(|resource| ((*resource).to_owned(), json!("1"))).collect();
        [("/spec/scopes", json!([name])), ("/spec/hard", hard)]
    };
    let beyond = "spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to resource";
    let rows = quotas();
    rows.created(&[
        (&scopes(&["BestEffort", "Terminating", "PriorityClass", "CrossNamespacePodAffinity"]), &[]),
        (&scopes(&["Own"]), &["spec.scopes: Invalid value: [\"Own\"]: unsupported scope"]),
        (
            &scopes(&["BestEffort", "NotBestEffort"]),
            &["spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes"],
        ),
        (
            &scopes(&["Terminating", "NotTerminating"]),
            &["spec.scopes: Invalid value: [\"Terminating\",\"NotTerminating\"]: conflicting scopes"],
        ),
        (&with("BestEffort", &["cpu", "memory", "pods", "a.io/x"]), &[beyond, beyond]),
        (&with("NotBestEffort", &["cpu", "limits.memory", "requests.cpu", "pods"]), &[]),
        (&with("PriorityClass", &["secrets"]), &["spec.scopes: Invalid value…unsupported scope applied to resource"]),
        (&with("VolumeAttributesClass", &["persistentvolumeclaims", "requests.storage"]), &[]),
        (
            &with("VolumeAttributesClass", &["pods"]),
            &["spec.scopes: Invalid value…unsupported scope applied to resource"],
        ),
    ]);
    rows.updated(&[
        (&scopes(&["BestEffort"]), &["spec.scopes: Invalid value: [\"BestEffort\"]: field is immutable"]),
        (&[("/spec/hard", json!({"gpu": "1"}))], &["spec.hard[gpu]: Invalid value", "spec.hard[gpu]: Invalid value"]),
        (&[("/status", json!({"hard": {"gpu": "1"}}))], &[]),
    ]);
    rows.changed(&[
        (&scopes(&["BestEffort"]), (&[], &["spec.scopes: Invalid value: null: field is immutable"])),
        (&scopes(&["BestEffort", "Terminating"]), (&scopes(&["Terminating", "BestEffort"]), &[])),
    ]);
}

#[test]
fn selectors_of_scopes_have_values_where_their_operators_need_them() {
    let of = |scope: &str, operator: &str, values: Value| {
        let requirement = json!({"scopeName": scope, "operator": operator, "values": values});
        [("/spec/scopeSelector", json!({"matchExpressions": [requirement]}))]
    };
    let at = "spec.scopeSelector.matchExpressions";
    let exists = format!(
        "{at}.operator: Invalid value: \"In\": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
    );
    quotas().created(&[
        (&[("/spec/scopeSelector", json!({}))], &[]),
        (&of("PriorityClass", "In", json!(["a"])), &[]),
        (&of("PriorityClass", "Exists", Value::Null), &[]),
        (&of("PriorityClass", "DoesNotExist", Value::Null), &[]),
        (&of("BestEffort", "Exists", Value::Null), &[]),
        (&of("Own", "NotIn", json!(["a"])), &[&format!("{at}.scopeName: Invalid value: \"Own\": unsupported scope")]),
        (&of("CrossNamespacePodAffinity", "In", json!(["a"])), &[&exists]),
        (&of("PriorityClass", "NotIn", json!([])), &[&format!("{at}.values: Required value: must be at least one value")]),
        (
            &of("PriorityClass", "Exists", json!(["a"])),
            &[&format!("{at}.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist'")],
        ),
        (&of("PriorityClass", "Is", Value::Null), &[&format!("{at}.operator: Invalid value: \"Is\": not a valid selector")]),
        (
            &of("VolumeAttributesClass", "In", json!(["a"])),
            &[&format!("{at}: Invalid value: {{\"MatchExpressions\":[{{\"")],
        ),
        (
            &[("/spec/scopeSelector", json!({"matchExpressions": [{"scopeName": "Terminating", "operator": "Exists"},
                                                                  {"scopeName": "NotTerminating", "operator": "Exists"}]}))],
            &[&format!("{at}: Invalid value: null: conflicting scopes")],
        ),
    ]);
}

#[test]
fn the_status_of_a_quota_is_bound_as_its_spec() {
    let rows = quotas().at("status");
    let status = |list: &str, name: &str, amount: &str| [("/status", json!({list: {name: amount}}))];
    rows.updated(&[
        (&status("used", "pods", "3"), &[]),
        (
            &status("used", "pods", "-1"),
            &["status.used[pods]: Invalid value: \"-1\": must be greater than or equal to 0"],
        ),
        (
            &status("hard", "storage", "1"),
            &["status.hard[storage]: Invalid value: \"storage\": must be a standard resource for"],
        ),
        (&[("/spec/hard", json!({"gpu": "1"}))], &[]),
        (&[("/metadata/name", json!("o"))], &["metadata.name: Invalid value: \"o\": field is immutable"]),
        (
            &[("/metadata/resourceVersion", Value::Null)],
            &["metadata.resourceVersion: Invalid value: \"\": must be specified", "resourceVersion: Required value"],
        ),
    ]);
}
