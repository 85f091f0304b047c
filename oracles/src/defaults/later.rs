//! What a server does with an object after it was defaulted for the first time (KEP-575): it defaults it again after mutating admission,
//! and whenever it reads it from storage.

use super::zero::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_harness::path::Path;
use takeover_harness::schema::{Kind, ListType, Schema, TypeId};

/// What happens to an object before it is defaulted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Mutating admission removes some of what was set, and repeats the first item of each list as it was sent.
    Removed,
    /// It removes the others.
    OthersRemoved,
    /// It sets all that was set to null.
    Nulled,
    /// It was stored before some of the defaults existed, and is read.
    Stored,
}

impl Step {
    pub(super) const OF_ADMISSION: [Self; 3] = [Self::Removed, Self::OthersRemoved, Self::Nulled];

    /// What happens, as the end of a sentence.
    pub(super) fn said(self) -> &'static str {
        match self {
            Self::Removed => "admission removes defaults and adds items",
            Self::OthersRemoved => "admission removes defaults",
            Self::Nulled => "admission sets defaults to null",
            Self::Stored => "it is read and was stored before some defaults existed",
        }
    }
}

/// An object that was changed after it was defaulted, and what it is once it is defaulted again.
pub(super) struct Changed {
    pub(super) object: Value,
    /// `None` if it is the object before the change.
    pub(super) expected: Option<Value>,
}

/// Applies a step to an object, `before` as sent and `after` with its defaults; `None` if nothing changes. Items of sets and maps are
/// repeated if `repeats`: where they may be answered in another order, the same item twice cannot be told apart.
pub(super) fn changed(
    step: Step,
    (before, after): (&Value, &Value),
    (schema, root): (&Schema, TypeId),
    repeats: bool,
) -> Option<Changed> {
    let change = Change { step, schema, repeats };
    let changed = change.value(before, after, Some((root, &[])), &Path::ROOT);
    (changed.object != *after).then_some(changed)
}

struct Change<'s> {
    step: Step,
    schema: &'s Schema,
    repeats: bool,
}

/// A type, and the list types of a value and of the lists inside it, the outermost first.
type Typed<'s> = (TypeId, &'s [ListType]);

impl<'s> Change<'s> {
    fn value(&self, before: &Value, after: &Value, typed: Option<Typed<'_>>, path: &Path<'_>) -> Changed {
        let kind = typed.map(|(ty, _)| self.schema.pointed(ty).1);
        let list_types = typed.map(|(_, list_types)| list_types).unwrap_or_default();
        let inside = list_types.get(1..).unwrap_or_default();
        match (before, after, kind) {
            (Value::Object(old), Value::Object(new), Some(Kind::Struct(fields))) => {
                let owner = typed.and_then(|(ty, _)| self.schema.as_struct(ty)).map(|(owner, _)| owner);
                let lists = |name: &str| owner.map(|owner| self.schema.list_types(owner, name)).unwrap_or_default();
                let of = |name: &str| fields.member(name).map(|member| (member.ty, lists(name)));
                self.members(&|name| old.get(name), new, &of, path)
            }
            (Value::Object(old), Value::Object(new), Some(Kind::Map { value, .. })) => {
                self.entries(old, new, (*value, inside), path)
            }
            (Value::Array(old), Value::Array(new), Some(Kind::List(element))) if old.len() == new.len() => {
                let is_atomic = matches!(list_types.first(), None | Some(ListType::Atomic));
                self.items((old, new), (*element, inside), is_atomic || self.repeats, path)
            }
            _ => Changed { object: after.clone(), expected: None },
        }
    }

    fn members<'v>(
        &self,
        before: &dyn Fn(&str) -> Option<&'v Value>,
        after: &Map<String, Value>,
        type_of: &dyn Fn(&str) -> Option<Typed<'s>>,
        path: &Path<'_>,
    ) -> Changed {
        let mut object = Map::new();
        let mut expected: Option<Map<String, Value>> = None;
        for (name, value) in after {
            let path = path.child(name);
            let old = before(name).filter(|old| !old.is_null() && (*old == value || !is_zero_scalar(old)));
            let changed = match old {
                Some(old) => self.value(old, value, type_of(name), &path),
                None => Changed { object: self.unset(value, &path), expected: None },
            };
            let is_gone = old.is_none() && changed.object.is_null() && self.step != Step::Nulled;
            if !is_gone {
                object.insert(name.clone(), changed.object);
            }
            if let Some(value) = changed.expected {
                expected.get_or_insert_with(|| after.clone()).insert(name.clone(), value);
            }
        }
        Changed { object: Value::Object(object), expected: expected.map(Value::Object) }
    }

    fn entries(
        &self,
        before: &Map<String, Value>,
        after: &Map<String, Value>,
        typed: Typed<'_>,
        path: &Path<'_>,
    ) -> Changed {
        let mut object = Map::new();
        let mut expected: Option<Map<String, Value>> = None;
        for (key, value) in after {
            let path = path.key(key);
            let changed = match before.get(key) {
                Some(old) => self.element(old, value, typed, &path),
                // Null as the value of an entry is a value to Go, so that the key would stay.
                None if self.step == Step::Nulled => Changed { object: value.clone(), expected: None },
                None => match self.unset(value, &path) {
                    Value::Null => continue,
                    value => Changed { object: value, expected: None },
                },
            };
            object.insert(key.clone(), changed.object);
            if let Some(value) = changed.expected {
                expected.get_or_insert_with(|| after.clone()).insert(key.clone(), value);
            }
        }
        Changed { object: Value::Object(object), expected: expected.map(Value::Object) }
    }

    /// The value of an entry or item that was sent. It is not removed, because defaulting does not know that it was there.
    fn element(&self, before: &Value, after: &Value, typed: Typed<'_>, path: &Path<'_>) -> Changed {
        let is_default = before != after && (before.is_null() || is_zero_scalar(before));
        match (is_default, self.step) {
            (true, Step::Nulled) => Changed { object: Value::Null, expected: None },
            (true, _) => Changed { object: after.clone(), expected: None },
            (false, _) => self.value(before, after, Some(typed), path),
        }
    }

    /// What becomes of a value that defaulting set: null stands for none, too.
    fn unset(&self, value: &Value, path: &Path<'_>) -> Value {
        let is_even = path.to_field().bytes().fold(0, u8::wrapping_add) % 2 == 0;
        let stays = match self.step {
            Step::Removed => !is_even,
            Step::OthersRemoved => is_even,
            Step::Nulled | Step::Stored => false,
        };
        if stays { value.clone() } else { Value::Null }
    }

    fn items(
        &self,
        (before, after): (&[Value], &[Value]),
        element: Typed<'_>,
        repeats: bool,
        path: &Path<'_>,
    ) -> Changed {
        let mut objects = Vec::with_capacity(after.len() + 1);
        let mut expected: Option<Vec<Value>> = None;
        for (at, (old, new)) in before.iter().zip(after).enumerate() {
            let changed = self.element(old, new, element, &path.index(at));
            objects.push(changed.object);
            if let Some(value) = changed.expected
                && let Some(place) = expected.get_or_insert_with(|| after.to_vec()).get_mut(at)
            {
                *place = value;
            }
        }
        let is_struct = repeats && matches!(self.schema.pointed(element.0).1, Kind::Struct(_));
        if let (true, Step::Removed, Some(sent), Some(made)) = (is_struct, self.step, before.first(), after.first()) {
            objects.push(sent.clone());
            expected.get_or_insert_with(|| after.to_vec()).push(made.clone());
        }
        Changed { object: Value::Array(objects), expected: expected.map(Value::Array) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, changed};
    use serde_json::{Value, json};
    use takeover_declarative::idl::{Loader, Memory};

    const SOURCE: &str = r#"package v1

// +default="apple"
type Fruit string

type Shop struct {
	Colors map[string]Fruit `json:"colors,omitempty"`
	Names []Fruit `json:"names,omitempty"`
	Sizes map[string]Size `json:"sizes,omitempty"`
}

type Size struct {
	// +default=5
	Max int32 `json:"max,omitempty"`
}
"#;

    #[test]
    fn entries_and_items_that_were_sent_become_null_and_are_not_removed() {
        let idl =
            Loader::new().with(Memory::new().file("example.com/v1", "types.go", SOURCE)).load(["example.com/v1"]).idl;
        let root = idl.schema.lookup("example.com/v1.Shop").unwrap();
        let before =
            json!({"colors": {"a": "", "b": null, "c": "pear"}, "names": ["", null, "pear"], "sizes": {"a": {}}});
        let after = json!({"colors": {"a": "apple", "b": "apple", "c": "pear", "added": "apple"},
            "names": ["apple", "apple", "pear"], "sizes": {"a": {"max": 5}}});
        let all = |pointer: &str| -> Vec<Value> {
            let object = |step| {
                changed(step, (&before, &after), (&idl.schema, root), true)
                    .map_or_else(|| after.clone(), |of| of.object)
            };
            [Step::Removed, Step::OthersRemoved, Step::Nulled]
                .map(|step| object(step).pointer(pointer).cloned().unwrap_or_default())
                .into()
        };
        for (pointer, kept, nulled) in [
            ("/colors/a", json!("apple"), json!(null)),
            ("/colors/b", json!("apple"), json!(null)),
            ("/colors/c", json!("pear"), json!("pear")),
            ("/names", json!(["apple", "apple", "pear"]), json!([null, null, "pear"])),
        ] {
            assert_eq!(all(pointer), [kept.clone(), kept, nulled], "{pointer}");
        }
        // What defaulting added it adds again, and members have their defaults again.
        for (pointer, value) in [("/colors/added", json!("apple")), ("/sizes/a/max", json!(5))] {
            let removed = all(pointer).into_iter().take(2).filter(|of| *of != value).count();
            assert_eq!(removed, 1, "{pointer}");
        }
    }
}
