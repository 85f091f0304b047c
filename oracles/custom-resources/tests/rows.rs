//! CEL rules as rows: texts, errors, and values on both sides of what they tell apart.

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
fn show() {
    let kind = kind(&json!({"type": "object", "required": ["min"], "properties": {
        "min": {"type": "integer"}, "max": {"type": "integer"}, "mode": {"type": "string", "enum": ["A", "B"]},
        "size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self <= 10"}, {"rule": "self == oldSelf"}]},
        "names": {"type": "array", "maxItems": 5, "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(key, !key.contains('*'))"}]},
        "t": {"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('^[a-z]+$')"}, {"rule": "duration(self) >= duration('1h')"}]}},
        "x-kubernetes-validations": [
            {"rule": "!has(self.max) || self.min <= self.max"},
            {"rule": "self.mode == 'A' ? has(self.max) : true"},
            {"rule": "has(self.names) ? self.names.all(x, self.names.exists_one(y, x.name == y.name)) : true"},
            {"rule": "self.names.filter(f, f.port > 1).size() <= 2"}]}));
    for rule in &kind.hints {
        if rule.tag == "cel" {
            let (keeps, breaks) = samples(rule);
            println!(
                "{} {} {}\n  + {}\n  - {}",
                rule.path,
                rule.chain,
                rule.update_only,
                keeps.join(" | "),
                breaks.join(" | ")
            );
        }
    }
    println!("{:?}", kind.places);
}
