//! Formats of integers and values of texts, as servers publish them.

use super::GoTypes;
use super::tags::has_tag;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use takeover_harness::schema::{Kind, TypeId};
use takeover_oracles::declarative::idl::ConstantValue;

impl GoTypes {
    /// Gives the scalars of a type, also in lists and maps, the formats that servers publish, and the values of their `+enum`.
    pub(super) fn complete_scalars(&self, ty: TypeId, schema: &mut Value) {
        let types = &self.idl().schema;
        match types.pointed(ty) {
            (_, Kind::List(item)) => {
                schema.get_mut("items").into_iter().for_each(|of| self.complete_scalars(*item, of))
            }
            (_, Kind::Map { value, .. }) => {
                schema.get_mut("additionalProperties").into_iter().for_each(|of| self.complete_scalars(*value, of));
            }
            (id, Kind::Int { .. }) => {
                let Some(members) = schema.as_object_mut() else { return };
                ["minimum", "maximum"].into_iter().for_each(|bound| drop(members.remove(bound)));
                members.insert("format".to_owned(), json!(format(&types.get(id).name)));
            }
            (_, Kind::Text) => {
                let values = self.values(ty);
                if let Some(members) = schema.as_object_mut().filter(|_| !values.is_empty()) {
                    members.insert("enum".to_owned(), json!(values));
                }
            }
            _ => {}
        }
    }

    /// The values of an `+enum` type, or one that it points to: its constants.
    fn values(&self, ty: TypeId) -> BTreeSet<&str> {
        let ty = match self.idl().schema.kind(ty) {
            Kind::Pointer(inner) => *inner,
            _ => ty,
        };
        let constants = self.info(ty).filter(|info| has_tag(&info.tags, "enum")).map(|info| info.constants.as_slice());
        let values = constants.unwrap_or_default().iter().map(|constant| &constant.value);
        values.filter_map(|value| if let ConstantValue::Text(text) = value { Some(&**text) } else { None }).collect()
    }
}

/// The format of a Go integer: `int` and `uint` are published as 32 bits.
fn format(go_name: &str) -> &'static str {
    match go_name {
        "int64" | "uint32" | "uint64" => "int64",
        "int8" | "uint8" | "byte" => "byte",
        _ => "int32",
    }
}
