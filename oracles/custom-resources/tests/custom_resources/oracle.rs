//! A CRD as an oracle: what it says is what a server says, and each error names its rule.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_custom_resources::{CrdOracle, CustomKind};
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::{Answer, Question};
use takeover_harness::pair::Pair;
use takeover_harness::rule::Sample;

fn kind() -> CustomKind {
    let text = |extra: Value| {
        let mut text = json!({"type": "string"});
        extra.as_object().unwrap().iter().for_each(|(key, value)| text[key] = value.clone());
        text
    };
    let part = json!({"type": "object", "required": ["id"], "properties": {
        "id": text(json!({"maxLength": 5})), "count": {"type": "integer", "minimum": 0, "maximum": 9}}});
    let spec = json!({
        "type": "object", "required": ["size"],
        "x-kubernetes-validations": [{"rule": "!has(self.limit) || self.size <= self.limit", "message": "too large"}],
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 100, "multipleOf": 1},
            "limit": {"type": "integer", "default": 50, "nullable": true},
            "name": text(json!({"minLength": 2, "maxLength": 6, "pattern": "^[a-z]*$"})),
            "colour": text(json!({"enum": ["red", "green"],
                "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "immutable"}]})),
            "day": text(json!({"format": "date"})),
            "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
            "tags": {"type": "array", "minItems": 1, "maxItems": 3, "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "labels": {"type": "object", "maxProperties": 2, "additionalProperties": text(json!({"maxLength": 3}))},
            "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], "items": part},
            "mode": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        },
    });
    kind_of(json!({"type": "object", "properties": {"spec": spec,
        "status": {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}}}}))
}

fn kind_of(schema: Value) -> CustomKind {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema}}]},
    });
    accepted_kinds_of_crd(&crd).unwrap().remove(0)
}

fn oracle() -> CrdOracle {
    CrdOracle::new(kind(), "").unwrap()
}

fn gadget(spec: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}, "spec": spec})
}

fn texts(oracle: &CrdOracle, new: Value, old: Option<Value>) -> Vec<String> {
    oracle.judge(new, old).unwrap().errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_request_is_pruned_defaulted_and_validated_as_by_a_server() {
    let mut object = gadget(json!({"size": 60, "odd": 1}));
    object["status"] = json!({"n": 9});
    let verdict = oracle().judge(object, None).unwrap();
    assert_eq!(verdict.pruned, ["spec.odd"]);
    assert_eq!(verdict.object["spec"], json!({"size": 60, "limit": 50}));
    assert_eq!(verdict.object["metadata"]["namespace"], "default");
    assert_eq!(verdict.object.get("status"), None);
    let errors: Vec<String> = verdict.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors, ["spec: Invalid value: too large"]);
    // Null is a value here, which no default replaces.
    assert_eq!(texts(&oracle(), gadget(json!({"size": 60, "limit": null})), None), [""; 0]);
}

#[test]
fn updates_ratchet_and_the_status_is_judged_alone() {
    let old = gadget(json!({"size": 60, "limit": 90, "name": "TOO LONG", "colour": "red"}));
    let new = gadget(json!({"size": 61, "limit": 90, "name": "TOO LONG", "colour": "green"}));
    assert_eq!(texts(&oracle(), new, Some(old.clone())), ["spec.colour: Invalid value: \"green\": immutable"]);
    let mut new = old.clone();
    new["status"] = json!({"n": 6});
    let of_status = CrdOracle::new(kind(), "status").unwrap();
    assert_eq!(
        texts(&of_status, new, Some(old)),
        ["status.n: Invalid value: 6: n in body should be less than or equal to 5"]
    );
    assert!(CrdOracle::new(kind(), "scale").is_err());
}

/// An object with a value at a path: `[*]` is the first element, or a key.
fn planted(path: &str, sample: &Sample) -> Option<Value> {
    let value = match sample {
        Sample::Value(value) => Some(value.clone()),
        Sample::Absent => None,
        Sample::Beside(_) => None,
    };
    let mut object = gadget(json!({"size": 5}));
    let (mut at, steps) = (&mut object, path.replace("[*]", ".[*]"));
    let (above, last) = steps.rsplit_once('.').unwrap_or(("", &steps));
    for step in above.split('.').filter(|step| !step.is_empty()) {
        at = if step == "[*]" { at.as_array_mut()?.first_mut()? } else { at.get_mut(step)? };
        if at.is_null() {
            return None;
        }
    }
    match (last, value) {
        (_, None) if let Sample::Beside(members) = sample => {
            at.as_object_mut()?.extend(members.clone());
        }
        ("[*]", _) => return None,
        (name, Some(value)) => at[name] = value,
        (name, None) => drop(at.as_object_mut()?.remove(name)),
    }
    Some(object)
}

#[test]
fn every_sample_that_breaks_a_rule_has_an_error_that_names_it() {
    let oracle = oracle();
    let mut shown = Vec::new();
    for rule in oracle.kind().hints().iter().filter(|rule| !rule.update_only) {
        for boundary in rule.boundaries.iter().filter(|boundary| boundary.breaks) {
            let Some(object) = planted(&rule.path, &boundary.sample) else { continue };
            let verdict = oracle.judge(object, None).unwrap();
            let named: Vec<&str> = verdict
                .errors
                .iter()
                .filter_map(|error| oracle.rules().get(error.rule?.index()))
                .map(|rule| rule.chain.as_str())
                .collect();
            // Of a text, the first check that fails is reported.
            let first = ["minLength", "maxLength", "pattern"].contains(&rule.tag.as_str()) && !named.is_empty();
            assert!(first || named.contains(&rule.chain.as_str()), "{} {}: {named:?}", rule.path, boundary.class);
            shown.push(rule.tag.as_str());
        }
    }
    shown.dedup();
    for tag in
        ["required", "minimum", "exclusiveMinimum", "maximum", "enum", "format", "minItems", "listType", "oneOf", "cel"]
    {
        assert!(shown.contains(&tag), "{tag} was not shown: {shown:?}");
    }
}

#[test]
fn pairs_judge_what_was_sent_and_know_what_was_reached() {
    let nobody = |_: &Question<'_>, _: &mut Answer| {};
    let kind = kind();
    let mut form = kind.form(FieldValidation::Warn);
    form.strategy = Some(kind.steps());
    let pair = Pair {
        rules: kind.hints().to_vec(),
        ..Pair::new(kind.subject(), form, Box::new(nobody), Box::new(oracle().beside_a_validator()))
    };
    let case = Case {
        operation: Operation::Create,
        object: gadget(json!({"size": 101, "limit": 50, "labels": {"k": "long"}, "odd": 1})).into(),
        old: None,
        options: Options::new(),
        provenance: Provenance::File { path: "x".to_owned(), document: 1, line: 1 },
    };
    let mut record = CaseRecord::new();
    let judgement = Judge::new(&pair).case(&case, &mut Arena::new(), &mut record);
    assert!(judgement.is_comparison());
    let fields: Vec<&str> = record.candidate.errors.iter().map(|error| error.field.as_str()).collect();
    // A server has no other form for keys of maps. It would say that it did not evaluate the rule that compares with the limit.
    assert_eq!(fields, ["spec.labels.k", "spec.size", "spec"]);
    let reached: Vec<&str> = record
        .candidate
        .reached
        .iter()
        .map(|rule| &kind.hints()[rule.index()])
        .filter(|rule| rule.path == "spec.size" || rule.path == "spec.labels[*]" || rule.path == "spec.name")
        .map(|rule| rule.tag.as_str())
        .collect();
    for tag in ["required", "minimum", "maximum", "maxLength"] {
        assert!(reached.contains(&tag), "{tag}: {reached:?}");
    }
    assert!(!reached.contains(&"pattern"));
}

#[test]
fn beside_a_validator_a_rule_that_fails_counts_unless_it_fails_for_want_of_a_name() {
    let rule = |rule: &str| json!({"rule": rule});
    let served = json!({"type": "object", "x-kubernetes-validations": [
        rule("self.metadata.name.size() < 9"), rule("self.least <= self.most"), rule("self.spec.low <= self.spec.high"),
    ], "properties": {
        "least": {"type": "integer"}, "most": {"type": "integer"},
        "spec": {"type": "object", "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}}},
    }});
    let oracle = CrdOracle::new(kind_of(served), "").unwrap().beside_a_validator();
    let failed = |object: Value| -> Vec<String> {
        oracle.judge(object, None).unwrap().errors.into_iter().map(|error| error.detail.into_owned()).collect()
    };
    let nameless = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "least": 1, "spec": {"low": 1}});
    let expected = [
        "no such key: most evaluating rule: self.least <= self.most",
        "no such key: high evaluating rule: self.spec.low <= self.spec.high",
    ];
    assert_eq!(failed(nameless), expected);
}

#[test]
fn what_is_no_object_of_the_kind_is_refused_as_a_whole() {
    let mut object = gadget(json!({"size": 5}));
    object["metadata"]["labels"] = json!({"a": 1});
    let refused = oracle().judge(object, None).unwrap_err().to_string();
    assert_eq!(refused, "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string");
}
