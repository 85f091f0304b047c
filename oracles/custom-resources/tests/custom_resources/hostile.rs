//! CRDs and rules that are made to hurt: they end in an error, or within the limits.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use serde_json::{Value, json};
use takeover_custom_resources::faults::Faults;
use takeover_custom_resources::refuse::{Before, refusals};
use takeover_custom_resources::validate::Request;
use takeover_custom_resources::{CustomKind, kinds_of_crd};
use takeover_harness::control::Controls as _;

fn crd(spec: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

fn kind(spec: &Value) -> CustomKind {
    kinds_of_crd(&crd(spec)).unwrap().remove(0)
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}, "spec": spec})
}

fn texts(spec: &Value) -> String {
    refusals(&crd(spec), Before::Defaults).iter().map(|error| format!("{error}\n")).collect()
}

#[test]
fn schemas_that_nest_deeply_are_cut_or_refused() {
    let mut schema = json!({"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]});
    for _ in 0..400 {
        schema = json!({"type": "object", "properties": {"a": schema}, "x-kubernetes-validations": [{"rule": "has(self.a)"}]});
    }
    let kind = kind(&schema);
    assert!(kind.unread.iter().any(|unread| unread.what.contains("nested deeper")), "{:?}", kind.unread);
    assert!(kind.hints().len() < 200, "{}", kind.hints().len());
    assert!(texts(&schema).contains("deep"), "{}", texts(&schema));
}

#[test]
fn references_are_refused() {
    let found = texts(&json!({"type": "object", "properties": {"a": {"$ref": "#/properties/spec"}}}));
    assert!(found.contains("$ref"), "{found}");
}

#[test]
fn patterns_and_texts_that_explode_elsewhere_do_not_here() {
    let kind = kind(&json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^(a+)+(b|c+)*$"},
        "b": {"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('^(([a-z])+.)+[A-Z]([a-z])+$')"}]},
        "c": {"type": "string", "pattern": "^((a{40}){40}){40}$"}}}));
    let faults = Faults::of(&kind);
    let text = "a".repeat(20_000) + "!";
    let errors = faults.sound().judge(&object(&json!({"a": text, "b": text})), Request::Create);
    assert_eq!(errors.len(), 2, "{errors:?}");
    let mut exposure = faults.exposure();
    faults.expose(&object(&json!({"a": text, "b": text})), Request::Create, &mut exposure);
    assert!(exposure.fresh().count() > 1);
}

#[test]
fn rules_that_cost_too_much_are_refused_and_end_at_their_budget() {
    let spec = json!({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "string"}}},
        "x-kubernetes-validations": [{"rule": "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b != c + d + 'x'))))"}]});
    assert!(texts(&spec).contains("exceeds"), "{}", texts(&spec));
    let faults = Faults::of(&kind(&spec));
    let list: Vec<String> = (0..300).map(|index| format!("{index}")).collect();
    let bomb = object(&json!({"l": list}));
    let errors = faults.sound().judge(&bomb, Request::Create);
    assert!(errors.iter().any(|(_, error)| error.detail.contains("cost")), "{errors:?}");
}

#[test]
fn schemas_of_ten_megabytes_are_read() {
    let description = "d".repeat(1_000);
    let member =
        |index: usize| (format!("m{index}"), json!({"type": "string", "maxLength": 5, "description": description}));
    let properties: serde_json::Map<String, Value> = (0..10_000).map(member).collect();
    let kind = kind(&json!({"type": "object", "properties": properties}));
    assert_eq!(kind.hints().len(), 10_000);
    assert_eq!(kind.places().len(), 10_000);
}

#[test]
fn a_thousand_rules_have_a_bounded_number_of_faults() {
    let rule = |index: usize| json!({"rule": format!("!has(self.a) || self.a != {index} && self.a < {} || self.b == 'x{index}'", index + 5_000)});
    let rules: Vec<Value> = (0..1_000).map(rule).collect();
    let kind = kind(
        &json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string", "maxLength": 9}},
        "x-kubernetes-validations": rules}),
    );
    assert_eq!(kind.hints().len(), 1_001);
    assert!(kind.hints().iter().filter(|rule| rule.tag == "cel").all(|rule| rule.boundaries.len() <= 25));
    let faults = Faults::of(&kind);
    assert!(faults.faults().len() < 10_000, "{}", faults.faults().len());
    let mut exposure = faults.exposure();
    faults.expose(&object(&json!({"a": 7, "b": "y"})), Request::Create, &mut exposure);
    assert!(exposure.fresh().next().is_some());
}
