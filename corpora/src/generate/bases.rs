//! The objects that cases start from.

use super::choices::Choices;
use serde_json::Value;
use std::collections::HashMap;
use takeover_harness::object::{Arena, Tree};
use takeover_harness::runner::Base;

/// The most that are kept of each sort, because objects may be large.
const MOST: usize = Base::MOST / 2;

/// The base objects of one chunk, as trees in its arena. Cases of the chunk share the parts that they do not change.
#[derive(Debug)]
pub(super) struct Bases<'c> {
    arena: &'c Arena,
    recorded: Copies<'c>,
    grown: Copies<'c>,
    /// What the last case starts from. `None` if that case has an object of its own.
    pub(super) last: Option<Base<'c>>,
}

/// Trees of objects, by position.
type Copies<'c> = HashMap<usize, Base<'c>>;

impl<'c> Bases<'c> {
    /// None as yet; they are made in `arena`.
    pub(super) fn new(arena: &'c Arena) -> Self {
        Self { arena, recorded: HashMap::new(), grown: HashMap::new(), last: None }
    }

    /// One of the `recorded` objects, which are the same at every call. If it is not kept for others, it is made in `arena`.
    pub(super) fn recorded<'a>(
        &mut self,
        recorded: &'c [Value],
        choices: &mut Choices<'_, '_>,
        arena: &'a Arena,
    ) -> Tree<'a>
    where
        'c: 'a,
    {
        let Self { arena: kept, recorded: copies, last, .. } = self;
        pick((copies, 0), recorded, choices, (kept, arena), last)
    }

    /// Does the same as [`Bases::recorded`] for the `grown` objects.
    pub(super) fn grown<'a>(&mut self, grown: &'c [Value], choices: &mut Choices<'_, '_>, arena: &'a Arena) -> Tree<'a>
    where
        'c: 'a,
    {
        let Self { arena: kept, grown: copies, last, .. } = self;
        pick((copies, MOST), grown, choices, (kept, arena), last)
    }
}

/// One of `objects`. New ones are numbered from `first` on, and kept in the first arena as long as there is room.
fn pick<'c: 'a, 'a>(
    (copies, first): (&mut Copies<'c>, usize),
    objects: &'c [Value],
    choices: &mut Choices<'_, '_>,
    (kept, arena): (&'c Arena, &'a Arena),
    last: &mut Option<Base<'c>>,
) -> Tree<'a> {
    let position = choices.below(objects.len());
    let Some(object) = objects.get(position) else { return Tree::default() };
    let number = first + copies.len();
    if copies.len() >= MOST && !copies.contains_key(&position) {
        return Tree::of(object, arena);
    }
    let base = copies.entry(position).or_insert_with(|| Base { number, object: Tree::of(object, kept) });
    last.insert(base.clone()).object
}
