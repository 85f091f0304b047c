//! Operations on sets of fields.

use super::set::FieldSet;

impl FieldSet {
    /// The paths of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.extend(other);
        union
    }

    /// Adds the paths of another set.
    pub fn extend(&mut self, other: &Self) {
        for member in &other.members {
            if !self.members.contains(member) {
                self.members.insert(member.clone());
            }
        }
        for (element, child) in &other.children {
            match self.children.get_mut(element) {
                Some(own) => own.extend(child),
                None => drop(self.children.insert(element.clone(), child.clone())),
            }
        }
    }

    /// The paths of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let members = self.members.iter().filter(|member| other.members.contains(*member)).cloned().collect();
        let shared = |(element, child): (&super::Element, &Self)| {
            let shared = child.intersection(other.children.get(element)?);
            (!shared.is_empty()).then(|| (element.clone(), shared))
        };
        Self { members, children: self.children.iter().filter_map(shared).collect() }
    }

    /// The paths that are not in the other set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.without(other, false)
    }

    /// The paths that are neither in the other set nor below a path of it.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        self.without(other, true)
    }

    fn without(&self, other: &Self, with_all_below: bool) -> Self {
        let members = self.members.iter().filter(|member| !other.members.contains(*member)).cloned().collect();
        let left = |(element, child): (&super::Element, &Self)| {
            if with_all_below && other.members.contains(element) {
                return None;
            }
            let Some(taken) = other.children.get(element) else { return Some((element.clone(), child.clone())) };
            let left = child.without(taken, with_all_below);
            (!left.is_empty()).then(|| (element.clone(), left))
        };
        Self { members, children: self.children.iter().filter_map(left).collect() }
    }

    /// The paths with nothing of the set below them.
    #[must_use]
    pub fn leaves(&self) -> Self {
        let members = self.members.iter().filter(|member| !self.children.contains_key(*member)).cloned().collect();
        let children = self.children.iter().map(|(element, child)| (element.clone(), child.leaves())).collect();
        Self { members, children }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, FieldSet, Path};
    use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
    use serde_json::json;

    fn element() -> impl Strategy<Value = Element> {
        prop_oneof![
            "[a-c]".prop_map(Element::Field),
            ("[a-b]", any::<bool>()).prop_map(|(name, value)| Element::keys(vec![(name, json!(value))])),
            (0_i64..3).prop_map(|value| Element::Value(json!(value))),
            Just(Element::Index(0)),
        ]
    }

    fn set() -> impl Strategy<Value = FieldSet> {
        let path = prop::collection::vec(element(), 1..4).prop_map(Path);
        prop::collection::vec(path, 0..12).prop_map(|paths| paths.into_iter().collect())
    }

    proptest! {
        #[test]
        fn operations_agree_with_those_on_lists_of_paths(left in set(), right in set()) {
            let (of_left, of_right) = (left.paths(), right.paths());
            let only = |keep: &dyn Fn(&Path) -> bool| of_left.iter().filter(|path| keep(path)).collect::<FieldSet>();
            assert_eq!(left.union(&right), of_left.iter().chain(&of_right).collect());
            assert_eq!(left.intersection(&right), only(&|path| right.has(&path.0)));
            assert_eq!(left.difference(&right), only(&|path| !right.has(&path.0)));
            let is_covered = |path: &Path| (1..=path.0.len()).any(|length| right.has(&path.0[..length]));
            assert_eq!(left.recursive_difference(&right), only(&|path| !is_covered(path)));
            let is_leaf = |path: &Path| !of_left.iter().any(|other| other != path && other.0.starts_with(&path.0));
            assert_eq!(left.leaves(), only(&is_leaf));
        }

        #[test]
        fn what_is_written_is_read_as_the_same_set(set in set()) {
            let written = set.to_json();
            assert_eq!(FieldSet::from_json(&written), Ok(set.clone()));
            assert_eq!(set.len(), set.paths().len());
            assert!(set.paths().iter().all(|path| set.has(&path.0)));
        }
    }
}
