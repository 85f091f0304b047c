//! Maps and objects.

use super::data::{self, View};
use super::error::{Error, Outcome};
use super::kinds::{Key, Map, PlainMap, Text, Value};
use super::numbers;
use super::shape::ShapeKind;

impl<'a> Key<'a> {
    /// The key that a value makes.
    #[must_use]
    pub fn of(value: &Value<'a>) -> Option<Self> {
        Some(match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Uint(value) => Self::Uint(*value),
            Value::Double(value) => Self::Double(value.to_bits()),
            Value::String(value) => Self::String(value.clone()),
            _ => return None,
        })
    }

    /// The key as a value.
    #[must_use]
    pub fn value(&self) -> Value<'a> {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Double(value) => Value::Double(f64::from_bits(*value)),
            Self::String(value) => Value::String(value.clone()),
        }
    }
}

impl<'a> Map<'a> {
    /// Number of entries, known to the schema or not.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Plain(map) => map.len(),
            Self::Typed(_, len, _) | Self::Native(_, len) => *len,
        }
    }

    /// Whether it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key, if there is one.
    ///
    /// # Errors
    /// Returns an error for keys of another type, and where data do not fit the schema.
    pub fn find(&self, key: &Value<'a>) -> Outcome<Option<Value<'a>>> {
        match self {
            Self::Plain(map) => Ok(find_plain(map, key)),
            Self::Native(data, _) => Ok(key.as_text().and_then(|key| data.member(key)).map(Value::native)),
            Self::Typed(data, _, shape) => {
                let Some(key) = key.as_text() else { return Err(Error::no_such_overload()) };
                match &shape.kind {
                    ShapeKind::Object(properties) => {
                        let Some(name) = crate::names::unescape(key) else { return Ok(None) };
                        let found = data.member(&name).filter(|member| member.view() != View::Null);
                        match (found, properties.get(&*name)) {
                            (Some(member), Some(shape)) => Value::wrapped(member, shape).map(Some),
                            _ => Ok(None),
                        }
                    }
                    ShapeKind::Map(values) => data.member(key).map(|member| Value::wrapped(member, values)).transpose(),
                    _ => Ok(None),
                }
            }
        }
    }

    /// A member by its raw name, without a schema.
    pub(super) fn raw(&self, name: &str) -> Option<Value<'a>> {
        match self {
            Self::Plain(map) => find_plain(map, &Value::text(name)),
            Self::Typed(data, ..) | Self::Native(data, _) => data.member(name).map(Value::native),
        }
    }

    /// Keys, as iteration gives them: those that the schema knows.
    #[must_use]
    pub fn keys(&self) -> Vec<Value<'a>> {
        match self {
            Self::Plain(map) => map.keys().map(Key::value).collect(),
            Self::Native(data, _) => data.members().map(|(name, _)| Value::String(Text::Borrowed(name))).collect(),
            Self::Typed(data, _, shape) => match &shape.kind {
                ShapeKind::Object(properties) => data
                    .members()
                    .filter(|(name, _)| properties.contains_key(*name))
                    .map(|(name, _)| match crate::names::escape(name) {
                        Some(escaped) if escaped != name => Value::text(escaped),
                        _ => Value::String(Text::Borrowed(name)),
                    })
                    .collect(),
                ShapeKind::Map(_) => data.members().map(|(name, _)| Value::String(Text::Borrowed(name))).collect(),
                _ => Vec::new(),
            },
        }
    }

    /// `self == other`
    pub(super) fn equals(&self, other: &Self) -> Outcome<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let Self::Typed(data, _, shape) = self else {
            for key in self.keys() {
                match (self.find(&key)?, other.find(&key)) {
                    (Some(mine), Ok(Some(yours))) if mine.equal(&yours) != Ok(false) => {}
                    _ => return Ok(false),
                }
            }
            return Ok(true);
        };
        for (name, member) in data.members() {
            let known = match &shape.kind {
                ShapeKind::Object(properties) => properties.contains_key(name),
                ShapeKind::Map(_) => true,
                _ => false,
            };
            if known {
                let key = Value::String(Text::Borrowed(name));
                match (self.find(&key)?, other.find(&key)) {
                    (None, Ok(None)) => {}
                    (Some(mine), Ok(Some(yours))) => {
                        if !mine.same_kind_equal(&yours)? {
                            return Ok(false);
                        }
                    }
                    (Some(mine), Err(error)) => return mine.unequal_to(error),
                    (None, Err(error)) => return Err(error),
                    _ => return Ok(false),
                }
            } else {
                let Self::Typed(other, ..) = other else { return Err(Error::no_such_overload()) };
                if other.member(name).is_some_and(|other| !data::same(member, other)) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Keys that are numbers are found by their value, whatever their type.
fn find_plain<'a>(map: &PlainMap<'a>, key: &Value<'a>) -> Option<Value<'a>> {
    let exact = Key::of(key)?;
    if let Some(value) = map.get(&exact) {
        return Some(value.clone());
    }
    let others = match exact {
        Key::Int(int) => [u64::try_from(int).ok().map(Key::Uint), None],
        Key::Uint(uint) => [i64::try_from(uint).ok().map(Key::Int), None],
        Key::Double(bits) => {
            let double = f64::from_bits(bits);
            [numbers::exact_int(double).map(Key::Int), numbers::exact_uint(double).map(Key::Uint)]
        }
        _ => return None,
    };
    others.into_iter().flatten().find_map(|other| map.get(&other).cloned())
}
