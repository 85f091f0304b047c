//! Types of merging from Go types, as the OpenAPI document of a server has them.

use super::graph::{Atom, Declared, ListKind, ListType, MapType, Scalar, Schema, TypeId};
use std::collections::HashMap;
use std::sync::LazyLock;
use takeover_harness::schema::{self as go, Kind, Presence, Struct, WellKnown};

use serde_json::{Value, json};

/// How built-in types merge where they do not merge as others do.
const BUILTIN: &str = include_str!("../../merging.txt");

/// How a type or member merges where that is not told by its Go type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoMerging {
    /// A struct or map as one piece.
    Atomic,
    /// A struct or map member by member.
    Granular,
    /// A list.
    List(ListKind),
}

/// By Go type; and by Go type and JSON name of a member.
#[derive(Default)]
struct Facts {
    structs: HashMap<&'static str, GoMerging>,
    members: HashMap<(&'static str, &'static str), GoMerging>,
}

static FACTS: LazyLock<Facts> = LazyLock::new(|| {
    let mut facts = Facts::default();
    for line in BUILTIN.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            [ty, "atomic"] => {
                facts.structs.insert(ty, GoMerging::Atomic);
            }
            [ty, member, how, keys @ ..] => {
                let keys = || keys.iter().map(|key| (*key).to_owned()).collect();
                let how = match *how {
                    "atomic" => GoMerging::Atomic,
                    "granular" => GoMerging::Granular,
                    "set" => GoMerging::List(ListKind::Set),
                    "map" => GoMerging::List(ListKind::Map(keys())),
                    _ => continue,
                };
                facts.members.insert((ty, member), how);
            }
            _ => {}
        }
    }
    facts
});

/// The lists of built-in types that are no atomic ones: full name of the struct, JSON name of the member, and what tells items apart.
pub fn builtin_lists() -> impl Iterator<Item = (&'static str, &'static str, &'static ListKind)> {
    FACTS.members.iter().filter_map(|((owner, member), how)| match how {
        GoMerging::List(kind) => Some((*owner, *member, kind)),
        GoMerging::Atomic | GoMerging::Granular => None,
    })
}

/// Reads a Go type of the Kubernetes API and everything that it reaches: the graph, and the type itself.
#[must_use]
pub fn of_go(types: &go::Schema, root: go::TypeId) -> (Schema, TypeId) {
    of_go_with(types, root, &|_, _| None)
}

/// As [`of_go`], with what tags say of a struct (full name, `None`), or of a member of a struct (full name, JSON name), that is not
/// built in.
#[must_use]
pub fn of_go_with(
    types: &go::Schema,
    root: go::TypeId,
    tags: &dyn Fn(&str, Option<&str>) -> Option<GoMerging>,
) -> (Schema, TypeId) {
    let mut reader = Reader { types, tags, graph: Schema::new(), known: HashMap::new() };
    let root = reader.add(root);
    (reader.graph, root)
}

struct Reader<'t> {
    types: &'t go::Schema,
    tags: &'t dyn Fn(&str, Option<&str>) -> Option<GoMerging>,
    graph: Schema,
    known: HashMap<go::TypeId, TypeId>,
}

impl Reader<'_> {
    fn add(&mut self, ty: go::TypeId) -> TypeId {
        let types = self.types;
        let (native, kind) = types.native(ty);
        if let Kind::Pointer(inner) = kind {
            return self.add(*inner);
        }
        if let Some(known) = self.known.get(&native) {
            return *known;
        }
        let id = self.graph.add(Atom::default());
        self.known.insert(native, id);
        let atom = self.atom(native, kind);
        self.graph.define(id, atom);
        id
    }

    fn atom(&mut self, ty: go::TypeId, kind: &Kind) -> Atom {
        let scalar = |scalar| Atom { scalar: Some(scalar), ..Atom::default() };
        let map = |map| Atom { map: Some(map), ..Atom::default() };
        match kind {
            Kind::Bool => scalar(Scalar::Boolean),
            Kind::Int { .. } | Kind::Float { .. } => scalar(Scalar::Numeric),
            Kind::Text | Kind::Bytes | Kind::WellKnown(WellKnown::Duration) => scalar(Scalar::Text),
            Kind::WellKnown(WellKnown::Raw) => map(MapType::of_values(Schema::DEDUCED)),
            Kind::WellKnown(_) => scalar(Scalar::Untyped),
            Kind::List(item) => {
                let item = self.add(*item);
                Atom { list: Some(ListType { item, kind: ListKind::Atomic }), ..Atom::default() }
            }
            Kind::Map { value, .. } => map(MapType::of_values(self.add(*value))),
            Kind::Struct(fields) => {
                let types = self.types;
                let name = &*types.get(ty).name;
                let is_piece = || (self.tags)(name, None) == Some(GoMerging::Atomic);
                let atomic = FACTS.structs.contains_key(name) || is_piece();
                let mut made = MapType { atomic, ..MapType::default() };
                self.members(name, fields, &mut made);
                if made.fields.is_empty() {
                    made.others = Some(Schema::DEDUCED);
                }
                map(made)
            }
            _ => self.graph.atom(Schema::DEDUCED).clone(),
        }
    }

    /// Adds the members of a struct, and those of the structs inlined into it, to the type of the outer one.
    fn members(&mut self, outer: &str, fields: &Struct, into: &mut MapType) {
        let types = self.types;
        for field in &fields.fields {
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => {
                    if let Some((_, inner)) = types.as_struct(field.ty) {
                        self.members(outer, inner, into);
                    }
                }
                Presence::Named => {
                    let ty = self.add(field.ty);
                    let known = FACTS.members.get(&(outer, &*field.json_name)).cloned();
                    let how = known.or_else(|| (self.tags)(outer, Some(&field.json_name)));
                    let ty = how.map_or(ty, |how| self.merging(ty, &how));
                    let default = field.default.clone().or_else(|| self.always_written(field));
                    into.fields.insert(field.json_name.to_string(), Declared { ty, default });
                }
            }
        }
    }

    /// The type, merging in another way.
    fn merging(&mut self, ty: TypeId, how: &GoMerging) -> TypeId {
        let mut atom = self.graph.atom(ty).clone();
        match how {
            GoMerging::Atomic | GoMerging::Granular => {
                if let Some(map) = &mut atom.map {
                    map.atomic = *how == GoMerging::Atomic;
                }
            }
            GoMerging::List(kind) => {
                if let Some(list) = &mut atom.list {
                    list.kind = kind.clone();
                }
            }
        }
        self.graph.add(atom)
    }

    /// The zero value of a member that is written even then: what a key of a list is without it.
    fn always_written(&self, field: &go::Field) -> Option<Value> {
        if field.omit_empty {
            return None;
        }
        match self.types.native(field.ty).1 {
            Kind::Text => Some(json!("")),
            Kind::Int { .. } | Kind::Float { .. } => Some(json!(0)),
            Kind::Bool => Some(json!(false)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILTIN, FACTS};

    #[test]
    fn every_line_of_the_table_is_a_fact() {
        let lines: Vec<&str> = BUILTIN.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(FACTS.structs.len() + FACTS.members.len(), lines.len());
        assert!(lines.is_sorted(), "the table is sorted");
    }
}
