//! JSON trees whose copies share what they have in common: what the generator makes objects of.

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{IntoDeserializer, Visitor};
use serde::{Deserializer, Serialize, Serializer, forward_to_deserialize_any};
use serde_json::{Error, Number, Value};
use std::sync::Arc;

/// A JSON tree. A copy shares lists, objects and texts with its original; a change copies the lists and objects around it, unless
/// nothing else holds them.
#[derive(Clone, Debug, Default)]
pub enum Tree {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(Arc<str>),
    /// An array.
    Array(Arc<Vec<Tree>>),
    /// An object.
    Object(Arc<Members>),
}

/// The members of an object, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Members {
    /// INVARIANT: sorted by name, each name once.
    members: Vec<(Arc<str>, Tree)>,
}

impl Tree {
    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
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
    pub fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The items of an array, to change them.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        match self {
            Self::Array(items) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    /// The members of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members of an object, to change them.
    pub fn as_object_mut(&mut self) -> Option<&mut Members> {
        match self {
            Self::Object(members) => Some(Arc::make_mut(members)),
            _ => None,
        }
    }

    /// The member of an object with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The member of an object with this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        self.as_object_mut()?.get_mut(name)
    }

    /// Whether two trees use the same memory. Null, bools and numbers never do.
    pub(crate) fn is_shared(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::String(one), Self::String(other)) => Arc::ptr_eq(one, other),
            (Self::Array(one), Self::Array(other)) => Arc::ptr_eq(one, other),
            (Self::Object(one), Self::Object(other)) => Arc::ptr_eq(one, other),
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

    /// A copy that shares nothing: threads that change copies of their own do not wait for each other.
    #[must_use]
    pub fn apart(&self) -> Self {
        match self {
            Self::String(text) => Self::String(Arc::from(&**text)),
            Self::Array(items) => items.iter().map(Self::apart).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, member)| (Arc::from(&**name), member.apart())).collect::<Members>().into()
            }
            plain => plain.clone(),
        }
    }

    /// The same as a [`Value`].
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::String(text) => Value::String(text.to_string()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, member)| (name.to_string(), member.to_value())).collect()
            }
        }
    }
}

impl PartialEq for Tree {
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

impl PartialEq<Value> for Tree {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(one), Value::Bool(other)) => one == other,
            (Self::Number(one), Value::Number(other)) => one == other,
            (Self::String(one), Value::String(other)) => **one == **other,
            (Self::Array(one), Value::Array(other)) => **one == **other,
            (Self::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(name, member)| other.get(&**name).is_some_and(|other| member == other))
            }
            _ => false,
        }
    }
}

impl From<&Value> for Tree {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::from(text.as_str()),
            Value::Array(items) => items.iter().map(Self::from).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| (name.as_str().into(), member.into())).collect::<Members>().into()
            }
        }
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Tree {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Members> for Tree {
    fn from(members: Members) -> Self {
        Self::Object(Arc::new(members))
    }
}

impl From<Vec<Tree>> for Tree {
    fn from(items: Vec<Tree>) -> Self {
        Self::Array(Arc::new(items))
    }
}

impl From<Number> for Tree {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

/// A float that JSON cannot hold becomes `null`.
impl From<f64> for Tree {
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

impl FromIterator<Tree> for Tree {
    fn from_iter<I: IntoIterator<Item = Tree>>(items: I) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl Members {
    /// No members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|(known, _)| (**known).cmp(name))
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
    pub fn get(&self, name: &str) -> Option<&Tree> {
        self.members.get(self.find(name).ok()?).map(|(_, member)| member)
    }

    /// The member with this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Tree> {
        let at = self.find(name).ok()?;
        self.members.get_mut(at).map(|(_, member)| member)
    }

    /// The name and the value of the member at this position.
    #[must_use]
    pub fn nth(&self, position: usize) -> Option<(&Arc<str>, &Tree)> {
        self.members.get(position).map(|(name, member)| (name, member))
    }

    /// As [`Members::nth`], to change the value.
    pub fn nth_mut(&mut self, position: usize) -> Option<(&Arc<str>, &mut Tree)> {
        self.members.get_mut(position).map(|(name, member)| (&*name, member))
    }

    /// Sets a member; what was there is dropped.
    pub fn insert(&mut self, name: impl AsRef<str> + Into<Arc<str>>, member: Tree) {
        match self.find(name.as_ref()) {
            Ok(at) => {
                if let Some((_, known)) = self.members.get_mut(at) {
                    *known = member;
                }
            }
            Err(at) => self.members.insert(at, (name.into(), member)),
        }
    }

    /// Takes a member away.
    pub fn remove(&mut self, name: &str) -> Option<Tree> {
        Some(self.members.remove(self.find(name).ok()?).1)
    }

    /// Takes all members away.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Takes away the members whose names do not pass.
    pub fn retain(&mut self, mut stays: impl FnMut(&str, &Tree) -> bool) {
        self.members.retain(|(name, member)| stays(name, member));
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Tree)> {
        self.members.iter().map(|(name, member)| (name, member))
    }

    /// Names and values, by name, with what `other` has of that name.
    pub(crate) fn beside<'m>(
        &'m self,
        other: &'m Self,
    ) -> impl ExactSizeIterator<Item = (&'m Arc<str>, &'m Tree, Option<&'m Tree>)> {
        let mut others = other.members.iter().peekable();
        self.iter().map(move |(name, member)| {
            // A copy shares its names with the original.
            let is_same = |(known, _): &&(Arc<str>, Tree)| Arc::ptr_eq(known, name) || known == name;
            if let Some((_, known)) = others.next_if(is_same) {
                return (name, member, Some(known));
            }
            while others.next_if(|(known, _)| known < name).is_some() {}
            (name, member, others.next_if(is_same).map(|(_, known)| known))
        })
    }

    /// As [`Members::iter`], to change the values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Arc<str>, &mut Tree)> {
        self.members.iter_mut().map(|(name, member)| (&*name, member))
    }
}

impl Extend<(Arc<str>, Tree)> for Members {
    fn extend<I: IntoIterator<Item = (Arc<str>, Tree)>>(&mut self, members: I) {
        members.into_iter().for_each(|(name, member)| self.insert(name, member));
    }
}

impl FromIterator<(Arc<str>, Tree)> for Members {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Tree)>>(members: I) -> Self {
        let members = members.into_iter();
        let mut all = Self { members: Vec::with_capacity(members.size_hint().0) };
        all.extend(members);
        all
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items.iter()),
            Self::Object(members) => serializer.collect_map(members.iter().map(|(name, member)| (&**name, member))),
        }
    }
}

/// Texts are borrowed from the tree.
impl<'a> Deserializer<'a> for &'a Tree {
    type Error = Error;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Number(number) => number.deserialize_any(visitor),
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

impl<'a> IntoDeserializer<'a, Error> for &'a Tree {
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
    use super::{Members, Tree};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn object() -> Value {
        json!({"b": [1, 2.5, "x", null, true, {}], "a": {"z": "", "y": []}, "c": u64::MAX})
    }

    #[test]
    fn a_tree_prints_and_reads_as_the_value_it_was_made_of() {
        let tree = Tree::from(&object());
        assert_eq!(tree.to_value(), object());
        assert_eq!(serde_json::to_string(&tree).unwrap(), object().to_string());
        assert_eq!(<Value as serde::Deserialize>::deserialize(&tree).unwrap(), object());
        assert_eq!(tree.values(), 12);
        assert!(tree == object() && tree != json!({"b": [], "a": {}, "c": u64::MAX}));
    }

    #[test]
    fn a_copy_apart_shares_nothing() {
        fn parts(tree: &Tree, into: &mut Vec<*const u8>) {
            match tree {
                Tree::String(text) => into.push(text.as_ptr()),
                Tree::Array(items) => {
                    into.push(Arc::as_ptr(items).cast());
                    items.iter().for_each(|item| parts(item, into));
                }
                Tree::Object(members) => {
                    into.push(Arc::as_ptr(members).cast());
                    members.iter().for_each(|(name, member)| {
                        into.push(name.as_ptr());
                        parts(member, into);
                    });
                }
                _ => {}
            }
        }
        let tree = Tree::from(&object());
        let copy = tree.apart();
        assert_eq!(copy, tree);
        let [mut one, mut other] = [Vec::new(), Vec::new()];
        parts(&tree, &mut one);
        parts(&copy, &mut other);
        assert!(one.len() == 12 && other.len() == 12 && one.iter().all(|part| !other.contains(part)));
    }

    #[test]
    fn a_change_leaves_copies_alone_and_shares_the_rest() {
        let tree = Tree::from(&object());
        let mut copy = tree.clone();
        copy.get_mut("a").and_then(Tree::as_object_mut).unwrap().insert("x", Tree::Null);
        assert_eq!(tree.to_value(), object());
        assert_eq!(copy.to_value()["a"], json!({"x": null, "y": [], "z": ""}));
        let shares = |name| match (tree.get(name), copy.get(name)) {
            (Some(Tree::Array(one)), Some(Tree::Array(other))) => Arc::ptr_eq(one, other),
            (Some(Tree::Object(one)), Some(Tree::Object(other))) => Arc::ptr_eq(one, other),
            _ => false,
        };
        assert!(shares("b") && !shares("a"));
    }

    #[test]
    fn members_stand_beside_those_of_the_same_name() {
        let members = |names: &str| -> Members {
            names.chars().map(|name| (name.to_string().into(), Tree::from(format!("{name} of {names}")))).collect()
        };
        let one = members("bdf");
        let mut copy = one.clone();
        copy.insert("a", Tree::Null);
        copy.remove("d");
        for other in [members(""), members("abcdefg"), members("ace"), members("bf"), one.clone(), copy] {
            let beside: Vec<_> = one.beside(&other).collect();
            assert_eq!(beside.len(), 3);
            for ((name, member, known), (own, tree)) in beside.into_iter().zip(one.iter()) {
                assert_eq!((name, member, known), (own, tree, other.get(name)), "{other:?}");
            }
        }
    }

    #[test]
    fn members_are_kept_by_name_each_once() {
        let mut members: Members = [("b", "1"), ("a", "2"), ("b", "3")]
            .map(|(name, text)| (name.into(), Tree::from(text)))
            .into_iter()
            .collect();
        assert_eq!(members.get("b"), Some(&Tree::from("3")));
        members.insert("c", Tree::Null);
        members.insert("a", Tree::Bool(true));
        assert_eq!(members.iter().map(|(name, _)| &**name).collect::<String>(), "abc");
        assert_eq!((members.len(), members.get("a")), (3, Some(&Tree::Bool(true))));
        assert_eq!(members.remove("d"), None);
        members.retain(|name, _| name != "a");
        assert!(!members.contains_key("a") && members.remove("c") == Some(Tree::Null) && !members.is_empty());
        members.clear();
        assert!(members.is_empty());
    }
}
