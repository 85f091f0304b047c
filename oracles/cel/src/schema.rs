//! Structural schemas to declared types.

use crate::cost::limits::REQUEST_BYTES;
use crate::names;
use crate::types::{DeclaredField, DeclaredType, Type};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name of the type of `self`. API servers add a number that nobody knows beforehand.
pub const SELF_TYPE: &str = "selfType";

/// Deepest nesting of schemas that is followed.
const MOST_DEPTH: usize = 200;
/// Bytes of a duration or time in JSON at most, as guessed by API servers.
const LONGEST_TIME: u64 = 32;
const DATE: u64 = 12;

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It nests deeper than anything of use.
    #[error("schema at `{path}` nests deeper than 200 levels; flatten it")]
    TooDeep {
        /// The JSON pointer of the node.
        path: String,
    },
    /// It refers to another schema, which structural schemas never do.
    #[error("schema at `{path}` uses `$ref`, which structural schemas must not; write the schema in place")]
    Reference {
        /// The JSON pointer of the node.
        path: String,
    },
}

/// Declares the type that expressions at a node of a structural schema see, or `None` if they see nothing: the node or a part of it
/// has no type. `resource_root` tells whether the node is the root of a custom resource or of an embedded one.
///
/// # Errors
/// Refuses schemas that nest too deeply or refer to others.
pub fn declare(schema: &Json, resource_root: bool) -> Result<Option<DeclaredType>, SchemaError> {
    Declarer { path: Vec::new() }.node(schema, resource_root, SELF_TYPE)
}

struct Declarer<'s> {
    path: Vec<&'s str>,
}

impl<'s> Declarer<'s> {
    fn below(
        &mut self,
        segments: &[&'s str],
        schema: &'s Json,
        name: &str,
    ) -> Result<Option<DeclaredType>, SchemaError> {
        self.path.extend(segments);
        let declared = self.node(schema, is_embedded(schema), name);
        self.path.truncate(self.path.len() - segments.len());
        declared
    }

    fn node(&mut self, schema: &'s Json, root: bool, name: &str) -> Result<Option<DeclaredType>, SchemaError> {
        let path = || self.path.iter().map(|segment| format!("/{segment}")).collect::<String>();
        if self.path.len() > 2 * MOST_DEPTH {
            return Err(SchemaError::TooDeep { path: path() });
        }
        if schema.get("$ref").is_some() {
            return Err(SchemaError::Reference { path: path() });
        }
        if flag(schema, "x-kubernetes-int-or-string") {
            return Ok(Some(DeclaredType::scalar(Type::Dyn, characters(schema).unwrap_or(longest_text()), 1)));
        }
        Ok(match schema.get("type").and_then(Json::as_str) {
            Some("array") => {
                let Some(items) = schema.get("items") else { return Ok(None) };
                let Some(element) = self.below(&["items"], items, &format!("{name}.@idx"))? else { return Ok(None) };
                let guess = (REQUEST_BYTES - 2) / (element.min_serialized_size + 1);
                let most = bound(schema, "maxItems").unwrap_or(guess).cast_unsigned();
                Some(DeclaredType::list(Arc::new(element), most))
            }
            Some("object") => match schema.get("additionalProperties").filter(|values| values.is_object()) {
                Some(values) => {
                    let value = self.below(&["additionalProperties"], values, &format!("{name}.@elem"))?;
                    let Some(value) = value else { return Ok(None) };
                    let guess = (REQUEST_BYTES - 2) / (value.min_serialized_size + 6);
                    let most = bound(schema, "maxProperties").unwrap_or(guess).cast_unsigned();
                    Some(DeclaredType::map(Arc::new(value), most))
                }
                None => Some(self.object(schema, root, name)?),
            },
            Some("string") => Some(string(schema)),
            Some("boolean") => Some(DeclaredType::scalar(Type::Bool, 0, 4)),
            Some("number") => Some(DeclaredType::scalar(Type::Double, 0, 1)),
            Some("integer") => Some(DeclaredType::scalar(Type::Int, 0, 1)),
            _ => None,
        })
    }

    fn object(&mut self, schema: &'s Json, root: bool, name: &str) -> Result<DeclaredType, SchemaError> {
        let required: Vec<&str> =
            schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
        let mut fields = BTreeMap::new();
        let mut size = 2i64;
        let mut add = |property: &str, declared: DeclaredType, has_default: bool| {
            if required.contains(&property) && !has_default {
                let bytes = i64::try_from(property.len()).unwrap_or(i64::MAX);
                size = size.wrapping_add(bytes).wrapping_add(declared.min_serialized_size).wrapping_add(4);
            }
            if let Some(escaped) = names::escape(property) {
                let field = DeclaredField { property: Arc::from(property), declared: Arc::new(declared) };
                fields.insert(Arc::from(escaped), field);
            }
        };
        let forced = root && !has_type_and_metadata(schema);
        for (property, of_property) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
            if forced && matches!(property.as_str(), "apiVersion" | "kind" | "metadata") {
                continue;
            }
            let escaped = names::escape(property).unwrap_or_default();
            let declared = self.below(&["properties", property], of_property, &format!("{name}.{escaped}"))?;
            if let Some(declared) = declared {
                add(property, declared, of_property.get("default").is_some_and(|default| !default.is_null()));
            }
        }
        if forced {
            add("apiVersion", plain_string(), false);
            add("kind", plain_string(), false);
            let names = ["generateName", "name"].into_iter().map(|name| {
                (Arc::from(name), DeclaredField { property: Arc::from(name), declared: Arc::new(plain_string()) })
            });
            add("metadata", DeclaredType::object(&format!("{name}.metadata"), names.collect(), 2), false);
        }
        Ok(DeclaredType::object(name, fields, size))
    }
}

/// Tells whether a node is the root of an embedded resource.
pub(crate) fn is_embedded(schema: &Json) -> bool {
    flag(schema, "x-kubernetes-embedded-resource")
}

fn flag(schema: &Json, name: &str) -> bool {
    schema.get(name).and_then(Json::as_bool).unwrap_or_default()
}

/// A bound that counts; below zero it is zero.
pub(crate) fn bound(schema: &Json, name: &str) -> Option<i64> {
    let bound = schema.get(name)?;
    #[expect(clippy::cast_possible_truncation, reason = "a bound written as 3.0 is 3")]
    let whole = bound.as_i64().or_else(|| bound.as_f64().map(|number| number as i64))?;
    Some(whole.max(0))
}

/// Bytes of the longest string that `maxLength` allows, which counts code points. Overflow wraps around.
fn characters(schema: &Json) -> Option<u64> {
    bound(schema, "maxLength").map(|most| most.wrapping_mul(4).cast_unsigned())
}

fn longest_text() -> u64 {
    (REQUEST_BYTES - 2).cast_unsigned()
}

fn plain_string() -> DeclaredType {
    DeclaredType::scalar(Type::String, longest_text(), 2)
}

fn string(schema: &Json) -> DeclaredType {
    match schema.get("format").and_then(Json::as_str) {
        Some("byte") => {
            let most = bound(schema, "maxLength").map_or_else(longest_text, i64::cast_unsigned);
            DeclaredType::scalar(Type::Bytes, most, 2)
        }
        Some("duration") => DeclaredType::scalar(Type::Duration, LONGEST_TIME, 3),
        Some("date") => DeclaredType::scalar(Type::Timestamp, DATE, 12),
        Some("date-time") => DeclaredType::scalar(Type::Timestamp, LONGEST_TIME, 21),
        _ => {
            let values = || schema.get("enum").and_then(Json::as_array).filter(|values| !values.is_empty());
            let longest =
                |values: &Vec<Json>| values.iter().filter_map(Json::as_str).map(str::len).max().unwrap_or(0) as u64;
            let most = characters(schema).or_else(|| values().map(longest)).unwrap_or_else(longest_text);
            DeclaredType::scalar(Type::String, most, 2)
        }
    }
}

/// Whether a root declares by itself what every resource has.
fn has_type_and_metadata(schema: &Json) -> bool {
    let is = |pointer: &str, ty: &str| schema.pointer(pointer).and_then(Json::as_str) == Some(ty);
    is("/properties/kind/type", "string")
        && is("/properties/apiVersion/type", "string")
        && is("/properties/metadata/type", "object")
        && is("/properties/metadata/properties/name/type", "string")
        && is("/properties/metadata/properties/generateName/type", "string")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn declared(schema: &Json) -> DeclaredType {
        declare(schema, false).unwrap().unwrap()
    }

    #[test]
    fn sizes_follow_the_bounds_of_the_schema() {
        let sizes = |schema: Json| (declared(&schema).max_elements, declared(&schema).min_serialized_size);
        assert_eq!(sizes(json!({"type": "string", "maxLength": 3})), (12, 2));
        assert_eq!(sizes(json!({"type": "string", "enum": ["a", "long"]})), (4, 2));
        assert_eq!(sizes(json!({"type": "string", "format": "byte", "maxLength": 3})), (3, 2));
        assert_eq!(sizes(json!({"type": "string", "format": "date-time"})), (32, 21));
        assert_eq!(sizes(json!({"x-kubernetes-int-or-string": true})), (3_145_726, 1));
        assert_eq!(sizes(json!({"type": "array", "maxItems": -1, "items": {"type": "integer"}})), (0, 2));
        assert_eq!(sizes(json!({"type": "array", "items": {"type": "integer"}})), (1_572_863, 2));
        assert_eq!(sizes(json!({"type": "object", "additionalProperties": {"type": "integer"}})), (449_389, 2));
        let object = json!({"type": "object", "required": ["ab", "d"], "properties": {
            "ab": {"type": "string"}, "d": {"type": "integer", "default": 1}}});
        assert_eq!(sizes(object), (0, 10));
    }

    #[test]
    fn only_what_has_a_type_and_a_name_is_declared() {
        let object = declared(&json!({"type": "object", "properties": {
            "a-b": {"type": "object", "properties": {}}, "1": {"type": "string"}, "any": {}, "namespace": {"type": "string"}}}));
        assert_eq!(object.field("a__dash__b").unwrap().declared.ty(), &Type::object("selfType.a__dash__b"));
        assert!(object.field("any").is_none() && object.field("1").is_none());
        assert!(object.field("namespace").is_none() && object.field_or_keyword("namespace").is_some());
        assert_eq!(declare(&json!({"type": "array", "items": {}}), false), Ok(None));
    }

    #[test]
    fn resources_have_type_and_name_whatever_they_declare() {
        let root = declare(&json!({"type": "object", "properties": {"metadata": {"type": "object"}}}), true);
        let root = root.unwrap().unwrap();
        let metadata = &root.field("metadata").unwrap().declared;
        assert_eq!(metadata.ty(), &Type::object("selfType.metadata"));
        assert!(metadata.field("generateName").is_some() && metadata.field("labels").is_none());
        assert_eq!(root.field("kind").unwrap().declared.ty(), &Type::String);
    }

    #[test]
    fn hostile_schemas_are_refused() {
        let mut deep = json!({"type": "string"});
        for _ in 0..500 {
            deep = json!({"type": "array", "items": deep});
        }
        assert!(matches!(declare(&deep, false), Err(SchemaError::TooDeep { .. })));
        let reference = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
        let error = declare(&reference, false).unwrap_err().to_string();
        assert_eq!(
            error,
            "schema at `/properties/a` uses `$ref`, which structural schemas must not; write the schema in place"
        );
    }
}
