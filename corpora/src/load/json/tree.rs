//! From the text of a document to its value, without what serde_json would let pass.

use crate::load::error::{Fault, LoadErrorKind};
use crate::load::limits::Limits;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;
use takeover_harness::object::as_go_reads;

/// Line and column in the text, both from 1, and what is wrong there.
pub(super) type ParseFault = (u64, u64, LoadErrorKind, String);

pub(super) fn parse(text: &str, limits: Limits) -> Result<Value, ParseFault> {
    let context = Context { limits, values: Cell::new(0), kind: Cell::new(LoadErrorKind::Syntax) };
    let text = as_go_reads(text);
    let mut json = serde_json::Deserializer::from_str(&text);
    let parsed = Tree(&context).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    parsed.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let detail = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        (line as u64, column as u64, context.kind.get(), detail.to_owned())
    })
}

struct Context {
    limits: Limits,
    values: Cell<usize>,
    /// What sort of fault the last error of our own is.
    kind: Cell<LoadErrorKind>,
}

impl Context {
    fn fail<E: serde::de::Error>(&self, fault: Fault) -> E {
        self.kind.set(fault.kind);
        E::custom(fault.detail)
    }

    fn count<E: serde::de::Error>(&self) -> Result<(), E> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > self.limits.values {
            return Err(self.fail(Fault::too_many_values(self.limits.values)));
        }
        Ok(())
    }
}

/// Builds a value and refuses what serde_json's own would let pass.
#[derive(Clone, Copy)]
struct Tree<'c>(&'c Context);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        self.0.count()?;
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(self.0.fail(Fault::repeated_key(&key)));
            }
            let value = entries.next_value_seed(self)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
