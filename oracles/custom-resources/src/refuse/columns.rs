//! Printer columns, the scale subresource and selectable fields.

use super::field_path::follow;
use super::props::Props;
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/// Most selectable fields.
const MAX_SELECTABLE: usize = 8;

/// What is refused of printer columns.
pub(super) fn columns(columns: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (index, column) in columns.iter().map(Props::new).enumerate() {
        let path = path.index(index);
        if column.text("name").is_empty() {
            errors.push(FieldError::required(&path.child("name"), ""));
        }
        let detail = format!("must be one of {}", TYPES.join(","));
        match column.text("type") {
            "" => errors.push(FieldError::required(&path.child("type"), detail)),
            ty if TYPES.contains(&ty) => {}
            ty => errors.push(FieldError::invalid(&path.child("type"), ty.to_owned(), detail)),
        }
        let format = column.text("format");
        if !format.is_empty() && !FORMATS.contains(&format) {
            let detail = format!("must be one of {}", FORMATS.join(","));
            errors.push(FieldError::invalid(&path.child("format"), format.to_owned(), detail));
        }
        match column.text("jsonPath") {
            "" => errors.push(FieldError::required(&path.child("JSONPath"), "")),
            text => errors.extend(simple_path(text, &path.child("JSONPath"))),
        }
    }
}

/// What is refused of subresources.
pub(super) fn subresources(subresources: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(scale) = subresources.below("scale") else { return };
    for (name, field, part) in [
        ("specReplicasPath", "scale.specReplicasPath", "spec"),
        ("statusReplicasPath", "scale.statusReplicasPath", "status"),
    ] {
        let path = path.child(field);
        match scale.text(name) {
            "" => errors.push(FieldError::required(&path, "")),
            text => match simple_path(text, &path) {
                Some(error) => errors.push(error),
                None if !is_under(text, part) => {
                    let detail = format!("should be a json path under .{part}");
                    errors.push(FieldError::invalid(&path, text.to_owned(), detail));
                }
                None => {}
            },
        }
    }
    let (selector, path) = (scale.text("labelSelectorPath"), path.child("scale.labelSelectorPath"));
    if !selector.is_empty() {
        let under = is_under(selector, "spec") || is_under(selector, "status");
        let detail = "should be a json path under either .spec or .status";
        let found = simple_path(selector, &path);
        errors.extend(found.or_else(|| (!under).then(|| FieldError::invalid(&path, selector.to_owned(), detail))));
    }
}

fn is_under(path: &str, part: &str) -> bool {
    path.strip_prefix('.').and_then(|rest| rest.strip_prefix(part)).is_some_and(|rest| rest.starts_with('.'))
}

fn simple_path(text: &str, path: &Path<'_>) -> Option<FieldError> {
    let detail = "must be a simple json path starting with .";
    (!text.starts_with('.')).then(|| FieldError::invalid(path, text.to_owned(), detail))
}

/// What is refused of selectable fields; `schema` is none where there is none, or none that a server can read.
pub(super) fn selectable(fields: &[Value], schema: Option<Props<'_>>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut known: Vec<Vec<String>> = Vec::new();
    for (index, field) in fields.iter().map(Props::new).enumerate() {
        let path = path.index(index);
        let (text, path) = (field.text("jsonPath"), path.child("jsonPath"));
        if text.is_empty() {
            errors.push(FieldError::required(&path, ""));
            continue;
        }
        let mut refuse = |detail: String| errors.push(FieldError::invalid(&path, text.to_owned(), detail));
        let found = match follow(text, schema.unwrap_or(Props::new(&Value::Null)), false) {
            Ok(found) => found,
            Err(reason) => {
                refuse(format!("is an invalid path: {reason}"));
                continue;
            }
        };
        if found.names.first().is_some_and(|name| name == "metadata") {
            refuse("must not point to fields in metadata".to_owned());
        }
        if !matches!(found.schema.map(Props::ty), Some("string" | "boolean" | "integer")) {
            let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats \
                          are allowed.";
            refuse(detail.to_owned());
        }
        if known.contains(&found.names) {
            errors.push(FieldError::duplicate(&path, text.to_owned()));
        } else {
            known.push(found.names);
        }
    }
    if known.len() > MAX_SELECTABLE {
        let count = i64::try_from(known.len()).map_or(BadValue::Hidden, BadValue::Int);
        let detail = format!("must have at most {MAX_SELECTABLE} items");
        errors.push(FieldError::new(ErrorType::TooMany, path, count, detail));
    }
}
