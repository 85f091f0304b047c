//! Defaults of a schema, set in decoded objects.

use crate::coerce::set_defaults;
use crate::structural::{Additional, Structural};
use takeover_harness::object::{Arena, Edit, FieldValidation, Node, from_bytes_with};
use takeover_harness::schema::{Kind, Schema, Struct, TypeId};

/// The defaults of the members of a value and of what is below them. What has none is left out.
pub(crate) struct NodeDefaults {
    /// Named members: the name, the default as JSON if there is one, and the defaults below.
    members: Vec<(String, Option<String>, NodeDefaults)>,
    /// Elements, or other members.
    each: Option<Box<NodeDefaults>>,
}

impl NodeDefaults {
    /// The defaults of values of type `ty`. None where part of them would be set in JSON of no known type.
    pub(crate) fn of(structural: &Structural, schema: &Schema, ty: TypeId) -> Option<Self> {
        let none = Self { members: Vec::new(), each: None };
        if !structural.has_defaults() {
            return Some(none);
        }
        match native(schema, ty) {
            Kind::Struct(fields) => {
                let mut members = Vec::new();
                for (name, below) in &structural.properties {
                    let Some(field) = fields.fields.iter().find(|field| *field.json_name == **name) else { continue };
                    let inner = Self::of(below, schema, field.ty)?;
                    // Completed here, because an empty object without defaults inside is as good as absent once it is decoded.
                    let default = below.default.as_ref().map(|default| {
                        let mut default = default.clone();
                        set_defaults(below, &mut default);
                        default.to_string()
                    });
                    if default.is_some() || !inner.is_empty() {
                        members.push((name.clone(), default, inner));
                    }
                }
                Some(Self { members, each: None })
            }
            Kind::List(element) => {
                let Some(below) = &structural.items else { return Some(none) };
                Some(Self { members: Vec::new(), each: Some(Box::new(Self::of(below, schema, *element)?)) })
            }
            Kind::Map { value, .. } => {
                let Some(Additional::Schema(below)) = &structural.additional else { return Some(none) };
                Some(Self { members: Vec::new(), each: Some(Box::new(Self::of(below, schema, *value)?)) })
            }
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.each.as_ref().is_none_or(|each| each.is_empty())
    }

    /// The whole object with its defaults, even if nothing in it is set; `None` without defaults to set.
    pub(crate) fn set_whole<'a>(
        &self,
        schema: &'a Schema,
        ty: TypeId,
        node: Node<'a>,
        arena: &'a Arena,
    ) -> Option<Node<'a>> {
        match native(schema, ty) {
            Kind::Struct(fields) if !self.is_empty() => self.set_members(fields, schema, ty, node, arena),
            _ => self.set(schema, ty, node, arena),
        }
    }

    /// The value with its defaults; `None` if there is nothing to set.
    pub(crate) fn set<'a>(&self, schema: &'a Schema, ty: TypeId, node: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
        if self.is_empty() {
            return None;
        }
        match (native(schema, ty), node) {
            (Kind::Struct(fields), Node::Struct { .. }) => self.set_members(fields, schema, ty, node, arena),
            (Kind::List(element), Node::List(items)) => {
                let each = self.each.as_ref()?;
                let mut made = items.iter().map(|item| each.set_item(schema, *element, *item, arena));
                if made.by_ref().all(|item| item.is_none()) {
                    return None;
                }
                let set = |item: &Node<'a>| each.set_item(schema, *element, *item, arena).unwrap_or(*item);
                Some(Node::List(arena.alloc_slice_fill_iter(items.iter().map(set))))
            }
            (Kind::Map { value, .. }, Node::Map(entries)) => {
                let each = self.each.as_ref()?;
                let set = |(key, node): &(&'a str, Node<'a>)| {
                    (*key, each.set_item(schema, *value, *node, arena).unwrap_or(*node))
                };
                Some(Node::Map(arena.alloc_slice_fill_iter(entries.iter().map(set))))
            }
            _ => None,
        }
    }

    /// The same of an item or entry: an empty object is as good as absent once it is decoded, unless it may be null, too.
    fn set_item<'a>(&self, schema: &'a Schema, ty: TypeId, node: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
        match schema.native(ty).1 {
            Kind::Struct(_) if node.is_unset() => self.set_whole(schema, ty, node, arena),
            _ => self.set(schema, ty, node, arena),
        }
    }

    fn set_members<'a>(
        &self,
        fields: &Struct,
        schema: &'a Schema,
        ty: TypeId,
        node: Node<'a>,
        arena: &'a Arena,
    ) -> Option<Node<'a>> {
        let mut object = Edit::new(schema, arena, ty, node);
        let mut changed = false;
        for (name, default, below) in &self.members {
            let Some(member) = fields.member(name) else { continue };
            let mut value = object.value_of(member);
            let mut set = None;
            if let (true, Some(default)) = (value.is_unset(), default) {
                let text = arena.alloc_str(default).as_bytes();
                // A default of another type, which no server takes, is left out.
                let decoded = from_bytes_with(schema, member.ty, text, FieldValidation::Warn, arena).ok();
                set = decoded.map(|decoded| decoded.node);
                value = set.unwrap_or(value);
            }
            if let Some(value) = below.set(schema, member.ty, value, arena).or(set) {
                object.put_at(member, value);
                changed = true;
            }
        }
        changed.then(|| object.finish())
    }
}

/// The kind of a type, or of what it points to.
fn native(schema: &Schema, ty: TypeId) -> &Kind {
    match schema.native(ty).1 {
        Kind::Pointer(target) => schema.native(*target).1,
        kind => kind,
    }
}
