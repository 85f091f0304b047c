//! CEL rules as API servers evaluate and refuse them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_custom_resources::refuse::{Before, refusals};
use takeover_custom_resources::rules::RuleTree;
use takeover_custom_resources::structural_of;
use takeover_harness::error::FieldError;

fn tree(schema: &Value) -> RuleTree {
    let (structural, unread) = structural_of(schema, "");
    assert_eq!(unread, []);
    RuleTree::of_schema(&structural, schema).unwrap().unwrap()
}

/// An error as recordings have it.
fn shown(error: &FieldError, rule: Option<usize>) -> String {
    let error = serde_json::to_value(error).unwrap();
    // Recordings cannot tell the rule of an error without a message.
    let rule = rule.filter(|_| error["type"] != "FieldValueDuplicate");
    recorded(&json!({"type": error["type"], "field": error["field"], "detail": error["detail"],
        "badValue": error.get("badValue"), "rule": rule}))
}

fn recorded(error: &Value) -> String {
    ["type", "field", "detail", "badValue", "rule"].map(|part| error[part].to_string()).join(" ")
}

#[test]
fn every_recorded_verdict_is_ours() {
    let version: Value = serde_json::from_str(include_str!("../verdicts/rules-schema.json")).unwrap();
    let tree = tree(&version["schema"]);
    let mut count = 0;
    for line in include_str!("../verdicts/rules.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (id, expect) = (&line["id"], &line["expect"]);
        let found = tree.judge(&line["object"], line.get("oldObject"));
        let mut ours: Vec<String> = found.errors.iter().map(|found| shown(&found.error, found.rule)).collect();
        let mut theirs: Vec<String> = expect["errors"].as_array().unwrap().iter().map(recorded).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{id}");
        let mut warnings: Vec<String> = found.ratcheted.iter().map(|found| found.error.to_string()).collect();
        warnings.sort();
        assert_eq!(json!(warnings), expect.get("warnings").cloned().unwrap_or(json!([])), "{id}");
        if let Some(cost) = expect.get("celCost") {
            assert_eq!(json!(found.cost), *cost, "{id}");
        }
        count += 1;
    }
    assert!(count > 30, "{count}");
}

fn crd(spec: Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

fn refused(spec: Value) -> Vec<(String, String)> {
    let errors = refusals(&crd(spec), Before::Defaults).into_vec();
    let place = "spec.validation.openAPIV3Schema.properties[spec]";
    errors.into_iter().map(|error| (error.field.replace(place, ""), error.detail.chars().take(40).collect())).collect()
}

#[test]
fn rules_that_servers_refuse_are_refused() {
    let rules = |rules: Value| {
        json!({"type": "object", "x-kubernetes-validations": rules, "properties": {
        "size": {"type": "integer"}, "names": {"type": "array", "items": {"type": "string"}}}})
    };
    let refused = |of: Value| refused(rules(of));
    let one = |field: &str, detail: &str| vec![(format!(".x-kubernetes-validations[0].{field}"), detail.to_owned())];
    assert_eq!(refused(json!([{"rule": "self.size > 1"}])), []);
    assert_eq!(refused(json!([{"rule": "self.sise > 1"}])), one("rule", "compilation failed: ERROR: <input>:1:5: "));
    assert_eq!(refused(json!([{"rule": "self.size"}])), one("rule", "cel expression must evaluate to a bool"));
    assert_eq!(
        refused(json!([{"rule": "self.size > 1", "optionalOldSelf": true}])),
        one("optionalOldSelf", "may not be set if oldSelf is not used in")
    );
    let dear = refused(json!([{"rule": "self.names.all(a, self.names.all(b, a == b))"}]));
    let details: Vec<&str> = dear.iter().map(|(_, detail)| detail.as_str()).collect();
    assert_eq!(
        details,
        [
            "estimated rule cost exceeds budget by fa",
            "contributed to estimated rule cost total",
            "x-kubernetes-validations estimated rule "
        ]
    );
}

#[test]
fn rules_are_not_compiled_above_other_mistakes() {
    let broken = json!({"type": "object", "x-kubernetes-validations": [{"rule": "wrong"}], "properties": {
        "list": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "bag"},
        "size": {"type": "integer", "x-kubernetes-validations": [{"rule": "wrong"}]}}});
    let fields: Vec<String> = refused(broken).into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        fields,
        [".properties[list].x-kubernetes-list-type", ".properties[size].x-kubernetes-validations[0].rule"]
    );
}

#[test]
fn defaults_are_held_against_rules() {
    let size = |default: i64, rule: &str| {
        let rules = json!([{"rule": rule, "optionalOldSelf": true}]);
        let rules = if rule.contains("oldSelf") { rules } else { json!([{"rule": rule}]) };
        refused(json!({"type": "object", "properties": {
            "size": {"type": "integer", "default": default, "x-kubernetes-validations": rules}}}))
    };
    let fails = |rule: &str| vec![(".properties[size].default".to_owned(), format!("failed rule: {rule}"))];
    assert_eq!(size(2, "self > 1"), []);
    assert_eq!(size(1, "self > 1"), fails("self > 1"));
    // As a value that was not there before.
    assert_eq!(size(1, "oldSelf.hasValue()"), fails("oldSelf.hasValue()"));
}
