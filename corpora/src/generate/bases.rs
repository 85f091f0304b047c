//! The objects that cases start from.

use super::choices::Choices;
use std::cell::RefCell;
use std::collections::HashMap;
use takeover_harness::object::Tree;

/// Copies of those objects for the cases of one chunk. These share what they do not change, and nothing with the cases of other chunks:
/// threads that count who shares a part would wait for each other.
#[derive(Debug, Default)]
pub(super) struct Bases {
    /// By position among the recorded objects.
    pub(super) recorded: Copies,
    /// By position among the grown ones.
    pub(super) grown: Copies,
}

/// Copies of objects, by position.
#[derive(Debug, Default)]
pub(super) struct Copies(RefCell<HashMap<usize, Tree>>);

impl Copies {
    /// A copy of one of `objects`, which are the same at every call.
    pub(super) fn pick(&self, objects: &[Tree], choices: &mut Choices<'_, '_>) -> Tree {
        let position = choices.below(objects.len());
        let Some(object) = objects.get(position) else { return Tree::default() };
        self.0.borrow_mut().entry(position).or_insert_with(|| object.apart()).clone()
    }
}
