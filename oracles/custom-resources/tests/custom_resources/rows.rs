//! CEL rules as rows: texts, errors, and values on both sides of what they tell apart.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use serde_json::{Value, json};
use takeover_custom_resources::{CustomKind, kinds_of_crd};
use takeover_harness::rule::{Rule, Sample};

fn kind(spec: &Value) -> CustomKind {
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
        "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}});
    kinds_of_crd(&crd).unwrap().remove(0)
}

/// The samples of a rule, by whether they break it.
fn samples(rule: &Rule) -> (Vec<String>, Vec<String>) {
    let of = |breaks: bool| {
        let classes = rule.boundaries.iter().filter(|class| class.breaks == breaks);
        let shown = |sample: &Sample| match sample {
            Sample::Value(value) => value.to_string(),
            other => format!("{other:?}"),
        };
        classes.map(|class| shown(&class.sample)).collect()
    };
    (of(false), of(true))
}

#[test]
fn rules_of_cel_are_rows_with_values_on_both_sides() {
    let kind = kind(&json!({"type": "object", "required": ["min"], "properties": {
        "min": {"type": "integer"}, "max": {"type": "integer"},
        "size": {"type": "integer", "x-kubernetes-validations": [
            {"rule": "self <= 10", "reason": "FieldValueForbidden"}, {"rule": "self\n  == oldSelf"}]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-validations": [
            {"rule": "self.all(key, !key.contains('*'))", "message": "one"}, {"rule": "self.all(key, !key.contains('*'))"}]}},
        "x-kubernetes-validations": [{"rule": "!has(self.max) || self.min <= self.max", "fieldPath": ".max"}]}));
    let rules: Vec<&Rule> = kind.hints().iter().filter(|rule| rule.tag == "cel").collect();
    let shown = |rule: &&Rule| {
        let reports = rule.reports.iter().map(|shape| format!("{:?} at {}", shape.error_type, shape.field));
        format!(
            "{} {}{}",
            rule.reference(),
            reports.collect::<String>(),
            if rule.update_only { ", of updates" } else { "" }
        )
    };
    assert_eq!(
        rules.iter().map(shown).collect::<Vec<_>>(),
        [
            "spec cel: !has(self.max) || self.min <= self.max Invalid at spec.max",
            "spec.labels cel: self.all(key, !key.contains('*')) Invalid at spec.labels",
            "spec.labels cel: self.all(key, !key.contains('*')) (2) Invalid at spec.labels",
            "spec.size cel: self <= 10 Forbidden at spec.size",
            "spec.size cel: self == oldSelf Invalid at spec.size, of updates",
        ]
    );
    let of = |index: usize| samples(rules[index]);
    let (holds, fails) = of(0);
    for pair in ["{\"min\":1}", "{\"max\":2,\"min\":2}", "{\"max\":3,\"min\":2}"] {
        assert!(holds.iter().any(|sample| sample == pair), "{pair}: {holds:?}");
    }
    assert!(fails.iter().any(|sample| sample == "{\"max\":1,\"min\":2}"), "{fails:?}");
    assert!(of(1).0.iter().any(|sample| sample == "{}") && of(1).1.iter().any(|sample| sample.contains("\"*\"")));
    assert_eq!(of(3), (["1", "10", "9", "2", "3"].map(str::to_owned).into(), vec!["11".to_owned()]));
    assert!(of(4).1.len() > 1, "{:?}", of(4));
    assert_eq!(kind.places().len(), kind.hints().len());
    let place = &kind.places()[rules[2].id.index()];
    assert_eq!(place, "/properties/spec/properties/labels/x-kubernetes-validations/1");
}

#[test]
fn two_members_that_are_compared_have_pairs_that_other_readings_put_in_another_order() {
    let of = |member: Value, rule: &str| {
        let properties = json!({"from": member, "to": member});
        let kind =
            kind(&json!({"type": "object", "properties": properties, "x-kubernetes-validations": [{"rule": rule}]}));
        samples(kind.hints().iter().find(|rule| rule.path == "spec" && rule.tag == "cel").unwrap())
    };
    let pair = |from: &str, to: &str| json!({"from": from, "to": to}).to_string();
    // As numbers, 10 is greater than 9.
    let (holds, fails) = of(json!({"type": "string", "pattern": "^[0-9]+$"}), "self.from <= self.to");
    assert!(holds.contains(&pair("10", "9")), "{holds:?}");
    assert!(fails.contains(&pair("9", "10")) && !fails.contains(&pair("b", "a")), "{fails:?}");
    // Exactly the written difference, a second less, and a second more.
    let (holds, fails) = of(
        json!({"type": "string", "format": "date-time"}),
        "timestamp(self.to) - timestamp(self.from) >= duration('1h')",
    );
    let after = |clock: &str| pair("2024-01-01T00:00:00Z", &format!("2024-01-01T{clock}Z"));
    assert!(holds.contains(&after("01:00:00")) && holds.contains(&after("01:00:01")), "{holds:?}");
    assert!(fails.contains(&after("00:59:59")), "{fails:?}");
    // The rules of the members accept every value of the pairs.
    let positive = json!({"type": "string", "x-kubernetes-validations": [{"rule": "duration(self) > duration('1m')"}]});
    let (holds, _) = of(positive, "duration(self.from) <= duration(self.to)");
    assert!(holds.contains(&pair("2m", "2m")) || holds.contains(&pair("1h", "90m")), "{holds:?}");
    assert!(!holds.contains(&pair("60s", "1m")), "{holds:?}");
}

#[test]
fn entries_under_one_key_and_items_of_a_list_are_compared_in_pairs() {
    let of = |spec: Value| samples(kind(&spec).hints().iter().find(|rule| rule.tag == "cel").unwrap());
    let numbers = json!({"type": "object", "maxProperties": 6, "additionalProperties": {"type": "integer"}});
    let rule = "self.requests.all(k, !(k in self.limits) || self.requests[k] <= self.limits[k] || k == 'memory')";
    let (holds, fails) = of(json!({"type": "object", "required": ["requests", "limits"],
        "properties": {"requests": numbers, "limits": numbers}, "x-kubernetes-validations": [{"rule": rule}]}));
    let entries = |key: &str| json!({"limits": {key: 1}, "requests": {key: 2}}).to_string();
    assert!(holds.contains(&entries("memory")), "{holds:?}");
    assert!(fails.contains(&entries("a0")), "{fails:?}");
    let unique = |items: Value, rule: &str| {
        of(json!({"type": "array", "maxItems": 5, "items": items, "x-kubernetes-validations": [{"rule": rule}]})).0
    };
    let holds = unique(json!({"type": "string", "format": "ipv6"}), "self.all(x, self.exists_one(y, x == y))");
    assert!(holds.contains(&json!(["::1", "0::1"]).to_string()), "{holds:?}");
    let named = json!({"type": "object", "properties": {"host": {"type": "string"}}});
    let holds = unique(named, "self.all(x, self.filter(y, x.host == y.host).size() == 1)");
    assert!(holds.contains(&json!([{"host": "a"}, {"host": "A"}]).to_string()), "{holds:?}");
    // Keys with a forbidden key as prefix.
    let (holds, fails) = of(json!({"type": "object", "additionalProperties": {"type": "string"},
        "x-kubernetes-validations": [{"rule": "!('listeners' in self)"}]}));
    assert!(holds.iter().any(|sample| sample.contains("listeners.x")), "{holds:?}");
    assert!(fails.iter().any(|sample| sample.contains("\"listeners\"")), "{fails:?}");
}

#[test]
fn absent_members_of_inner_objects_are_null_in_samples() {
    let kind =
        kind(&json!({"type": "object", "properties": {"inner": {"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"}, "b": {"type": "string"}}}},
        "x-kubernetes-validations": [{"rule": "!has(self.inner) || has(self.inner.b)"}]}));
    let rule = kind.hints().iter().find(|rule| rule.tag == "cel").unwrap();
    assert_eq!(samples(rule).1, ["{\"inner\":{\"b\":null}}"]);
}

#[test]
fn rules_that_do_not_compile_have_no_samples_and_say_so() {
    let kind = kind(&json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.nothing"}]}));
    let [rule] = kind.hints() else { panic!("{:?}", kind.hints()) };
    assert!(rule.boundaries.is_empty());
    assert_eq!(rule.unreachable[0].reason, "the rule is not evaluated");
}
