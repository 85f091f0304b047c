//! Sets of fields that were written when types were merged in another way.

use crate::fields::{Element, FieldSet};
use crate::schema::{ListKind, MapType, Scalar, Schema, TypeId};

/// The set as it would be written today: what has become one piece is a field of its own, without its parts. A type that was one
/// piece and is now several is treated as if it always had been several. `None` if nothing changes.
#[must_use]
pub fn reconcile(schema: &Schema, ty: TypeId, set: &FieldSet) -> Option<FieldSet> {
    let mut walk = Walk { schema, path: Vec::new(), pieces: FieldSet::new() };
    walk.node(ty, Some(set), false);
    (!walk.pieces.is_empty()).then(|| set.recursive_difference(&walk.pieces).union(&walk.pieces))
}

struct Walk<'s> {
    schema: &'s Schema,
    path: Vec<Element>,
    /// The paths that are one piece today and are written with parts.
    pieces: FieldSet,
}

impl Walk<'_> {
    fn node(&mut self, ty: TypeId, set: Option<&FieldSet>, is_leaf: bool) {
        let atom = self.schema.atom(ty);
        if let Some(map) = &atom.map {
            if self.is_free(map) {
                return;
            }
            if !is_leaf && map.atomic {
                if set.is_some_and(|set| !set.is_empty()) {
                    self.pieces.insert(&self.path);
                }
                return;
            }
            self.below(set, &|element| match element {
                Element::Field(name) => map.member(name),
                _ => map.others,
            });
        } else if atom.scalar.is_none()
            && let Some(list) = &atom.list
        {
            if !is_leaf && list.kind == ListKind::Atomic {
                self.pieces.insert(&self.path);
                return;
            }
            self.below(set, &|_| Some(list.item));
        }
    }

    fn below(&mut self, set: Option<&FieldSet>, ty: &dyn Fn(&Element) -> Option<TypeId>) {
        let Some(set) = set else { return };
        let is_member = |element: &Element| set.has(std::slice::from_ref(element));
        let parts = set.children().map(|(element, _)| element).filter(|element| !is_member(element));
        for element in parts.chain(set.members()) {
            let Some(ty) = ty(element) else { continue };
            let below = set.below(element);
            self.path.push(element.clone());
            self.node(ty, below, is_member(element) && below.is_none());
            self.path.pop();
        }
    }

    /// Whether a map has no declared members and takes any value: such types say nothing about pieces.
    fn is_free(&self, map: &MapType) -> bool {
        let takes_any = |ty: TypeId| match ty {
            Schema::DEDUCED => true,
            Schema::UNTYPED => false,
            other => self.schema.atom(other).scalar == Some(Scalar::Untyped),
        };
        map.fields.is_empty() && map.others.is_some_and(takes_any)
    }
}
