//! Members of decoded objects, to be compared as Kubernetes does.

use takeover_harness::object::{Node, equal};
use takeover_harness::oracle::Objects;
use takeover_harness::schema::{Schema, TypeId};

/// Whether a request changes the member of the spec with this name.
pub(super) fn spec_changes(objects: &Objects<'_>, name: &str) -> bool {
    let member = |object| spec_member(objects, object, name);
    objects.old.is_some_and(|old| !equal(&member(objects.new).1, &member(old).1))
}

/// Type and value of a member of an object's spec.
pub(super) fn spec_member<'a>(objects: &Objects<'a>, object: Node<'a>, name: &str) -> (TypeId, Node<'a>) {
    let (ty, spec) = member(objects.schema, (objects.root, object), "spec");
    member(objects.schema, (ty, spec), name)
}

/// Type and value of a member of a struct; the struct again where its type has no such member.
pub(super) fn member<'a>(schema: &Schema, (ty, node): (TypeId, Node<'a>), name: &str) -> (TypeId, Node<'a>) {
    match schema.as_struct(ty).and_then(|(_, members)| members.member(name)) {
        Some(member) => (member.ty, node.member(&member.slots)),
        None => (ty, node),
    }
}
