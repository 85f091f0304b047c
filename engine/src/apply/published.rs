//! The OpenAPI document of Go types, as an API server publishes it: with required members, defaults (KEP-1929) and unions (KEP-1027).

use super::extensions;
use super::generate::ApplyError;
use crate::catalogue::has_go_types;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use takeover_apply::configuration::openapi::{definition, document};
use takeover_apply::configuration::{Configuration, Configurations};
use takeover_harness::schema::{Field, Kind, Presence, TypeId};
use takeover_oracles::declarative::idl::{FieldInfo, Idl, TagLine, TypeInfo};
use takeover_oracles::merges::Merges;
use takeover_oracles::registry::Registry;
use takeover_unions::read::{GoUnion, unions_of_go};
use takeover_unions::{Origin, Union};
use takeover_unions::{fields_extension, written};

/// The OpenAPI v3 document of a folder of Go packages: a schema for each exported struct, and for each that these contain. `named` are Go
/// names, full names or kinds (`Widget`, `shop.example.com/v1 Widget`); all structs if it is empty. Without `has_defaults`, defaults are
/// left out, as from the documents that servers publish at `/openapi/v2`.
///
/// Defaults are those of Kubernetes 1.36. A struct that is no pointer has the default `{}`, a scalar without `omitempty` its zero value,
/// and any field that of its marker. Items and map values are as fields without `omitempty`. What decodes itself (times, quantities) has
/// none without a marker.
///
/// A union of `+union` is published at its struct, in the form that Kubernetes publishes today; servers publish no other. Those of other
/// tags are added: with a discriminator at that, in the form of KEP-1027.
///
/// # Errors
/// Returns an error when there are no Go types, they do not load, or no struct has one of the names.
pub fn published(places: &[PathBuf], named: &[String], has_defaults: bool) -> Result<Value, ApplyError> {
    let mut schemas = Map::new();
    let mut known = Vec::new();
    let mut found = vec![false; named.len()];
    for place in places {
        let types = GoTypes::read(place)?;
        for root in types.roots() {
            let names = types.names(root);
            known.extend(names.first().map(|name| format!("`{name}`")));
            for (found, name) in found.iter_mut().zip(named) {
                *found |= names.contains(name);
            }
        }
        schemas.extend(types.schemas(named, has_defaults));
    }
    if let Some((_, name)) = found.iter().zip(named).find(|(found, _)| !**found) {
        return Err(ApplyError::Unknown { name: name.clone(), known: known.join(", ") });
    }
    let mut document = document(&Configurations::default());
    if let Some(title) = document.pointer_mut("/info/title") {
        *title = json!("Go types");
    }
    if let Some(all) = document.pointer_mut("/components/schemas") {
        *all = Value::Object(schemas);
    }
    Ok(document)
}

/// The Go types of a folder.
struct GoTypes {
    registry: Registry,
    /// Import paths of the packages in the folder.
    packages: Vec<String>,
}

impl GoTypes {
    fn read(place: &Path) -> Result<Self, ApplyError> {
        let place_name = || place.display().to_string();
        std::fs::metadata(place)
            .map_err(|error| ApplyError::Types { place: place_name(), reason: error.to_string() })?;
        if !has_go_types(place) {
            return Err(ApplyError::NoGo(place_name()));
        }
        let failed = |error| ApplyError::Go { place: place_name(), error };
        let (idl, packages) = Registry::load_module(place).map_err(failed)?;
        Ok(Self { registry: Registry::new(idl), packages })
    }

    fn idl(&self) -> &Idl {
        self.registry.idl()
    }

    fn info(&self, ty: TypeId) -> Option<&TypeInfo> {
        self.idl().types.get(ty.0 as usize)
    }

    /// The exported structs of the packages.
    fn roots(&self) -> impl Iterator<Item = TypeId> {
        let is_asked_for = |package: &str| self.packages.iter().any(|of| of == package);
        let all = self.idl().types.iter().zip(self.idl().schema.iter());
        let own = all.filter(move |(info, (_, ty))| {
            info.exported && !info.alias && is_asked_for(&info.package) && matches!(ty.kind, Kind::Struct(_))
        });
        own.map(|(_, (id, _))| id)
    }

    /// What a struct is called: by its Go name, its full name, and as a kind.
    fn names(&self, ty: TypeId) -> Vec<String> {
        let go_name = self.info(ty).map(|info| info.go_name.to_string());
        let full = self.idl().schema.get(ty).name.to_string();
        let kind = self.registry.kinds().iter().find(|kind| kind.root == ty);
        let kind = kind.map(|kind| format!("{} {}", kind.api_version, kind.kind));
        go_name.into_iter().chain([full]).chain(kind).collect()
    }

    fn schemas(&self, named: &[String], has_defaults: bool) -> Map<String, Value> {
        let types = &self.idl().schema;
        let merges = Merges::of(self.idl());
        let is_wanted = |ty: &TypeId| named.is_empty() || self.names(*ty).iter().any(|name| named.contains(name));
        let roots: Vec<_> = self.roots().filter(is_wanted).map(|ty| (ty, merges.graph(types, ty))).collect();
        let roots: Vec<_> = roots.iter().map(|(ty, (merging, root))| (*ty, merging, *root)).collect();
        let structs = Configurations::of_types(types, &roots);
        let unions = unions_of_go(self.idl(), |_| true).unions;
        let mut document = document(&structs);
        let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
        let mut schemas = schemas.map(std::mem::take).unwrap_or_default();
        for of in &structs.structs {
            let (Some(schema), Some(ty)) = (schemas.get_mut(&definition(&of.type_name)), types.lookup(&of.type_name))
            else {
                continue;
            };
            self.complete(of, ty, schema, has_defaults);
            self.unions(ty).into_iter().for_each(|union| add_to_struct(schema, union));
            // What only the list of that crate knows, no tag asks to publish.
            let others = unions.iter().filter(|of| of.union.origin != Origin::Listed && !self.is_union(of.ty));
            for union in others.filter(|union| self.holds(ty, union)) {
                add_union(&union.union, schema);
            }
        }
        schemas
    }

    /// Adds required members and defaults to the schema of a struct, and the kind if it is one.
    fn complete(&self, of: &Configuration, ty: TypeId, schema: &mut Value, has_defaults: bool) {
        let fields: Vec<(&str, &Field, &FieldInfo)> = of
            .members
            .iter()
            .filter_map(|member| self.field(ty, &member.name).map(|(_, of, info)| (&*member.name, of, info)))
            .collect();
        let required = fields.iter().filter(|(_, field, info)| is_required(field, info));
        let required: Vec<&str> = required.map(|(name, ..)| *name).collect();
        let kind = self.registry.kinds().iter().find(|kind| kind.root == ty);
        let Some(members) = schema.as_object_mut() else { return };
        if !required.is_empty() {
            members.insert("required".to_owned(), json!(required));
        }
        if let Some(kind) = kind {
            let (group, version) = kind.api_version.rsplit_once('/').unwrap_or(("", &kind.api_version));
            let kind = json!([{"group": group, "version": version, "kind": kind.kind}]);
            members.insert("x-kubernetes-group-version-kind".to_owned(), kind);
        }
        let of_type = self.info(ty).map(|info| extensions::of_tags(&info.tags)).unwrap_or_default();
        members.extend(of_type.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let has_tags = self.info(ty).is_some_and(|info| !extensions::is_without_tags(&info.package));
        if !has_tags && extensions::ATOMIC.contains(&&*of.type_name) {
            members.insert("x-kubernetes-map-type".to_owned(), json!("atomic"));
        }
        let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) else { return };
        for (name, field, info) in fields {
            let Some(property) = properties.get_mut(name) else { continue };
            if has_tags {
                extensions::names().for_each(|name| unset(property, name));
            }
            for (name, value) in extensions::of_tags(&info.tags) {
                set(property, name, value);
            }
            if !has_defaults {
                continue;
            }
            if let Some(default) = self.default(field) {
                set(property, "default", default);
            }
            self.add_defaults_of_items(field.ty, property);
        }
    }

    /// The default of a field: that of its marker, or else of what Go always writes.
    fn default(&self, field: &Field) -> Option<Value> {
        field.default.clone().or_else(|| self.implied(field.ty, field.omit_empty))
    }

    /// The default of what Go always writes. What decodes itself, such as a time or a quantity, has none: its zero value is null.
    fn implied(&self, ty: TypeId, omit_empty: bool) -> Option<Value> {
        let (ty, kind) = self.idl().schema.native(ty);
        match kind {
            // A struct around one embedded type is published as that type.
            Kind::Struct(of) => match (of.fields.as_slice(), self.info(ty).map(|info| info.fields.as_slice())) {
                ([only], Some([FieldInfo { embedded: true, .. }])) => self.implied(only.ty, omit_empty),
                _ => Some(json!({})),
            },
            _ if omit_empty => None,
            Kind::Bool => Some(json!(false)),
            Kind::Int { .. } | Kind::Float { .. } => Some(json!(0)),
            Kind::Text => Some(json!("")),
            _ => None,
        }
    }

    fn add_defaults_of_items(&self, ty: TypeId, schema: &mut Value) {
        let types = &self.idl().schema;
        let (item, name) = match types.native(ty).1 {
            Kind::Pointer(inner) => return self.add_defaults_of_items(*inner, schema),
            Kind::List(item) => (*item, "items"),
            Kind::Map { value, .. } => (*value, "additionalProperties"),
            _ => return,
        };
        let Some(below) = schema.get_mut(name) else { return };
        let of_type = self.info(item).and_then(|info| info.item_default.clone());
        if let Some(default) = of_type.or_else(|| self.implied(item, false)) {
            set(below, "default", default);
        }
        self.add_defaults_of_items(item, below);
    }

    /// The field with a JSON name, which may be inlined, with the struct that declares it.
    fn field(&self, outer: TypeId, name: &str) -> Option<(TypeId, &Field, &FieldInfo)> {
        let types = &self.idl().schema;
        let (mut owner, fields) = types.as_struct(outer)?;
        let mut found = None;
        for slot in fields.member(name)?.slots.iter() {
            let (id, fields) = types.as_struct(found.map_or(owner, |(_, field, _): (TypeId, &Field, _)| field.ty))?;
            owner = id;
            let info = self.info(owner)?.fields.get(usize::from(*slot))?;
            found = Some((owner, fields.field(*slot)?, info));
        }
        found
    }

    fn is_union(&self, ty: TypeId) -> bool {
        self.info(ty).is_some_and(|info| has_tag(&info.tags, "union"))
    }

    /// The unions of `+union` structs, of the struct itself and of inlined ones, as Kubernetes publishes them: whatever values the
    /// discriminator has, members are named as in Go.
    fn unions(&self, ty: TypeId) -> Vec<Value> {
        let Some((owner, of)) = self.idl().schema.as_struct(ty) else { return Vec::new() };
        let infos = self.info(owner).map(|info| info.fields.as_slice()).unwrap_or_default();
        let mut found = Vec::new();
        if self.is_union(owner) {
            let (mut discriminator, mut members) = (None, Map::new());
            for (field, info) in of.fields.iter().zip(infos).filter(|(field, _)| field.presence == Presence::Named) {
                match has_tag(&info.tags, "unionDiscriminator") {
                    true => discriminator = Some(field.json_name.to_string()),
                    false => drop(members.insert(field.json_name.to_string(), json!(field.go_name))),
                }
            }
            found.push(match discriminator {
                Some(name) => json!({"discriminator": name, "fields-to-discriminateBy": members}),
                None => json!({"fields-to-discriminateBy": members}),
            });
        }
        let inlined = of.fields.iter().filter(|field| field.presence == Presence::Inlined);
        found.extend(inlined.flat_map(|field| self.unions(field.ty)));
        found
    }

    /// Whether a struct has the members of a union, its own or inlined ones.
    fn holds(&self, ty: TypeId, of: &GoUnion) -> bool {
        let declares = |name: &str| self.field(ty, name).is_some_and(|(owner, ..)| owner == of.ty);
        !of.union.members.is_empty() && of.union.members.iter().all(|member| declares(&member.name))
    }
}

fn has_tag(tags: &[TagLine], name: &str) -> bool {
    tags.iter().any(|tag| tag.text.trim() == name)
}

/// What a field says of itself counts more than whether Go leaves it out when it is unset.
fn is_required(field: &Field, info: &FieldInfo) -> bool {
    let says = |what: &str| has_tag(&info.tags, what);
    says("required") || !(field.omit_empty || info.omit_zero || says("optional") || says("k8s:optional"))
}

/// Removes a member of a schema; a reference that is left alone needs no list around it.
fn unset(schema: &mut Value, name: &str) {
    let Some(members) = schema.as_object_mut() else { return };
    if members.remove(name).is_none() || members.len() > 1 {
        return;
    }
    if let Some(reference) = schema.pointer("/allOf/0").filter(|first| first.get("$ref").is_some()).cloned() {
        *schema = reference;
    }
}

/// Sets a member of a schema; nothing may stand beside a reference.
fn set(schema: &mut Value, name: &str, value: Value) {
    if let Some(reference) = schema.get("$ref").cloned() {
        *schema = json!({"allOf": [{"$ref": reference}]});
    }
    if let Some(members) = schema.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

fn add_union(union: &Union, schema: &mut Value) {
    if let (Some(extension), Some(discriminator)) = (written(union), &union.discriminator) {
        let properties = schema.get_mut("properties");
        if let Some(property) = properties.and_then(|all| all.get_mut(&discriminator.name)) {
            set(property, EXTENSION, extension);
        }
        return;
    }
    add_to_struct(schema, fields_extension(union));
}

fn add_to_struct(schema: &mut Value, union: Value) {
    let Some(members) = schema.as_object_mut() else { return };
    let all = members.entry(EXTENSION).or_insert_with(|| json!([]));
    if let Some(all) = all.as_array_mut() {
        all.push(union);
    }
}

/// The extension of OpenAPI for unions.
const EXTENSION: &str = "x-kubernetes-unions";

#[cfg(test)]
mod tests;
