//! What a server rejects of a schema beside its structure: keywords, types of lists and maps, and the frame of CEL rules.

use super::field_path::follow;
use super::props::{Items, Others, Props};
use serde_json::Value;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::path::Path;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What a schema says of all that is below it.
#[derive(Clone, Copy, Default)]
struct Inside<'i> {
    /// Why there may be no defaults.
    no_defaults: Option<&'i str>,
    /// Whether it is part of the version, kind or metadata of an object.
    metadata: bool,
}

/// Everything that is refused of the schema at `path`.
pub(super) fn check(schema: Props<'_>, path: &Path<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    node(schema, true, Inside::default(), path, &mut errors);
    errors
}

fn node(schema: Props<'_>, root: bool, inside: Inside<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    keywords(schema, inside, path, errors);
    if schema.flag("uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.push(FieldError::forbidden(&path.child("uniqueItems"), detail));
    }
    others(schema, inside, path, errors);
    let properties = path.child("properties");
    for (name, property) in schema.schemas("properties") {
        let of_whole = (root || schema.is_embedded()) && matches!(name, "metadata" | "kind" | "apiVersion");
        let reason = format!("in top-level {name}");
        let inside = Inside {
            no_defaults: if of_whole && root { Some(reason.as_str()) } else { inside.no_defaults },
            metadata: inside.metadata || of_whole,
        };
        node(property, false, inside, &properties.key(name), errors);
    }
    if let Some(inner) = schema.below("not") {
        node(inner, false, inside, &path.child("not"), errors);
    }
    for name in ["allOf", "oneOf", "anyOf"] {
        let path = path.child(name);
        schema.all(name).for_each(|(index, inner)| node(inner, false, inside, &path.index(index), errors));
    }
    for name in ["definitions", "dependencies"] {
        let path = path.child(name);
        schema.schemas(name).for_each(|(name, inner)| node(inner, false, inside, &path.key(name), errors));
    }
    let items = path.child("items");
    match schema.items() {
        Some(Items::One(item)) => node(item, false, inside, &items, errors),
        Some(Items::Many(schemas)) => {
            let each = schemas.iter().map(Props::new).enumerate();
            each.for_each(|(index, item)| node(item, false, inside, &items.index(index), errors));
        }
        None => {}
    }
    if schema.optional_flag("x-kubernetes-preserve-unknown-fields") == Some(false) {
        let path = path.child("x-kubernetes-preserve-unknown-fields");
        errors.push(FieldError::invalid(&path, false, "must be true or undefined"));
    }
    kinds_of_collections(schema, path, errors);
    list_of_keys(schema, path, errors);
    nullable_items(schema, path, errors);
    rules(schema, path, errors);
}

fn keywords(schema: Props<'_>, inside: Inside<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let ty = schema.ty();
    if !ty.is_empty() && !TYPES.contains(&ty) {
        errors.push(unsupported(&path.child("type"), ty, &TYPES));
    }
    let mut forbid = |name: &str, detail: String| errors.push(FieldError::forbidden(&path.child(name), detail));
    if let (Some(reason), Some(_)) = (inside.no_defaults, schema.get("default")) {
        forbid("default", format!("must not be set {reason}"));
    }
    let many = |name: &str| schema.schemas(name).next().is_some();
    let unsupported = [
        ("id", !schema.text("id").is_empty()),
        ("additionalItems", schema.get("additionalItems").is_some()),
        ("patternProperties", many("patternProperties")),
        ("definitions", many("definitions")),
        ("dependencies", schema.get("dependencies").is_some()),
        ("$ref", schema.get("$ref").is_some()),
    ];
    for (name, _) in unsupported.into_iter().filter(|(_, set)| *set) {
        forbid(name, format!("{name} is not supported"));
    }
    if ty == "null" {
        forbid("type", "type cannot be set to null, use nullable as an alternative".to_owned());
    }
    if matches!(schema.items(), Some(Items::Many(schemas)) if !schemas.is_empty()) {
        forbid("items", "items must be a schema object and not an array".to_owned());
    }
    if inside.metadata && schema.is_embedded() {
        forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta".to_owned());
    }
}

fn unsupported(path: &Path<'_>, value: &str, supported: &[&str]) -> FieldError {
    let listed: Vec<String> = supported.iter().map(|value| format!("\"{value}\"")).collect();
    let detail = format!("supported values: {}", listed.join(", "));
    FieldError::new(ErrorType::NotSupported, path, value.to_owned(), detail)
}

/// What is said of members that have no name.
fn others(schema: Props<'_>, inside: Inside<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(others) = schema.additional() else { return };
    let path = path.child("additionalProperties");
    if !matches!(others, Others::Allowed(true)) && schema.schemas("properties").next().is_some() {
        errors.push(FieldError::forbidden(&path, "additionalProperties and properties are mutual exclusive"));
    }
    if let Others::Schema(other) = others {
        let reason = "inside additionalProperties applying to object metadata";
        let no_defaults = if inside.metadata { Some(reason) } else { inside.no_defaults };
        node(other, false, Inside { no_defaults, ..inside }, &path, errors);
    }
}

/// Types of lists and of maps, and what they ask of elements.
fn kinds_of_collections(schema: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let ty = schema.ty();
    let mut of_type = |expected: &str, keyword: &str| {
        let detail = format!("must be {expected} if {keyword} is specified");
        let path = path.child("type");
        errors.push(match ty {
            "" => FieldError::required(&path, detail),
            ty => FieldError::invalid(&path, ty.to_owned(), detail),
        });
    };
    let map_type = schema.optional_text("x-kubernetes-map-type");
    let list_type = schema.optional_text("x-kubernetes-list-type");
    if map_type.is_some() && ty != "object" {
        of_type("object", "x-kubernetes-map-type");
    }
    if list_type.is_some() && ty != "array" {
        of_type("array", "x-kubernetes-list-type");
    } else if let (Some("set"), Some(item)) = (list_type, schema.item()) {
        let of_items = item.optional_text("x-kubernetes-list-type");
        let keyword = match (item.ty(), of_items, item.optional_text("x-kubernetes-map-type")) {
            ("array", Some(of_items), _) if of_items != "atomic" => Some("x-kubernetes-list-type"),
            ("object", _, of_items) if of_items != Some("atomic") => Some("x-kubernetes-map-type"),
            _ => None,
        };
        if let Some(keyword) = keyword {
            let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
            let value = of_items.map_or(Value::Null, Value::from);
            errors.push(FieldError::invalid(&path.child("items").child(keyword), value, detail));
        }
    }
    if let Some(found) = map_type.filter(|found| !["atomic", "granular"].contains(found)) {
        errors.push(unsupported(&path.child("x-kubernetes-map-type"), found, &["atomic", "granular"]));
    }
    if let Some(found) = list_type.filter(|found| !["atomic", "set", "map"].contains(found)) {
        errors.push(unsupported(&path.child("x-kubernetes-list-type"), found, &["atomic", "set", "map"]));
    }
}

/// The keys of a list that is a map.
fn list_of_keys(schema: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let list_type = schema.optional_text("x-kubernetes-list-type");
    let keys = schema.texts("x-kubernetes-list-map-keys");
    let (keys_path, items) = (path.child("x-kubernetes-list-map-keys"), path.child("items"));
    if !keys.is_empty() {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        let path = path.child("x-kubernetes-list-type");
        match list_type {
            Some("map") => {}
            Some(other) => errors.push(FieldError::invalid(&path, other.to_owned(), detail)),
            None => errors.push(FieldError::required(&path, detail)),
        }
    }
    if list_type != Some("map") {
        return;
    }
    if keys.is_empty() {
        errors.push(FieldError::required(&keys_path, "must not be empty if x-kubernetes-list-type is map"));
    }
    let item = match schema.items() {
        None => {
            errors.push(FieldError::required(&items, "must have a schema if x-kubernetes-list-type is map"));
            return;
        }
        Some(Items::Many(schemas)) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            errors.push(FieldError::invalid(&items, Value::from(schemas), detail));
            return;
        }
        Some(Items::One(item)) => item,
    };
    if item.ty() != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(&items.child("type"), item.ty().to_owned(), detail));
        return;
    }
    let properties = items.child("properties");
    for (index, key) in keys.iter().enumerate() {
        match item.property(key) {
            Some(property) if matches!(property.ty(), "array" | "object") => {
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let path = properties.key(key);
                errors.push(FieldError::invalid(&path.child("type"), item.ty().to_owned(), detail));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                errors.push(FieldError::invalid(&keys_path, listed(&keys), detail));
            }
        }
        if keys.iter().take(index).any(|before| before == key) {
            errors.push(FieldError::invalid(&keys_path, listed(&keys), "must not contain duplicate entries"));
        }
    }
}

fn listed(keys: &[&str]) -> Value {
    Value::from(keys.to_vec())
}

/// Elements of sets and maps that may be null, and keys that may be absent.
fn nullable_items(schema: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let list_type = schema.text("x-kubernetes-list-type");
    let Some(item) = schema.item().filter(|_| matches!(list_type, "set" | "map")) else { return };
    let items = path.child("items");
    if item.flag("nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(FieldError::forbidden(&items.child("nullable"), detail));
    }
    let keys = if list_type == "map" { schema.texts("x-kubernetes-list-map-keys") } else { Vec::new() };
    let required = item.texts("required");
    let properties = items.child("properties");
    for key in keys {
        let Some(property) = item.property(key) else { continue };
        let path = properties.key(key);
        if !required.contains(&key) && property.get("default").is_none() {
            let detail =
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.push(FieldError::required(&path.child("default"), detail));
        }
        if property.flag("nullable") {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.push(FieldError::forbidden(&path.child("nullable"), detail));
        }
    }
}

/// The frame of CEL rules; whether they compile is another matter.
fn rules(schema: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let all = path.child("x-kubernetes-validations");
    for (index, rule) in schema.all("x-kubernetes-validations") {
        let at = all.index(index);
        let breaks = |text: &str| text.contains(['\n', '\r']);
        let (text, message) = (rule.text("rule").trim(), rule.text("message"));
        if text.is_empty() {
            errors.push(FieldError::required(&at.child("rule"), "rule is not specified"));
        } else if !message.is_empty() && message.trim().is_empty() {
            let detail = "must be non-empty if specified";
            errors.push(FieldError::invalid(&at.child("message"), message.to_owned(), detail));
        } else if breaks(message.trim()) {
            let detail = "must not contain line breaks";
            errors.push(FieldError::invalid(&at.child("message"), message.to_owned(), detail));
        } else if breaks(text) && message.trim().is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            errors.push(FieldError::required(&at.child("message"), detail));
        }
        let expression = rule.text("messageExpression");
        if !expression.is_empty() && expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            errors.push(FieldError::required(&at.child("messageExpression"), detail));
        }
        if let Some(reason) = rule.optional_text("reason").filter(|reason| !REASONS.contains(reason)) {
            errors.push(unsupported(&at.child("reason"), reason, &REASONS));
        }
        let field_path = rule.text("fieldPath");
        let mut refuse = |detail: &'static str| {
            errors.push(FieldError::invalid(&at.child("fieldPath"), field_path.to_owned(), detail));
        };
        if !field_path.is_empty() && field_path.trim().is_empty() {
            refuse("must be non-empty if specified");
        }
        if breaks(field_path) {
            refuse("must not contain line breaks");
        }
        if !field_path.is_empty() && schema.unsupported().is_none() && follow(field_path, schema, true).is_err() {
            refuse("must be a valid path");
        }
    }
}
