//! Types of a kind, one for each node of its schema.
//!
//! Whether a member is there counts for schemas, not whether it is empty: members are pointers, so that an empty text, list or
//! object stays what it is. Texts of every format stay texts, because servers keep them as they are.
//!
//! Where the harness cannot hold what servers do: an integer written with a fraction (`1.0`) is not decoded, nor is an int-or-string
//! beyond 32 bits; a number is a float, so that `30` is printed `30.0`; and null is the same as absence.

use super::int_or_string::untyped;
use super::meta::{Meta, field};
use crate::kind::Unread;
use crate::structural::{self, Additional, SchemaType, Structural};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use takeover_harness::schema::{Field, INT32, Kind, ListType, Schema, Slot, Struct, TypeId, WellKnown};

/// Types of one kind.
const MAX_TYPES: usize = 100_000;

/// The types of a kind and that of its objects. `name` is the qualified name of the latter, and its schema stands at `path`.
pub(crate) fn of_kind(name: &str, path: &str, structural: &Structural, unread: &mut Vec<Unread>) -> (Schema, TypeId) {
    let mut schema = Schema::new();
    let meta = Meta::add_to(&mut schema);
    let mut builder = Builder {
        schema,
        meta,
        unread,
        taken: HashSet::new(),
        named: HashMap::new(),
        unnamed: HashMap::new(),
        untyped: untyped(structural, path),
    };
    let root = builder.structure(structural, name, path, true);
    builder.schema.link();
    (builder.schema, root)
}

struct Builder<'u> {
    schema: Schema,
    meta: Meta,
    unread: &'u mut Vec<Unread>,
    /// Names of structs.
    taken: HashSet<String>,
    /// Types of definitions.
    named: HashMap<Arc<str>, TypeId>,
    /// Types without names of their own, by their Go expression and what they hold.
    unnamed: HashMap<(String, TypeId), TypeId>,
    /// Paths of the schemas for int-or-string that have another default.
    untyped: HashSet<String>,
}

impl Builder<'_> {
    fn note(&mut self, path: &str, what: &str) {
        self.unread.push(Unread::new(path, what));
    }

    fn basic(&mut self, name: &str, kind: Kind) -> TypeId {
        self.schema.lookup(name).unwrap_or_else(|| self.schema.add(name, kind))
    }

    /// `*T`, `[]T` or `map[string]T`, by what stands before the name of `T`.
    fn unnamed(&mut self, prefix: &str, of: TypeId, kind: Kind) -> TypeId {
        let key = (prefix.to_owned(), of);
        if let Some(id) = self.unnamed.get(&key) {
            return *id;
        }
        let name = format!("{prefix}{}", self.schema.get(of).name);
        // INVARIANT: names of structs are unique, so that the same name is the same type.
        let id = self.basic(&name, kind);
        self.unnamed.insert(key, id);
        id
    }

    fn pointer(&mut self, to: TypeId) -> TypeId {
        match self.schema.kind(to) {
            // These have room for absence.
            Kind::Any | Kind::Pointer(_) | Kind::WellKnown(WellKnown::Raw) => to,
            _ => self.unnamed("*", to, Kind::Pointer(to)),
        }
    }

    /// The type of an element: a pointer only where null is a value.
    fn element(&mut self, node: &Structural, name: &str, path: &str) -> TypeId {
        let ty = self.of(node, name, path);
        if node.nullable { self.pointer(ty) } else { ty }
    }

    fn of(&mut self, node: &Structural, name: &str, path: &str) -> TypeId {
        if let Some(known) = node.name.as_deref().and_then(|name| self.well_known(name)) {
            return known;
        }
        if node.int_or_string {
            if self.untyped.contains(path) {
                self.note(path, "the default is neither a 32-bit integer nor a string: values are decoded as any JSON");
                return self.meta.any;
            }
            return self
                .basic("k8s.io/apimachinery/pkg/util/intstr.IntOrString", Kind::WellKnown(WellKnown::IntOrString));
        }
        match node.ty {
            Some(SchemaType::Boolean) => self.basic("bool", Kind::Bool),
            Some(SchemaType::Integer) => {
                let int32 = crate::validate::kept_format(node) == Some("int32");
                self.basic(if int32 { INT32 } else { "int64" }, Kind::Int { bits: 64, signed: true })
            }
            Some(SchemaType::Number) => self.basic("float64", Kind::Float { bits: 64 }),
            Some(SchemaType::String) => self.meta.text,
            Some(SchemaType::Array) => {
                let element = match &node.items {
                    Some(items) => self.element(items, &format!("{name}Item"), &format!("{path}.items")),
                    None => self.meta.any,
                };
                self.unnamed("[]", element, Kind::List(element))
            }
            Some(SchemaType::Object) => self.object(node, name, path),
            None if node.properties.is_empty() || !node.preserve_unknown => self.meta.any,
            None => {
                let what = "members are named, but values of any type are accepted: they are decoded as any JSON";
                self.note(path, what);
                self.meta.any
            }
        }
    }

    /// Types of the API machinery, by the names that OpenAPI has for them.
    fn well_known(&mut self, definition: &str) -> Option<TypeId> {
        let (_, short) = definition.split_once(".apimachinery.pkg.")?;
        let text = self.meta.text;
        let (name, known) = match short {
            "apis.meta.v1.ObjectMeta" => return Some(self.meta.object_meta),
            "apis.meta.v1.Duration" => return Some(text),
            "apis.meta.v1.Time" => ("apis/meta/v1.Time", WellKnown::Time),
            "apis.meta.v1.MicroTime" => ("apis/meta/v1.MicroTime", WellKnown::MicroTime),
            "apis.meta.v1.FieldsV1" => ("apis/meta/v1.FieldsV1", WellKnown::Raw),
            "runtime.RawExtension" => ("runtime.RawExtension", WellKnown::Raw),
            "util.intstr.IntOrString" => ("util/intstr.IntOrString", WellKnown::IntOrString),
            "api.resource.Quantity" => ("api/resource.Quantity", WellKnown::Quantity),
            _ => return None,
        };
        Some(self.basic(&format!("k8s.io/apimachinery/pkg/{name}"), Kind::WellKnown(known)))
    }

    fn object(&mut self, node: &Structural, name: &str, path: &str) -> TypeId {
        if node.properties.is_empty() {
            let value = match &node.additional {
                // Every member has the schema, so that none is unknown.
                Some(Additional::Schema(value)) => {
                    Some(self.element(value, &format!("{name}Value"), &format!("{path}.additionalProperties")))
                }
                _ if node.preserve_unknown => return self.meta.any,
                Some(Additional::Any) => Some(self.meta.any),
                Some(Additional::Forbidden) | None => None,
            };
            if let Some(value) = value {
                let key = self.meta.text;
                return self.unnamed("map[string]", value, Kind::Map { key, value });
            }
        }
        self.structure(node, name, path, node.embedded)
    }

    /// The struct of an object; a whole one has apiVersion, kind and metadata.
    fn structure(&mut self, node: &Structural, name: &str, path: &str, whole: bool) -> TypeId {
        if let Some(id) = node.name.as_ref().and_then(|name| self.named.get(name)) {
            return *id;
        }
        if self.schema.len() > MAX_TYPES {
            self.note(path, "more types than are kept for one kind: decoded as any JSON");
            return self.meta.any;
        }
        if node.preserve_unknown {
            self.note(
                path,
                "x-kubernetes-preserve-unknown-fields beside named members: unknown members are not decoded",
            );
        } else if !node.properties.is_empty()
            && matches!(node.additional, Some(Additional::Any | Additional::Schema(_)))
        {
            self.note(path, "additionalProperties beside named members: other members are not decoded");
        }
        let qualified = node.name.as_deref().map(go_qualified);
        let name = self.unique(qualified.as_deref().unwrap_or(name));
        let id = self.schema.add(name.as_str(), Kind::Unresolved);
        if let Some(definition) = &node.name {
            self.named.insert(Arc::clone(definition), id);
        }
        let mut fields: Vec<Field> = if whole { self.meta.fields().into() } else { Vec::new() };
        let mut go_names: HashSet<String> = HashSet::new();
        for (member, schema) in &node.properties {
            if whole && matches!(member.as_str(), "apiVersion" | "kind" | "metadata") {
                continue;
            }
            if fields.len() >= usize::from(Slot::MAX) {
                self.note(path, "more members than a struct holds: the others are not decoded");
                break;
            }
            let path = format!("{path}.properties[{member}]");
            let mut go_name = go_name(member);
            while !go_names.insert(go_name.clone()) {
                go_name.push('_');
            }
            if schema.nullable && (schema.default.is_some() || node.checks.required.contains(member)) {
                self.note(&path, "nullable and required or with a default: null is decoded as absent");
            }
            let ty = self.of(schema, &format!("{name}{go_name}"), &path);
            let ty = self.pointer(ty);
            fields.push(Field { default: schema.default.clone(), ..field(&go_name, member, ty, true) });
        }
        self.schema.define(id, Kind::Struct(Struct::new(fields)));
        for (member, schema) in &node.properties {
            let list_types = list_types(schema);
            if list_types.iter().any(|of| *of != ListType::Atomic) {
                self.schema.set_list_types(id, member, list_types);
            }
            let item_defaults = item_defaults(schema);
            if item_defaults.iter().any(Option::is_some) {
                self.schema.set_item_defaults(id, member, item_defaults);
            }
        }
        id
    }

    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(unique.clone()) || self.schema.lookup(&unique).is_some() {
            unique = format!("{name}{number}");
            number += 1;
        }
        unique
    }
}

/// The Go name of a member: its parts begin with capitals.
fn go_name(member: &str) -> String {
    let parts = member.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let capitalised = parts.map(|part| {
        let mut rest = part.chars();
        rest.next().map(|first| first.to_uppercase().chain(rest).collect::<String>()).unwrap_or_default()
    });
    let name: String = capitalised.collect();
    if name.starts_with(|c: char| c.is_alphabetic()) { name } else { format!("X{name}") }
}

/// The qualified Go name of a definition: `io.k8s.api.core.v1.PodSpec` is `k8s.io/api/core/v1.PodSpec`.
fn go_qualified(definition: &str) -> String {
    let parts: Vec<&str> = definition.split('.').collect();
    match parts.as_slice() {
        [top, domain, middle @ .., name] if !middle.is_empty() => format!("{domain}.{top}/{}.{name}", middle.join("/")),
        _ => definition.to_owned(),
    }
}

/// What tells the items apart of a member that a schema describes, and of the lists inside it; structs have their own members.
fn list_types(schema: &Structural) -> Vec<ListType> {
    let own = match schema.list_type {
        structural::ListType::Atomic => ListType::Atomic,
        structural::ListType::Set => ListType::Set,
        structural::ListType::Map => ListType::Map(schema.list_map_keys.clone()),
    };
    let inside = below(schema).filter(|below| below.properties.is_empty()).map(list_types);
    std::iter::once(own).chain(inside.unwrap_or_default()).collect()
}

/// The defaults of what is in a list or map, then of what is in each of those.
fn item_defaults(schema: &Structural) -> Vec<Option<Value>> {
    let Some(below) = below(schema) else { return Vec::new() };
    let inside = if below.properties.is_empty() { item_defaults(below) } else { Vec::new() };
    std::iter::once(below.default.clone()).chain(inside).collect()
}

/// The schema of what is in a list or map.
fn below(schema: &Structural) -> Option<&Structural> {
    match (&schema.items, &schema.additional) {
        (Some(items), _) => Some(items),
        (None, Some(Additional::Schema(entries))) => Some(entries),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{go_name, go_qualified};

    #[test]
    fn names_are_those_of_go() {
        assert_eq!(go_name("replicas"), "Replicas");
        assert_eq!(go_name("max-size.x"), "MaxSizeX");
        assert_eq!(go_name("$ref"), "Ref");
        assert_eq!(go_name("3scale"), "X3scale");
        assert_eq!(go_name("-"), "X");
        assert_eq!(go_qualified("io.k8s.api.core.v1.PodSpec"), "k8s.io/api/core/v1.PodSpec");
        assert_eq!(go_qualified("Thing"), "Thing");
    }
}
