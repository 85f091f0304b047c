//! Coercion and validation against recorded verdicts; see `verdicts/README.md`.

use serde_json::{Value, json};
use takeover_custom_resources::{CustomKind, coerce, kinds_of_crd, validate};

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// The kind of a version that a line describes.
fn kind(line: &Value) -> Option<CustomKind> {
    let part = |name: &str| line.get(name).cloned().unwrap_or_default();
    let manifest = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": part("group"), "scope": part("scope"), "names": {"kind": part("kind"), "plural": part("plural")},
        "versions": [{"name": part("version"), "served": true, "storage": true,
            "schema": {"openAPIV3Schema": part("schema")}, "subresources": part("subresources")}]}});
    kinds_of_crd(&manifest).ok()?.into_iter().next()
}

/// JSON with whole floats as integers, as Go prints them.
fn as_go(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            text.strip_suffix(".0")
                .and_then(|whole| whole.parse::<i64>().ok())
                .map_or(Value::Number(number), Value::from)
        }
        Value::Array(items) => items.into_iter().map(as_go).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, as_go(value))).collect::<serde_json::Map<_, _>>().into()
        }
        other => other,
    }
}

/// Everything that users see of errors, in a fixed order.
fn shown(errors: impl Iterator<Item = Value>) -> Vec<String> {
    let parts = ["type", "field", "origin", "detail", "badValue"];
    let one =
        |error: Value| parts.map(|part| as_go(error.get(part).cloned().unwrap_or_default()).to_string()).join(" ");
    let mut shown: Vec<String> = errors.map(one).collect();
    shown.sort();
    shown
}

#[test]
fn objects_are_coerced_and_judged_as_servers_do() {
    let kinds: Vec<(Value, CustomKind)> = lines(include_str!("../verdicts/schemas.jsonl"))
        .map(|line| {
            let kind = kind(&line).unwrap();
            (line["crd"].clone(), kind)
        })
        .collect();
    let mut count = 0;
    for line in lines(include_str!("../verdicts/objects.jsonl")) {
        let (_, kind) = kinds.iter().find(|(crd, _)| *crd == line["crd"]).unwrap();
        let (id, expect) = (&line["id"], &line["expect"]);
        let mut object = line["object"].clone();
        let pruned = coerce::coerce(&kind.structural, &mut object).unwrap();
        assert_eq!(json!(pruned), expect.get("pruned").cloned().unwrap_or(json!([])), "{id}: pruned");
        let defaulted = expect.get("defaulted").unwrap_or(&line["object"]);
        assert_eq!(
            as_go(object["spec"].clone()),
            defaulted.get("spec").cloned().unwrap_or_default(),
            "{id}: defaulted"
        );
        let validated = expect.get("validated").unwrap_or(defaulted);
        let status = line["subresource"] == "status";
        let mut errors = match line.get("oldObject") {
            None => validate::validate(&kind.structural, validated),
            Some(old) if status => validate::validate_status_update(&kind.structural, validated, old),
            Some(old) => validate::validate_update(&kind.structural, validated, old),
        };
        let scale = kind.scale.iter().map(|scale| validate::validate_scale(scale, validated, status));
        scale.for_each(|found| found.into_vec().into_iter().for_each(|error| errors.push(error)));
        let ours = shown(errors.iter().map(|error| serde_json::to_value(error).unwrap()));
        assert_eq!(ours, shown(expect["errors"].as_array().unwrap().iter().cloned()), "{id}: errors");
        count += 1;
    }
    assert!(count > 50, "{count}");
}

#[test]
fn values_are_pruned_and_defaulted_as_servers_do() {
    let mut count = 0;
    for line in lines(include_str!("../verdicts/defaulting.jsonl")) {
        let schema = json!({"type": "object", "properties": {"x": line["schema"]}});
        let kind = kind(&json!({"group": "example.com", "version": "v1", "kind": "X", "plural": "xs",
            "scope": "Cluster", "schema": schema}))
        .unwrap();
        let inner = &kind.structural.properties["x"];
        let mut value = line["object"].clone();
        coerce::drop_nulls(inner, &mut value);
        assert_eq!(as_go(value.clone()), as_go(line["nulls_pruned"].clone()), "{}: nulls", line["id"]);
        coerce::set_defaults(inner, &mut value);
        assert_eq!(as_go(value), as_go(line["defaulted"].clone()), "{}: defaults", line["id"]);
        let mut object = json!({"x": line["object"]});
        coerce::prune(&kind.structural, &mut object);
        assert_eq!(as_go(object["x"].clone()), as_go(line["pruned"].clone()), "{}: pruned", line["id"]);
        count += 1;
    }
    assert!(count > 50, "{count}");
}
