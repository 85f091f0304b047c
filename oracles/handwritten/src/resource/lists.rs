//! Limits of lists, and what may not occur twice in them.

use crate::report::{Covered, too_many};
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Whether a list has at most `limit` elements. A longer one is reported, and nobody looks at its elements then.
pub fn within(length: usize, limit: usize, covered: Covered, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    if length <= limit {
        return true;
    }
    let error = too_many(path, length, limit).with_origin("maxItems");
    errors.push(if covered == Covered::Yes { error.covered() } else { error });
    false
}

/// Reports every key that occurred before, at the element that repeats it.
pub fn no_duplicates<K: Ord + Copy>(
    keys: impl Iterator<Item = K>,
    printed: impl Fn(K) -> BadValue,
    covered: Covered,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut seen = BTreeSet::new();
    for (index, key) in keys.enumerate() {
        if !seen.insert(key) {
            let error = FieldError::duplicate(&path.index(index), printed(key));
            errors.push(if covered == Covered::Yes { error.covered() } else { error });
        }
    }
}
