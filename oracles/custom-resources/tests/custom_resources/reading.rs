//! Kinds from manifests and documents: types, what is not read, and hints.

use serde_json::{Value, json};
use takeover_custom_resources::structural::{ListType, SchemaType};
use takeover_custom_resources::validate::Request;
use takeover_custom_resources::{CustomKind, Scope, coerce, kinds_of_crd, kinds_of_openapi, validate};
use takeover_harness::case::Payload;
use takeover_harness::object::{Arena, FieldValidation, from_value, to_value};
use takeover_harness::rule::Sample;
use takeover_harness::schema::{Kind, ListType as HarnessListType, WellKnown};

/// A manifest of one version with these schemas of members.
fn manifest(properties: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
        "versions": [{"name": "v1", "served": true, "storage": true,
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]}})
}

fn only(properties: &Value) -> CustomKind {
    match kinds_of_crd(&manifest(properties)).map(|mut kinds| kinds.pop()) {
        Ok(Some(kind)) => kind,
        other => unreachable!("{other:?}"),
    }
}

/// The printed type of a member of the object.
fn type_of(kind: &CustomKind, path: &[&str]) -> String {
    let ty = path.iter().try_fold(kind.root, |ty, name| Some(kind.schema.as_struct(ty)?.1.member(name)?.ty));
    ty.map_or_else(|| "no such member".to_owned(), |ty| kind.schema.get(ty).name.to_string())
}

#[test]
fn every_version_is_a_kind() {
    let mut manifest = manifest(&json!({}));
    let versions = manifest["spec"]["versions"].as_array_mut().unwrap();
    versions.push(json!({"name": "v1beta1", "served": false, "storage": false}));
    let kinds = kinds_of_crd(&manifest).unwrap();
    let [first, second] = kinds.as_slice() else { panic!("{} kinds", kinds.len()) };
    assert_eq!(
        (first.api_version().as_str(), first.kind.as_str(), first.plural.as_str()),
        ("example.com/v1", "Gadget", "gadgets")
    );
    assert_eq!(
        (first.scope, first.served, first.storage, first.status_subresource),
        (Scope::Namespaced, true, true, true)
    );
    assert_eq!(first.scale.as_ref().unwrap().spec_replicas, ".spec.replicas");
    assert_eq!(
        (second.version.as_str(), second.served, second.storage, second.scale.is_none()),
        ("v1beta1", false, false, true)
    );
    assert_eq!(first.schema.get(first.root).name.as_ref(), "example.com/v1.Gadget");
}

#[test]
fn old_manifests_share_a_schema() {
    let schema = json!({"properties": {"spec": {"type": "object"}}});
    let manifest = json!({"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "version": "v1", "names": {"kind": "Gadget", "plural": "gadgets"},
        "validation": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}});
    let kinds = kinds_of_crd(&manifest).unwrap();
    assert_eq!((kinds.len(), kinds[0].served, kinds[0].status_subresource), (1, true, true));
    assert!(kinds[0].structural.properties.contains_key("spec"));
    assert!(kinds[0].structural.preserve_unknown, "what old versions do unless they are told otherwise");
    assert_eq!(kinds[0].unread[0].path, "spec.preserveUnknownFields");
}

#[test]
fn errors_name_the_field() {
    let broken = |path: &[&str], value: Value| {
        let mut manifest = manifest(&json!({}));
        let place = path.iter().fold(&mut manifest, |at, name| match name.parse::<usize>() {
            Ok(index) => &mut at[index],
            Err(_) => &mut at[*name],
        });
        *place = value;
        kinds_of_crd(&manifest).unwrap_err().to_string()
    };
    assert_eq!(broken(&["spec", "group"], Value::Null), "field `spec.group` is missing");
    assert_eq!(broken(&["spec", "names"], json!([])), "field `spec.names` is [], expected an object");
    assert_eq!(broken(&["spec", "names", "kind"], json!(1)), "field `spec.names.kind` is 1, expected a text");
    assert_eq!(
        broken(&["spec", "scope"], json!("Far")),
        "field `spec.scope` is \"Far\", expected `Namespaced` or `Cluster`"
    );
    assert_eq!(broken(&["spec", "versions"], json!([])), "field `spec.versions` is missing");
    assert_eq!(broken(&["spec", "versions", "0", "name"], json!("")), "field `spec.versions[0].name` is missing");
    assert_eq!(
        broken(&["kind"], json!("Pod")),
        "`apiextensions.k8s.io/v1 Pod` is not a CustomResourceDefinition of `apiextensions.k8s.io/v1` or \
         `apiextensions.k8s.io/v1beta1`"
    );
}

#[test]
fn every_construct_has_a_type() {
    let kind = only(&json!({
        "metadata": {"type": "object"},
        "spec": {"type": "object", "properties": {
            "flag": {"type": "boolean"}, "count": {"type": "integer", "format": "int32"}, "ratio": {"type": "number"},
            "text": {"type": "string", "format": "byte"}, "at": {"type": "string", "format": "date-time"},
            "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "any": {"x-kubernetes-preserve-unknown-fields": true},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "names": {"type": "array", "items": {"type": "string"}},
            "nulls": {"type": "array", "items": {"type": "string", "nullable": true}},
            "parts": {"type": "array", "items": {"type": "object", "properties": {"size": {"type": "integer"}}}},
            "empty": {"type": "object"},
            "pod": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}}}
        }}
    }));
    assert_eq!(kind.unread, []);
    for (member, ty) in [
        ("flag", "*bool"),
        ("count", "*int32"),
        ("ratio", "*float64"),
        ("text", "*string"),
        ("at", "*string"),
        ("port", "*k8s.io/apimachinery/pkg/util/intstr.IntOrString"),
        ("any", "any"),
        ("free", "any"),
        ("labels", "*map[string]string"),
        ("names", "*[]string"),
        ("nulls", "*[]*string"),
        ("parts", "*[]example.com/v1.GadgetSpecPartsItem"),
        ("empty", "*example.com/v1.GadgetSpecEmpty"),
        ("pod", "*example.com/v1.GadgetSpecPod"),
    ] {
        assert_eq!(type_of(&kind, &["spec", member]), ty, "{member}");
    }
    assert_eq!(type_of(&kind, &["metadata"]), "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta");
    assert_eq!(type_of(&kind, &["spec", "pod", "metadata"]), "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta");
    assert_eq!(type_of(&kind, &["spec", "pod", "apiVersion"]), "string");
    let port = kind.schema.lookup("k8s.io/apimachinery/pkg/util/intstr.IntOrString").unwrap();
    assert!(matches!(kind.schema.kind(port), Kind::WellKnown(WellKnown::IntOrString)));
}

#[test]
fn what_is_empty_stays_what_it_is() {
    let kind = only(&json!({"spec": {"type": "object", "properties": {
        "text": {"type": "string"}, "count": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "object"}}, "object": {"type": "object"},
        "flag": {"type": "boolean"}, "port": {"x-kubernetes-int-or-string": true}, "at": {"type": "string", "format": "date-time"},
        "any": {"x-kubernetes-preserve-unknown-fields": true}
    }}}));
    for spec in [
        json!({}),
        json!({"text": "", "count": 0, "list": [], "map": {}, "object": {}, "flag": false, "port": 0}),
        json!({"list": ["", "a"], "map": {"a": {}}, "port": "", "any": {"b": [1, null, {"a": 1.5}]}, "at": "soon"}),
    ] {
        let object = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}, "spec": spec});
        let arena = Arena::new();
        let node = from_value(&kind.schema, kind.root, &object, &arena).unwrap();
        assert_eq!(to_value(&kind.schema, kind.root, &node), object);
    }
}

#[test]
fn what_is_not_read_is_named_with_its_place() {
    let kind = only(&json!({"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "a": {"type": "strign", "colour": "red"},
        "b": {"type": "string", "pattern": "(?=a)"},
        "c": {"type": "array", "items": [{"type": "string"}]},
        "d": {"type": "string", "maxLength": "3"},
        "e": {"type": "string", "nullable": true, "default": "x"}
    }}}));
    let unread: Vec<String> = kind.unread.iter().map(ToString::to_string).collect();
    let base = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
    let expected = [
        "[a]: unknown keyword `colour` is left out",
        "[a]: `type` is \"strign\", which is not allowed, and is left out",
        "[b]: pattern `(?=a)`: invalid or unsupported Perl syntax; it is left out",
        "[c]: `items` as a list, one schema for each element, is left out",
        "[d]: `maxLength` is \"3\", which is not allowed, and is left out",
        "[e]: nullable and required or with a default: null is decoded as absent",
    ];
    let mut expected: Vec<String> = expected.iter().map(|line| format!("{base}.properties{line}")).collect();
    expected.push(format!(
        "{base}: x-kubernetes-preserve-unknown-fields beside named members: unknown members are not decoded"
    ));
    let mut unread = unread;
    unread.sort();
    expected.sort();
    assert_eq!(unread, expected);
}

#[test]
fn rules_in_cel_are_kept_and_counted() {
    let kind = only(&json!({"spec": {"type": "object",
        "x-kubernetes-validations": [{"rule": "has(self.a)", "message": "a", "reason": "FieldValueRequired", "fieldPath": ".a"}],
        "properties": {"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]}}}}));
    assert_eq!(kind.cel_rules(), 2);
    let rule = &kind.structural.properties["spec"].rules[0];
    assert_eq!(
        (rule.rule.as_str(), rule.message.as_deref(), rule.field_path.as_deref()),
        ("has(self.a)", Some("a"), Some(".a"))
    );
}

#[test]
fn schemas_that_are_too_deep_are_cut() {
    let mut schema = json!({"type": "string"});
    for _ in 0..300 {
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    let kind = only(&json!({"spec": schema}));
    assert_eq!(kind.unread.len(), 1);
    assert!(kind.unread[0].what.starts_with("nested deeper than"), "{}", kind.unread[0]);
}

#[test]
fn objects_that_are_too_deep_are_refused() {
    let kind = only(&json!({"spec": {"x-kubernetes-preserve-unknown-fields": true}}));
    let mut value = json!(1);
    for _ in 0..600 {
        value = json!([value]);
    }
    let errors = validate::validate(&kind.structural, &json!({"spec": value}));
    assert_eq!(errors.as_slice()[0].to_string(), "<nil>: Internal error: nested deeper than 500 levels");
}

#[test]
fn lists_inside_lists_and_maps_keep_their_list_types() {
    let texts =
        |list_type: &str| json!({"type": "array", "x-kubernetes-list-type": list_type, "items": {"type": "string"}});
    let named = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": {"type": "string"}, "tags": texts("set")}}});
    let kind = only(&json!({
        "tags": texts("set"),
        "grid": {"type": "array", "items": texts("set")},
        "rows": {"type": "array", "items": texts("atomic")},
        "shelves": {"type": "object", "additionalProperties": named},
    }));
    let (set, atomic, keyed) =
        (HarnessListType::Set, HarnessListType::Atomic, HarnessListType::Map(vec!["name".to_owned()]));
    for (member, expected) in [
        ("tags", vec![set.clone(), atomic.clone()]),
        ("grid", vec![atomic.clone(), set, atomic.clone()]),
        ("rows", vec![]),
        // What is inside a struct is said of its own members.
        ("shelves", vec![atomic, keyed]),
    ] {
        assert_eq!(kind.schema.list_types(kind.root, member), expected, "{member}");
    }
}

#[test]
fn hints_have_values_on_both_sides_of_each_constraint() {
    let kind = only(&json!({"spec": {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 5},
        "mode": {"type": "string", "enum": ["On", "Off"]},
        "name": {"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"},
        "at": {"type": "string", "format": "date-time"},
        "ports": {"type": "array", "maxItems": 2, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
            "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}},
        "one": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    }}}));
    let rules: Vec<String> = kind.hints().iter().map(|rule| rule.reference().to_string()).collect();
    assert_eq!(
        rules,
        [
            "spec.at format=date-time",
            "spec.mode enum of \"On\", \"Off\"",
            "spec.name pattern=^[a-z]+$",
            "spec.name maxLength=3",
            "spec.one oneOf of 2",
            "spec.ports maxItems=2",
            "spec.ports listType=map by port",
            "spec.ports[*].port required",
            "spec.size required",
            "spec.size minimum=1",
            "spec.size maximum=5",
        ]
    );
    for rule in kind.hints() {
        assert!(rule.boundaries.iter().any(|boundary| boundary.breaks), "{}", rule.reference());
        assert!(rule.boundaries.iter().any(|boundary| !boundary.breaks), "{}", rule.reference());
    }
    let spec = &kind.structural.properties["spec"];
    for rule in kind.hints().iter().filter(|rule| !rule.path.contains('[')) {
        let node = &spec.properties[rule.path.trim_start_matches("spec.")];
        for boundary in &rule.boundaries {
            let Sample::Value(value) = &boundary.sample else { continue };
            let accepted = validate::validate(node, value).is_empty();
            assert_eq!(accepted, !boundary.breaks, "{} {}: {value}", rule.reference(), boundary.class);
        }
    }
}

fn document() -> Value {
    let of_kind = json!({"group": "example.com", "version": "v1", "kind": "Gadget"});
    let kind = json!([of_kind]);
    json!({
        "openapi": "3.0.0",
        "paths": {
            "/apis/example.com/v1/namespaces/{namespace}/gadgets/{name}": {"get": {"x-kubernetes-group-version-kind": of_kind}},
            "/apis/example.com/v1/namespaces/{namespace}/gadgets/{name}/status": {"get": {"x-kubernetes-group-version-kind": of_kind}},
            "/apis/example.com/v1/namespaces/{namespace}/gadgets/{name}/scale": {"get": {}}
        },
        "components": {"schemas": {
            "com.example.v1.Gadget": {"type": "object", "x-kubernetes-group-version-kind": kind, "properties": {
                "metadata": {"allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]},
                "spec": {"allOf": [{"$ref": "#/components/schemas/com.example.v1.GadgetSpec"}], "default": {}}}},
            "com.example.v1.GadgetList": {"type": "object", "x-kubernetes-group-version-kind": kind, "properties": {
                "metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}}},
            "com.example.v1.GadgetSpec": {"type": "object", "required": ["size"], "properties": {
                "size": {"type": "integer"},
                "port": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
                "inner": {"$ref": "#/components/schemas/com.example.v1.GadgetSpec"},
                "lost": {"$ref": "#/components/schemas/com.example.v1.Lost"}}},
            "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object"}
        }}
    })
}

#[test]
fn documents_of_servers_are_read_through_their_references() {
    let kinds = kinds_of_openapi(&document()).unwrap();
    let [kind] = kinds.as_slice() else { panic!("{} kinds", kinds.len()) };
    assert_eq!(
        (kind.api_version().as_str(), kind.kind.as_str(), kind.plural.as_str()),
        ("example.com/v1", "Gadget", "gadgets")
    );
    assert_eq!((kind.scope, kind.status_subresource), (Scope::Namespaced, true));
    assert_eq!(type_of(kind, &["metadata"]), "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta");
    assert_eq!(type_of(kind, &["spec"]), "*example.com/v1.GadgetSpec");
    assert_eq!(type_of(kind, &["spec", "port"]), "*k8s.io/apimachinery/pkg/util/intstr.IntOrString");
    let spec = &kind.structural.properties["spec"];
    assert_eq!((spec.ty, spec.checks.required.as_slice()), (Some(SchemaType::Object), ["size".to_owned()].as_slice()));
    assert_eq!(spec.list_type, ListType::Atomic);
    let unread: Vec<String> = kind.unread.iter().map(ToString::to_string).collect();
    let base = "components.schemas[com.example.v1.Gadget]";
    assert_eq!(
        unread,
        [
            format!(
                "{base}.properties[spec].properties[inner]: definition `com.example.v1.GadgetSpec` holds itself; every value is \
                 accepted inside of it"
            ),
            format!(
                "{base}.properties[spec].properties[lost]: reference \"#/components/schemas/com.example.v1.Lost\" leads to \
                 nothing; every value is accepted"
            ),
            format!("{base}: scale subresource: OpenAPI does not say where its numbers are"),
        ]
    );
    let mut object = json!({"metadata": {"name": "a"}, "spec": {"port": 80, "colour": "red"}});
    assert_eq!(coerce::coerce(&kind.structural, &mut object).unwrap(), ["spec.colour"]);
    let errors = validate::validate(&kind.structural, &object);
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), ["spec.size: Required value"]);
}

#[test]
fn documents_of_other_versions_are_refused() {
    for (document, message) in [
        (
            json!({"swagger": "2.0"}),
            "field `openapi` is missing, expected a version 3: get documents from `/openapi/v3/apis/<group>/<version>`",
        ),
        (json!({"openapi": "3.0.0"}), "field `components.schemas` is missing or not an object"),
    ] {
        assert_eq!(kinds_of_openapi(&document).unwrap_err().to_string(), message);
    }
}

#[test]
fn documents_that_grow_without_end_are_cut() {
    let schemas = (0..40).map(|at| {
        let next = json!({"$ref": format!("#/components/schemas/D{}", at + 1)});
        (format!("D{at}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
    });
    let mut schemas: serde_json::Map<_, _> = schemas.collect();
    let kind = json!([{"group": "example.com", "version": "v1", "kind": "Gadget"}]);
    schemas.insert(
        "Gadget".to_owned(),
        json!({"x-kubernetes-group-version-kind": kind, "properties": {
        "metadata": {"type": "object"}, "spec": {"$ref": "#/components/schemas/D0"}}}),
    );
    let document = json!({"openapi": "3.0.0", "components": {"schemas": schemas}});
    let kinds = kinds_of_openapi(&document).unwrap();
    assert_eq!(kinds[0].cel_rules(), 0);
    assert!(kinds[0].unread.iter().any(|unread| unread.what.contains("in one document")), "{:?}", kinds[0].unread);
}

#[test]
fn samples_stay_small() {
    let mut schema = json!({"type": "string", "minLength": 4000});
    for _ in 0..8 {
        schema = json!({"type": "array", "minItems": 60, "items": schema});
    }
    let kind = only(&json!({"spec": {"type": "object", "required": ["list"], "properties": {"list": schema}}}));
    let size: usize = kind.hints().iter().map(|rule| serde_json::to_string(&rule).unwrap().len()).sum();
    assert!(size < 10_000_000, "{size}");
}

#[test]
fn objects_take_their_form_with_defaults() {
    let kind = only(&json!({"spec": {"type": "object", "default": {}, "properties": {
        "size": {"type": "integer", "default": 3}, "text": {"type": "string"},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"weight": {"type": "integer", "default": 1}}}}}}}));
    let form = kind.form(FieldValidation::Strict);
    let arena = Arena::new();
    for (object, expected) in [
        (json!({"metadata": {}}), json!({"size": 3})),
        (json!({"spec": {"text": ""}}), json!({"size": 3, "text": ""})),
        (json!({"spec": {"size": 0}}), json!({"size": 0})),
        (
            json!({"spec": {"size": 0, "parts": [{}, {"weight": 2}]}}),
            json!({"size": 0, "parts": [{"weight": 1}, {"weight": 2}]}),
        ),
    ] {
        let payload = Payload::Value(object.into());
        let node = form.decode(&kind.subject(), &payload, &arena).unwrap();
        let object = to_value(&form.schema, form.root, &node);
        assert_eq!(object["spec"], expected);
        let again = form.defaulter.as_ref().unwrap().apply(&form.schema, form.root, node, &arena);
        assert_eq!(to_value(&form.schema, form.root, &again), object);
    }
    assert_eq!(kind.subject().to_string(), "example.com/v1 Gadget");
    assert!(only(&json!({"spec": {"type": "object"}})).form(FieldValidation::Warn).defaulter.is_none());
}

#[test]
fn a_request_is_judged_as_a_whole() {
    let kind = only(&json!({"spec": {"type": "object", "required": ["size"],
        "x-kubernetes-validations": [{"rule": "self.size > 1"}], "properties": {"size": {"type": "integer"}}}}));
    let said = |object: &Value, request| {
        let errors = validate::validate_request(&kind, object, request);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let good = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "spec": {"size": 1},
        "metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"}});
    assert_eq!(said(&good, Request::Create), [""; 0]);
    assert_eq!(said(&good, Request::Update(&good)), [""; 0]);
    let mut bad = good.clone();
    bad["spec"] = json!({});
    let unchecked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the \
                     existing errors to complete validation";
    assert_eq!(said(&bad, Request::Create), ["spec.size: Required value", unchecked]);
    bad["spec"]["replicas"] = json!(-1);
    bad["kind"] = json!("Widget");
    assert_eq!(said(&bad, Request::Create), ["kind: Invalid value: \"Widget\": must be Gadget"]);
}
