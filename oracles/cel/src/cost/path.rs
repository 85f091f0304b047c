//! Paths from a variable to a part of its type, which grow as slices do in Go.
//!
//! API servers append to paths that share memory, so that one path may overwrite the last name of another; estimates depend on it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A path; empty where an expression is no part of a variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    names: Rc<RefCell<Vec<Arc<str>>>>,
    len: usize,
    capacity: usize,
}

impl Path {
    /// The path of a variable.
    pub(super) fn variable(name: &str) -> Self {
        Self::default().then(name)
    }

    /// This path and one more name.
    pub(super) fn then(&self, name: &str) -> Self {
        let len = self.len + 1;
        if len <= self.capacity {
            let mut names = self.names.borrow_mut();
            match names.get_mut(self.len) {
                Some(slot) => *slot = Arc::from(name),
                None => names.push(Arc::from(name)),
            }
            drop(names);
            return Self { names: Rc::clone(&self.names), len, capacity: self.capacity };
        }
        let mut names = self.names();
        names.push(Arc::from(name));
        let capacity =
            if self.capacity < 256 { (2 * self.capacity).max(1) } else { self.capacity + self.capacity / 4 + 192 };
        Self { names: Rc::new(RefCell::new(names)), len, capacity }
    }

    /// A path of its own with one more name.
    pub(super) fn copied_then(&self, name: &str) -> Self {
        let mut names = self.names();
        names.push(Arc::from(name));
        let len = names.len();
        Self { names: Rc::new(RefCell::new(names)), len, capacity: len }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The names, from the variable on.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.names.borrow().iter().take(self.len).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_room_is_overwritten_by_its_twin() {
        let base = Path::variable("self").then("a").then("b");
        let first = base.then("@keys");
        let second = base.then("@values");
        assert_eq!(&*first.names()[3], "@values");
        assert_eq!(&*second.names()[3], "@values");
        let full = Path::variable("self").then("a");
        let (first, second) = (full.then("x"), full.then("y"));
        assert_eq!(&*first.names()[2], "x");
        assert_eq!(&*second.names()[2], "y");
    }
}
