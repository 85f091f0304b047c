//! The members of every struct in a fixed order, and shortcuts through the type graph.

use takeover_harness::schema::{Kind, Presence, Schema, Struct, TypeId};

/// One JSON member of a struct.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: Box<str>,
    pub(super) ty: TypeId,
    /// The field is a value that is always printed: API conventions make such a field required.
    pub(super) always: bool,
}

/// Members by type, inlined ones included.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    structs: Vec<Box<[Member]>>,
}

impl Layout {
    pub(super) fn new(schema: &Schema) -> Self {
        let structs = schema.iter().map(|(_, ty)| match &ty.kind {
            Kind::Struct(fields) => {
                let mut members = Vec::new();
                gather(schema, fields, fields, &mut members, 0);
                members.into_boxed_slice()
            }
            _ => Box::default(),
        });
        Self { structs: structs.collect() }
    }

    /// The members of a struct type in source order; empty for other types.
    pub(super) fn members(&self, ty: TypeId) -> &[Member] {
        self.structs.get(ty.0 as usize).map_or(&[], |members| members)
    }

    /// The member with this JSON name.
    pub(super) fn member(&self, schema: &Schema, ty: TypeId, name: &str) -> Option<TypeId> {
        match schema.kind(ty) {
            Kind::Struct(fields) => fields.member(name).map(|member| member.ty),
            _ => None,
        }
    }
}

fn gather(schema: &Schema, root: &Struct, fields: &Struct, members: &mut Vec<Member>, depth: usize) {
    for field in &fields.fields {
        match field.presence {
            Presence::Hidden => {}
            Presence::Named => {
                // Of two members of one name the graph knows which one counts.
                let counts = root.member(&field.json_name).is_some_and(|member| member.ty == field.ty);
                if counts && members.iter().all(|known| known.name != field.json_name) {
                    let always = !field.omit_empty && !matches!(schema.native(field.ty).1, Kind::Pointer(_));
                    members.push(Member { name: field.json_name.clone(), ty: field.ty, always });
                }
            }
            Presence::Inlined => {
                // Inlining deeper than this is a cycle, which Go only has through pointers.
                if depth < 16
                    && let Some((_, inner)) = schema.as_struct(field.ty)
                {
                    gather(schema, root, inner, members, depth + 1);
                }
            }
        }
    }
}
