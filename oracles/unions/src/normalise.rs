//! Clears the members that a new discriminator no longer selects.

use crate::union::{Selected, Union};
use serde_json::Value;

/// Clears the members of a struct that its discriminator does not select, if the discriminator has changed since `old` (KEP-1027,
/// "Normalization"). Nothing is cleared on create, by an unchanged discriminator, or by a value that the union does not have: validation
/// reports what is wrong then. A union without discriminator is left as it is.
pub fn normalise(union: &Union, old: Option<&Value>, new: &mut Value) {
    let (Some(discriminator), Some(old)) = (&union.discriminator, old) else { return };
    let chosen = discriminator.of(new);
    if chosen == discriminator.of(old) {
        return;
    }
    let kept = match union.selected(chosen) {
        Selected::Member(member) => Some(&member.name),
        Selected::Nothing => None,
        Selected::Unknown => return,
    };
    if let Some(members) = new.as_object_mut() {
        members.retain(|name, _| Some(name) == kept || union.member(name).is_none());
    }
}
