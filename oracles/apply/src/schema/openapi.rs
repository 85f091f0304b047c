//! Types from the structural schema of a custom resource, as its API server builds them for apply.

use super::graph::{Atom, Declared, ListKind, ListType, MapType, Scalar, Schema, TypeId};
use serde_json::{Map, Value};
use std::fmt;

/// Why a schema says nothing about merging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SchemaError {}

/// Reads the `openAPIV3Schema` of a version of a CRD: the graph, and the type of the whole object, which has `apiVersion`, `kind`
/// and `metadata` whatever the schema says of them.
///
/// # Errors
/// Returns an error that names the place of a list type, map type or type that does not exist.
pub fn of_crd(openapi: &Value) -> Result<(Schema, TypeId), SchemaError> {
    let mut graph = Schema::new();
    let metadata = graph.add_metadata();
    let mut reader = Reader { text: graph.scalar(Scalar::Text), metadata, graph };
    let atom = reader.atom(openapi, "", Place { keeps_unknown: false, is_object: true })?;
    let root = reader.graph.add(atom);
    Ok((reader.graph, root))
}

struct Reader {
    graph: Schema,
    metadata: TypeId,
    text: TypeId,
}

/// What the place of a schema adds to it.
#[derive(Clone, Copy)]
struct Place {
    /// Whether a schema above keeps unknown members, and so do all below.
    keeps_unknown: bool,
    /// Whether it is the schema of the whole object.
    is_object: bool,
}

impl Reader {
    fn add(&mut self, schema: &Value, at: &str, keeps_unknown: bool) -> Result<TypeId, SchemaError> {
        let atom = self.atom(schema, at, Place { keeps_unknown, is_object: false })?;
        Ok(self.graph.add(atom))
    }

    fn atom(&mut self, schema: &Value, at: &str, place: Place) -> Result<Atom, SchemaError> {
        let is = |name: &str| schema.get(name) == Some(&Value::Bool(true));
        let place = Place { keeps_unknown: place.keeps_unknown || is("x-kubernetes-preserve-unknown-fields"), ..place };
        let embeds = place.is_object || is("x-kubernetes-embedded-resource");
        let scalar = |scalar| Ok(Atom { scalar: Some(scalar), ..Atom::default() });
        match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
            "" => Ok(Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(self.list(schema, at, place.keeps_unknown)?),
                map: Some(self.map(schema, at, place.keeps_unknown, embeds)?),
            }),
            "object" => Ok(Atom { map: Some(self.map(schema, at, place.keeps_unknown, embeds)?), ..Atom::default() }),
            "array" => Ok(Atom { list: Some(self.list(schema, at, place.keeps_unknown)?), ..Atom::default() }),
            "integer" | "number" => scalar(Scalar::Numeric),
            "boolean" => scalar(Scalar::Boolean),
            "string" => match schema.get("format").and_then(Value::as_str).unwrap_or_default() {
                "" | "byte" => scalar(Scalar::Text),
                _ => scalar(Scalar::Untyped),
            },
            other => Err(SchemaError(format!("{at}: unrecognized type: `{other}`"))),
        }
    }

    fn map(&mut self, schema: &Value, at: &str, keeps_unknown: bool, embeds: bool) -> Result<MapType, SchemaError> {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let mut map = MapType { atomic: is_atomic(schema, at)?, ..MapType::default() };
        for (name, property) in properties {
            let ty = self.add(property, &format!("{at}.{name}"), keeps_unknown)?;
            map.fields.insert(name.clone(), Declared { ty, default: property.get("default").cloned() });
        }
        if embeds {
            for (name, ty) in [("apiVersion", self.text), ("kind", self.text), ("metadata", self.metadata)] {
                map.fields.insert(name.to_owned(), Declared { ty, default: None });
            }
        }
        map.others = match schema.get("additionalProperties") {
            None | Some(Value::Null) => (keeps_unknown || map.fields.is_empty()).then_some(Schema::DEDUCED),
            Some(Value::Bool(allowed)) => allowed.then_some(Schema::DEDUCED),
            Some(schema) => Some(self.add(schema, &format!("{at}[*]"), keeps_unknown)?),
        };
        Ok(map)
    }

    fn list(&mut self, schema: &Value, at: &str, keeps_unknown: bool) -> Result<ListType, SchemaError> {
        let item = match schema.get("items") {
            None | Some(Value::Null) => Schema::UNTYPED,
            Some(items) => self.add(items, &format!("{at}[]"), keeps_unknown)?,
        };
        Ok(ListType { item, kind: list_kind(schema, at)? })
    }
}

fn is_atomic(schema: &Value, at: &str) -> Result<bool, SchemaError> {
    match schema.get("x-kubernetes-map-type").and_then(Value::as_str) {
        None | Some("granular") => Ok(false),
        Some("atomic") => Ok(true),
        Some(other) => Err(SchemaError(format!("{at}: unknown map type `{other}`"))),
    }
}

fn list_kind(schema: &Value, at: &str) -> Result<ListKind, SchemaError> {
    match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
        None | Some("atomic") => Ok(ListKind::Atomic),
        Some("set") => Ok(ListKind::Set),
        Some("map") => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
            let keys = keys.ok_or_else(|| SchemaError(format!("{at}: missing map keys")))?;
            Ok(ListKind::Map(keys.iter().filter_map(Value::as_str).map(str::to_owned).collect()))
        }
        Some(other) => Err(SchemaError(format!("{at}: unknown list type `{other}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::of_crd;
    use crate::schema::{ListKind, Schema};
    use serde_json::json;

    #[test]
    fn lists_and_maps_merge_as_their_schema_says() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                "items": {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}}},
            "names": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "selector": {"type": "object", "x-kubernetes-map-type": "atomic"},
            "free": {"x-kubernetes-preserve-unknown-fields": true},
        }}}});
        let (graph, root) = of_crd(&schema).unwrap();
        let root = graph.atom(root).map.as_ref().unwrap();
        assert_eq!(root.fields.keys().collect::<Vec<_>>(), ["apiVersion", "kind", "metadata", "spec"]);
        assert!(root.others.is_none());
        let spec = graph.atom(root.member("spec").unwrap()).map.as_ref().unwrap();
        let list = |name: &str| graph.atom(spec.member(name).unwrap()).list.as_ref().unwrap();
        assert_eq!(list("ports").kind, ListKind::Map(vec!["port".to_owned()]));
        let item = graph.atom(list("ports").item).map.as_ref().unwrap();
        assert_eq!(item.fields["port"].default, Some(json!(80)));
        assert_eq!(list("names").kind, ListKind::Set);
        let selector = graph.atom(spec.member("selector").unwrap()).map.as_ref().unwrap();
        assert!(selector.atomic && selector.others == Some(Schema::DEDUCED));
        let free = graph.atom(spec.member("free").unwrap());
        assert!(free.scalar.is_some() && free.list.is_some() && free.map.is_some());
    }

    #[test]
    fn what_is_no_type_is_named_with_its_place() {
        let error = |schema| of_crd(&json!({"properties": {"a": schema}})).map(drop).unwrap_err().to_string();
        assert_eq!(error(json!({"type": "list"})), ".a: unrecognized type: `list`");
        assert_eq!(error(json!({"type": "array", "x-kubernetes-list-type": "bag"})), ".a: unknown list type `bag`");
        assert_eq!(error(json!({"type": "array", "x-kubernetes-list-type": "map"})), ".a: missing map keys");
        assert_eq!(error(json!({"x-kubernetes-map-type": "odd"})), ".a: unknown map type `odd`");
    }
}
