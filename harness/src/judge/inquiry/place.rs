//! Places of JSON objects, as the fields of errors name them.

use serde_json::Value;

/// One step to a value in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'f> {
    /// `.name`
    Member(&'f str),
    /// `[0]` or `[key]`
    Within(&'f str),
}

impl Step<'_> {
    fn index(self) -> Option<usize> {
        match self {
            Self::Member(_) => None,
            Self::Within(text) => text.parse().ok(),
        }
    }

    fn key(self) -> Option<String> {
        let (Self::Member(text) | Self::Within(text)) = self;
        Some(text.to_owned())
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

/// One step down; none where there is nothing.
pub(super) fn down<'v>(value: &'v Value, step: Step<'_>) -> Option<&'v Value> {
    match value {
        Value::Array(items) => items.get(step.index()?),
        Value::Object(members) => members.get(step.key()?.as_str()),
        _ => None,
    }
}

/// The value at a place.
pub(super) fn get<'v>(object: &'v Value, place: &[Step<'_>]) -> Option<&'v Value> {
    place.iter().try_fold(object, |value, step| down(value, *step))
}

fn get_mut<'v>(object: &'v mut Value, place: &[Step<'_>]) -> Option<&'v mut Value> {
    place.iter().try_fold(object, |value, step| match value {
        Value::Array(items) => items.get_mut(step.index()?),
        Value::Object(members) => members.get_mut(step.key()?.as_str()),
        _ => None,
    })
}

/// Puts a value at a place whose parent is there, or takes away what is there. Returns whether that changed anything.
pub(super) fn set(object: &mut Value, place: &[Step<'_>], new: Option<Value>) -> bool {
    let Some((last, parents)) = place.split_last() else {
        return new.is_some_and(|new| std::mem::replace(object, new.clone()) != new);
    };
    match (get_mut(object, parents), new) {
        (Some(Value::Array(items)), new) => {
            let Some(index) = last.index().filter(|index| *index <= items.len()) else { return false };
            match (items.get_mut(index), new) {
                (Some(item), Some(new)) => std::mem::replace(item, new.clone()) != new,
                (Some(_), None) => {
                    items.remove(index);
                    true
                }
                (None, Some(new)) => {
                    items.push(new);
                    true
                }
                (None, None) => false,
            }
        }
        (Some(Value::Object(members)), new) => {
            let Some(key) = last.key() else { return false };
            match new {
                Some(new) => members.insert(key, new.clone()) != Some(new),
                None => members.remove(&key).is_some(),
            }
        }
        _ => false,
    }
}

/// Leaves one item of the list at a place. Returns whether there were others.
pub(super) fn leave_one(object: &mut Value, list: &[Step<'_>], item: Step<'_>) -> bool {
    let Some(Value::Array(items)) = get_mut(object, list) else { return false };
    let Some(index) = item.index().filter(|index| *index < items.len() && items.len() > 1) else { return false };
    items.swap(0, index);
    items.truncate(1);
    true
}

/// Leaves one item of the list at a place, behind the one that has most members in common with it. Returns whether there were others.
pub(super) fn leave_two(object: &mut Value, list: &[Step<'_>], item: Step<'_>) -> bool {
    let Some(Value::Array(items)) = get_mut(object, list) else { return false };
    let Some(index) = item.index().filter(|index| *index < items.len() && items.len() > 2) else { return false };
    let item = items.remove(index);
    let common = |other: &Value| match (&item, other) {
        (Value::Object(item), Value::Object(other)) => {
            item.iter().filter(|(name, value)| other.get(*name) == Some(value)).count()
        }
        (item, other) => usize::from(item == other),
    };
    let Some(like) = items.iter().max_by_key(|other| common(other)).cloned() else { return false };
    *items = vec![like, item];
    true
}

#[cfg(test)]
mod tests {
    use super::{Step, get, leave_one, leave_two, set, steps};
    use serde_json::{Value, json};

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
        let object = json!({"a": [1, {"b": 2}]});
        for field in ["a[", "a[9].b", "..", "a[-1]", "a[1].b.c", "[", "]", "a]b"] {
            let place = steps(field);
            let mut copy = object.clone();
            let _ = (get(&object, &place), set(&mut copy, &place, Some(Value::Null)), set(&mut copy, &place, None));
        }
        assert_eq!(get(&object, &steps("a[1].b")), Some(&json!(2)));
    }

    #[test]
    fn values_are_put_and_taken_away() {
        let mut object = json!({"a": [1, 2, 3]});
        assert!(set(&mut object, &steps("a[1]"), None) && object == json!({"a": [1, 3]}));
        assert!(set(&mut object, &steps("a[2]"), Some(json!(4))) && object == json!({"a": [1, 3, 4]}));
        assert!(!set(&mut object, &steps("a[2]"), Some(json!(4))));
        assert!(set(&mut object, &steps("b"), Some(json!({}))) && set(&mut object, &steps("b"), None));
        assert!(leave_one(&mut object, &steps("a"), Step::Within("2")) && object == json!({"a": [4]}));
        assert!(!leave_one(&mut object, &steps("a"), Step::Within("0")));
    }

    #[test]
    fn an_item_stays_behind_the_one_most_like_it() {
        let mut object = json!({"a": [{"n": 1, "k": 1}, {"n": 2, "k": 2}, {"n": 2, "k": 1}, {"n": 2, "k": 2, "z": 0}]});
        let (list, item) = (steps("a"), Step::Within("3"));
        assert!(leave_two(&mut object, &list, item));
        assert_eq!(object, json!({"a": [{"n": 2, "k": 2}, {"n": 2, "k": 2, "z": 0}]}));
        assert!(!leave_two(&mut object, &list, Step::Within("1")), "there are no others");
        assert!(!leave_two(&mut object, &list, Step::Within("key")));
    }
}
