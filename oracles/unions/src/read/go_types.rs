//! Unions of Go types.

use super::go_tags::{FieldTags, is_of_item, is_union, of_field};
use super::listed::{self, Listed};
use crate::union::{Discriminator, Member, Origin, Union};
use std::collections::BTreeMap;
use takeover_declarative::idl::{ConstantValue, Idl, Position, TypeInfo};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId};

/// A union of a Go struct.
#[derive(Clone, Debug)]
pub struct GoUnion {
    /// The union.
    pub union: Union,
    /// Its struct.
    pub ty: TypeId,
    /// Where the struct is declared.
    pub position: Option<Position>,
    /// Mistakes in its tags; the union is read nevertheless.
    pub faults: Vec<String>,
}

/// The unions of Go packages.
#[derive(Clone, Debug, Default)]
pub struct GoUnions {
    /// The unions of exported structs, sorted by struct and name.
    pub unions: Vec<GoUnion>,
    /// The full names of lists whose items are members of a union.
    pub of_items: Vec<String>,
    /// Union tags that cannot be parsed, with field and reason.
    pub unreadable: Vec<String>,
}

/// The unions of these packages.
#[must_use]
pub fn unions_of_go(idl: &Idl, is_asked_for: impl Fn(&str) -> bool) -> GoUnions {
    let GoUnions { unions: mut found, mut of_items, mut unreadable } = GoUnions::default();
    for (info, (ty, of)) in idl.types.iter().zip(idl.schema.iter()) {
        let Kind::Struct(fields) = &of.kind else { continue };
        if !info.exported || info.alias || !is_asked_for(&info.package) {
            continue;
        }
        let reader = Reader::new(idl, info, fields);
        for mut union in reader.unions() {
            union.ty = ty;
            found.push(union);
        }
        for tagged in &reader.fields {
            let place = format!("{}.{}", of.name, tagged.field.json_name);
            unreadable.extend(tagged.tags.unreadable.iter().map(|tag| format!("{place}: {tag}")));
        }
        for (field, info) in fields.fields.iter().zip(&info.fields) {
            if info.tags.iter().any(is_of_item) {
                of_items.push(format!("{}.{}", of.name, field.json_name));
            }
        }
    }
    found.sort_by(|one: &GoUnion, other| {
        (&one.union.owner, &one.union.name).cmp(&(&other.union.owner, &other.union.name))
    });
    of_items.sort();
    unreadable.sort();
    GoUnions { unions: found, of_items, unreadable }
}

/// A field with its tags.
struct Tagged<'i> {
    field: &'i Field,
    tags: FieldTags,
}

struct Reader<'i> {
    idl: &'i Idl,
    info: &'i TypeInfo,
    fields: Vec<Tagged<'i>>,
}

/// The members of a union before its discriminator is known.
struct Draft<'d> {
    name: String,
    origin: Origin,
    members: Vec<(&'d Field, Option<String>, bool)>,
    discriminator: Option<(&'d Tagged<'d>, Option<String>)>,
    may_be_empty: bool,
    faults: Vec<String>,
}

impl<'i> Reader<'i> {
    fn new(idl: &'i Idl, info: &'i TypeInfo, fields: &'i Struct) -> Self {
        let tagged = fields.fields.iter().zip(&info.fields);
        let named = tagged.filter(|(field, _)| field.presence == Presence::Named);
        let fields = named.map(|(field, info)| Tagged { field, tags: of_field(&info.tags) }).collect();
        Self { idl, info, fields }
    }

    /// The unions of the struct, each once; the list takes precedence over tags.
    fn unions(&self) -> Vec<GoUnion> {
        let mut found: Vec<GoUnion> = Vec::new();
        let listed = listed::of(&self.info.package, &self.info.go_name);
        let drafts = listed.and_then(|listed| self.listed(listed)).into_iter();
        let drafts = drafts.chain(self.validated()).chain(self.of_kep()).chain(self.of_type()).chain(self.grouped());
        for draft in drafts {
            let names = |union: &Union| union.members.iter().map(|member| member.name.clone()).collect::<Vec<_>>();
            let union = self.finished(draft);
            let is_known = found.iter().any(|known| {
                let (known, new) = (names(&known.union), names(&union.union));
                new.iter().all(|name| known.contains(name))
            });
            if !is_known && !union.union.members.is_empty() {
                found.push(union);
            }
        }
        found
    }

    fn field(&self, json_name: &str) -> Option<&Tagged<'i>> {
        self.fields.iter().find(|tagged| *tagged.field.json_name == *json_name)
    }

    fn listed(&self, listed: &Listed) -> Option<Draft<'_>> {
        let discriminator = match listed.discriminator {
            Some((name, default)) => Some((self.field(name)?, default.map(str::to_owned))),
            None => None,
        };
        let is_pointer = |field: &Field| matches!(self.idl.schema.native(field.ty).1, Kind::Pointer(_));
        let members: Vec<_> = if listed.members.is_empty() {
            let pointers = self.fields.iter().filter(|tagged| is_pointer(tagged.field));
            pointers.map(|tagged| (tagged.field, None, false)).collect()
        } else {
            let known = listed.members.iter().filter_map(|member| Some((member, self.field(member.name)?)));
            known.map(|(member, of)| (of.field, member.value.map(str::to_owned), member.optional)).collect()
        };
        // Earlier versions of a type may lack the union.
        let is_union = members.len() > 1 || (discriminator.is_some() && !members.is_empty());
        is_union.then(|| Draft {
            name: String::new(),
            origin: Origin::Listed,
            members,
            discriminator,
            may_be_empty: listed.may_be_empty,
            faults: Vec::new(),
        })
    }

    /// `+k8s:unionMember` and `+k8s:zeroOrOneOfMember`, by the name of the union.
    fn validated(&self) -> Vec<Draft<'_>> {
        let mut drafts: BTreeMap<(&str, bool), Draft<'_>> = BTreeMap::new();
        for tagged in &self.fields {
            let Some(of) = &tagged.tags.validated else { continue };
            let draft = drafts.entry((of.union.as_str(), of.may_be_empty)).or_insert_with(|| Draft {
                name: of.union.clone(),
                origin: Origin::Validation,
                members: Vec::new(),
                // The last one counts.
                discriminator: (self.fields.iter().rev())
                    .find(|tagged| !of.may_be_empty && tagged.tags.discriminates.as_ref() == Some(&of.union))
                    .map(|tagged| (tagged, None)),
                may_be_empty: of.may_be_empty,
                faults: Vec::new(),
            });
            draft.members.push((tagged.field, of.value.clone(), false));
        }
        drafts.into_values().collect()
    }

    /// `+unionMember`, by discriminator.
    fn of_kep(&self) -> Vec<Draft<'_>> {
        let discriminators: Vec<&Tagged<'_>> = self.fields.iter().filter(|of| of.tags.is_discriminator).collect();
        let mut drafts: BTreeMap<&str, Draft<'_>> = BTreeMap::new();
        for tagged in &self.fields {
            let Some((value, optional)) = &tagged.tags.member else { continue };
            let named = tagged.tags.discriminated_by.as_deref();
            let discriminator = match named {
                Some(name) => discriminators.iter().find(|of| *of.field.go_name == *name),
                None => discriminators.first(),
            };
            let draft = drafts.entry(named.unwrap_or_default()).or_insert_with(|| {
                let mut faults = Vec::new();
                match (discriminator, named, discriminators.as_slice()) {
                    (None, Some(name), _) => faults.push(format!("there is no discriminator `{name}`")),
                    (None, None, _) => faults.push("there is no `+unionDiscriminator`".to_owned()),
                    (Some(_), None, [one, other, ..]) => faults.push(format!(
                        "`{}` and `{}` are both discriminators; name one with `+unionDiscriminatedBy` at each member",
                        one.field.go_name, other.field.go_name
                    )),
                    _ => {}
                }
                Draft {
                    name: named.unwrap_or_default().to_owned(),
                    origin: Origin::Kep,
                    members: Vec::new(),
                    discriminator: discriminator.map(|tagged| (*tagged, None)),
                    may_be_empty: false,
                    faults,
                }
            });
            if tagged.tags.is_discriminator {
                draft.faults.push(format!("`{}` is both discriminator and member", tagged.field.go_name));
            } else {
                draft.members.push((tagged.field, value.clone(), *optional));
            }
        }
        drafts.into_values().collect()
    }

    /// `+union`: every field but the discriminator is a member.
    fn of_type(&self) -> Option<Draft<'_>> {
        if !is_union(&self.info.tags) {
            return None;
        }
        let is_discriminator = |tagged: &&Tagged<'_>| tagged.tags.is_discriminator;
        let discriminator = self.fields.iter().find(is_discriminator);
        let members = self.fields.iter().filter(|tagged| !tagged.tags.is_discriminator);
        Some(Draft {
            name: String::new(),
            origin: Origin::Type,
            members: members.map(|tagged| (tagged.field, None, false)).collect(),
            discriminator: discriminator.map(|tagged| (tagged, None)),
            may_be_empty: false,
            faults: Vec::new(),
        })
    }

    /// `+oneOf` and `+zeroOrOneOf`, by the name of the group.
    fn grouped(&self) -> Vec<Draft<'_>> {
        let mut drafts: BTreeMap<&str, Draft<'_>> = BTreeMap::new();
        for tagged in &self.fields {
            let Some((name, may_be_empty)) = &tagged.tags.group else { continue };
            let draft = drafts.entry(name).or_insert_with(|| Draft {
                name: name.clone(),
                origin: Origin::Group,
                members: Vec::new(),
                discriminator: None,
                may_be_empty: *may_be_empty,
                faults: Vec::new(),
            });
            draft.members.push((tagged.field, None, false));
        }
        drafts.into_values().collect()
    }

    fn finished(&self, draft: Draft<'_>) -> GoUnion {
        let mut faults = draft.faults;
        let mut has_constants = false;
        let mut discriminator = draft.discriminator.map(|(tagged, default)| {
            let (values, fault) = values(self.idl, tagged.field);
            faults.extend(fault);
            has_constants = !values.is_empty();
            let default = default.or_else(|| tagged.field.default.as_ref()?.as_str().map(str::to_owned));
            let values = with_absent(values, tagged, default.is_some());
            Discriminator { name: tagged.field.json_name.to_string(), values, default }
        });
        let mut members: Vec<Member> = Vec::new();
        for (field, value, optional) in draft.members {
            let mode = self.field(&field.json_name).and_then(|tagged| tagged.tags.mode.clone());
            let (of_mode, may_lack) = mode.map_or((None, false), |(value, optional)| (Some(value), optional));
            let known = discriminator.as_ref().map(|of| of.values.as_slice()).unwrap_or_default();
            let given = value.or(of_mode);
            let value = given.unwrap_or_else(|| closest(known, &field.go_name));
            if let Some(other) = members.iter().find(|other| other.value == value) {
                let name = &field.json_name;
                faults.push(format!("`{}` and `{name}` have the same value \"{value}\"", other.name));
            }
            if let Some(discriminator) = &mut discriminator
                && !discriminator.values.contains(&value)
            {
                // A text without constants has the values of the members.
                if has_constants {
                    let (name, of) = (&field.json_name, &discriminator.name);
                    faults.push(format!("`{of}` has no value \"{value}\", by which it would select `{name}`"));
                }
                discriminator.values.push(value.clone());
            }
            members.push(Member {
                name: field.json_name.to_string(),
                value,
                optional: optional || may_lack,
                zero_is_unset: !matches!(self.idl.schema.native(field.ty).1, Kind::Pointer(_)),
            });
        }
        let owner = format!("{}.{}", self.info.package, self.info.go_name);
        let union = Union {
            owner,
            name: draft.name,
            origin: draft.origin,
            members,
            discriminator,
            may_be_empty: draft.may_be_empty,
        };
        // The caller fills in the type.
        GoUnion { union, ty: TypeId(u32::MAX), position: self.info.position.clone(), faults }
    }
}

/// The values of a discriminator: the constants of its type; empty without constants.
fn values(idl: &Idl, field: &Field) -> (Vec<String>, Option<String>) {
    let ty = match idl.schema.kind(field.ty) {
        Kind::Pointer(inner) => *inner,
        _ => field.ty,
    };
    let fault = (!is_text(&idl.schema, ty)).then(|| format!("the discriminator `{}` is no string", field.go_name));
    let constants = idl.types.get(ty.0 as usize).map(|info| info.constants.as_slice()).unwrap_or_default();
    let mut values: Vec<String> = Vec::new();
    for constant in constants {
        if let ConstantValue::Text(value) = &constant.value
            && !values.iter().any(|known| **known == **value)
        {
            values.push(value.to_string());
        }
    }
    (values, fault)
}

fn is_text(schema: &Schema, ty: TypeId) -> bool {
    matches!(schema.native(ty).1, Kind::Text)
}

/// The values, with the empty one if the discriminator may be left out and has no default.
fn with_absent(mut values: Vec<String>, tagged: &Tagged<'_>, has_default: bool) -> Vec<String> {
    let may_be_absent = tagged.field.omit_empty && tagged.tags.optional && !has_default;
    if may_be_absent && !values.iter().any(String::is_empty) {
        values.push(String::new());
    }
    values
}

/// The value of the discriminator for a field: its Go name, or the one value that the Go name begins with.
fn closest(values: &[String], go_name: &str) -> String {
    let is_exact = values.iter().any(|value| value == go_name);
    let mut begin = values.iter().filter(|value| !value.is_empty() && go_name.starts_with(value.as_str()));
    match (begin.next(), begin.next()) {
        (Some(value), None) if !is_exact => value.clone(),
        _ => go_name.to_owned(),
    }
}
