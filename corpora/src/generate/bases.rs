//! The objects that cases start from.

use super::choices::Choices;
use std::collections::HashMap;
use takeover_harness::object::Tree;
use takeover_harness::runner::Base;

/// The most copies that are kept of each sort, because objects may be large.
const MOST: usize = Base::MOST / 2;

/// Copies of the base objects for one chunk. Cases of the chunk share the parts that they do not change. Chunks share nothing, so that
/// threads do not compete for the same reference counts.
#[derive(Debug, Default)]
pub(super) struct Bases {
    recorded: Copies,
    grown: Copies,
    /// The copy that the last case starts from. `None` if that case has an object of its own.
    pub(super) last: Option<Base>,
}

/// Copies of objects, by position.
type Copies = HashMap<usize, Base>;

impl Bases {
    /// A copy of one of the `recorded` objects, which are the same at every call.
    pub(super) fn recorded(&mut self, recorded: &[Tree], choices: &mut Choices<'_, '_>) -> Tree {
        pick(&mut self.recorded, 0, recorded, choices, &mut self.last)
    }

    /// A copy of one of the `grown` objects, which are the same at every call.
    pub(super) fn grown(&mut self, grown: &[Tree], choices: &mut Choices<'_, '_>) -> Tree {
        pick(&mut self.grown, MOST, grown, choices, &mut self.last)
    }
}

/// A copy of one of `objects`; new copies are numbered from `first` on.
fn pick(
    copies: &mut Copies,
    first: usize,
    objects: &[Tree],
    choices: &mut Choices<'_, '_>,
    last: &mut Option<Base>,
) -> Tree {
    let position = choices.below(objects.len());
    let Some(object) = objects.get(position) else { return Tree::default() };
    let number = first + copies.len();
    if copies.len() >= MOST && !copies.contains_key(&position) {
        return object.apart();
    }
    let copy = copies.entry(position).or_insert_with(|| Base { number, object: object.apart() });
    *last = Some(copy.clone());
    copy.object.clone()
}
