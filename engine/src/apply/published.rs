//! The OpenAPI document of Go types, as an API server publishes it: with required members, defaults (KEP-1929) and unions (KEP-1027).

use super::generate::ApplyError;
use crate::catalogue::has_go_types;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use takeover_apply::configuration::openapi::{definition, document};
use takeover_apply::configuration::{Configuration, Configurations};
use takeover_harness::schema::{Field, Kind, TypeId};
use takeover_oracles::declarative::idl::{FieldInfo, Idl, TypeInfo};
use takeover_oracles::merges::Merges;
use takeover_oracles::registry::Registry;
use takeover_unions::Union;
use takeover_unions::read::{GoUnion, unions_of_go};
use takeover_unions::{fields_extension, written};

/// The OpenAPI v3 document of a folder of Go packages: a schema for each exported struct, and for each that these contain. `named` are Go
/// names, full names or kinds (`Widget`, `shop.example.com/v1 Widget`); all structs if it is empty. Without `has_defaults`, defaults are
/// left out, as from the documents that servers publish at `/openapi/v2`.
///
/// A struct that is no pointer has the default `{}`, a scalar without `omitempty` its zero value, and any field that of its marker. Items
/// have the default of their type alone, and what decodes itself (times, quantities) has none without a marker, as in today's kube-openapi;
/// older ones published `{}`. A union is published
/// at its discriminator in the form of KEP-1027; without one, at its struct in the form that Kubernetes publishes today.
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
            for union in unions.iter().filter(|union| self.holds(ty, union)) {
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
        if !has_defaults {
            return;
        }
        if kind.is_some() {
            members.insert("default".to_owned(), json!({}));
        }
        let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) else { return };
        for (name, field, _) in fields {
            let Some(property) = properties.get_mut(name) else { continue };
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
        if let Some(default) = self.info(item).and_then(|info| info.item_default.clone()) {
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

    /// Whether a struct has the members of a union, its own or inlined ones.
    fn holds(&self, ty: TypeId, of: &GoUnion) -> bool {
        let declares = |name: &str| self.field(ty, name).is_some_and(|(owner, ..)| owner == of.ty);
        !of.union.members.is_empty() && of.union.members.iter().all(|member| declares(&member.name))
    }
}

/// A field is optional that says so, or that Go leaves out when it is unset.
fn is_required(field: &Field, info: &FieldInfo) -> bool {
    let says = |line: &str| matches!(line.trim(), "optional" | "k8s:optional");
    !field.omit_empty && !info.omit_zero && !info.tags.iter().any(|tag| says(&tag.text))
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
    let Some(members) = schema.as_object_mut() else { return };
    let all = members.entry(EXTENSION).or_insert_with(|| json!([]));
    if let Some(all) = all.as_array_mut() {
        all.push(fields_extension(union));
    }
}

/// The extension of OpenAPI for unions.
const EXTENSION: &str = "x-kubernetes-unions";

#[cfg(test)]
mod tests {
    use super::published;
    use serde_json::{Value, json};
    use std::fs;
    use takeover_unions::read::unions_of_schema;

    const TYPES: &str = r#"// Package v1 has a kind.
//
// +groupName=shop.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type Root struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Entry SubLevel `json:"entry,omitempty"`
	// +default={"name":"pointer-name"}
	Pointer *SubLevel `json:"pointer,omitempty"`
	Bare *SubLevel `json:"bare,omitempty"`
	Since *metav1.Time `json:"since,omitempty"`
	At metav1.Time `json:"at"`
	Seen Moment `json:"seen"`
	Most resource.Quantity `json:"most,omitempty"`
	Port intstr.IntOrString `json:"port"`
	Boxed Box `json:"boxed"`
	List []Item `json:"list,omitempty"`
	Plain []string `json:"plain,omitempty"`
	Mapping map[string]Item `json:"mapping,omitempty"`
	Source `json:",inline"`
}

// Moment is a time.
type Moment struct {
	metav1.Time `json:",inline"`
}

type Box struct {
	SubLevel `json:",inline"`
}

type SubLevel struct {
	// +default="default-name"
	Name string `json:"name,omitempty"`
	Number int32 `json:"number"`
	// +optional
	Open bool `json:"open"`
	Note string `json:"note,omitempty"`
}

// +default="apple"
type Item string

type SourceType string

const (
	Git SourceType = "Git"
	None SourceType = ""
)

type Source struct {
	// +unionDiscriminator
	// +required
	Type SourceType `json:"type"`
	// +unionMember
	// +optional
	Git *SubLevel `json:"git,omitempty"`
}

type Either struct {
	// +k8s:unionMember
	// +k8s:optional
	One *string `json:"one,omitempty"`
	// +k8s:unionMember
	// +k8s:optional
	Two *string `json:"two,omitempty"`
}
"#;

    fn of(named: &[&str], has_defaults: bool) -> Result<Value, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let place = folder.path().join("v1");
        let written = fs::create_dir(&place).and_then(|()| fs::write(place.join("types.go"), TYPES));
        written.map_err(|error| error.to_string())?;
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
        let mut document = published(&[place], &named, has_defaults).map_err(|error| error.to_string())?;
        Ok(document["components"]["schemas"].take())
    }

    fn named<'v>(schemas: &'v Value, name: &str) -> &'v Value {
        let all = schemas.as_object().unwrap();
        all.iter().find(|(of, _)| of.ends_with(&format!(".{name}"))).map(|(_, schema)| schema).unwrap()
    }

    #[test]
    fn defaults_are_published_where_the_proposal_has_them() {
        let schemas = of(&[], true).unwrap();
        let (root, level) = (named(&schemas, "Root"), named(&schemas, "SubLevel"));
        let default = |schema: &Value, name: &str| schema["properties"][name].get("default").cloned();
        assert_eq!(root["default"], json!({}));
        assert_eq!(level.get("default"), None);
        for (schema, name, expected) in [
            (root, "entry", Some(json!({}))),
            (root, "pointer", Some(json!({"name": "pointer-name"}))),
            (root, "bare", None),
            (root, "since", None),
            (root, "at", None),
            (root, "seen", None),
            (root, "most", None),
            (root, "port", None),
            (root, "boxed", Some(json!({}))),
            (root, "list", None),
            (root, "plain", None),
            (level, "name", Some(json!("default-name"))),
            (level, "number", Some(json!(0))),
            (level, "open", Some(json!(false))),
            (level, "note", None),
        ] {
            assert_eq!(default(schema, name), expected, "{name}");
        }
        assert_eq!(root["properties"]["list"]["items"]["default"], "apple");
        assert_eq!(root["properties"]["mapping"]["additionalProperties"]["default"], "apple");
        assert_eq!(root["properties"]["plain"]["items"].get("default"), None);
        assert!(root["properties"]["entry"]["allOf"][0]["$ref"].as_str().unwrap().ends_with(".SubLevel"));
        assert_eq!(level["required"], json!(["number"]));
        assert_eq!(root["required"], json!(["at", "seen", "port", "boxed", "type"]));
        assert_eq!(root["x-kubernetes-group-version-kind"][0]["kind"], "Root");
        // At /openapi/v2, servers publish none of them.
        assert!(!of(&[], false).unwrap().to_string().contains("\"default\""));
    }

    #[test]
    fn unions_are_published_and_read_again() {
        let schemas = of(&[], true).unwrap();
        let extension = json!({"fieldMembers": {"Git": {"name": "git", "optional": false}, "": null}});
        // Also where the struct of the union is inlined.
        for name in ["Source", "Root"] {
            assert_eq!(named(&schemas, name)["properties"]["type"]["x-kubernetes-unions"], extension, "{name}");
        }
        let either = named(&schemas, "Either");
        assert_eq!(either["x-kubernetes-unions"], json!([{"fields-to-discriminateBy": {"one": "One", "two": "Two"}}]));
        for (name, members) in [("Source", vec!["git"]), ("Either", vec!["one", "two"])] {
            let read = unions_of_schema(name, named(&schemas, name));
            let found: Vec<&str> = read[0].union.members.iter().map(|member| member.name.as_str()).collect();
            assert_eq!(found, members);
        }
    }

    #[test]
    fn types_are_chosen_by_name() {
        for name in ["Either", "shop.example.com/v1 Root"] {
            let schemas = of(&[name], true).unwrap();
            let is_there = |name: &str| schemas.as_object().unwrap().keys().any(|of| of.ends_with(name));
            assert_eq!((is_there(".Either"), is_there(".Root")), (name == "Either", name != "Either"));
        }
        assert!(of(&["Nothing"], true).unwrap_err().contains("no kind is named `Nothing`"));
    }
}
