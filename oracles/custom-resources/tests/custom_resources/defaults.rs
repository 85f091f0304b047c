//! The examples of KEP-575 and KEP-1929 for custom resources: a schema, what is sent, and what a server makes of it.

#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_custom_resources::{CustomKind, coerce, kinds_of_crd, validate};

fn kind(properties: &Value) -> CustomKind {
    let manifest = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
        "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]}});
    match kinds_of_crd(&manifest).map(|mut kinds| kinds.pop()) {
        Ok(Some(kind)) => kind,
        other => unreachable!("{other:?}"),
    }
}

/// What a server makes of an object, with the errors of its values. A second time nothing changes, and neither the order of
/// members nor what is unset decides over what is set.
fn defaulted(properties: &Value, sent: &Value) -> (Value, Vec<String>) {
    let kind = kind(properties);
    let once = |mut object: Value| {
        coerce::coerce(&kind.structural, &mut object).unwrap();
        object
    };
    let first = once(sent.clone());
    assert_eq!(once(first.clone()), first, "defaulting twice is defaulting once");
    let reversed = sent.as_object().unwrap().iter().rev();
    assert_eq!(once(Value::Object(reversed.map(|(name, value)| (name.clone(), value.clone())).collect())), first);
    let errors = validate::validate(&kind.structural, &first);
    (first, errors.iter().map(ToString::to_string).collect())
}

fn check(properties: &Value, rows: &[(Value, Value)]) {
    for (sent, expected) in rows {
        assert_eq!(&defaulted(properties, sent).0, expected, "{sent}");
    }
}

#[test]
fn absent_members_take_their_default_and_others_keep_their_value() {
    let text = json!({"colour": {"type": "string", "default": "red"}});
    check(
        &text,
        &[
            (json!({}), json!({"colour": "red"})),
            (json!({"colour": "blue"}), json!({"colour": "blue"})),
            (json!({"colour": ""}), json!({"colour": ""})),
            (json!({"colour": null}), json!({"colour": "red"})),
        ],
    );
    let numbers = json!({"sizes": {"type": "array", "items": {"type": "integer"}, "default": [1]}});
    check(
        &numbers,
        &[
            (json!({}), json!({"sizes": [1]})),
            (json!({"sizes": []}), json!({"sizes": []})),
            (json!({"sizes": [0]}), json!({"sizes": [0]})),
            (json!({"sizes": null}), json!({"sizes": [1]})),
        ],
    );
    let nullable = json!({"colour": {"type": "string", "nullable": true, "default": "red"}});
    check(&nullable, &[(json!({"colour": null}), json!({"colour": null})), (json!({}), json!({"colour": "red"}))]);
}

#[test]
fn defaults_are_set_from_the_top_down() {
    let nested = json!({"box": {"type": "object", "default": {"lid": "open"}, "properties": {
        "colour": {"type": "string", "default": "red"}, "lid": {"type": "string"}}}});
    check(
        &nested,
        &[
            (json!({}), json!({"box": {"colour": "red", "lid": "open"}})),
            (json!({"box": {}}), json!({"box": {"colour": "red"}})),
            (json!({"box": {"lid": "shut"}}), json!({"box": {"colour": "red", "lid": "shut"}})),
        ],
    );
}

/// A server defaults what was sent, again what mutating admission made of it, and what it reads from storage (KEP-575).
#[test]
fn what_admission_adds_and_what_was_stored_before_the_default_existed_take_it() {
    let port = |protocol: Value| json!({"ports": {"type": "array", "items": {"type": "object", "properties": {"number": {"type": "integer"}, "protocol": protocol}}}});
    let (before, now) = (port(json!({"type": "string"})), port(json!({"type": "string", "default": "TCP"})));
    let (mut admitted, errors) = defaulted(&now, &json!({"ports": [{"number": 1}]}));
    assert_eq!((&admitted, errors), (&json!({"ports": [{"number": 1, "protocol": "TCP"}]}), Vec::new()));
    admitted.pointer_mut("/ports").and_then(Value::as_array_mut).unwrap().push(json!({"number": 2}));
    let both = json!({"ports": [{"number": 1, "protocol": "TCP"}, {"number": 2, "protocol": "TCP"}]});
    assert_eq!(defaulted(&now, &admitted), (both, Vec::new()));
    let (stored, _) = defaulted(&before, &json!({"ports": [{"number": 1}]}));
    assert_eq!(stored, json!({"ports": [{"number": 1}]}));
    assert_eq!(defaulted(&now, &stored), (json!({"ports": [{"number": 1, "protocol": "TCP"}]}), Vec::new()));
}

/// What a struct by value, a pointer to a struct, and a zero default publish in a schema.
#[test]
fn schemas_of_go_structs_default_as_the_types_do() {
    let of = |default: Value| {
        json!({"entry": {"type": "object", "default": default, "properties": {
            "name": {"type": "string", "default": "default-name"}, "number": {"type": "integer", "default": 0}}}})
    };
    let entry = |name: &str| json!({"entry": {"name": name, "number": 0}});
    let by_value = of(json!({}));
    let pointer = of(json!({"name": "pointer-name"}));
    for (sent, value, pointed) in [
        (json!({}), "default-name", "pointer-name"),
        (json!({"entry": null}), "default-name", "pointer-name"),
        (json!({"entry": {}}), "default-name", "default-name"),
        (json!({"entry": {"name": "other-name"}}), "other-name", "other-name"),
        // A built-in type takes the default here: it cannot tell an empty text from an absent one.
        (json!({"entry": {"name": "", "number": 0}}), "", ""),
    ] {
        check(&by_value, &[(sent.clone(), entry(value))]);
        check(&pointer, &[(sent, entry(pointed))]);
    }
}

#[test]
fn null_items_and_entries_take_the_default_of_their_schema() {
    let rows = [
        (json!({"default": "apple"}), json!(["apple", "pear"]), json!({"a": "apple", "b": "pear"}), 0),
        // Without a default, a null item stays and is rejected, and a null entry goes.
        (json!({}), json!([null, "pear"]), json!({"b": "pear"}), 1),
    ];
    for (extra, list, map, errors) in rows {
        let mut text = extra;
        text["type"] = json!("string");
        let properties =
            json!({"list": {"type": "array", "items": text}, "map": {"type": "object", "additionalProperties": text}});
        let (object, found) = defaulted(&properties, &json!({"list": [null, "pear"], "map": {"a": null, "b": "pear"}}));
        assert_eq!(object, json!({"list": list, "map": map}));
        assert_eq!(found.len(), errors, "{found:?}");
        assert!(found.iter().all(|error| error.starts_with("list[0]: ")), "{found:?}");
    }
}

#[test]
fn defaults_of_embedded_objects_lose_what_no_metadata_has() {
    let pod = |metadata: Value| {
        json!({"pod": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "default": {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"any": 1}}}})
    };
    let made =
        |metadata: Value| json!({"pod": {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"any": 1}}});
    check(&pod(json!({"name": "a"})), &[(json!({}), made(json!({"name": "a"})))]);
    check(&pod(json!({"name": "a", "unknown": 1})), &[(json!({}), made(json!({"name": "a"})))]);
    check(&pod(json!({"name": "a", "finalizers": 1})), &[(json!({}), made(json!({"name": "a"})))]);
}
