//! Whether a schema is structural: types on the spine, nothing but constraints inside of `allOf` and its like.

use super::props::Props;
use crate::structural::Pattern;
use serde_json::{Value, json};
use std::collections::HashMap;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// Where in a schema a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What members a node inside of a junctor may not have, with the reason, in the order of a server.
const FORBIDDEN_INSIDE: [(&str, &str); 5] = [
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
];

/// The same of the extensions that follow.
const FORBIDDEN_EXTENSIONS: [(&str, &str); 6] = [
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
];

/// Everything that keeps the schema at `path` from being structural, sorted by text.
pub(super) fn check(schema: Props<'_>, path: &Path<'_>) -> Vec<FieldError> {
    let mut patterns = HashMap::new();
    let mut errors = Vec::new();
    invariants(schema, Level::Root, path, &mut patterns, &mut errors);
    // Servers ask that of the junctors of the root alone.
    completeness(schema, schema, path, path, &mut errors);
    errors.sort_by_cached_key(ToString::to_string);
    errors
}

/// Patterns that were compiled, and why some do not.
type Patterns<'d> = HashMap<&'d str, Option<String>>;

fn invariants<'d>(
    schema: Props<'d>,
    level: Level,
    path: &Path<'_>,
    patterns: &mut Patterns<'d>,
    errors: &mut Vec<FieldError>,
) {
    let ty = schema.ty();
    match schema.item() {
        Some(item) => invariants(item, Level::Item, &path.child("items"), patterns, errors),
        None if ty == "array" => errors.push(FieldError::required(&path.child("items"), "must be specified")),
        None => {}
    }
    for (name, property) in schema.schemas("properties") {
        invariants(property, Level::Field, &path.child("properties").key(name), patterns, errors);
    }
    let additional = path.child("additionalProperties");
    if schema.additional().is_some() && level == Level::Root {
        errors.push(FieldError::forbidden(&additional, "must not be used at the root"));
    }
    if let Some(other) = schema.additional_schema() {
        invariants(other, Level::Field, &additional, patterns, errors);
    }
    let (embedded, preserving, int_or_string) =
        (schema.is_embedded(), schema.is_preserving(), schema.is_int_or_string());
    for (set, name) in
        [(preserving, "x-kubernetes-preserve-unknown-fields"), (embedded, "x-kubernetes-embedded-resource")]
    {
        if set && int_or_string {
            let detail = "must be false if x-kubernetes-int-or-string is true";
            errors.push(FieldError::invalid(&path.child(name), true, detail));
        }
    }
    constraints(schema, int_or_string_pattern(schema), path, patterns, errors);
    types(schema, level, path, errors);
    if embedded && schema.additional().is_some() {
        errors.push(FieldError::forbidden(&additional, "must not be used if x-kubernetes-embedded-resource is set"));
    }
    metadata(schema, level, path, errors);
    if embedded && !preserving && schema.schemas("properties").next().is_none() {
        let detail =
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(&path.child("properties"), detail));
    }
}

fn types(schema: Props<'_>, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (ty, path) = (schema.ty(), path.child("type"));
    if schema.is_embedded() && ty != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(match ty {
            "" => FieldError::required(&path, detail),
            ty => FieldError::invalid(&path, ty.to_owned(), detail),
        });
    } else if ty.is_empty() && !schema.is_int_or_string() && !schema.is_preserving() {
        let place = match level {
            Level::Root => "at the root",
            Level::Item => "for specified array items",
            Level::Field => "for specified object fields",
        };
        errors.push(FieldError::required(&path, format!("must not be empty {place}")));
    }
    if level == Level::Root && !ty.is_empty() && ty != "object" {
        errors.push(FieldError::invalid(&path, ty.to_owned(), "must be object at the root"));
    }
}

/// What is said of apiVersion, kind and metadata.
fn metadata(schema: Props<'_>, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let whole = level == Level::Root || schema.is_embedded();
    let properties = path.child("properties");
    for (name, ty) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        if let (true, Some(property)) = (whole, schema.property(name))
            && property.ty() != ty
        {
            let path = properties.key(name);
            errors.push(FieldError::invalid(&path.child("type"), property.ty().to_owned(), format!("must be {ty}")));
        }
    }
    if level == Level::Root
        && let Some(metadata) = schema.property("metadata")
    {
        let named: Vec<&str> = metadata.schemas("properties").map(|(name, _)| name).collect();
        let only_names = named.iter().all(|name| matches!(*name, "name" | "generateName"));
        let others = metadata.set_members().any(|name| match name {
            "type" | "default" => false,
            "properties" => !only_names,
            name if IGNORED.contains(&name) => false,
            // These are as good as none when they are empty.
            "enum" | "allOf" | "anyOf" | "oneOf" => !metadata.list(name).is_empty(),
            _ => true,
        });
        if others {
            let detail =
                "must not specify anything other than name and generateName, but metadata is implicitly specified";
            errors.push(FieldError::forbidden(&properties.key("metadata"), detail));
        }
    }
}

/// Members of a schema that have no place in its structural form.
const IGNORED: [&str; 2] = ["id", "$schema"];

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

/// Where the two alternatives of an integer or a text may stand with their types.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Skip {
    any_of: bool,
    first_all_of: bool,
}

const NOTHING: Skip = Skip { any_of: false, first_all_of: false };

fn int_or_string_pattern(schema: Props<'_>) -> Skip {
    let first = schema.all("allOf").next().map(|(_, schema)| schema);
    Skip { any_of: is_integer_or_string(schema), first_all_of: first.is_some_and(is_integer_or_string) }
}

fn is_integer_or_string(schema: Props<'_>) -> bool {
    schema.get("anyOf") == Some(&json!([{"type": "integer"}, {"type": "string"}]))
}

fn constraints<'d>(
    schema: Props<'d>,
    skip: Skip,
    path: &Path<'_>,
    patterns: &mut Patterns<'d>,
    errors: &mut Vec<FieldError>,
) {
    for (name, skip_all) in [("anyOf", skip.any_of), ("allOf", false), ("oneOf", false)] {
        let path = path.child(name);
        for (index, inner) in schema.all(name).filter(|_| !skip_all) {
            let skip = Skip { any_of: name == "allOf" && index == 0 && skip.first_all_of, ..NOTHING };
            inside(inner, skip, &path.index(index), patterns, errors);
        }
    }
    if let Some(inner) = schema.below("not") {
        inside(inner, NOTHING, &path.child("not"), patterns, errors);
    }
    let pattern = schema.text("pattern");
    let compiled = || Pattern::new(pattern).err().map(|error| error.go_text());
    if let Some(error) = patterns.entry(pattern).or_insert_with(compiled) {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(FieldError::invalid(&path.child("pattern"), pattern.to_owned(), detail));
    }
}

/// A schema inside of a junctor.
fn inside<'d>(
    schema: Props<'d>,
    skip: Skip,
    path: &Path<'_>,
    patterns: &mut Patterns<'d>,
    errors: &mut Vec<FieldError>,
) {
    constraints(schema, skip, path, patterns, errors);
    if let Some(item) = schema.item() {
        inside(item, NOTHING, &path.child("items"), patterns, errors);
    }
    for (name, property) in schema.schemas("properties") {
        inside(property, NOTHING, &path.child("properties").key(name), patterns, errors);
    }
    let mut forbid = |name: &str, detail: &'static str| errors.push(FieldError::forbidden(&path.child(name), detail));
    if !schema.ty().is_empty() {
        forbid("type", "must be empty to be structural");
    }
    if schema.get("additionalProperties").is_some_and(|value| *value != Value::Bool(false)) {
        forbid("additionalProperties", "must be undefined to be structural");
    }
    for (name, detail) in FORBIDDEN_INSIDE.into_iter().chain(FORBIDDEN_EXTENSIONS) {
        if schema.set_members().any(|set| set == name) && !schema.get(name).is_some_and(is_empty) {
            forbid(name, detail);
        }
    }
    if schema.property("metadata").is_some() {
        let properties = path.child("properties");
        errors.push(FieldError::forbidden(&properties.key("metadata"), "must not be specified in a nested context"));
    }
}

/// Whether what the junctors of a schema constrain is there on the spine, at `path`; `at` is where the schema stands.
fn completeness(schema: Props<'_>, spine: Props<'_>, path: &Path<'_>, at: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(inner) = schema.below("not") {
        on_spine(inner, Some(spine), path, &at.child("not"), errors);
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        let at = at.child(name);
        schema.all(name).for_each(|(index, inner)| on_spine(inner, Some(spine), path, &at.index(index), errors));
    }
}

/// The same of a schema inside of a junctor, and of what stands on the spine in its place.
fn on_spine(schema: Props<'_>, spine: Option<Props<'_>>, path: &Path<'_>, at: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(spine) = spine else {
        errors.push(FieldError::required(path, format!("because it is defined in {at}")));
        return;
    };
    completeness(schema, spine, path, at, errors);
    if let Some(item) = schema.item() {
        on_spine(item, spine.item(), &path.child("items"), &at.child("items"), errors);
    }
    let (path, at) = (path.child("properties"), at.child("properties"));
    for (name, property) in schema.schemas("properties") {
        on_spine(property, spine.property(name), &path.key(name), &at.key(name), errors);
    }
}
