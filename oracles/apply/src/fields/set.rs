//! A set of fields as a tree of path elements.

use super::element::{Element, Path};
use std::collections::{BTreeMap, BTreeSet};

/// A set of paths. A path that is in the set says nothing of those below it, which are in the set or not for themselves.
#[derive(Clone, Debug, Default)]
pub struct FieldSet {
    /// The paths of one element.
    pub(super) members: BTreeSet<Element>,
    /// The longer ones, by their first element.
    pub(super) children: BTreeMap<Element, FieldSet>,
}

impl FieldSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a path; the empty one is no field.
    pub fn insert(&mut self, path: &[Element]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => match self.children.get_mut(first) {
                Some(child) => child.insert(rest),
                None => self.children.entry(first.clone()).or_default().insert(rest),
            },
        }
    }

    /// Adds a path of one element if it `is_field`, and what is below it.
    pub(crate) fn add(&mut self, element: Element, is_field: bool, below: Self) {
        if !below.is_empty() {
            match self.children.get_mut(&element) {
                Some(child) => child.extend(&below),
                None => drop(self.children.insert(element.clone(), below)),
            }
        }
        if is_field {
            self.members.insert(element);
        }
    }

    /// Whether the path is in the set.
    #[must_use]
    pub fn has(&self, path: &[Element]) -> bool {
        match path {
            [] => false,
            [last] => self.members.contains(last),
            [first, rest @ ..] => self.children.get(first).is_some_and(|child| child.has(rest)),
        }
    }

    /// Whether no path is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.values().all(Self::is_empty)
    }

    /// How many paths are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len() + self.children.values().map(Self::len).sum::<usize>()
    }

    /// The paths that begin with `element`, without it; `None` without such paths.
    #[must_use]
    pub fn below(&self, element: &Element) -> Option<&Self> {
        self.children.get(element)
    }

    /// Adds paths that begin with `element`, given without it.
    pub fn extend_below(&mut self, element: &Element, below: &Self) {
        self.children.entry(element.clone()).or_default().extend(below);
    }

    /// The paths of one element.
    pub fn members(&self) -> impl Iterator<Item = &Element> {
        self.members.iter()
    }

    /// The first elements of longer paths, with what is below them.
    pub fn children(&self) -> impl Iterator<Item = (&Element, &Self)> {
        self.children.iter()
    }

    /// Every path: those of one element first, then what is below each.
    #[must_use]
    pub fn paths(&self) -> Vec<Path> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, prefix: &mut Vec<Element>, found: &mut Vec<Path>) {
        for member in &self.members {
            let mut path = prefix.clone();
            path.push(member.clone());
            found.push(Path(path));
        }
        for (element, child) in &self.children {
            prefix.push(element.clone());
            child.collect(prefix, found);
            prefix.pop();
        }
    }
}

impl PartialEq for FieldSet {
    fn eq(&self, other: &Self) -> bool {
        let children = |set: &'_ Self| set.children.values().filter(|child| !child.is_empty()).count();
        self.members == other.members
            && children(self) == children(other)
            && self
                .children
                .iter()
                .filter(|(_, child)| !child.is_empty())
                .all(|(element, child)| other.children.get(element).is_some_and(|other| child == other))
    }
}

impl Eq for FieldSet {}

impl<'p> FromIterator<&'p Path> for FieldSet {
    fn from_iter<I: IntoIterator<Item = &'p Path>>(paths: I) -> Self {
        let mut set = Self::new();
        paths.into_iter().for_each(|path| set.insert(&path.0));
        set
    }
}

impl FromIterator<Path> for FieldSet {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        let mut set = Self::new();
        paths.into_iter().for_each(|path| set.insert(&path.0));
        set
    }
}
