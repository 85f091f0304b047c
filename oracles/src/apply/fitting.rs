//! Which kinds can show a fault.

use super::builtin_type::BuiltinType;
use super::changes::{is_atomic_list, is_atomic_map, keys_of};
use super::fault::Fault;
use std::collections::BTreeSet;
use takeover_apply::managed::ObjectType as _;
use takeover_apply::schema::{Atom, Schema, TypeId};

/// Whether objects of a kind can show the fault.
pub(super) fn fits(fault: Fault, kind: &BuiltinType) -> bool {
    let (schema, root) = kind.schema();
    let parts = beside_metadata(schema, root);
    let any = |is: &dyn Fn(&Atom) -> bool| parts.iter().any(|atom| is(atom));
    match fault {
        Fault::ListsMerged => any(&|atom| is_atomic_list(schema, atom)),
        Fault::MapsMerged => any(&is_atomic_map),
        Fault::FirstKeyAlone => any(&|atom| keys_of(atom).is_some_and(|keys| keys.len() > 1)),
        Fault::WholeItemsExtracted => any(&|atom| keys_of(atom).is_some()),
        Fault::EmptyNotTaken | Fault::EmptyNotExtracted => kind.has_empty_structs(),
        Fault::NotDefaulted => kind.has_defaults(None),
        // Without defaults, applying the same again makes the same object, so its time stays.
        Fault::AlwaysTouched => kind.has_defaults(Some("metadata")),
        _ => true,
    }
}

/// The types of an object's members other than metadata and untyped JSON.
fn beside_metadata(schema: &Schema, root: TypeId) -> Vec<&Atom> {
    let members = schema.atom(root).map.iter().flat_map(|map| &map.fields);
    let mut next: Vec<TypeId> = members.filter(|(name, _)| *name != "metadata").map(|(_, of)| of.ty).collect();
    let mut seen = BTreeSet::new();
    while let Some(ty) = next.pop() {
        if [Schema::UNTYPED, Schema::DEDUCED].contains(&ty) || !seen.insert(ty) {
            continue;
        }
        let Atom { list, map, .. } = schema.atom(ty);
        next.extend(list.iter().map(|list| list.item));
        next.extend(map.iter().flat_map(|map| map.fields.values().map(|of| of.ty).chain(map.others)));
    }
    seen.into_iter().map(|ty| schema.atom(ty)).collect()
}
