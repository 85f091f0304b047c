//! The kinds of Go types that can be applied.

use takeover_harness::schema::Schema;
use takeover_oracles::declarative::idl::TagLine;
use takeover_oracles::registry::{KnownKind, Registry};

/// The kinds whose objects can be applied: those that have metadata of objects, and whose clients are not generated without the verb
/// (`+genclient:noVerbs`, `onlyVerbs`, `skipVerbs`).
pub(super) fn applied(registry: &Registry) -> impl Iterator<Item = &KnownKind> {
    registry.kinds().iter().filter(|kind| {
        let info = registry.idl().types.get(kind.root.0 as usize);
        let tags = info.map(|info| [info.tags.as_slice(), info.second_closest.as_slice()].concat()).unwrap_or_default();
        has_metadata(registry.schema(), kind) && allows_apply(&tags)
    })
}

fn has_metadata(types: &Schema, kind: &KnownKind) -> bool {
    let member = types.as_struct(kind.root).and_then(|(_, fields)| fields.member("metadata"));
    let ty = member.and_then(|member| types.as_struct(member.ty));
    ty.is_some_and(|(id, _)| types.get(id).name.ends_with("meta/v1.ObjectMeta"))
}

fn allows_apply(tags: &[TagLine]) -> bool {
    tags.iter().filter_map(|line| line.text.strip_prefix("genclient:")).all(|tag| match tag.split_once('=') {
        None => tag.trim() != "noVerbs",
        Some(("onlyVerbs", verbs)) => verbs.split(',').any(|verb| verb.trim() == "apply"),
        Some(("skipVerbs", verbs)) => !verbs.split(',').any(|verb| verb.trim() == "apply"),
        Some(_) => true,
    })
}
