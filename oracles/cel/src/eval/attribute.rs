//! Resolves attributes: variables and what is selected from them.

use super::plan::{Attribute, Qualifier, QualifierKey, Root};
use super::run::Run;
use crate::library::shown;
use crate::value::{Error, Outcome, Value, list::index_of, nativized};

/// Selections that follow those of an attribute.
#[derive(Clone, Copy)]
pub(super) struct Tail<'p, 't> {
    qualifiers: &'p [Qualifier],
    next: Option<&'t Tail<'p, 't>>,
}

impl<'p, 'a> Run<'p, 'a> {
    /// An attribute as a step: selecting or naming costs 1.
    pub(super) fn attribute(&mut self, attribute: &'p Attribute) -> Outcome<Value<'a>> {
        let result = self.resolve(attribute, None);
        if let Err(error) = &result
            && error.is_fatal()
        {
            return result;
        }
        // A test of presence costs nothing, and neither does a condition itself.
        if !attribute.test && !matches!(attribute.root, Root::Conditional { .. }) {
            self.charge(1)?;
        }
        match result? {
            Value::Optional(value) if attribute.test => Ok(Value::Bool(value.is_some())),
            value => Ok(value),
        }
    }

    pub(super) fn resolve(&mut self, attribute: &'p Attribute, tail: Option<&Tail<'p, '_>>) -> Outcome<Value<'a>> {
        let tail = Tail { qualifiers: &attribute.qualifiers, next: tail };
        let value = match &attribute.root {
            Root::Variable(name) => self.variable(name)?,
            Root::Slot(slot) => self.slot(*slot)?,
            Root::Relative(step) => self.step(step)?,
            Root::Conditional { condition, sides } => {
                let [truthy, falsy] = &**sides;
                return match self.step(condition)? {
                    Value::Bool(true) => self.resolve(truthy, Some(&tail)),
                    Value::Bool(false) => self.resolve(falsy, Some(&tail)),
                    _ => Err(Error::no_such_overload()),
                };
            }
        };
        self.select(value, &tail)
    }

    fn select(&mut self, value: Value<'a>, tail: &Tail<'p, '_>) -> Outcome<Value<'a>> {
        let (mut value, mut optional) = match value {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            // What is in it loses its schema.
            Value::Optional(Some(inner)) => (nativized(&inner), true),
            other => (other, false),
        };
        let mut rest = Some(tail);
        while let Some(tail) = rest {
            for (index, qualifier) in tail.qualifiers.iter().enumerate() {
                optional = optional || qualifier.optional;
                value = if optional {
                    match self.select_present(&value, qualifier)? {
                        Some(value) => value,
                        None => return Ok(Value::Optional(None)),
                    }
                } else {
                    match self.select_one(&value, qualifier)? {
                        Ok(value) => value,
                        Err(unreadable) => {
                            let more = index + 1 < tail.qualifiers.len()
                                || std::iter::successors(tail.next, |tail| tail.next)
                                    .any(|tail| !tail.qualifiers.is_empty());
                            // Selecting from it is tried once.
                            self.charge(more.into())?;
                            return Err(unreadable);
                        }
                    }
                };
            }
            rest = tail.next;
        }
        Ok(if optional { Value::some(value) } else { value })
    }

    fn key(&mut self, qualifier: &'p Qualifier) -> Outcome<Value<'a>> {
        match &qualifier.key {
            QualifierKey::Constant(value) => Ok(value.clone()),
            QualifierKey::Attribute(attribute) => self.resolve(attribute, None),
        }
    }

    /// What a qualifier selects; an element of a list may be there and be unreadable.
    fn select_one(&mut self, value: &Value<'a>, qualifier: &'p Qualifier) -> Outcome<Outcome<Value<'a>>> {
        let key = self.key(qualifier);
        let found = match &key {
            // What has no fields has not this one.
            Ok(_) if qualifier.test && !matches!(value, Value::Map(_) | Value::List(_) | Value::Members(_)) => Ok(None),
            Ok(key) => self.selected(value, key),
            Err(error) => Err(error.clone()),
        };
        self.charge(1)?;
        if let (Value::List(_), Ok(key), Err(error)) = (value, &key, &found)
            && index_of(key).is_ok()
        {
            return Ok(Err(error.clone()));
        }
        let found = found?;
        if qualifier.test {
            return Ok(Ok(Value::Bool(found.is_some())));
        }
        found.map(Ok).ok_or_else(|| match (value, key) {
            (Value::List(_), Ok(key)) => Error::new(format!("index out of bounds: {}", shown(&key))),
            (_, Ok(key)) => Error::new(format!("no such key: {}", shown(&key))),
            (_, Err(error)) => error,
        })
    }

    /// What a key selects, if it is there.
    fn selected(&self, value: &Value<'a>, key: &Value<'a>) -> Outcome<Option<Value<'a>>> {
        match (value, key) {
            (Value::Members(_), Value::String(name)) => {
                self.members.and_then(|members| members.member(name)).transpose()
            }
            _ => select(value, key),
        }
    }

    fn select_present(&mut self, value: &Value<'a>, qualifier: &'p Qualifier) -> Outcome<Option<Value<'a>>> {
        let key = self.key(qualifier)?;
        let found = match value {
            Value::List(_) | Value::Map(_) | Value::Members(_) => self.selected(value, &key)?,
            _ => None,
        };
        if found.is_some() {
            self.charge(1)?;
        }
        Ok(if qualifier.test { found.map(|_| Value::Null) } else { found })
    }
}

/// What a key selects of data, if it is there.
fn select<'a>(value: &Value<'a>, key: &Value<'a>) -> Outcome<Option<Value<'a>>> {
    match value {
        Value::Map(map) => map.find(key),
        Value::List(list) => {
            let index = index_of(key)?;
            usize::try_from(index).ok().and_then(|index| list.get(index)).transpose()
        }
        _ => Err(Error::new(format!("no such key: {}", shown(key)))),
    }
}
