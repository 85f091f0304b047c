//! Values of a manifest that are of another type than a server reads there, so that it cannot decode the manifest.

use crate::crd::CrdError;
use serde_json::{Map, Value};

/// Schemas inside schemas that are looked at.
const DEPTH: usize = 200;
/// Characters of a value in an error.
const LONGEST: usize = 60;

/// What a server reads at a keyword.
#[derive(Clone, Copy)]
enum Read {
    Text,
    Flag,
    Number,
    Integer,
    Texts,
    List,
    Schema,
    /// A schema, or several.
    SchemaOrList,
    /// A schema, or whether there may be anything.
    SchemaOrFlag,
    Schemas,
    NamedSchemas,
    Rules,
}

impl Read {
    /// What stands at the keyword; `None` where it does not matter here.
    fn of(keyword: &str) -> Option<Self> {
        Some(match keyword {
            "id"
            | "$schema"
            | "$ref"
            | "description"
            | "type"
            | "format"
            | "title"
            | "pattern"
            | "x-kubernetes-list-type"
            | "x-kubernetes-map-type" => Self::Text,
            "nullable"
            | "exclusiveMaximum"
            | "exclusiveMinimum"
            | "uniqueItems"
            | "x-kubernetes-embedded-resource"
            | "x-kubernetes-int-or-string"
            | "x-kubernetes-preserve-unknown-fields" => Self::Flag,
            "maximum" | "minimum" | "multipleOf" => Self::Number,
            "maxLength" | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties" => Self::Integer,
            "required" | "x-kubernetes-list-map-keys" => Self::Texts,
            "enum" => Self::List,
            "not" => Self::Schema,
            "items" => Self::SchemaOrList,
            "additionalProperties" | "additionalItems" => Self::SchemaOrFlag,
            "allOf" | "anyOf" | "oneOf" => Self::Schemas,
            "properties" | "patternProperties" | "definitions" => Self::NamedSchemas,
            "x-kubernetes-validations" => Self::Rules,
            _ => return None,
        })
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Flag => "true or false",
            Self::Number => "a number",
            Self::Integer => "an integer of 64 bits",
            Self::Texts => "a list of texts",
            Self::List => "a list",
            Self::Schema => "a schema",
            Self::SchemaOrList => "a schema or a list of schemas",
            Self::SchemaOrFlag => "a schema, true or false",
            Self::Schemas => "a list of schemas",
            Self::NamedSchemas => "schemas by their names",
            Self::Rules => "a list of rules",
        }
    }

    fn takes(self, value: &Value) -> bool {
        let all =
            |is: fn(&Value) -> bool| value.as_array().is_some_and(|all| all.iter().all(|one| is(one) || one.is_null()));
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Integer => value.is_i64() || value.as_f64().is_some_and(is_whole),
            Self::Texts => all(Value::is_string),
            Self::List => value.is_array(),
            Self::Schema => value.is_object(),
            Self::SchemaOrList => value.is_object() || all(Value::is_object),
            Self::SchemaOrFlag => value.is_object() || value.is_boolean(),
            Self::Schemas | Self::Rules => all(Value::is_object),
            Self::NamedSchemas => {
                value.as_object().is_some_and(|all| all.values().all(|one| one.is_object() || one.is_null()))
            }
        }
    }
}

/// Whether a number is a 64-bit integer, which JSON may write with a decimal point or an exponent.
fn is_whole(number: f64) -> bool {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    number.fract() == 0.0 && (-BEYOND..BEYOND).contains(&number)
}

/// The first value of the schemas and versions of a manifest that is of another type than a server reads there.
///
/// # Errors
/// Returns that value and its place.
pub(crate) fn check(document: &Value) -> Result<(), CrdError> {
    let versions = document.pointer("/spec/versions").and_then(Value::as_array);
    for (index, version) in versions.into_iter().flatten().enumerate() {
        let at = format!("spec.versions[{index}]");
        for name in ["served", "storage", "deprecated"] {
            keyword(version.get(name), &format!("{at}.{name}"), Read::Flag)?;
        }
        let place = format!("{at}.schema.openAPIV3Schema");
        match version.pointer("/schema/openAPIV3Schema") {
            Some(Value::Object(members)) => schema(members, &place, 0)?,
            other => keyword(other, &place, Read::Schema)?,
        }
    }
    Ok(())
}

fn keyword(value: Option<&Value>, place: &str, read: Read) -> Result<(), CrdError> {
    match value {
        Some(value) if !value.is_null() && !read.takes(value) => Err(CrdError::Unexpected {
            field: place.to_owned(),
            found: value.to_string().chars().take(LONGEST).collect(),
            expected: read.expected(),
        }),
        _ => Ok(()),
    }
}

fn schema(members: &Map<String, Value>, place: &str, depth: usize) -> Result<(), CrdError> {
    if depth > DEPTH {
        return Ok(());
    }
    for (name, value) in members {
        let Some(read) = Read::of(name) else { continue };
        let place = format!("{place}.{name}");
        keyword(Some(value), &place, read)?;
        let below = |value: &Value, place: &str| match value {
            Value::Object(members) => schema(members, place, depth + 1),
            _ => Ok(()),
        };
        match (read, value) {
            (Read::Schema | Read::SchemaOrList | Read::SchemaOrFlag, Value::Object(_)) => below(value, &place)?,
            (Read::SchemaOrList | Read::Schemas, Value::Array(all)) => {
                for (index, one) in all.iter().enumerate() {
                    below(one, &format!("{place}[{index}]"))?;
                }
            }
            (Read::NamedSchemas, Value::Object(all)) => {
                for (name, one) in all {
                    below(one, &format!("{place}[{name}]"))?;
                }
            }
            (Read::Rules, Value::Array(all)) => {
                for (index, rule) in all.iter().enumerate() {
                    for name in ["rule", "message", "messageExpression", "reason", "fieldPath"] {
                        keyword(rule.get(name), &format!("{place}[{index}].{name}"), Read::Text)?;
                    }
                    keyword(rule.get("optionalOldSelf"), &format!("{place}[{index}].optionalOldSelf"), Read::Flag)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::accepted_kinds_of_crd;
    use serde_json::{Value, json};

    fn refusal(property: &Value) -> Option<String> {
        let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "gadgets.example.com"}, "spec": {"group": "example.com", "scope": "Cluster",
            "names": {"kind": "Gadget", "plural": "gadgets"}, "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"a": property}}}}]}});
        accepted_kinds_of_crd(&crd).err().map(|error| error.to_string())
    }

    #[test]
    fn a_keyword_of_another_type_is_refused_by_name() {
        for (property, at, expected) in [
            (json!({"type": "integer", "maximum": "none"}), "maximum` is \"none\"", "a number"),
            (
                json!({"type": "array", "items": {"type": "string", "maxLength": 1.5}}),
                "items.maxLength` is 1.5",
                "an integer of 64 bits",
            ),
            (json!({"type": "string", "maxLength": 1e30}), "maxLength` is 1e+30", "an integer of 64 bits"),
            (
                json!({"type": "string", "minLength": u64::MAX}),
                "minLength` is 18446744073709551615",
                "an integer of 64 bits",
            ),
            (json!({"type": "object", "required": "x"}), "required` is \"x\"", "a list of texts"),
            (json!({"type": ["string"]}), "type` is [\"string\"]", "a text"),
            (json!({"type": "string", "anyOf": [{"pattern": 3}]}), "anyOf[0].pattern` is 3", "a text"),
            (
                json!({"type": "string", "x-kubernetes-validations": [{"rule": true}]}),
                "validations[0].rule` is true",
                "a text",
            ),
            (json!("string"), "properties` is {\"a\":\"string\"}", "schemas by their names"),
        ] {
            let said = refusal(&property).unwrap_or_default();
            assert!(said.contains(at) && said.ends_with(&format!("expected {expected}")), "{property}: {said}");
        }
        for property in [
            json!({"type": "integer", "maximum": 2.0}),
            json!({"type": "string", "maxLength": null}),
            json!({"type": "string", "maxLength": 2e2}),
        ] {
            assert_eq!(refusal(&property), None, "{property}");
        }
    }
}
