//! The items of a long list, which are read one by one.

use super::reader::TextPosition;
use super::tree;
use crate::load::limits::Limits;
use crate::load::unpack::{self, Owner};
use serde_json::Value;

/// A list whose items are being read.
pub(super) struct Items {
    /// Where its document starts.
    pub(super) document: TextPosition,
    /// The text of the document up to the `[` of the items.
    pub(super) head: Vec<u8>,
    /// After that `[`.
    pub(super) head_end: TextPosition,
    pub(super) owner: Owner,
    pub(super) expected: Expected,
}

/// What comes next in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// An item.
    Item,
    /// A comma, or the end.
    Separator,
}

/// Items that were split off their document.
pub(super) struct Split {
    pub(super) items: Items,
    /// What was read after the `[`.
    pub(super) rest: Vec<u8>,
}

impl Items {
    pub(super) fn new(document: TextPosition, head: Vec<u8>, head_end: TextPosition, owner: Owner) -> Self {
        Self { document, head, head_end, owner, expected: Expected::Item }
    }

    /// The owner of items that follow `head` and begin with `first`, if both show that it is a list of objects.
    pub(super) fn owner(head: &[u8], first: &[u8], limits: Limits) -> Option<Owner> {
        let around = [std::str::from_utf8(head).ok()?, "]}"].concat();
        match (tree::parse(&around, limits), tree::parse(std::str::from_utf8(first).ok()?, limits)) {
            (Ok(Value::Object(around)), Ok(Value::Object(first))) => unpack::owner(&around, &first),
            _ => None,
        }
    }
}
