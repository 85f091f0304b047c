//! The objects that cases start from.

use super::choices::Choices;
use std::collections::HashMap;
use takeover_harness::object::Tree;

/// Most objects of a sort that are kept: they may be long.
const MOST: usize = 64;

/// Copies of those objects for one chunk, whose cases share what they do not change. Chunks share nothing, or threads would wait for each
/// other to count the holders of a part.
#[derive(Debug, Default)]
pub(super) struct Bases {
    pub(super) recorded: Copies,
    pub(super) grown: Copies,
}

/// Copies of objects, by position.
#[derive(Debug, Default)]
pub(super) struct Copies(HashMap<usize, Tree>);

impl Copies {
    /// A copy of one of `objects`, which are the same at every call.
    pub(super) fn pick(&mut self, objects: &[Tree], choices: &mut Choices<'_, '_>) -> Tree {
        let position = choices.below(objects.len());
        let Some(object) = objects.get(position) else { return Tree::default() };
        match self.0.get(&position) {
            Some(copy) => copy.clone(),
            None if self.0.len() >= MOST => object.apart(),
            None => self.0.entry(position).or_insert(object.apart()).clone(),
        }
    }
}
