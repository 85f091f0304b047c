//! One version of the types, as a client or server has it.

use crate::union::Union;
use serde_json::{Value, json};
use takeover_apply::managed::ObjectType;
use takeover_apply::schema::{Atom, Declared, MapType, Scalar, Schema, TypeId};

/// The API version of every object.
pub(super) const API_VERSION: &str = "skew.example.com/v1";

/// The member of an object that holds the struct with the union.
pub(super) const HOLDER: &str = "spec";

/// The types that a client or server has.
pub(super) struct Party {
    kind: String,
    schema: Schema,
    root: TypeId,
    /// The union in these types.
    pub(super) union: Union,
}

/// A struct in a graph of types.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    pub(super) schema: Schema,
    pub(super) ty: TypeId,
}

impl Holder {
    /// The members of the struct; `None` if it is not a struct.
    pub(super) fn map(&self) -> Option<&MapType> {
        self.schema.atom(self.ty).map.as_ref()
    }
}

impl Party {
    /// The types without these members of the struct, and with the discriminator of the union.
    pub(super) fn new(kind: &str, holder: &Holder, union: Union, unknown: &[&str]) -> Self {
        let mut schema = holder.schema.clone();
        let text = schema.scalar(Scalar::Text);
        let mut atom: Atom = schema.atom(holder.ty).clone();
        if let Some(map) = &mut atom.map {
            map.fields.retain(|name, _| !unknown.contains(&name.as_str()));
            if let Some(discriminator) = &union.discriminator {
                map.fields.entry(discriminator.name.clone()).or_insert(Declared { ty: text, default: None });
            }
        }
        schema.define(holder.ty, atom);
        let metadata = schema.add_metadata();
        let members = [("apiVersion", text), ("kind", text), ("metadata", metadata), (HOLDER, holder.ty)];
        let root = schema.map(MapType::of_fields(members));
        Self { kind: kind.to_owned(), schema, root, union }
    }

    /// An object with this struct.
    pub(super) fn object(&self, spec: Value) -> Value {
        json!({"apiVersion": API_VERSION, "kind": self.kind, "metadata": {"name": "one"}, HOLDER: spec})
    }
}

impl ObjectType for Party {
    fn api_version(&self) -> &str {
        API_VERSION
    }

    fn kind(&self) -> &str {
        &self.kind
    }

    fn schema(&self) -> (&Schema, TypeId) {
        (&self.schema, self.root)
    }

    fn held(&self, mut object: Value) -> Result<Value, String> {
        prune(&self.schema, self.root, &mut object);
        Ok(object)
    }

    fn defaulted(&self, object: Value) -> Result<Value, String> {
        self.held(object)
    }
}

/// Drops the members that the types lack.
fn prune(schema: &Schema, ty: TypeId, value: &mut Value) {
    let atom = schema.atom(ty);
    match (value, &atom.map, &atom.list) {
        (Value::Object(members), Some(map), _) => members.retain(|name, value| {
            let known = map.member(name);
            if let Some(ty) = known {
                prune(schema, ty, value);
            }
            known.is_some()
        }),
        (Value::Array(items), _, Some(list)) => items.iter_mut().for_each(|item| prune(schema, list.item, item)),
        _ => {}
    }
}
