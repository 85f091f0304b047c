//! Unions as servers publish them, and in the form of KEP-1027.

use super::GoTypes;
use super::tags::{has_tag, is_inline, is_published, set};
use serde_json::{Map, Value, json};
use takeover_harness::schema::{Kind, Presence, TypeId};
use takeover_unions::read::GoUnion;
use takeover_unions::{Union, fields_extension, written};

impl GoTypes {
    /// Whether a struct is tagged as a union.
    pub(super) fn is_union(&self, ty: TypeId) -> bool {
        self.info(ty).is_some_and(|info| has_tag(&info.tags, "union"))
    }

    /// The unions of a struct and of inlined ones that are no pointers, as Kubernetes publishes them: of all fields of a `+union` struct,
    /// and of the `+unionDeprecated` fields of any. Whatever values the discriminator has, members are named as in Go.
    pub(super) fn unions(&self, ty: TypeId) -> Vec<Value> {
        let (owner, Kind::Struct(of)) = self.idl().schema.native(ty) else { return Vec::new() };
        let infos = self.info(owner).map(|info| info.fields.as_slice()).unwrap_or_default();
        let fields = || of.fields.iter().zip(infos);
        let named = || fields().filter(|(field, info)| field.presence == Presence::Named && is_published(field, info));
        let discriminator = named().rfind(|(_, info)| has_tag(&info.tags, "unionDiscriminator"));
        let discriminator = discriminator.map(|(field, _)| &*field.json_name);
        let mut found = Vec::new();
        if self.is_union(owner) {
            let members = named().filter(|(_, info)| {
                !has_tag(&info.tags, "unionDiscriminator") && !has_tag(&info.tags, "unionDeprecated")
            });
            let members = members.map(|(field, _)| (field.json_name.to_string(), json!(field.go_name)));
            found.push(extension(discriminator, members.collect()));
        }
        let inlined = fields().filter(|(field, info)| field.presence == Presence::Inlined && is_inline(info));
        found.extend(
            inlined.filter(|(field, info)| is_published(field, info)).flat_map(|(field, _)| self.unions(field.ty)),
        );
        let deprecated =
            named().filter(|(_, info)| has_tag(&info.tags, "unionDeprecated") && !has_tag(&info.tags, "union"));
        let deprecated: Map<String, Value> =
            deprecated.map(|(field, _)| (field.json_name.to_string(), json!(field.go_name))).collect();
        if !deprecated.is_empty() {
            found.push(extension(discriminator, deprecated));
        }
        found
    }

    /// Whether a struct has the members of a union, its own or inlined ones.
    pub(super) fn holds(&self, ty: TypeId, of: &GoUnion) -> bool {
        let declares = |name: &str| self.member(ty, name).is_some_and(|member| member.owner == of.ty);
        !of.union.members.is_empty() && of.union.members.iter().all(|member| declares(&member.name))
    }
}

fn extension(discriminator: Option<&str>, members: Map<String, Value>) -> Value {
    match discriminator {
        Some(name) => json!({"discriminator": name, "fields-to-discriminateBy": members}),
        None => json!({"fields-to-discriminateBy": members}),
    }
}

/// Adds a union in the form of KEP-1027, or at the struct if it has no discriminator.
pub(super) fn add(union: &Union, schema: &mut Value) {
    if let (Some(extension), Some(discriminator)) = (written(union), &union.discriminator) {
        let properties = schema.get_mut("properties");
        if let Some(property) = properties.and_then(|all| all.get_mut(&discriminator.name)) {
            set(property, EXTENSION, extension);
        }
        return;
    }
    add_to_struct(schema, fields_extension(union));
}

/// Adds a union at its struct.
pub(super) fn add_to_struct(schema: &mut Value, union: Value) {
    let Some(members) = schema.as_object_mut() else { return };
    let all = members.entry(EXTENSION).or_insert_with(|| json!([]));
    if let Some(all) = all.as_array_mut() {
        all.push(union);
    }
}

/// The extension of OpenAPI for unions.
const EXTENSION: &str = "x-kubernetes-unions";
