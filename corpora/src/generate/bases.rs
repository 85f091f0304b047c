//! The objects that cases start from.

use super::choices::Choices;
use std::collections::HashMap;
use takeover_harness::object::Tree;

/// The most copies that are kept of each sort, because objects may be large.
const MOST: usize = 64;

/// Copies of the base objects for one chunk. Cases of the chunk share the parts that they do not change. Chunks share nothing, so that
/// threads do not compete for the same reference counts.
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
