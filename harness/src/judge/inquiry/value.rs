//! What a disputed value is, and how it relates to the stored object.

use super::place::{Step, down, get, members};
use crate::compare::Relation;
use crate::object::{Arena, Tree, to_value_at};
use crate::oracle::Objects;
use crate::schema::{Kind, Schema, TypeId};

/// Most members of an object that its class names.
const MOST_NAMED: usize = 8;

/// Items of a list that are compared with each other.
const MOST_COMPARED: usize = 300;

/// What both sides see at some places of the objects, as JSON, with their types.
pub(super) struct Seen<'s> {
    schema: &'s Schema,
    root: TypeId,
    new: Tree<'s>,
    old: Option<Tree<'s>>,
}

impl<'s> Seen<'s> {
    /// What is at `places`, and of everything around no more than that.
    pub(super) fn of(objects: &Objects<'s>, places: &[Vec<Step<'_>>], arena: &'s Arena) -> Self {
        // An item may be the same as any other of its list: all of them count.
        let members: Vec<Vec<&str>> = places.iter().map(|place| members(place)).collect();
        let members: Vec<&[&str]> = members.iter().map(Vec::as_slice).collect();
        let tree = |node| Tree::copy_of(&to_value_at(objects.schema, objects.root, node, &members), arena);
        Self {
            schema: objects.schema,
            root: objects.root,
            new: tree(&objects.new),
            old: objects.old.as_ref().map(tree),
        }
    }

    /// The sort of the value at a place.
    pub(super) fn class(&self, place: &[Step<'_>]) -> String {
        class(get(&self.new, place))
    }

    /// How the value at a place relates to the stored one. An item of a list is looked for among all stored items, and then at the
    /// same index. In what is no pointer, a value that is unset was there before as well.
    pub(super) fn relation(&self, place: &[Step<'_>]) -> Relation {
        let Some(old) = &self.old else { return Relation::New };
        let (mut new, mut old) = (Some(&self.new), Some(old));
        let (mut ty, mut appeared) = (Some(self.root), false);
        for step in place {
            let item = new.and_then(|new| down(new, *step));
            if let (Step::Within(_), Some(Tree::Array(stored)), Some(_)) = (step, old, item)
                && stored.iter().any(|stored| are_same(Some(stored), item))
            {
                return Relation::Kept;
            }
            let (below, optional) = ty.map_or((None, true), |ty| self.below(ty, *step));
            (new, old, ty) = (item, old.and_then(|old| down(old, *step)), below);
            appeared |= optional && old.is_none() && new.is_some();
        }
        match (is_unset(new), is_unset(old)) {
            (true, true) if appeared => Relation::New,
            (true, true) => Relation::Kept,
            (false, true) => Relation::New,
            _ if are_same(new, old) => Relation::Kept,
            _ => Relation::Changed,
        }
    }

    /// The type of what stands one step down, and whether it can be absent in Go: as a pointer, an item or an entry.
    fn below(&self, ty: TypeId, step: Step<'_>) -> (Option<TypeId>, bool) {
        let pointed = |ty: TypeId| match self.schema.native(ty).1 {
            Kind::Pointer(target) => (self.schema.native(*target).1, true),
            kind => (kind, false),
        };
        match (pointed(ty).0, step) {
            (Kind::Struct(fields), Step::Member(name)) => {
                let member = fields.member(name).map(|member| member.ty);
                (member, member.is_none_or(|ty| pointed(ty).1))
            }
            (Kind::List(item), Step::Within(_)) => (Some(*item), true),
            (Kind::Map { value, .. }, Step::Within(_)) => (Some(*value), true),
            _ => (None, true),
        }
    }
}

/// Whether a value is what Go takes for nothing.
pub(super) fn is_unset(value: Option<&Tree>) -> bool {
    match value {
        None | Some(Tree::Null) => true,
        Some(Tree::String(text)) => text.is_empty(),
        Some(Tree::Array(items)) => items.is_empty(),
        Some(Tree::Object(members)) => members.iter().all(|(_, member)| is_unset(Some(member))),
        Some(_) => false,
    }
}

/// Whether a value is the zero of a number or truth value, which Go cannot tell from an absent one unless it has a pointer.
pub(super) fn is_zero(value: Option<&Tree>) -> bool {
    match value {
        Some(Tree::Number(number)) => number.as_f64() == 0.0,
        Some(Tree::Bool(truth)) => !truth,
        _ => false,
    }
}

/// Whether two values are the same but for members that are there and unset.
fn are_same(one: Option<&Tree>, other: Option<&Tree>) -> bool {
    match (one, other) {
        (Some(Tree::Object(one)), Some(Tree::Object(other))) => {
            one.iter().all(|(name, value)| are_same(Some(value), other.get(name)))
                && other.iter().all(|(name, value)| one.contains_key(name) || is_unset(Some(value)))
        }
        (Some(Tree::Array(one)), Some(Tree::Array(other))) => {
            one.len() == other.len() && one.iter().zip(*other).all(|(one, other)| are_same(Some(one), Some(other)))
        }
        (one, other) => one == other || (is_unset(one) && is_unset(other)),
    }
}

/// The sort of a value: `unset`, `empty`, `negative`, `zero`, `positive`, `text`, `multi-byte text`, `list`, … For an object, the
/// members that are set, as far as they are few.
fn class(value: Option<&Tree>) -> String {
    match value {
        None | Some(Tree::Null) => "unset".to_owned(),
        Some(Tree::Bool(on)) => on.to_string(),
        Some(Tree::Number(number)) => {
            let sign = number.as_f64().partial_cmp(&0.0);
            match sign {
                Some(std::cmp::Ordering::Less) => "negative",
                Some(std::cmp::Ordering::Equal) => "zero",
                _ => "positive",
            }
            .to_owned()
        }
        Some(Tree::String("")) => "empty".to_owned(),
        Some(Tree::String(text)) if text.is_ascii() => "text".to_owned(),
        Some(Tree::String(_)) => "multi-byte text".to_owned(),
        Some(Tree::Array([])) => "empty".to_owned(),
        Some(Tree::Array(items)) => {
            let first = items.get(..MOST_COMPARED).unwrap_or(items);
            let repeats = first.iter().enumerate().any(|(at, item)| first.iter().take(at).any(|other| other == item));
            if repeats { "list with repeated items" } else { "list" }.to_owned()
        }
        Some(Tree::Object(members)) => {
            let mut set: Vec<&str> =
                members.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name).collect();
            set.sort_unstable();
            let names = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if set.is_empty() {
                "empty".to_owned()
            } else if set.len() <= MOST_NAMED && set.iter().all(names) {
                set.join("+")
            } else {
                "object".to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::steps;
    use super::{Seen, class};
    use crate::compare::Relation::{Changed, Kept, New};
    use crate::object::{Arena, Tree, from_value};
    use crate::oracle::Objects;
    use crate::schema::{Field, Kind, Presence, Schema, Struct, TypeId};
    use serde_json::{Value, json};

    /// Types of `{a, b: {c}, l: [{k}], m: {…}, p: *{x}}`.
    fn schema() -> (Schema, TypeId) {
        let mut schema = Schema::new();
        let int = schema.add("int32", Kind::Int { bits: 32, signed: true });
        let text = schema.add("string", Kind::Text);
        let field = |name: &str, ty| Field {
            go_name: name.into(),
            json_name: name.into(),
            ty,
            presence: Presence::Named,
            omit_empty: true,
            default: None,
        };
        let inner = schema.add("B", Kind::Struct(Struct::new(vec![field("c", text)])));
        let item = schema.add("L", Kind::Struct(Struct::new(vec![field("k", int)])));
        let list = schema.add("[]L", Kind::List(item));
        let map = schema.add("map", Kind::Map { key: text, value: int });
        let target = schema.add("P", Kind::Struct(Struct::new(vec![field("x", text)])));
        let pointer = schema.add("*P", Kind::Pointer(target));
        let members = vec![field("a", int), field("b", inner), field("l", list), field("m", map), field("p", pointer)];
        let root = schema.add("Root", Kind::Struct(Struct::new(members)));
        schema.link();
        (schema, root)
    }

    #[test]
    fn a_value_is_new_changed_or_kept() {
        let (schema, root) = schema();
        let new = json!({"a": 1, "b": {"c": "x"}, "l": [{"k": 1}, {"k": 2}], "m": {"x/y": 1}, "p": {}});
        let old = json!({"a": 1, "b": {"c": "y"}, "l": [{"k": 2}, {"k": 3}]});
        let arena = Arena::new();
        let seen = |new: &Value, old: Option<&Value>| Seen {
            schema: &schema,
            root,
            new: Tree::copy_of(new, &arena),
            old: old.map(|old| Tree::copy_of(old, &arena)),
        };
        for (field, expected) in [
            ("a", Kept),
            ("b.c", Changed),
            ("b", Changed),
            ("l[0].k", Changed),
            ("l[1].k", Kept),
            ("m[x/y]", New),
            ("p.x", New),
            ("p.gone", New),
            ("<nil>", Changed),
        ] {
            assert_eq!(seen(&new, Some(&old)).relation(&steps(field)), expected, "{field}");
            assert_eq!(seen(&new, None).relation(&steps(field)), New, "{field}");
        }
        // What is no pointer was there, if only as zero; a pointer that appears brings all that is in it.
        let without = json!({"a": 1});
        assert_eq!(seen(&json!({"b": {"c": ""}}), Some(&without)).relation(&steps("b.c")), Kept);
        assert_eq!(seen(&json!({}), Some(&without)).relation(&steps("p.x")), Kept);
    }

    #[test]
    fn what_is_seen_at_some_places_is_what_is_seen_of_whole_objects() {
        let (mut schema, whole) = schema();
        let field = |name: &str, ty, presence| Field {
            go_name: name.into(),
            json_name: if presence == Presence::Named { name.into() } else { "".into() },
            ty,
            presence,
            omit_empty: false,
            default: None,
        };
        let int = schema.add("int64", Kind::Int { bits: 64, signed: true });
        let inlined = schema.add("I", Kind::Struct(Struct::new(vec![field("i", int, Presence::Named)])));
        let members = vec![field("I", inlined, Presence::Inlined), field("w", whole, Presence::Named)];
        let inner = schema.add("Inner", Kind::Struct(Struct::new(members)));
        let root = schema.add("Outer", Kind::Struct(Struct::new(vec![field("o", inner, Presence::Named)])));
        schema.link();
        let arena = Arena::new();
        let new = json!({"a": 1, "b": {"c": "x"}, "l": [{"k": 1}, {"k": 2}], "m": {"y": 1}, "p": {"x": "z"}});
        let new = json!({"o": {"i": 3, "w": new}});
        let old = json!({"o": {"w": {"l": [{"k": 2}, {"k": 3}], "m": {"y": 1}}}});
        let [new, old] = [&new, &old].map(|value| from_value(&schema, root, value, &arena).unwrap());
        let objects = Objects { schema: &schema, root, new, old: Some(old), sent: None };
        let fields =
            ["a", "b.c", "b", "l[0].k", "l[1].k", "l", "l[1]", "m[y]", "m", "p.x", "p", "gone", "b[c]", "<nil>"];
        let places = fields.map(steps);
        let whole = Seen::of(&objects, &[], &arena);
        let all = Seen::of(&objects, &places, &arena);
        for place in &places {
            let alone = Seen::of(&objects, std::slice::from_ref(place), &arena);
            for seen in [&alone, &all] {
                let told = |seen: &Seen<'_>| (seen.relation(place), seen.class(place));
                assert_eq!(told(seen), told(&whole), "{place:?}");
            }
        }
        let alone = Seen::of(&objects, &[steps("o.i"), steps("o.w.b.c"), steps("o.w.m[y]")], &arena);
        assert!(alone.new == json!({"o": {"i": 3, "w": {"b": {"c": "x"}, "m": {"y": 1}}}}), "{:?}", alone.new);
        assert!(alone.old.unwrap() == json!({"o": {"i": 0, "w": {"m": {"y": 1}}}}));
    }

    #[test]
    fn classes_tell_values_apart_that_checks_do() {
        for (value, expected) in [
            (json!(null), "unset"),
            (json!(""), "empty"),
            (json!([]), "empty"),
            (json!({}), "empty"),
            (json!(-1), "negative"),
            (json!(0), "zero"),
            (json!(0.5), "positive"),
            (json!("a"), "text"),
            (json!("é"), "multi-byte text"),
            (json!([1, 2]), "list"),
            (json!([1, 2, 1]), "list with repeated items"),
            (json!({"version": "1", "bool": true, "int": null}), "bool+version"),
            (json!({"a/b": 1}), "object"),
        ] {
            assert_eq!(class(Some(&Tree::of(&value, &Arena::new()))), expected);
        }
        assert_eq!(class(None), "unset");
    }
}
