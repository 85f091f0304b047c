//! The defaults of Go types as a custom resource has them, whose schema has the same markers (KEP-1929).

use serde_json::{Map, Value};
use takeover_declarative::idl::Idl;
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, Node, from_bytes, to_value};
use takeover_harness::schema::{Kind, Presence, Schema, Struct, TypeId};

/// Sets the defaults of markers as an API server sets those of a schema: in the JSON that Go writes of an object, where a member is absent
/// or null. A zero value that Go writes is a value.
pub(super) struct AsCustomResource {
    /// The default of the items of lists and the values of maps, by type.
    items: Vec<Option<Value>>,
    /// The default that a type declares, which counts for every field of it in a schema.
    types: Vec<Option<Value>>,
}

/// The defaults of list items and map values, by type.
pub(super) fn of_items(idl: &Idl) -> Vec<Option<Value>> {
    idl.types.iter().map(|info| info.item_default.clone()).collect()
}

/// The defaults that types declare themselves.
pub(super) fn of_types(idl: &Idl) -> Vec<Option<Value>> {
    idl.types.iter().map(|info| info.default.clone()).collect()
}

impl AsCustomResource {
    /// The defaults that types declare.
    pub(super) fn of(idl: &Idl) -> Self {
        Self { items: of_items(idl), types: of_types(idl) }
    }

    fn fill(&self, schema: &Schema, ty: TypeId, value: &mut Value) {
        match (schema.pointed(ty).1, value) {
            (Kind::Struct(fields), Value::Object(members)) => self.fill_members(schema, fields, members),
            (Kind::List(item), Value::Array(items)) => {
                items.iter_mut().for_each(|value| self.fill_item(schema, *item, value));
            }
            (Kind::Map { value: inner, .. }, Value::Object(entries)) => {
                entries.values_mut().for_each(|value| self.fill_item(schema, *inner, value));
            }
            _ => {}
        }
    }

    fn fill_members(&self, schema: &Schema, fields: &Struct, members: &mut Map<String, Value>) {
        for field in &fields.fields {
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => {
                    if let Some((_, inner)) = schema.as_struct(field.ty) {
                        self.fill_members(schema, inner, members);
                    }
                }
                Presence::Named => {
                    let is_unset = members.get(&*field.json_name).is_none_or(Value::is_null);
                    // `omitempty` never leaves out a struct that is no pointer.
                    let is_struct = matches!(schema.native(field.ty).1, Kind::Struct(_));
                    let zero = || to_value(schema, field.ty, &Node::Unset);
                    let declared = || field.default.clone().or_else(|| self.types.get(field.ty.0 as usize)?.clone());
                    let written = if is_struct { Some(zero()) } else { declared() };
                    if let Some(written) = written.filter(|_| is_unset) {
                        members.insert(field.json_name.to_string(), written);
                    }
                    if let Some(value) = members.get_mut(&*field.json_name) {
                        self.fill(schema, field.ty, value);
                    }
                }
            }
        }
    }

    fn fill_item(&self, schema: &Schema, ty: TypeId, value: &mut Value) {
        if let (Value::Null, Some(Some(default))) = (&*value, self.items.get(ty.0 as usize)) {
            *value = default.clone();
        }
        self.fill(schema, ty, value);
    }
}

/// Sets defaults in objects as Go writes them: without empty lists and maps under `omitempty`, which no request of a client has.
pub(super) struct AsWritten<D>(pub(super) D);

impl<D: Defaulter> Defaulter for AsWritten<D> {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let text = arena.alloc_str(&to_value(schema, root, &object).to_string());
        let written = from_bytes(schema, root, text.as_bytes(), arena).unwrap_or(object);
        self.0.apply(schema, root, written, arena)
    }
}

impl Defaulter for AsCustomResource {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let mut value = to_value(schema, root, &object);
        self.fill(schema, root, &mut value);
        let text = arena.alloc_str(&value.to_string());
        from_bytes(schema, root, text.as_bytes(), arena).unwrap_or(object)
    }
}
