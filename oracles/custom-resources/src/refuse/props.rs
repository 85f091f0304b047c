//! A schema as it is written, read as a server decodes it: what is null is absent, and what has another type counts as absent.

use serde_json::{Map, Value};

/// An object of a manifest; one that is absent has no members.
#[derive(Clone, Copy)]
pub(super) struct Props<'d>(Option<&'d Map<String, Value>>);

/// What a schema says of elements.
pub(super) enum Items<'d> {
    /// One schema for all.
    One(Props<'d>),
    /// A schema for each.
    Many(&'d [Value]),
}

/// What a schema says of members that it does not name.
#[derive(Clone, Copy)]
pub(super) enum Others<'d> {
    /// Whether there may be any.
    Allowed(bool),
    /// Their schema.
    Schema(Props<'d>),
}

impl<'d> Props<'d> {
    pub(super) fn new(value: &'d Value) -> Self {
        Self(value.as_object())
    }

    /// The member `name`, unless it is null.
    pub(super) fn get(self, name: &str) -> Option<&'d Value> {
        self.0?.get(name).filter(|value| !value.is_null())
    }

    /// The object `name`, if it is there.
    pub(super) fn below(self, name: &str) -> Option<Self> {
        self.get(name).filter(|value| value.is_object()).map(Self::new)
    }

    pub(super) fn text(self, name: &str) -> &'d str {
        self.optional_text(name).unwrap_or_default()
    }

    pub(super) fn optional_text(self, name: &str) -> Option<&'d str> {
        self.get(name).and_then(Value::as_str)
    }

    pub(super) fn flag(self, name: &str) -> bool {
        self.optional_flag(name).unwrap_or_default()
    }

    pub(super) fn optional_flag(self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::as_bool)
    }

    pub(super) fn list(self, name: &str) -> &'d [Value] {
        self.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn texts(self, name: &str) -> Vec<&'d str> {
        self.list(name).iter().map(|text| text.as_str().unwrap_or_default()).collect()
    }

    /// The schemas of an object of schemas, by name.
    pub(super) fn schemas(self, name: &str) -> impl Iterator<Item = (&'d str, Props<'d>)> {
        let members = self.get(name).and_then(Value::as_object);
        members.into_iter().flatten().map(|(name, schema)| (name.as_str(), Self::new(schema)))
    }

    /// The schemas of a list of schemas.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = (usize, Props<'d>)> {
        self.list(name).iter().map(Self::new).enumerate()
    }

    pub(super) fn property(self, name: &str) -> Option<Self> {
        self.get("properties")?.as_object()?.get(name).map(Self::new)
    }

    pub(super) fn items(self) -> Option<Items<'d>> {
        match self.get("items")? {
            Value::Array(schemas) => Some(Items::Many(schemas)),
            schema => Some(Items::One(Self::new(schema))),
        }
    }

    /// The one schema of all elements.
    pub(super) fn item(self) -> Option<Self> {
        match self.items()? {
            Items::One(schema) => Some(schema),
            Items::Many(_) => None,
        }
    }

    pub(super) fn additional(self) -> Option<Others<'d>> {
        Some(match self.get("additionalProperties")? {
            Value::Bool(allowed) => Others::Allowed(*allowed),
            schema => Others::Schema(Self::new(schema)),
        })
    }

    /// The schema of other members.
    pub(super) fn additional_schema(self) -> Option<Self> {
        match self.additional()? {
            Others::Schema(schema) => Some(schema),
            Others::Allowed(_) => None,
        }
    }

    pub(super) fn ty(self) -> &'d str {
        self.text("type")
    }

    pub(super) fn is_preserving(self) -> bool {
        self.flag("x-kubernetes-preserve-unknown-fields")
    }

    pub(super) fn is_embedded(self) -> bool {
        self.flag("x-kubernetes-embedded-resource")
    }

    pub(super) fn is_int_or_string(self) -> bool {
        self.flag("x-kubernetes-int-or-string")
    }

    /// Names of the members that are set to something else than the zero value of their Go type.
    pub(super) fn set_members(self) -> impl Iterator<Item = &'d str> {
        let is_set = |name: &str, value: &Value| match value {
            Value::Null => false,
            Value::Bool(flag) => {
                *flag || matches!(name, "x-kubernetes-preserve-unknown-fields" | "default" | "example")
            }
            Value::String(text) => !text.is_empty() || matches!(name, "default" | "example"),
            _ => true,
        };
        self.0.into_iter().flatten().filter(move |(name, value)| is_set(name, value)).map(|(name, _)| name.as_str())
    }

    /// Every schema here and below, junctors and unsupported keywords included, until one is found that `found` accepts.
    pub(super) fn any(self, found: &dyn Fn(Self) -> bool) -> bool {
        found(self)
            || match self.items() {
                Some(Items::One(schema)) => schema.any(found),
                Some(Items::Many(schemas)) => schemas.iter().any(|schema| Self::new(schema).any(found)),
                None => false,
            }
            || ["allOf", "anyOf", "oneOf"].iter().any(|name| self.all(name).any(|(_, schema)| schema.any(found)))
            || self.below("not").is_some_and(|schema| schema.any(found))
            || ["properties", "patternProperties", "definitions", "dependencies"]
                .iter()
                .any(|name| self.schemas(name).any(|(_, schema)| schema.any(found)))
            || self.additional_schema().is_some_and(|schema| schema.any(found))
            || self.below("additionalItems").is_some_and(|schema| schema.any(found))
    }

    /// What keeps the schema from being read as a structural one at all, in the words of a server.
    pub(super) fn unsupported(self) -> Option<String> {
        let text = ["id", "$schema", "$ref"].into_iter().find(|name| !self.text(name).is_empty());
        let rest = ["patternProperties", "dependencies", "additionalItems", "definitions"].into_iter();
        let rest = rest.filter(|name| *name == "additionalItems" || self.schemas(name).next().is_some());
        if let Some(name) = text.into_iter().chain(rest).find(|name| self.get(name).is_some()) {
            let name = name.trim_start_matches("$s");
            let name = if name == "chema" { "schema" } else { name };
            return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
        }
        let below = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|name| self.all(name).map(|(_, schema)| schema));
        let junctors = self.below("not").into_iter().chain(below);
        if let Some(reason) = junctors.into_iter().find_map(Self::unsupported) {
            return Some(reason);
        }
        if self.optional_flag("x-kubernetes-preserve-unknown-fields") == Some(false) {
            return Some("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined".to_owned());
        }
        match self.items() {
            Some(Items::Many(schemas)) if !schemas.is_empty() => {
                return Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
            }
            Some(Items::One(schema)) => {
                if let Some(reason) = schema.unsupported() {
                    return Some(reason);
                }
            }
            _ => {}
        }
        let properties = self.schemas("properties").find_map(|(_, schema)| schema.unsupported());
        properties.or_else(|| self.additional_schema().and_then(Self::unsupported))
    }

    /// Schemas inside schemas, at most; stops counting at `most`.
    pub(super) fn is_deeper_than(self, most: usize) -> bool {
        let mut open = vec![(self, 0)];
        while let Some((schema, depth)) = open.pop() {
            if depth > most {
                return true;
            }
            let depth = depth + 1;
            for name in ["properties", "patternProperties", "definitions", "dependencies"] {
                open.extend(schema.schemas(name).map(|(_, schema)| (schema, depth)));
            }
            for name in ["allOf", "anyOf", "oneOf"] {
                open.extend(schema.all(name).map(|(_, schema)| (schema, depth)));
            }
            match schema.items() {
                Some(Items::One(schema)) => open.push((schema, depth)),
                Some(Items::Many(schemas)) => open.extend(schemas.iter().map(|schema| (Self::new(schema), depth))),
                None => {}
            }
            open.extend(
                ["not", "additionalItems"].into_iter().filter_map(|name| schema.below(name)).map(|s| (s, depth)),
            );
            open.extend(schema.additional_schema().map(|schema| (schema, depth)));
        }
        false
    }
}
