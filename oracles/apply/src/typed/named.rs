//! Sets of fields with the structs that hold their fields.

use crate::fields::{Element, FieldSet};
use crate::schema::{Schema, TypeId};

/// Adds the path of every declared field that has fields of the set below it.
#[must_use]
pub fn with_named_fields(schema: &Schema, ty: TypeId, set: &FieldSet) -> FieldSet {
    let atom = schema.atom(ty);
    let mut named = FieldSet::new();
    set.members().for_each(|member| named.insert(std::slice::from_ref(member)));
    for (element, child) in set.children() {
        let (mut of_child, mut is_declared) = (None, false);
        match (element, &atom.map, &atom.list) {
            (Element::Field(name), Some(map), _) => {
                is_declared = map.fields.contains_key(name);
                of_child = map.member(name);
            }
            (Element::Key(_), _, Some(list)) => of_child = Some(list.item),
            _ => {}
        }
        if is_declared {
            named.insert(std::slice::from_ref(element));
        }
        let below = match of_child {
            Some(ty) => with_named_fields(schema, ty, child),
            None => child.clone(),
        };
        named.extend_below(element, &below);
    }
    named
}
