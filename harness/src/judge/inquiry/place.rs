//! Places of JSON objects, as the fields of errors name them.

use crate::object::{Arena, Tree};

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
pub(super) fn down<'o, 'v>(value: &'o Tree<'v>, step: Step<'_>) -> Option<&'o Tree<'v>> {
    match value {
        Tree::Array(items) => items.get(step.index()?),
        Tree::Object(members) => members.get(step.name()),
        _ => None,
    }
}

/// The value at a place.
pub(super) fn get<'o, 'v>(object: &'o Tree<'v>, place: &[Step<'_>]) -> Option<&'o Tree<'v>> {
    place.iter().try_fold(object, |value, step| down(value, *step))
}

/// Puts a value at a place whose parent is there, or takes away what is there. Returns whether that changed anything.
pub(super) fn set<'v>(object: &mut Tree<'v>, place: &[Step<'_>], new: Option<Tree<'v>>, arena: &'v Arena) -> bool {
    get(object, place) != new.as_ref() && put(object, place, new, arena)
}

fn put<'v>(object: &mut Tree<'v>, place: &[Step<'_>], new: Option<Tree<'v>>, arena: &'v Arena) -> bool {
    let Some((step, below)) = place.split_first() else {
        return new.map(|new| *object = new).is_some();
    };
    if !below.is_empty() {
        let put = |value: &mut Tree<'v>| put(value, below, new, arena);
        let changed = match object {
            Tree::Array(_) => step.index().and_then(|index| object.change_item(index, arena, put)),
            _ => object.change(step.name(), arena, put),
        };
        return changed.unwrap_or(false);
    }
    match object {
        Tree::Array(items) => {
            let Some(index) = step.index().filter(|index| *index <= items.len()) else { return false };
            let mut items = Tree::to_change(items, arena);
            match (items.get_mut(index), new) {
                (Some(item), Some(new)) => *item = new,
                (Some(_), None) => _ = items.remove(index),
                (None, Some(new)) => items.push(new),
                (None, None) => return false,
            }
            *object = items.into();
        }
        Tree::Object(members) => {
            let mut members = members.to_change(arena);
            match new {
                Some(new) => members.insert(arena.alloc_str(step.name()), new),
                None => _ = members.remove(step.name()),
            }
            *object = members.into();
        }
        _ => return false,
    }
    true
}

/// Leaves one item of the list at a place. Returns whether there were others.
pub(super) fn leave_one<'v>(object: &mut Tree<'v>, list: &[Step<'_>], item: Step<'_>, arena: &'v Arena) -> bool {
    leave(object, list, item, arena, |items, item| (items.len() > 1).then(|| vec![*item]))
}

/// Leaves one item of the list at a place, behind the one that has most members in common with it. Returns whether there were others.
pub(super) fn leave_two<'v>(object: &mut Tree<'v>, list: &[Step<'_>], item: Step<'_>, arena: &'v Arena) -> bool {
    leave(object, list, item, arena, |items, item| {
        let common = |other: &&Tree<'v>| match (item, *other) {
            (Tree::Object(item), Tree::Object(other)) => {
                item.iter().filter(|(name, value)| other.get(name) == Some(*value)).count()
            }
            (item, other) => usize::from(item == other),
        };
        let others = items.iter().filter(|other| !std::ptr::eq(*other, item));
        let like = others.max_by_key(common).filter(|_| items.len() > 2)?;
        Some(vec![*like, *item])
    })
}

/// Leaves of the list at a place what `left` returns for its items and one of them. Returns whether it returned any.
fn leave<'v>(
    object: &mut Tree<'v>,
    list: &[Step<'_>],
    item: Step<'_>,
    arena: &'v Arena,
    left: impl FnOnce(&'v [Tree<'v>], &'v Tree<'v>) -> Option<Vec<Tree<'v>>>,
) -> bool {
    let items = get(object, list).and_then(Tree::as_array);
    let left = items.and_then(|items| left(items, items.get(item.index()?)?));
    left.is_some_and(|left| put(object, list, Some(Tree::list(left, arena)), arena))
}

#[cfg(test)]
mod tests {
    use super::{Step, get, leave_one, leave_two, set, steps};
    use crate::object::{Arena, Tree};
    use serde_json::json;

    macro_rules! tree {
        ($arena:ident, $($json:tt)+) => { Tree::copy_of(&json!($($json)+), &$arena) };
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
        let arena = Arena::new();
        let object = tree!(arena, {"a": [1, {"b": 2}]});
        for field in ["a[", "a[9].b", "..", "a[-1]", "a[1].b.c", "[", "]", "a]b"] {
            let place = steps(field);
            let mut copy = object;
            let _ = (
                get(&object, &place),
                set(&mut copy, &place, Some(Tree::Null), &arena),
                set(&mut copy, &place, None, &arena),
            );
        }
        assert_eq!(get(&object, &steps("a[1].b")), Some(&tree!(arena, 2)));
    }

    #[test]
    fn values_are_put_and_taken_away() {
        let arena = Arena::new();
        let mut object = tree!(arena, {"a": [1, 2, 3]});
        assert!(set(&mut object, &steps("a[1]"), None, &arena) && object == json!({"a": [1, 3]}));
        assert!(set(&mut object, &steps("a[2]"), Some(tree!(arena, 4)), &arena) && object == json!({"a": [1, 3, 4]}));
        assert!(!set(&mut object, &steps("a[2]"), Some(tree!(arena, 4)), &arena));
        assert!(
            set(&mut object, &steps("b"), Some(tree!(arena, {})), &arena)
                && set(&mut object, &steps("b"), None, &arena)
        );
        assert!(leave_one(&mut object, &steps("a"), Step::Within("2"), &arena) && object == json!({"a": [4]}));
        assert!(!leave_one(&mut object, &steps("a"), Step::Within("0"), &arena));
    }

    #[test]
    fn an_item_stays_behind_the_one_most_like_it() {
        let arena = Arena::new();
        let mut object =
            tree!(arena, {"a": [{"n": 1, "k": 1}, {"n": 2, "k": 2}, {"n": 2, "k": 1}, {"n": 2, "k": 2, "z": 0}]});
        let (list, item) = (steps("a"), Step::Within("3"));
        assert!(leave_two(&mut object, &list, item, &arena));
        assert_eq!(object, json!({"a": [{"n": 2, "k": 2}, {"n": 2, "k": 2, "z": 0}]}));
        assert!(!leave_two(&mut object, &list, Step::Within("1"), &arena), "there are no others");
        assert!(!leave_two(&mut object, &list, Step::Within("key"), &arena));
    }
}
