//! How the types of Go packages merge, as their tags say.

use std::collections::BTreeMap;
use takeover_apply::schema::{self as merging, GoMerging, ListKind, builtin_lists, of_go_with};
use takeover_declarative::idl::{Idl, TagLine};
use takeover_harness::schema::{ListType, Presence, Schema, Struct, TypeId};

/// What `+listType`, `+listMapKey`, `+mapType` and `+structType` say, also as `+k8s:listType` and `+k8s:listMapKey`.
#[derive(Clone, Debug, Default)]
pub struct Merges {
    /// By full name of a struct.
    structs: BTreeMap<String, GoMerging>,
    /// By full name of a struct, and JSON name of a member, also of an inlined struct.
    members: BTreeMap<(String, String), GoMerging>,
}

impl Merges {
    /// Reads the tags of all types.
    #[must_use]
    pub fn of(idl: &Idl) -> Self {
        let mut merges = Self::default();
        for (id, ty) in idl.schema.iter() {
            let Some(info) = idl.types.get(id.0 as usize) else { continue };
            if let Some(how) = said(&info.tags) {
                merges.structs.insert(ty.name.to_string(), how);
            }
            if let takeover_harness::schema::Kind::Struct(fields) = &ty.kind {
                merges.add(idl, &ty.name, (id, fields));
            }
        }
        merges
    }

    fn add(&mut self, idl: &Idl, outer: &str, (id, fields): (TypeId, &Struct)) {
        let infos = idl.types.get(id.0 as usize).map(|info| info.fields.as_slice()).unwrap_or_default();
        for (field, info) in fields.fields.iter().zip(infos) {
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => {
                    if let Some(inner) = idl.schema.as_struct(field.ty) {
                        self.add(idl, outer, inner);
                    }
                }
                Presence::Named => {
                    if let Some(how) = said(&info.tags) {
                        self.members.entry((outer.to_owned(), field.json_name.to_string())).or_insert(how);
                    }
                }
            }
        }
    }

    /// Notes in a graph of types what tells the items of their lists apart, for built-in types as Kubernetes publishes it.
    pub fn note_lists(&self, schema: &mut Schema) {
        let mut note = |owner: &str, member: &str, kind: &ListKind| {
            let Some(owner) = schema.lookup(owner) else { return };
            let list_type = match kind {
                ListKind::Atomic => ListType::Atomic,
                ListKind::Set => ListType::Set,
                ListKind::Map(keys) => ListType::Map(keys.clone()),
            };
            schema.set_list_type(owner, member, list_type);
        };
        for ((owner, member), how) in &self.members {
            if let GoMerging::List(kind) = how {
                note(owner, member, kind);
            }
        }
        builtin_lists().for_each(|(owner, member, kind)| note(owner, member, kind));
    }

    /// How the values of a type merge.
    #[must_use]
    pub fn graph(&self, types: &Schema, root: TypeId) -> (merging::Schema, merging::TypeId) {
        of_go_with(types, root, &|owner, member| match member {
            None => self.structs.get(owner).cloned(),
            Some(member) => self.members.get(&(owner.to_owned(), member.to_owned())).cloned(),
        })
    }
}

fn said(tags: &[TagLine]) -> Option<GoMerging> {
    let values = |name: &str| -> Vec<String> {
        let of = |line: &TagLine| {
            let text = line.text.strip_prefix("k8s:").unwrap_or(&line.text);
            text.strip_prefix(name)?.strip_prefix('=').map(|value| value.trim().to_owned())
        };
        tags.iter().filter_map(of).collect()
    };
    let first = |name: &str| values(name).into_iter().next();
    let of_map = first("structType").or_else(|| first("mapType"));
    match (first("listType").as_deref(), of_map.as_deref()) {
        (Some("atomic"), _) => Some(GoMerging::List(ListKind::Atomic)),
        (Some("set"), _) => Some(GoMerging::List(ListKind::Set)),
        (Some("map"), _) => Some(GoMerging::List(ListKind::Map(values("listMapKey")))),
        (_, Some("atomic")) => Some(GoMerging::Atomic),
        (_, Some("granular")) => Some(GoMerging::Granular),
        _ => None,
    }
}
