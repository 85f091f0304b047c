//! Defaults of a schema, set in decoded objects.

use crate::coerce::set_defaults;
use crate::structural::{Additional, Structural};
use serde_json::Value;
use takeover_harness::object::{Arena, Edit, FieldValidation, Node, from_bytes_with, replaced};
use takeover_harness::schema::{Kind, Member, Schema, TypeId};

/// The defaults of the members of a value and of what is below them. What has none is left out.
pub(crate) struct NodeDefaults {
    members: Vec<MemberDefault>,
    /// Elements, or other members.
    each: Option<Box<NodeDefaults>>,
}

/// A named member, with its default if there is one, and the defaults below.
struct MemberDefault {
    member: Member,
    default: Option<Given>,
    below: NodeDefaults,
}

/// A default.
enum Given {
    Bool(bool),
    Int(i64),
    Text(String),
    /// Any other, as JSON.
    Json(String),
}

impl Given {
    /// The default of a value of type `ty`; none if it is of another type, which no server takes, or what an absent value is anyway.
    fn of(default: &Value, schema: &Schema, ty: TypeId) -> Option<Self> {
        let (arena, text) = (Arena::new(), default.to_string());
        match from_bytes_with(schema, ty, text.as_bytes(), FieldValidation::Warn, &arena).ok()?.node {
            Node::Unset => None,
            Node::Bool(value) => Some(Self::Bool(value)),
            Node::Int(value) => Some(Self::Int(value)),
            Node::Text(value) => Some(Self::Text(value.to_owned())),
            _ => Some(Self::Json(text)),
        }
    }

    fn node<'a>(&self, schema: &'a Schema, ty: TypeId, arena: &'a Arena) -> Option<Node<'a>> {
        Some(match self {
            Self::Bool(value) => Node::Bool(*value),
            Self::Int(value) => Node::Int(*value),
            Self::Text(value) => Node::Text(arena.alloc_str(value)),
            Self::Json(text) => {
                let text = arena.alloc_str(text).as_bytes();
                from_bytes_with(schema, ty, text, FieldValidation::Warn, arena).ok()?.node
            }
        })
    }
}

impl NodeDefaults {
    /// The defaults of values of type `ty`. None where part of them would be set in JSON of no known type.
    pub(crate) fn of(structural: &Structural, schema: &Schema, ty: TypeId) -> Option<Self> {
        let none = Self { members: Vec::new(), each: None };
        if !structural.has_defaults() {
            return Some(none);
        }
        match schema.pointed(ty).1 {
            Kind::Struct(fields) => {
                let mut members = Vec::new();
                for (name, below) in &structural.properties {
                    let Some(member) = fields.direct(name).and_then(|_| fields.member(name)) else { continue };
                    let inner = Self::of(below, schema, member.ty)?;
                    // Completed here, because an empty object without defaults inside is as good as absent once it is decoded.
                    let default = below.default.as_ref().and_then(|default| {
                        let mut default = default.clone();
                        set_defaults(below, &mut default);
                        Given::of(&default, schema, member.ty)
                    });
                    if default.is_some() || !inner.is_empty() {
                        members.push(MemberDefault { member: member.clone(), default, below: inner });
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
        match schema.pointed(ty).1 {
            Kind::Struct(_) if !self.is_empty() => self.set_members(schema, ty, node, arena),
            _ => self.set(schema, ty, node, arena),
        }
    }

    /// The value with its defaults; `None` if there is nothing to set.
    pub(crate) fn set<'a>(&self, schema: &'a Schema, ty: TypeId, node: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
        if self.is_empty() {
            return None;
        }
        match (schema.pointed(ty).1, node) {
            (Kind::Struct(_), Node::Struct { .. }) => self.set_members(schema, ty, node, arena),
            (Kind::List(element), Node::List(items)) => {
                let each = self.each.as_ref()?;
                replaced(items, arena, |item| each.set_item(schema, *element, *item, arena)).map(Node::List)
            }
            (Kind::Map { value, .. }, Node::Map(entries)) => {
                let each = self.each.as_ref()?;
                let set =
                    |(key, node): &(&'a str, Node<'a>)| Some((*key, each.set_item(schema, *value, *node, arena)?));
                replaced(entries, arena, set).map(Node::Map)
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

    fn set_members<'a>(&self, schema: &'a Schema, ty: TypeId, node: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
        let mut object = Edit::new(schema, arena, ty, node);
        let mut changed = false;
        for MemberDefault { member, default, below } in &self.members {
            let value = object.value_of(member);
            let given = default.as_ref().filter(|_| value.is_unset());
            let given = given.and_then(|default| default.node(schema, member.ty, arena));
            if let Some(value) = below.set(schema, member.ty, given.unwrap_or(value), arena).or(given) {
                object.put_at(member, value);
                changed = true;
            }
        }
        changed.then(|| object.finish())
    }
}
