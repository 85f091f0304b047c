//! The fields of a type: every path pattern of its objects, once.

use super::layout::Layout;
use super::rules::{RulePlace, Segment, join};
use std::collections::HashSet;
use takeover_harness::schema::{Kind, Schema, TypeId};

/// No more fields than this are told apart.
const MOST_FIELDS: usize = 4_096;

/// Steps from the root of the fields that are told apart.
const DEEPEST: usize = 14;

/// The place of every field of `root`, the object itself first. A struct inside itself is not entered again.
pub(super) fn fields(schema: &Schema, layout: &Layout, root: TypeId) -> Vec<RulePlace> {
    let mut walk = Walk { schema, layout, around: HashSet::new(), segments: Vec::new(), fields: Vec::new() };
    walk.enter(root);
    walk.fields
}

struct Walk<'w> {
    schema: &'w Schema,
    layout: &'w Layout,
    /// The structs around.
    around: HashSet<u32>,
    segments: Vec<Segment>,
    fields: Vec<RulePlace>,
}

impl Walk<'_> {
    fn enter(&mut self, ty: TypeId) {
        if self.fields.len() >= MOST_FIELDS {
            return;
        }
        let (id, kind) = self.schema.pointed(ty);
        let spoken = self.layout.members(id).iter().map(|member| member.name.clone()).collect();
        self.fields.push(RulePlace {
            segments: self.segments.clone(),
            field: join(&self.segments),
            ty,
            // An empty struct is one without any member.
            members: spoken,
            guard: None,
        });
        if self.segments.len() >= DEEPEST {
            return;
        }
        match kind {
            Kind::Struct(_) if self.around.insert(id.0) => {
                // What an object says that it is makes another kind of it.
                let root = self.segments.is_empty();
                let identity = |name: &str| root && matches!(name, "apiVersion" | "kind");
                let layout = self.layout;
                for member in layout.members(id).iter().filter(|member| !identity(&member.name)) {
                    self.below(Segment::Member(member.name.clone()), member.ty);
                }
                self.around.remove(&id.0);
            }
            Kind::List(inner) | Kind::Map { value: inner, .. } => self.below(Segment::Each, *inner),
            _ => {}
        }
    }

    fn below(&mut self, segment: Segment, ty: TypeId) {
        self.segments.push(segment);
        self.enter(ty);
        self.segments.pop();
    }
}
