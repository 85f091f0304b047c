//! Configurations as an OpenAPI v3 document.

use super::model::{Configuration, Configurations, Member, Merging, Shape};
use serde_json::{Map, Value, json};

const PRESERVES: &str = "x-kubernetes-preserve-unknown-fields";

/// The document: a schema for each struct under `components.schemas`. Nothing is required, nothing has a default.
#[must_use]
pub fn document(of: &Configurations) -> Value {
    let schemas: Map<String, Value> =
        of.structs.iter().map(|each| (definition(&each.type_name), schema(of, each))).collect();
    json!({
        "openapi": "3.0.0",
        "info": {"title": "apply configurations", "version": "unversioned"},
        "paths": {},
        "components": {"schemas": schemas},
    })
}

/// The name that OpenAPI documents of Kubernetes have for a type: `k8s.io/api/core/v1.PodSpec` is `io.k8s.api.core.v1.PodSpec`.
#[must_use]
pub fn definition(type_name: &str) -> String {
    let Some((domain, rest)) = type_name.split_once('/') else { return type_name.to_owned() };
    let mut parts: Vec<&str> = domain.split('.').collect();
    parts.reverse();
    format!("{}.{}", parts.join("."), rest.replace('/', "."))
}

fn schema(all: &Configurations, of: &Configuration) -> Value {
    let properties: Map<String, Value> =
        of.members.iter().map(|member| (member.name.clone(), property(all, member))).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if let Some(members) = schema.as_object_mut().filter(|_| of.keeps_unknown) {
        members.insert(PRESERVES.to_owned(), json!(true));
    }
    if let (Some(object), Some(members)) = (&of.object, schema.as_object_mut()) {
        let (group, version) = object.api_version.rsplit_once('/').unwrap_or(("", &object.api_version));
        let kind = json!([{"group": group, "version": version, "kind": object.kind}]);
        members.insert("x-kubernetes-group-version-kind".to_owned(), kind);
        for (name, only) in [("apiVersion", &object.api_version), ("kind", &object.kind)] {
            if let Some(property) = members.get_mut("properties").and_then(|all| all.get_mut(name)) {
                *property = json!({"type": "string", "enum": [only]});
            }
        }
    }
    schema
}

fn property(all: &Configurations, member: &Member) -> Value {
    let mut property = of_shape(all, &member.shape);
    let Some(merging) = &member.merging else { return property };
    // Nothing may stand beside a reference.
    if let (Some(reference), Shape::Struct(_)) = (property.get("$ref").cloned(), &member.shape) {
        property = json!({"allOf": [{"$ref": reference}]});
    }
    let Some(members) = property.as_object_mut() else { return property };
    let is_list = matches!(member.shape, Shape::List(_));
    match merging {
        Merging::Atomic => {
            let name = if is_list { "x-kubernetes-list-type" } else { "x-kubernetes-map-type" };
            members.insert(name.to_owned(), json!("atomic"));
        }
        Merging::Set => {
            members.insert("x-kubernetes-list-type".to_owned(), json!("set"));
        }
        Merging::Map(keys) => {
            members.insert("x-kubernetes-list-type".to_owned(), json!("map"));
            members.insert("x-kubernetes-list-map-keys".to_owned(), json!(keys));
        }
    }
    property
}

fn of_shape(all: &Configurations, shape: &Shape) -> Value {
    match shape {
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Integer { bits: 64, signed: true } => json!({"type": "integer", "format": "int64"}),
        Shape::Integer { bits: 32, signed: true } => json!({"type": "integer", "format": "int32"}),
        Shape::Integer { bits, signed: true } => {
            let most = i64::MAX >> (64 - u32::from((*bits).clamp(1, 64)));
            json!({"type": "integer", "format": "int32", "minimum": -most - 1, "maximum": most})
        }
        Shape::Integer { .. } => json!({"type": "integer", "format": "int64", "minimum": 0}),
        Shape::Float { bits } => json!({"type": "number", "format": if *bits == 32 { "float" } else { "double" }}),
        Shape::Text(None | Some("quantity" | "duration" | "quoted")) => json!({"type": "string"}),
        Shape::Text(Some(format)) => json!({"type": "string", "format": format}),
        Shape::IntOrString => {
            json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]})
        }
        Shape::Any => json!({PRESERVES: true}),
        Shape::List(item) => json!({"type": "array", "items": of_shape(all, item)}),
        Shape::Map(value) => json!({"type": "object", "additionalProperties": of_shape(all, value)}),
        Shape::Struct(index) => {
            let name = all.get(*index).map(|of| definition(&of.type_name)).unwrap_or_default();
            json!({"$ref": format!("#/components/schemas/{name}")})
        }
    }
}
