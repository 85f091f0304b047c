//! Defaults that `+default` markers declare, as Kubernetes' generated defaulting applies them.
//!
//! A field that is unset takes its default: a nil pointer, or the zero value of any other type, so that a zero default of a
//! value changes nothing. Members of structs follow, also of those that a default has just set; a nil pointer to a struct
//! without a default of its own stays nil. An item of a list or a value of a map that is unset takes the default of its type.

use crate::idl::Idl;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, Edit, Node, from_bytes, from_value};
use takeover_harness::schema::{Kind, Member, Presence, Schema, Slot, Struct, Type, TypeId};

/// The defaults of a type and of everything in it.
#[derive(Clone, Debug)]
pub struct DeclaredDefaults {
    /// By type: what is to be done for an object of that type; nothing for types that are no structs.
    structs: Vec<Box<[Step]>>,
}

/// What is to be done for one member of a struct.
#[derive(Clone, Debug)]
struct Step {
    member: Member,
    /// The struct that declares the member, and where: there is its default, if it has one.
    declared: Option<(TypeId, Slot)>,
    below: Below,
    /// The type of the items or values of the member, and the default that they take.
    items: Option<(TypeId, Arc<Value>)>,
}

/// Where further defaults stand below a member.
#[derive(Clone, Copy, Debug)]
enum Below {
    /// Nowhere.
    None,
    /// In a struct of this type.
    Struct(TypeId),
    /// In a struct behind a pointer.
    Pointer(TypeId),
    /// In the structs of a list.
    List(TypeId),
    /// In the structs of a map, whose values are of the first type.
    Map(TypeId, TypeId),
}

impl DeclaredDefaults {
    /// The defaults that Go types declare at and below `root`; none when there are none.
    #[must_use]
    pub fn of(idl: &Idl, root: TypeId) -> Option<Self> {
        let schema = &idl.schema;
        let item = &|ty: TypeId| idl.types.get(ty.0 as usize)?.item_default.as_ref();
        let declares = declaring(schema, item);
        let below = |ty: TypeId| declares.get(ty.0 as usize).copied().unwrap_or(false);
        if !below(root) {
            return None;
        }
        let steps = |(id, ty): (TypeId, &Type)| {
            let mut steps = Vec::new();
            if let Kind::Struct(members) = &ty.kind
                && below(id)
            {
                collect(schema, id, members, (&below, item), &mut steps);
            }
            steps.into_boxed_slice()
        };
        Some(Self { structs: schema.iter().map(steps).collect() })
    }

    fn fill<'a>(&self, object: &mut Edit<'a>, schema: &'a Schema, ty: TypeId) {
        for step in self.structs.get(ty.0 as usize).map_or(&[][..], AsRef::as_ref) {
            let mut value = object.value_of(&step.member);
            if value.is_unset()
                && let Some((declarer, slot)) = step.declared
                && let Some((_, fields)) = schema.as_struct(declarer)
                && let Some(default) = fields.field(slot).and_then(|field| field.default.as_ref())
                && let Ok(node) = from_value(schema, step.member.ty, default, object.arena())
            {
                object.put_at(&step.member, node);
                value = node;
            }
            if let Some((element, default)) = &step.items {
                fill_items(object, schema, &step.member, *element, default);
            }
            match step.below {
                Below::Struct(inner) => object.edit_at(&step.member, value, |value| self.fill(value, schema, inner)),
                Below::Pointer(inner) if !value.is_unset() => {
                    object.edit_at(&step.member, value, |value| self.fill(value, schema, inner));
                }
                Below::List(element) if !value.is_unset() => {
                    object.edit_each_at(&step.member, |value| self.fill(value, schema, element));
                }
                Below::Map(ty, inner) if !value.is_unset() => {
                    let arena = object.arena();
                    object.edit_entries_at(&step.member, |node| {
                        let mut value = Edit::new(schema, arena, ty, node);
                        self.fill(&mut value, schema, inner);
                        Some(value.finish())
                    });
                }
                _ => {}
            }
        }
    }
}

/// Gives the unset items of a list, or values of a map, their default.
fn fill_items<'a>(object: &mut Edit<'a>, schema: &'a Schema, member: &Member, element: TypeId, default: &Value) {
    let arena = object.arena();
    // A default outlives its use only as a copy in the arena.
    let text = arena.alloc_str(&default.to_string());
    let made = || from_bytes(schema, element, text.as_bytes(), arena).ok();
    match object.value_of(member) {
        Node::List(items) if items.iter().any(Node::is_unset) => {
            let Some(made) = made() else { return };
            let filled = items.iter().map(|item| if item.is_unset() { made } else { *item });
            object.put_at(member, Node::List(arena.alloc_slice_fill_iter(filled)));
        }
        Node::Map(entries) if entries.iter().any(|(_, value)| value.is_unset()) => {
            let Some(made) = made() else { return };
            object.edit_entries_at(member, |value| value.is_unset().then_some(made));
        }
        _ => {}
    }
}

/// By type, whether a marker stands in it or below it.
fn declaring<'d>(schema: &Schema, item: &dyn Fn(TypeId) -> Option<&'d Value>) -> Vec<bool> {
    let types: Vec<(TypeId, &Kind)> = schema.iter().map(|(id, ty)| (id, &ty.kind)).collect();
    let mut declares = vec![false; types.len()];
    // Types may be recursive: repeat until nothing is added.
    loop {
        let mut added = false;
        for (id, kind) in &types {
            let below = |ty: TypeId| declares.get(ty.0 as usize).copied().unwrap_or(false);
            let declared = match kind {
                Kind::Struct(members) => members.fields.iter().any(|field| field.default.is_some() || below(field.ty)),
                Kind::Pointer(inner) | Kind::Named(inner) => below(*inner),
                Kind::List(inner) | Kind::Map { value: inner, .. } => below(*inner) || item(*inner).is_some(),
                _ => false,
            };
            if let Some(known) = declares.get_mut(id.0 as usize).filter(|known| declared && !**known) {
                *known = true;
                added = true;
            }
        }
        if !added {
            return declares;
        }
    }
}

/// What is known of types: whether a marker stands below one, and the default that items of one take.
type Known<'k, 'd> = (&'k dyn Fn(TypeId) -> bool, &'k dyn Fn(TypeId) -> Option<&'d Value>);

/// The steps of the members that the struct `declarer` declares, and the structs inlined in it, in objects of type `of`.
fn collect(schema: &Schema, declarer: TypeId, of: &Struct, known: Known<'_, '_>, steps: &mut Vec<Step>) {
    let (below, item) = known;
    let Some((_, declaring)) = schema.as_struct(declarer) else { return };
    for (slot, field) in (0..).zip(&declaring.fields) {
        match field.presence {
            Presence::Hidden => {}
            Presence::Inlined => {
                if let Some((inner, _)) = schema.as_struct(field.ty) {
                    collect(schema, inner, of, known, steps);
                }
            }
            Presence::Named => {
                let inside = |ty: TypeId| schema.as_struct(ty).map(|(id, _)| id);
                let below = match schema.native(field.ty) {
                    _ if !below(field.ty) => Below::None,
                    (id, Kind::Struct(_)) => Below::Struct(id),
                    (_, Kind::Pointer(inner)) => inside(*inner).map_or(Below::None, Below::Pointer),
                    (_, Kind::List(element)) => inside(*element).map_or(Below::None, Below::List),
                    (_, Kind::Map { value, .. }) => {
                        inside(*value).map_or(Below::None, |inner| Below::Map(*value, inner))
                    }
                    _ => Below::None,
                };
                let items = match schema.native(field.ty).1 {
                    Kind::List(element) | Kind::Map { value: element, .. } => {
                        item(*element).map(|default| (*element, Arc::new(default.clone())))
                    }
                    _ => None,
                };
                let declared = field.default.is_some().then_some((declarer, slot));
                if let Some(member) = of.member(&field.json_name)
                    && (declared.is_some() || items.is_some() || !matches!(below, Below::None))
                {
                    steps.push(Step { member: member.clone(), declared, below, items });
                }
            }
        }
    }
}

impl Defaulter for DeclaredDefaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let Some((ty, _)) = schema.as_struct(root) else { return object };
        let mut edit = Edit::new(schema, arena, root, object);
        self.fill(&mut edit, schema, ty);
        edit.finish()
    }
}
