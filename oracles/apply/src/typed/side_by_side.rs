//! The members of two objects, side by side.

use serde_json::{Map, Value};

/// Every name that one of the objects has, in order, with its value in each.
pub(super) fn side_by_side<'v>(
    left: Option<&'v Map<String, Value>>,
    right: Option<&'v Map<String, Value>>,
) -> impl Iterator<Item = (&'v String, [Option<&'v Value>; 2])> {
    let mut names: Vec<&String> = left.into_iter().chain(right).flat_map(Map::keys).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(move |name| (name, [left, right].map(|members| members.and_then(|members| members.get(name)))))
}
