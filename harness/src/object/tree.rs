//! JSON trees in an arena, whose copies share what they have in common: what the generator makes objects of.

use super::{Arena, ArenaVec};
use serde::de::value::{BorrowedStrDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{IntoDeserializer, Visitor};
use serde::{Deserializer, Serialize, Serializer, forward_to_deserialize_any};
use serde_json::{Error, Map, Value};

/// A JSON tree in an [`Arena`]. A copy is a reference: a change makes new lists and objects around what changes, and shares the rest.
#[derive(Clone, Copy, Debug, Default)]
pub enum Tree<'a> {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(&'a str),
    /// An array.
    Array(&'a [Tree<'a>]),
    /// An object.
    Object(Members<'a>),
}

/// A number in JSON, as [`serde_json::Number`] tells numbers apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(Digits);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Digits {
    Unsigned(u64),
    Negative(i64),
    Float(f64),
}

/// The members of an object, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Members<'a> {
    /// INVARIANT: sorted by name, each name once.
    members: &'a [(&'a str, Tree<'a>)],
}

/// The members of an object that is being made. [`Tree::from`] makes an object of them.
#[derive(Debug)]
pub struct NewMembers<'a> {
    /// INVARIANT: sorted by name, each name once.
    members: ArenaVec<'a, (&'a str, Tree<'a>)>,
}

impl<'a> Tree<'a> {
    /// `{}`
    pub const EMPTY: Self = Self::Object(Members { members: &[] });

    /// The same as `value`, whose texts it borrows.
    #[must_use]
    pub fn of(value: &'a Value, arena: &'a Arena) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.into()),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::list(items.iter().map(|item| Self::of(item, arena)), arena),
            Value::Object(members) => Self::of_members(members, arena),
        }
    }

    /// The same as an object with these `members`, whose names and texts it borrows.
    #[must_use]
    pub fn of_members(members: &'a Map<String, Value>, arena: &'a Arena) -> Self {
        let mut all = NewMembers::with_capacity(members.len(), arena);
        members.iter().for_each(|(name, member)| all.insert(name, Self::of(member, arena)));
        all.into()
    }

    /// The same as `value`, which it does not borrow from.
    #[must_use]
    pub fn copy_of(value: &Value, arena: &'a Arena) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.into()),
            Value::String(text) => Self::text(text, arena),
            Value::Array(items) => Self::list(items.iter().map(|item| Self::copy_of(item, arena)), arena),
            Value::Object(members) => {
                let mut all = NewMembers::with_capacity(members.len(), arena);
                for (name, member) in members {
                    all.insert(arena.alloc_str(name), Self::copy_of(member, arena));
                }
                all.into()
            }
        }
    }

    /// A copy of a text.
    #[must_use]
    pub fn text(text: &str, arena: &'a Arena) -> Self {
        Self::String(arena.alloc_str(text))
    }

    /// An array of these items.
    pub fn list(items: impl IntoIterator<Item = Self>, arena: &'a Arena) -> Self {
        ArenaVec::from_iter_in(items, arena).into()
    }

    /// A copy of the items of an array, to change it.
    #[must_use]
    pub fn to_change(items: &[Self], arena: &'a Arena) -> ArenaVec<'a, Self> {
        // There is room for one more.
        let mut copy = ArenaVec::with_capacity_in(items.len() + 1, arena);
        copy.extend_from_slice_copy(items);
        copy
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is an integer in the range of `i64`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    /// The items of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&'a [Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<Members<'a>> {
        match self {
            Self::Object(members) => Some(*members),
            _ => None,
        }
    }

    /// The member of an object with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a Self> {
        self.as_object()?.get(name)
    }

    /// Changes the member of an object with this name, and returns what `change` does; none if there is no such member.
    pub fn change<R>(&mut self, name: &str, arena: &'a Arena, change: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let members = self.as_object()?;
        let at = members.find(name).ok()?;
        let mut members = members.to_change(arena);
        let result = members.members.get_mut(at).map(|(_, member)| change(member))?;
        *self = members.into();
        Some(result)
    }

    /// Changes the item of an array at this index, and returns what `change` does; none if there is no such item.
    pub fn change_item<R>(&mut self, index: usize, arena: &'a Arena, change: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let items = self.as_array().filter(|items| index < items.len())?;
        let mut items = Self::to_change(items, arena);
        let result = items.get_mut(index).map(change)?;
        *self = items.into();
        Some(result)
    }

    /// Whether two trees use the same memory. Null, bools and numbers never do.
    pub(crate) fn is_shared(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::String(one), Self::String(other)) => std::ptr::eq(*one, *other),
            (Self::Array(one), Self::Array(other)) => std::ptr::eq(*one, *other),
            (Self::Object(one), Self::Object(other)) => std::ptr::eq(one.members, other.members),
            _ => false,
        }
    }

    /// How many values it has: texts, numbers, lists, maps.
    pub(crate) fn values(&self) -> usize {
        1 + self.values_inside()
    }

    fn values_inside(&self) -> usize {
        let inside = |value: &Self| match value {
            Self::Array(_) | Self::Object(_) => value.values_inside(),
            _ => 0,
        };
        match self {
            Self::Array(items) => items.len() + items.iter().map(inside).sum::<usize>(),
            Self::Object(members) => members.len() + members.iter().map(|(_, member)| inside(member)).sum::<usize>(),
            _ => 0,
        }
    }

    /// The same as a [`Value`].
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => number.to_value(),
            Self::String(text) => Value::String((*text).to_owned()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, member)| (name.to_owned(), member.to_value())).collect()
            }
        }
    }
}

impl PartialEq for Tree<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::String(one), Self::String(other)) => one == other,
            // What two copies share is not looked through.
            (Self::Array(one), Self::Array(two)) => self.is_shared(other) || one == two,
            (Self::Object(one), Self::Object(two)) => self.is_shared(other) || one == two,
            _ => false,
        }
    }
}

impl PartialEq<Value> for Tree<'_> {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(one), Value::Bool(other)) => one == other,
            (Self::Number(one), Value::Number(other)) => *one == Number::from(other),
            (Self::String(one), Value::String(other)) => *one == other,
            (Self::Array(one), Value::Array(other)) => *one == other.as_slice(),
            (Self::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(name, member)| other.get(name).is_some_and(|other| member == other))
            }
            _ => false,
        }
    }
}

impl<'a> From<&'a str> for Tree<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(text)
    }
}

impl<'a> From<NewMembers<'a>> for Tree<'a> {
    fn from(members: NewMembers<'a>) -> Self {
        Self::Object(Members { members: members.members.into_bump_slice() })
    }
}

impl<'a> From<ArenaVec<'a, Tree<'a>>> for Tree<'a> {
    fn from(items: ArenaVec<'a, Tree<'a>>) -> Self {
        Self::Array(items.into_bump_slice())
    }
}

impl From<Number> for Tree<'_> {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

/// A float that JSON cannot hold becomes `null`.
impl From<f64> for Tree<'_> {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(Number(Digits::Float(value))) } else { Self::Null }
    }
}

impl Number {
    /// The number, if it is an integer in the range of `i64`.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Digits::Unsigned(value) => i64::try_from(value).ok(),
            Digits::Negative(value) => Some(value),
            Digits::Float(_) => None,
        }
    }

    /// The number, or the nearest float.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self.0 {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is wanted")]
            Digits::Unsigned(value) => value as f64,
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is wanted")]
            Digits::Negative(value) => value as f64,
            Digits::Float(value) => value,
        }
    }

    fn to_value(self) -> Value {
        match self.0 {
            Digits::Unsigned(value) => value.into(),
            Digits::Negative(value) => value.into(),
            Digits::Float(value) => value.into(),
        }
    }
}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Self {
        Self(match (number.as_u64(), number.as_i64()) {
            (Some(value), _) => Digits::Unsigned(value),
            (None, Some(value)) => Digits::Negative(value),
            // Every other number is a float.
            (None, None) => Digits::Float(number.as_f64().unwrap_or_default()),
        })
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(Digits::Unsigned(value))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(u64::try_from(value).map_or(Digits::Negative(value), Digits::Unsigned))
    }
}

impl<'a> Members<'a> {
    fn find(self, name: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|(known, _)| (*known).cmp(name))
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.members.is_empty()
    }

    /// Whether there is one with this name.
    #[must_use]
    pub fn contains_key(self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// The member with this name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<&'a Tree<'a>> {
        self.members.get(self.find(name).ok()?).map(|(_, member)| member)
    }

    /// The name and the value of the member at this position.
    #[must_use]
    pub fn nth(self, position: usize) -> Option<(&'a str, &'a Tree<'a>)> {
        self.members.get(position).map(|(name, member)| (*name, member))
    }

    /// Names and values, by name.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'a str, &'a Tree<'a>)> {
        self.members.iter().map(|(name, member)| (*name, member))
    }

    /// A copy, to change it.
    #[must_use]
    pub fn to_change(self, arena: &'a Arena) -> NewMembers<'a> {
        // There is room for one more.
        let mut members = ArenaVec::with_capacity_in(self.members.len() + 1, arena);
        members.extend_from_slice_copy(self.members);
        NewMembers { members }
    }

    /// Names and values, by name, with what `other` has of that name.
    pub(crate) fn beside(
        self,
        other: Self,
    ) -> impl ExactSizeIterator<Item = (&'a str, &'a Tree<'a>, Option<&'a Tree<'a>>)> {
        let mut others = other.members.iter().peekable();
        self.iter().map(move |(name, member)| {
            // A copy shares its names with the original.
            let is_same = |(known, _): &&(&'a str, Tree<'a>)| std::ptr::eq(*known, name) || *known == name;
            if let Some((_, known)) = others.next_if(is_same) {
                return (name, member, Some(known));
            }
            while others.next_if(|(known, _)| *known < name).is_some() {}
            (name, member, others.next_if(is_same).map(|(_, known)| known))
        })
    }
}

impl<'a> NewMembers<'a> {
    /// No members.
    #[must_use]
    pub fn new(arena: &'a Arena) -> Self {
        Self { members: ArenaVec::new_in(arena) }
    }

    fn with_capacity(count: usize, arena: &'a Arena) -> Self {
        Self { members: ArenaVec::with_capacity_in(count, arena) }
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        // Most come in order.
        match self.members.last() {
            Some((last, _)) if *last < name => Err(self.members.len()),
            _ => self.members.binary_search_by(|(known, _)| (*known).cmp(name)),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether there is one with this name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// The member with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tree<'a>> {
        self.members.get(self.find(name).ok()?).map(|(_, member)| member)
    }

    /// The member with this name, to change it; one that was not there is made, and `null`. There always is one.
    pub fn slot(&mut self, name: &'a str) -> Option<&mut Tree<'a>> {
        let at = match self.find(name) {
            Ok(at) => at,
            Err(at) => {
                self.members.insert(at, (name, Tree::Null));
                at
            }
        };
        self.members.get_mut(at).map(|(_, member)| member)
    }

    /// The member with this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Tree<'a>> {
        let at = self.find(name).ok()?;
        self.members.get_mut(at).map(|(_, member)| member)
    }

    /// The name and the value of the member at this position.
    #[must_use]
    pub fn nth(&self, position: usize) -> Option<(&'a str, &Tree<'a>)> {
        self.members.get(position).map(|(name, member)| (*name, member))
    }

    /// As [`NewMembers::nth`], to change the value.
    pub fn nth_mut(&mut self, position: usize) -> Option<(&'a str, &mut Tree<'a>)> {
        self.members.get_mut(position).map(|(name, member)| (*name, member))
    }

    /// Sets a member; what was there is gone.
    pub fn insert(&mut self, name: &'a str, member: Tree<'a>) {
        if let Some(known) = self.slot(name) {
            *known = member;
        }
    }

    /// Takes a member away.
    pub fn remove(&mut self, name: &str) -> Option<Tree<'a>> {
        Some(self.members.remove(self.find(name).ok()?).1)
    }

    /// Takes all members away.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Takes away the members whose names do not pass.
    pub fn retain(&mut self, mut stays: impl FnMut(&str, &Tree<'a>) -> bool) {
        self.members.retain(|(name, member)| stays(name, member));
    }
}

impl<'a> Extend<(&'a str, Tree<'a>)> for NewMembers<'a> {
    fn extend<I: IntoIterator<Item = (&'a str, Tree<'a>)>>(&mut self, members: I) {
        let members = members.into_iter();
        self.members.reserve(members.size_hint().0);
        members.for_each(|(name, member)| self.insert(name, member));
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(Number(Digits::Unsigned(value))) => serializer.serialize_u64(*value),
            Self::Number(Number(Digits::Negative(value))) => serializer.serialize_i64(*value),
            Self::Number(Number(Digits::Float(value))) => serializer.serialize_f64(*value),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items.iter()),
            Self::Object(members) => serializer.collect_map(members.iter()),
        }
    }
}

/// Texts are borrowed from the tree.
impl<'a> Deserializer<'a> for &'a Tree<'a> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Number(Number(Digits::Unsigned(value))) => visitor.visit_u64(*value),
            Tree::Number(Number(Digits::Negative(value))) => visitor.visit_i64(*value),
            Tree::Number(Number(Digits::Float(value))) => visitor.visit_f64(*value),
            Tree::String(text) => visitor.visit_borrowed_str(text),
            Tree::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            Tree::Object(members) => {
                let members = members.iter();
                visitor.visit_map(MapDeserializer::new(members.map(|(name, member)| (Name(name), member))))
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier
    }
}

impl<'a> IntoDeserializer<'a, Error> for &'a Tree<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A name that outlives the decoder.
struct Name<'a>(&'a str);

impl<'a> IntoDeserializer<'a, Error> for Name<'a> {
    type Deserializer = BorrowedStrDeserializer<'a, Error>;

    fn into_deserializer(self) -> Self::Deserializer {
        BorrowedStrDeserializer::new(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{NewMembers, Number, Tree};
    use crate::object::Arena;
    use serde_json::{Value, json};

    fn object() -> Value {
        json!({"b": [1, 2.5, "x", null, true, {}], "a": {"z": "", "y": []}, "c": u64::MAX})
    }

    #[test]
    fn numbers_are_told_apart_as_serde_json_does() {
        let numbers =
            [json!(0), json!(1), json!(-1), json!(1.0), json!(-0.0), json!(i64::MIN), json!(u64::MAX), json!(1e300)];
        let arena = Arena::new();
        for (one, other) in numbers.iter().flat_map(|one| numbers.iter().map(move |other| (one, other))) {
            let trees = [one, other].map(|number| Tree::of(number, &arena));
            assert_eq!((trees[0] == trees[1], trees[0] == *other), (one == other, one == other), "{one} {other}");
        }
        for number in &numbers {
            let tree = Tree::of(number, &arena);
            let Tree::Number(own) = tree else { panic!("{tree:?}") };
            assert_eq!((own.as_i64(), Some(own.as_f64())), (number.as_i64(), number.as_f64()));
            assert_eq!(serde_json::to_string(&tree).unwrap(), number.to_string());
            assert_eq!(tree.to_value().to_string(), number.to_string());
            assert_eq!(<Value as serde::Deserialize>::deserialize(&tree).unwrap(), *number);
        }
        assert_eq!(
            [-1, 0, i64::MAX].map(|number| Tree::from(Number::from(number)).as_i64()),
            [-1, 0, i64::MAX].map(Some)
        );
        assert!(Tree::from(Number::from(1_i64)) == Tree::from(Number::from(1_u64)) && Tree::from(f64::NAN).is_null());
    }

    #[test]
    fn a_tree_prints_and_reads_as_the_value_it_was_made_of() {
        let (object, arena) = (object(), Arena::new());
        for tree in [Tree::of(&object, &arena), Tree::copy_of(&object.clone(), &arena)] {
            assert_eq!(tree.to_value(), object);
            assert_eq!(serde_json::to_string(&tree).unwrap(), object.to_string());
            assert_eq!(<Value as serde::Deserialize>::deserialize(&tree).unwrap(), object);
            assert_eq!(tree.values(), 12);
            assert!(tree == object && tree != json!({"b": [], "a": {}, "c": u64::MAX}));
        }
    }

    #[test]
    fn a_change_leaves_copies_alone_and_shares_the_rest() {
        let (object, arena) = (object(), Arena::new());
        let tree = Tree::of(&object, &arena);
        let mut copy = tree;
        let changed = copy.change("a", &arena, |a| {
            let mut members = a.as_object().unwrap().to_change(&arena);
            members.insert("x", Tree::Null);
            *a = members.into();
        });
        assert!(changed.is_some() && copy.change("d", &arena, |_| ()).is_none());
        assert_eq!(tree.to_value(), object);
        assert_eq!(copy.to_value()["a"], json!({"x": null, "y": [], "z": ""}));
        let shares = |name| tree.get(name).unwrap().is_shared(copy.get(name).unwrap());
        assert!(shares("b") && !shares("a"));
        let mut items = *tree.get("b").unwrap();
        assert!(items.change_item(1, &arena, |item| *item = Tree::Null).is_some());
        assert!(items.change_item(6, &arena, |_| ()).is_none());
        assert_eq!(items.to_value(), json!([1, null, "x", null, true, {}]));
        assert_eq!(tree.to_value(), object);
    }

    #[test]
    fn members_stand_beside_those_of_the_same_name() {
        let arena = Arena::new();
        let members = |names: &str| {
            let mut members = NewMembers::new(&arena);
            for name in names.chars().map(|name| &*arena.alloc_str(&name.to_string())) {
                members.insert(name, Tree::text(&format!("{name} of {names}"), &arena));
            }
            Tree::from(members).as_object().unwrap()
        };
        let one = members("bdf");
        let mut copy = one.to_change(&arena);
        copy.insert("a", Tree::Null);
        copy.remove("d");
        let copy = Tree::from(copy).as_object().unwrap();
        for other in [members(""), members("abcdefg"), members("ace"), members("bf"), one, copy] {
            let beside: Vec<_> = one.beside(other).collect();
            assert_eq!(beside.len(), 3);
            for ((name, member, known), (own, tree)) in beside.into_iter().zip(one.iter()) {
                assert_eq!((name, member, known), (own, tree, other.get(name)), "{other:?}");
            }
        }
    }

    #[test]
    fn members_are_kept_by_name_each_once() {
        let arena = Arena::new();
        let mut members = NewMembers::new(&arena);
        members.extend([("b", "1"), ("a", "2"), ("b", "3")].map(|(name, text)| (name, Tree::from(text))));
        assert_eq!(members.get("b"), Some(&Tree::from("3")));
        members.insert("c", Tree::Null);
        members.insert("a", Tree::Bool(true));
        let read = Tree::from(NewMembers { members: members.members.clone() }).as_object().unwrap();
        assert_eq!(read.iter().map(|(name, _)| name).collect::<String>(), "abc");
        assert_eq!((members.len(), members.get("a")), (3, Some(&Tree::Bool(true))));
        assert_eq!(members.remove("d"), None);
        members.retain(|name, _| name != "a");
        assert!(!members.contains_key("a") && members.remove("c") == Some(Tree::Null) && !members.is_empty());
        members.clear();
        assert!(members.is_empty());
        assert_eq!(read.len(), 3);
    }
}
