//! Defaults that `+default` markers declare, as Kubernetes' generated defaulting applies them.
//!
//! A field that is unset takes its default: a nil pointer, or the zero value of any other type, so that a zero default of a
//! value changes nothing. Members of structs follow, also of those that a default has just set; a nil pointer to a struct
//! without a default of its own stays nil.

use takeover_harness::object::{Arena, Edit, Node, from_value};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId};
use takeover_harness::subject::Defaulter;

/// The defaults of a type and of everything in it.
#[derive(Clone, Debug)]
pub struct DeclaredDefaults {
    /// By type: whether a marker stands in it or below it.
    declares: Vec<bool>,
}

impl DeclaredDefaults {
    /// The defaults that the types of `schema` declare at and below `root`; none when there are none.
    #[must_use]
    pub fn of(schema: &Schema, root: TypeId) -> Option<Self> {
        let types: Vec<(TypeId, &Kind)> = schema.iter().map(|(id, ty)| (id, &ty.kind)).collect();
        let mut declares = vec![false; types.len()];
        // Types may be recursive: repeat until nothing is added.
        loop {
            let mut added = false;
            for (id, kind) in &types {
                let below = |ty: TypeId| declares.get(ty.0 as usize).copied().unwrap_or(false);
                let declared = match kind {
                    Kind::Struct(members) => {
                        members.fields.iter().any(|field| field.default.is_some() || below(field.ty))
                    }
                    Kind::Pointer(inner) | Kind::List(inner) | Kind::Map { value: inner, .. } | Kind::Named(inner) => {
                        below(*inner)
                    }
                    _ => false,
                };
                if let Some(known) = declares.get_mut(id.0 as usize).filter(|known| declared && !**known) {
                    *known = true;
                    added = true;
                }
            }
            if !added {
                break;
            }
        }
        let found = Self { declares };
        found.below(root).then_some(found)
    }

    fn below(&self, ty: TypeId) -> bool {
        self.declares.get(ty.0 as usize).copied().unwrap_or(false)
    }

    fn fill<'a>(&self, object: &mut Edit<'a>, schema: &'a Schema, members: &'a Struct) {
        for field in &members.fields {
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => {
                    if let Some((_, inner)) = schema.as_struct(field.ty) {
                        self.fill(object, schema, inner);
                    }
                }
                Presence::Named => self.fill_field(object, schema, field),
            }
        }
    }

    fn fill_field<'a>(&self, object: &mut Edit<'a>, schema: &'a Schema, field: &'a Field) {
        let name = &*field.json_name;
        if let Some(default) = &field.default
            && object.get(name).is_unset()
            && let Ok(node) = from_value(schema, field.ty, default, object.arena())
        {
            object.set(name, node);
        }
        if !self.below(field.ty) {
            return;
        }
        let inside = |ty: TypeId| schema.as_struct(ty).map(|(_, members)| members);
        match schema.native(field.ty).1 {
            Kind::Struct(members) => object.edit(name, |inner| self.fill(inner, schema, members)),
            Kind::Pointer(inner) => {
                if let Some(members) = inside(*inner) {
                    object.edit_if_set(name, |inner| self.fill(inner, schema, members));
                }
            }
            Kind::List(element) => {
                if let Some(members) = inside(*element) {
                    object.edit_each(name, |inner| self.fill(inner, schema, members));
                }
            }
            Kind::Map { value, .. } => {
                if let Some(members) = inside(*value) {
                    let arena = object.arena();
                    object.edit_entries(name, |node| {
                        let mut inner = Edit::new(schema, arena, *value, node);
                        self.fill(&mut inner, schema, members);
                        Some(inner.finish())
                    });
                }
            }
            _ => {}
        }
    }
}

impl Defaulter for DeclaredDefaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let Some((_, members)) = schema.as_struct(root) else { return object };
        let mut edit = Edit::new(schema, arena, root, object);
        self.fill(&mut edit, schema, members);
        edit.finish()
    }
}
