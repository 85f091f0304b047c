//! Places of JSON objects, as the fields of errors name them.

use crate::object::Tree;

/// One step to a value in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'f> {
    /// `.name`
    Member(&'f str),
    /// `[0]` or `[key]`
    Within(&'f str),
}

impl<'f> Step<'f> {
    /// The index of an item.
    fn index(self) -> Option<usize> {
        match self {
            Self::Member(_) => None,
            Self::Within(text) => text.parse().ok(),
        }
    }

    /// The name of a member, or the key of an entry.
    fn name(&self) -> &'f str {
        let (Self::Member(text) | Self::Within(text)) = self;
        text
    }
}

/// The steps from the object to a field; none to the object itself.
pub(super) fn steps(field: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut rest = if field == "<nil>" { "" } else { field };
    while !rest.is_empty() {
        rest = match rest.strip_prefix('[') {
            Some(within) => {
                let end = within.find(']').unwrap_or(within.len());
                let (text, after) = within.split_at(end);
                steps.push(Step::Within(text));
                after.strip_prefix(']').unwrap_or(after)
            }
            None => {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                let (text, after) = name.split_at(end);
                if !text.is_empty() {
                    steps.push(Step::Member(text));
                }
                after
            }
        };
    }
    steps
}

/// The members that a place begins with, up to the first item or entry.
pub(super) fn members<'f>(place: &[Step<'f>]) -> Vec<&'f str> {
    let member = |step: &Step<'f>| if let Step::Member(name) = step { Some(*name) } else { None };
    place.iter().map_while(member).collect()
}

/// The value one step down; none where there is nothing.
pub(super) fn down<'v>(value: &'v Tree, step: Step<'_>) -> Option<&'v Tree> {
    match value {
        Tree::Array(items) => items.get(step.index()?),
        Tree::Object(members) => members.get(step.name()),
        _ => None,
    }
}

/// The value at a place.
pub(super) fn get<'v>(object: &'v Tree, place: &[Step<'_>]) -> Option<&'v Tree> {
    place.iter().try_fold(object, |value, step| down(value, *step))
}

fn get_mut<'v>(object: &'v mut Tree, place: &[Step<'_>]) -> Option<&'v mut Tree> {
    place.iter().try_fold(object, |value, step| match value {
        Tree::Array(_) => value.as_array_mut()?.get_mut(step.index()?),
        _ => value.get_mut(step.name()),
    })
}

/// Puts a value at a place whose parent is there, or takes away what is there. Returns whether that changed anything.
pub(super) fn set(object: &mut Tree, place: &[Step<'_>], new: Option<Tree>) -> bool {
    if get(object, place) == new.as_ref() {
        return false;
    }
    let Some((last, parents)) = place.split_last() else {
        return new.map(|new| *object = new).is_some();
    };
    let Some(parent) = get_mut(object, parents) else { return false };
    if let Some(items) = parent.as_array_mut() {
        let Some(index) = last.index().filter(|index| *index <= items.len()) else { return false };
        match (items.get_mut(index), new) {
            (Some(item), Some(new)) => *item = new,
            (Some(_), None) => _ = items.remove(index),
            (None, Some(new)) => items.push(new),
            (None, None) => return false,
        }
    } else if let Some(members) = parent.as_object_mut() {
        match new {
            Some(new) => members.insert(last.name(), new),
            None => _ = members.remove(last.name()),
        }
    } else {
        return false;
    }
    true
}

/// Leaves one item of the list at a place. Returns whether there were others.
pub(super) fn leave_one(object: &mut Tree, list: &[Step<'_>], item: Step<'_>) -> bool {
    leave(object, list, item, |items, item| (items.len() > 1).then(|| vec![item.clone()]))
}

/// Leaves one item of the list at a place, behind the one that has most members in common with it. Returns whether there were others.
pub(super) fn leave_two(object: &mut Tree, list: &[Step<'_>], item: Step<'_>) -> bool {
    leave(object, list, item, |items, item| {
        let common = |other: &&Tree| match (item, *other) {
            (Tree::Object(item), Tree::Object(other)) => {
                item.iter().filter(|(name, value)| other.get(name) == Some(value)).count()
            }
            (item, other) => usize::from(item == other),
        };
        let others = items.iter().filter(|other| !std::ptr::eq(*other, item));
        let like = others.max_by_key(common).filter(|_| items.len() > 2)?;
        Some(vec![like.clone(), item.clone()])
    })
}

/// Leaves of the list at a place what `left` returns for its items and one of them. Returns whether it returned any.
fn leave(
    object: &mut Tree,
    list: &[Step<'_>],
    item: Step<'_>,
    left: impl FnOnce(&[Tree], &Tree) -> Option<Vec<Tree>>,
) -> bool {
    let items = get(object, list).and_then(Tree::as_array);
    let left = items.and_then(|items| left(items, items.get(item.index()?)?));
    match (left, get_mut(object, list)) {
        (Some(left), Some(list)) => *list = left.into(),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Step, get, leave_one, leave_two, set, steps};
    use crate::object::Tree;
    use serde_json::json;

    macro_rules! tree {
        ($($json:tt)+) => { Tree::from(&json!($($json)+)) };
    }

    #[test]
    fn fields_are_read_step_by_step() {
        let read = steps("spec.list[3].labels[a.b/c]");
        let expected = [
            Step::Member("spec"),
            Step::Member("list"),
            Step::Within("3"),
            Step::Member("labels"),
            Step::Within("a.b/c"),
        ];
        assert_eq!(read, expected);
        assert!(steps("<nil>").is_empty() && steps("").is_empty());
    }

    #[test]
    fn hostile_fields_lead_nowhere() {
        let object = tree!({"a": [1, {"b": 2}]});
        for field in ["a[", "a[9].b", "..", "a[-1]", "a[1].b.c", "[", "]", "a]b"] {
            let place = steps(field);
            let mut copy = object.clone();
            let _ = (get(&object, &place), set(&mut copy, &place, Some(Tree::Null)), set(&mut copy, &place, None));
        }
        assert_eq!(get(&object, &steps("a[1].b")), Some(&tree!(2)));
    }

    #[test]
    fn values_are_put_and_taken_away() {
        let mut object = tree!({"a": [1, 2, 3]});
        assert!(set(&mut object, &steps("a[1]"), None) && object == json!({"a": [1, 3]}));
        assert!(set(&mut object, &steps("a[2]"), Some(tree!(4))) && object == json!({"a": [1, 3, 4]}));
        assert!(!set(&mut object, &steps("a[2]"), Some(tree!(4))));
        assert!(set(&mut object, &steps("b"), Some(tree!({}))) && set(&mut object, &steps("b"), None));
        assert!(leave_one(&mut object, &steps("a"), Step::Within("2")) && object == json!({"a": [4]}));
        assert!(!leave_one(&mut object, &steps("a"), Step::Within("0")));
    }

    #[test]
    fn an_item_stays_behind_the_one_most_like_it() {
        let mut object = tree!({"a": [{"n": 1, "k": 1}, {"n": 2, "k": 2}, {"n": 2, "k": 1}, {"n": 2, "k": 2, "z": 0}]});
        let (list, item) = (steps("a"), Step::Within("3"));
        assert!(leave_two(&mut object, &list, item));
        assert_eq!(object, json!({"a": [{"n": 2, "k": 2}, {"n": 2, "k": 2, "z": 0}]}));
        assert!(!leave_two(&mut object, &list, Step::Within("1")), "there are no others");
        assert!(!leave_two(&mut object, &list, Step::Within("key")));
    }
}
