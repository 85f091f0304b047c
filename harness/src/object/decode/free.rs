//! Decoding of keys, and of JSON of no known type.

use super::misfit::Misfit;
use super::place::{MAX_DEPTH, Place, Step};
use crate::object::{Arena, Json};
use bumpalo::collections::Vec as ArenaVec;
use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// An object key, borrowed from the source where it can be.
pub(super) struct Key<'a> {
    pub arena: &'a Arena,
}

impl<'a> DeserializeSeed<'a> for Key<'a> {
    type Value = &'a str;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<&'a str, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key<'a> {
    type Value = &'a str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'a str) -> Result<&'a str, E> {
        Ok(text)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<&'a str, E> {
        Ok(self.arena.alloc_str(text))
    }
}

/// Decodes JSON of no known type.
#[derive(Clone, Copy)]
pub(super) struct Free<'p, 'a> {
    pub place: Place<'p, 'a>,
}

impl<'a> DeserializeSeed<'a> for Free<'_, 'a> {
    type Value = Json<'a>;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<Json<'a>, D::Error> {
        if self.place.depth > MAX_DEPTH {
            return Err(self.place.fault(Misfit::TooDeep, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        source.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Free<'_, 'a> {
    type Value = Json<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Json<'a>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Json<'a>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Json<'a>, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Json<'a>, E> {
        Ok(i64::try_from(value).map_or(Json::Uint(value), Json::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json<'a>, E> {
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'a str) -> Result<Json<'a>, E> {
        Ok(Json::Text(text))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Json<'a>, E> {
        Ok(Json::Text(self.place.faults.arena.alloc_str(text)))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<Json<'a>, A::Error> {
        let mut nodes = ArenaVec::new_in(self.place.faults.arena);
        loop {
            let place = self.place.below(Step::Index(nodes.len()));
            match items.next_element_seed(Free { place })? {
                Some(node) => nodes.push(node),
                None => return Ok(Json::Array(nodes.into_bump_slice())),
            }
        }
    }

    fn visit_map<A: MapAccess<'a>>(self, mut entries: A) -> Result<Json<'a>, A::Error> {
        let mut nodes: ArenaVec<'_, (&'a str, Json<'a>)> = ArenaVec::new_in(self.place.faults.arena);
        while let Some(key) = entries.next_key_seed(Key { arena: self.place.faults.arena })? {
            let place = self.place.below(Step::Key(key));
            let node = entries.next_value_seed(Free { place })?;
            nodes.push((key, node));
        }
        Ok(Json::Object(nodes.into_bump_slice()))
    }
}
