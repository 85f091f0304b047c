//! Keywords of OpenAPI on one value, and the way down.

use super::checker::Checker;
use super::formats;
use super::name::Name;
use super::outcome::Outcome;
use super::ratchet::Link;
use super::{enumeration, number};
use crate::structural::{Additional, SchemaType, Structural};
use crate::text::{plural, quoted};
use serde_json::{Map, Value};
use takeover_harness::error::{BadValue, ErrorType, FieldError};

/// The JSON type of a value, where a number that is no 64-bit integer is a float.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The types that a schema names, as texts show them.
fn type_names(node: &Structural) -> &'static str {
    match node.ty {
        _ if node.int_or_string => "integer,string",
        Some(ty) => ty.name(),
        None => "",
    }
}

impl Checker<'_> {
    /// Validates a value by a schema. What a link says to be unchanged has no errors.
    pub(super) fn value(&self, node: &Structural, value: &Value, name: &Name<'_>, link: Option<Link<'_>>) -> Outcome {
        let mut outcome = self.all(node, value, name, link);
        if !outcome.is_valid() && link.is_some_and(|link| link.is_unchanged()) {
            outcome.errors.clear();
        }
        outcome
    }

    fn all(&self, node: &Structural, value: &Value, name: &Name<'_>, link: Option<Link<'_>>) -> Outcome {
        let mut outcome = Outcome::default();
        let format = formats::kept(node);
        if value.is_null() {
            let types = type_names(node);
            if types.is_empty() || node.nullable {
                outcome.matches += 1;
            } else {
                outcome.errors.push(self.wrong_type(node, name, types, "null"));
            }
            outcome.errors.extend(self.enumeration(node, value, name));
            return outcome;
        }
        outcome.matches += 1;
        if !type_names(node).is_empty() || format.is_some() {
            outcome.matches += 1;
            match self.ty(node, format, value, name) {
                Some(error) => outcome.errors.push(error),
                None => outcome.matches += 1,
            }
        }
        outcome.matches += 1;
        outcome.merge(self.junctors(node, value, name));
        match value {
            Value::String(text) => {
                outcome.matches += 1;
                outcome.errors.extend(self.text(node, text, name));
                if let Some(format) = format.filter(|format| formats::is_of_texts(format)) {
                    outcome.matches += 1;
                    if !formats::accepts(format, text) {
                        outcome.errors.push(self.wrong_format(name, format, text));
                    }
                }
            }
            Value::Number(number) => {
                outcome.matches += 2;
                outcome.errors.extend(number::check(self, node, number, name));
            }
            Value::Array(items) => {
                outcome.matches += 1;
                outcome.merge(self.list(node, items, name, link));
            }
            _ => {}
        }
        outcome.matches += 1;
        outcome.errors.extend(self.enumeration(node, value, name));
        if let Value::Object(members) = value {
            outcome.matches += 1;
            outcome.merge(self.object(node, members, name, link));
        }
        outcome
    }

    fn wrong_type(&self, node: &Structural, name: &Name<'_>, expected: &str, found: &'static str) -> FieldError {
        let keyword = if node.int_or_string { "int-or-string" } else { "type" };
        let detail = format!("{name} in body must be of type {expected}: {}", quoted(found));
        self.error(keyword, ErrorType::TypeInvalid, name, found, detail)
    }

    fn wrong_format(&self, name: &Name<'_>, format: &str, found: &str) -> FieldError {
        let detail = format!("{name} in body must be of type {format}: {}", quoted(found));
        self.error("format", ErrorType::TypeInvalid, name, found, detail)
    }

    fn ty(&self, node: &Structural, format: Option<&str>, value: &Value, name: &Name<'_>) -> Option<FieldError> {
        let found = type_of(value);
        let numeric = matches!(node.ty, Some(SchemaType::Integer | SchemaType::Number)) || node.int_or_string;
        let fits = match (node.ty, value) {
            _ if node.int_or_string => value.is_string() || number::is_integer(value),
            (Some(SchemaType::Integer), _) => number::is_integer(value),
            (Some(SchemaType::Number), _) => value.is_number(),
            (Some(ty), _) => ty.name() == found,
            (None, _) => false,
        };
        let texts = matches!(value, Value::String(_) | Value::Array(_));
        match format {
            Some(format) if !texts && !fits => {
                let found = match value {
                    Value::Number(number) if number.is_i64() => "int64",
                    Value::Number(_) => "float64",
                    _ => "",
                };
                Some(self.wrong_format(name, format, found))
            }
            Some(_) if texts && !numeric => None,
            _ if fits => None,
            _ => Some(self.wrong_type(node, name, type_names(node), found)),
        }
    }

    fn enumeration(&self, node: &Structural, value: &Value, name: &Name<'_>) -> Option<FieldError> {
        let allowed = &node.checks.enumeration;
        if allowed.is_empty() || enumeration::holds(allowed, value) {
            return None;
        }
        Some(self.error("enum", ErrorType::NotSupported, name, value.clone(), enumeration::supported(allowed)))
    }

    /// The first of the checks on a text that fails.
    fn text(&self, node: &Structural, text: &str, name: &Name<'_>) -> Option<FieldError> {
        let checks = &node.checks;
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(most) = checks.max_length.filter(|most| length > *most) {
            let detail = format!("may not be more than {}", plural(most, "byte", "bytes"));
            return Some(self.error("maxLength", ErrorType::TooLong, name, BadValue::OMITTED, detail));
        }
        if let Some(least) = checks.min_length.filter(|least| length < *least) {
            let detail = format!("{name} in body should be at least {least} chars long");
            return Some(self.error("minLength", ErrorType::Invalid, name, text, detail));
        }
        let pattern = checks.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
        let detail = format!("{name} in body should match '{}'", pattern.as_str());
        Some(self.error("pattern", ErrorType::Invalid, name, text, detail))
    }

    fn list(&self, node: &Structural, items: &[Value], name: &Name<'_>, link: Option<Link<'_>>) -> Outcome {
        let checks = &node.checks;
        let mut outcome = Outcome::default();
        if let Some(schema) = &node.items {
            let links = link.and_then(Link::elements);
            for (index, item) in items.iter().enumerate() {
                let link = links.as_ref().and_then(|links| links.element(item));
                outcome.merge(self.value(schema, item, &Name::Element(name, index), link));
            }
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(least) = checks.min_items.filter(|least| count < *least) {
            let detail = format!("{name} in body should have at least {least} items");
            outcome.errors.push(self.error("minItems", ErrorType::Invalid, name, count, detail));
        }
        if let Some(most) = checks.max_items.filter(|most| count > *most) {
            outcome.errors.push(self.too_many("maxItems", name, most, count));
        }
        if checks.unique_items
            && items.iter().enumerate().any(|(at, item)| items.iter().take(at).any(|other| other == item))
        {
            let detail = format!("{name} in body shouldn't contain duplicates");
            outcome.errors.push(self.error("uniqueItems", ErrorType::Invalid, name, "", detail));
        }
        outcome.matches += 1;
        outcome
    }

    fn too_many(&self, keyword: &str, name: &Name<'_>, most: i64, count: i64) -> FieldError {
        let detail = format!("must have at most {}", plural(most, "item", "items"));
        self.error(keyword, ErrorType::TooMany, name, count, detail)
    }

    fn object(
        &self,
        node: &Structural,
        members: &Map<String, Value>,
        name: &Name<'_>,
        link: Option<Link<'_>>,
    ) -> Outcome {
        let checks = &node.checks;
        let mut outcome = Outcome::default();
        let count = i64::try_from(members.len()).unwrap_or(i64::MAX);
        if let Some(least) = checks.min_properties.filter(|least| count < *least) {
            let detail = format!("{name} in body should have at least {least} properties");
            outcome.errors.push(self.error("minProperties", ErrorType::Invalid, name, count, detail));
        }
        if let Some(most) = checks.max_properties.filter(|most| count > *most) {
            outcome.errors.push(self.too_many("maxProperties", name, most, count));
        }
        for (key, value) in members {
            let (schema, below) = match (node.properties.get(key), &node.additional) {
                (Some(schema), _) => (schema, Name::Member(name, key)),
                (None, Some(Additional::Schema(schema))) => (schema, Name::Other(name, key)),
                (None, Some(Additional::Forbidden)) => {
                    let detail = format!("{} in body is a forbidden property", Name::Other(name, key));
                    outcome.errors.push(self.error(
                        "additionalProperties",
                        ErrorType::Invalid,
                        name,
                        key.as_str(),
                        detail,
                    ));
                    continue;
                }
                (None, _) => continue,
            };
            let link = link.and_then(|link| link.member(key, value));
            outcome.merge(self.value(schema, value, &below, link));
        }
        for key in checks.required.iter().filter(|key| !members.contains_key(*key)) {
            outcome.errors.push(self.error("required", ErrorType::Required, &Name::Missing(name, key), "", ""));
        }
        outcome
    }
}
