//! The OpenAPI document of Go types, as an API server publishes it: with required members, defaults (KEP-1929) and unions (KEP-1027).

mod defaults;
mod mistakes;
mod scalars;
mod tags;
mod unions;

pub use mistakes::Mistake;

use self::mistakes::Wrong;
use self::tags::{has_tag, is_published, is_quoted, omits_empty, set, unset};
use super::extensions;
use super::generate::ApplyError;
use crate::catalogue::has_go_types;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use takeover_apply::configuration::openapi::{definition, document};
use takeover_apply::configuration::{Configuration, Configurations};
use takeover_harness::schema::{Field, Kind, Presence, TypeId};
use takeover_oracles::declarative::idl::{FieldInfo, Idl, TypeInfo};
use takeover_oracles::merges::Merges;
use takeover_oracles::registry::Registry;
use takeover_unions::Origin;
use takeover_unions::read::unions_of_go;

/// What a server publishes of Go types.
#[derive(Clone, Debug)]
pub struct Published {
    /// The OpenAPI v3 document: a schema for each struct under `components.schemas`.
    pub document: Value,
    /// What keeps Kubernetes from publishing the types like this, by place.
    pub mistakes: BTreeSet<Mistake>,
}

/// The OpenAPI v3 document of a folder of Go packages: a schema for each exported struct, and for each that these contain. `named` are Go
/// names, full names or kinds (`Widget`, `shop.example.com/v1 Widget`); all structs if it is empty. Without `has_defaults`, defaults are
/// left out, as from the documents that servers publish at `/openapi/v2`.
///
/// It is the document of Kubernetes 1.36, whose `openapi-gen` reads the tags `+optional`, `+required`, `+default` and those of unions,
/// lists and maps, and of the struct tag `omitempty`, `inline`, and `string` right behind the name. A struct that is no pointer has the
/// default `{}`, a scalar without `omitempty` its zero value, and any field that of its marker, or else of its type. Items and map values
/// are as fields without `omitempty`. What decodes itself (times, quantities) has none without a marker.
///
/// The values of a text are those of the constants of its type, if that is tagged `+enum`.
///
/// A union of `+union` or `+unionDeprecated` is published at its struct, in the form that Kubernetes publishes today; servers publish no
/// other. Those of other tags are added: with a discriminator at that, in the form of KEP-1027.
///
/// # Errors
/// Returns an error when there are no Go types, they do not load, or no struct has one of the names.
pub fn published(places: &[PathBuf], named: &[String], has_defaults: bool) -> Result<Published, ApplyError> {
    let (mut schemas, mut mistakes) = (Map::new(), BTreeSet::new());
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
        schemas.extend(types.schemas(named, has_defaults, &mut mistakes));
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
    Ok(Published { document, mistakes })
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

    fn schemas(&self, named: &[String], has_defaults: bool, mistakes: &mut BTreeSet<Mistake>) -> Map<String, Value> {
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
            self.complete(of, ty, schema, has_defaults, mistakes);
            self.unions(ty).into_iter().for_each(|union| unions::add_to_struct(schema, union));
            // What only the list of that crate knows, no tag asks to publish.
            let others = unions.iter().filter(|of| of.union.origin != Origin::Listed && !self.is_union(of.ty));
            for union in others.filter(|union| self.holds(ty, union)) {
                unions::add(&union.union, schema);
            }
        }
        schemas
    }

    /// Adds required members and defaults to the schema of a struct, and the kind if it is one.
    fn complete(
        &self,
        of: &Configuration,
        ty: TypeId,
        schema: &mut Value,
        has_defaults: bool,
        mistakes: &mut BTreeSet<Mistake>,
    ) {
        let Some(members) = schema.as_object_mut() else { return };
        self.note_embedded(ty, mistakes);
        let found = |name: &str| self.member(ty, name);
        let (fields, hidden): (Vec<_>, Vec<_>) = of
            .members
            .iter()
            .filter_map(|member| Some((&*member.name, found(&member.name)?)))
            .partition(|(_, member)| member.is_published);
        if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
            hidden.iter().for_each(|(name, _)| drop(properties.remove(*name)));
        }
        let required = fields.iter().filter(|(_, member)| is_required(member.info));
        let required: Vec<&str> = required.map(|(name, _)| *name).collect();
        if !required.is_empty() {
            members.insert("required".to_owned(), json!(required));
        }
        if let Some(kind) = self.registry.kinds().iter().find(|kind| kind.root == ty) {
            let (group, version) = kind.api_version.rsplit_once('/').unwrap_or(("", &kind.api_version));
            let kind = json!([{"group": group, "version": version, "kind": kind.kind}]);
            members.insert("x-kubernetes-group-version-kind".to_owned(), kind);
        }
        let of_type = self.info(ty).map(|info| extensions::of_tags(&info.tags)).unwrap_or_default();
        members.extend(of_type);
        let has_tags = self.info(ty).is_some_and(|info| !extensions::is_without_tags(&info.package));
        if !has_tags && extensions::ATOMIC.contains(&&*of.type_name) {
            members.insert("x-kubernetes-map-type".to_owned(), json!("atomic"));
        }
        let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) else { return };
        for (name, member) in fields {
            let Some(property) = properties.get_mut(name) else { continue };
            if is_quoted(member.info) {
                *property = json!({"type": "string"});
            }
            if has_tags {
                extensions::names().for_each(|name| unset(property, name));
            }
            for (name, value) in extensions::of_tags(&member.info.tags) {
                set(property, &name, value);
            }
            if has_tag(&member.info.tags, "optional") && has_tag(&member.info.tags, "required") {
                mistakes.insert(self.mistake(&member, Wrong::OptionalAndRequired));
            }
            if !is_quoted(member.info) {
                self.complete_scalars(member.field.ty, property);
                self.add_defaults(&member, property, has_defaults, mistakes);
            }
        }
    }

    /// Embedded structs that Go writes without a name of their own, and Kubernetes publishes with one.
    fn note_embedded(&self, ty: TypeId, mistakes: &mut BTreeSet<Mistake>) {
        let Some((owner, of)) = self.idl().schema.as_struct(ty) else { return };
        let infos = self.info(owner).map(|info| info.fields.as_slice()).unwrap_or_default();
        for (field, info) in of.fields.iter().zip(infos).filter(|(field, _)| field.presence == Presence::Inlined) {
            if !tags::is_inline(info) {
                mistakes.insert(self.mistake(&Member { owner, field, info, is_published: true }, Wrong::NotInline));
            }
        }
    }

    /// The member with a JSON name, which may be inlined.
    fn member(&self, outer: TypeId, name: &str) -> Option<Member<'_>> {
        let types = &self.idl().schema;
        let (_, fields) = types.as_struct(outer)?;
        let mut found: Option<Member<'_>> = None;
        for slot in fields.member(name)?.slots.iter() {
            let (owner, fields) = types.as_struct(found.as_ref().map_or(outer, |member| member.field.ty))?;
            let info = self.info(owner)?.fields.get(usize::from(*slot))?;
            let field = fields.field(*slot)?;
            let is_published = found.is_none_or(|around| around.is_published) && is_published(field, info);
            found = Some(Member { owner, field, info, is_published });
        }
        found
    }

    fn mistake(&self, member: &Member<'_>, wrong: Wrong) -> Mistake {
        let owner = self.info(member.owner).map(|info| info.go_name.to_string()).unwrap_or_default();
        Mistake::new(member.info.position.clone(), format!("{owner}.{}", member.field.go_name), wrong)
    }
}

/// A member of a struct.
struct Member<'t> {
    /// The struct that declares it.
    owner: TypeId,
    field: &'t Field,
    info: &'t FieldInfo,
    /// Whether a server publishes it.
    is_published: bool,
}

/// What a field says of itself counts more than whether Go leaves it out when it is unset.
fn is_required(info: &FieldInfo) -> bool {
    has_tag(&info.tags, "required") || !(has_tag(&info.tags, "optional") || omits_empty(info))
}

#[cfg(test)]
mod tests;
