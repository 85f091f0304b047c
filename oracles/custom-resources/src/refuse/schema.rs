//! What is refused of one schema of a CRD.

use super::defaults::{self, UnknownFields};
use super::props::Props;
use super::{cel, structural, walk};
use crate::crd::structural_of;
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Schemas inside schemas; readers take no more either.
const MAX_DEPTH: usize = crate::reader::MAX_DEPTH;

/// What the root of a schema may have when the status has its own subresource: Go's names, and those of JSON.
const AT_ROOT: [(&str, &str); 22] = [
    ("Description", "description"),
    ("Type", "type"),
    ("Format", "format"),
    ("Title", "title"),
    ("Maximum", "maximum"),
    ("ExclusiveMaximum", "exclusiveMaximum"),
    ("Minimum", "minimum"),
    ("ExclusiveMinimum", "exclusiveMinimum"),
    ("MaxLength", "maxLength"),
    ("MinLength", "minLength"),
    ("Pattern", "pattern"),
    ("MaxItems", "maxItems"),
    ("MinItems", "minItems"),
    ("UniqueItems", "uniqueItems"),
    ("MultipleOf", "multipleOf"),
    ("Required", "required"),
    ("Items", "items"),
    ("Properties", "properties"),
    ("ExternalDocs", "externalDocs"),
    ("Example", "example"),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields"),
    ("XValidations", "x-kubernetes-validations"),
];

/// Members that stand before the type in Go's struct, in which the first one at fault is reported.
const BEFORE_TYPE: [&str; 3] = ["id", "$schema", "$ref"];

/// What is refused of the `schema` of a version, which has `openAPIV3Schema` at `path`; `status` tells whether the status has its own
/// subresource, and `unknown` what becomes of unknown fields in defaults.
pub(super) fn check(of_version: &Value, status: bool, unknown: UnknownFields, path: &Path<'_>) -> Vec<FieldError> {
    let Some(value) = Props::new(of_version).get("openAPIV3Schema") else { return Vec::new() };
    let (schema, path) = (Props::new(value), path.child("openAPIV3Schema"));
    if schema.is_deeper_than(MAX_DEPTH) {
        let detail = format!("schemas inside schemas go deeper than {MAX_DEPTH}");
        return vec![FieldError::new(ErrorType::Internal, &path, BadValue::Hidden, detail)];
    }
    let mut errors = Vec::new();
    if status {
        errors.extend(root_of_status(schema, &path));
    }
    if schema.flag("nullable") {
        errors.push(FieldError::forbidden(&path.child("nullable"), "nullable cannot be true at the root"));
    }
    // What is no structural schema at all is said when nothing else was.
    let unsupported = schema.unsupported();
    let mut sound = false;
    if unsupported.is_none() {
        let mut found = structural::check(schema, &path);
        if found.is_empty() {
            let (structural, _) = structural_of(value, "");
            found = defaults::check(value, &structural, unknown, &path);
        }
        sound = found.is_empty();
        errors.extend(found);
    }
    let walked = walk::check(schema, &path);
    // Rules are compiled only in a schema that is structural.
    let of_rules = if sound { cel::check(value, &walked, &path) } else { Vec::new() };
    errors.extend(walked);
    errors.extend(of_rules);
    if let (true, Some(reason)) = (errors.is_empty(), unsupported) {
        errors.push(FieldError::invalid(&path, "", reason));
    }
    errors
}

/// What the root may not have because the schema of the status is taken out of it.
fn root_of_status(schema: Props<'_>, path: &Path<'_>) -> Option<FieldError> {
    let allowed = |name: &str| AT_ROOT.iter().any(|(_, known)| *known == name);
    let odd: Vec<&str> = schema.set_members().filter(|name| KEYWORDS.contains(name) && !allowed(name)).collect();
    let odd_type = !matches!(schema.ty(), "" | "object");
    if odd_type && !odd.iter().any(|name| BEFORE_TYPE.contains(name)) {
        let detail =
            "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        return Some(FieldError::invalid(&path.child("type"), schema.ty().to_owned(), detail));
    }
    odd.first()?;
    let names: Vec<&str> = AT_ROOT.iter().map(|(name, _)| *name).collect();
    let detail = format!(
        "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
        names.join(" ")
    );
    Some(FieldError::invalid(path, BadValue::Hidden, detail))
}

/// The other keywords that a server knows; what it does not know is dropped.
const KEYWORDS: [&str; 22] = [
    "id",
    "$schema",
    "$ref",
    "nullable",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];
