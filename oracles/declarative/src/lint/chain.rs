//! What each tag of a chain judges: which part of the value, of which type, under which conditions.

use super::model::{Subject, is_lifecycle};
use crate::grammar::Tag;
use crate::idl::Idl;
use crate::tags;
use takeover_harness::schema::TypeId;

/// A tag with what the tags around it say.
pub(super) struct Step<'t> {
    /// The tag.
    pub(super) tag: &'t Tag,
    /// The type it judges; none where the chain leads nowhere.
    pub(super) ty: Option<TypeId>,
    /// The tags around it that lead to a part of the value: `subfield(name)`; empty for the value itself.
    pub(super) address: String,
    /// The options around it, each with the state that is asked for, sorted.
    pub(super) conditions: Vec<(String, bool)>,
}

/// A tag of a chain, outermost first, with what is around it.
pub(super) fn steps<'t>(idl: &Idl, subject: &Subject<'_>, chain: &'t Tag) -> Vec<Step<'t>> {
    let mut ty = subject.judged_type();
    let mut address = String::new();
    let mut conditions: Vec<(String, bool)> = Vec::new();
    let mut steps = Vec::new();
    for tag in chain.chain() {
        steps.push(Step { tag, ty, address: address.clone(), conditions: conditions.clone() });
        if let Some(condition) = condition(tag) {
            conditions.push(condition);
            conditions.sort();
            conditions.dedup();
        } else if !is_lifecycle(tag) && tag.inner().is_some() {
            let part = tags::lookup(&tag.name).map(|def| def.hints.part);
            ty = ty.and_then(|ty| part?(&idl.schema, ty, tag));
            address.push('/');
            address.push_str(&tag.text);
        }
    }
    steps
}

/// The option that a tag asks for, and the state.
pub(super) fn condition(tag: &Tag) -> Option<(String, bool)> {
    let on = tags::lookup(&tag.name)?.condition?;
    Some((tag.positional()?.as_text().to_owned(), on))
}
