//! What goes into the decoder and what comes out of it.

use super::place::{Faults, Place, Step};
use super::typed::Typed;
use super::zero::without_negative_zeros;
use crate::object::{Arena, Node};
use crate::schema::{Schema, TypeId};
use serde::Deserializer;
use serde::de::DeserializeSeed;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

/// An object that is not one of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {detail}")]
pub struct Undecodable {
    /// Path of the field at fault; `<nil>` for the whole object.
    pub field: String,
    /// What sort of fault.
    pub reason: Reason,
    /// Explanation with the value at fault.
    pub detail: String,
}

/// Sorts of undecodable objects, to count them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Reason {
    /// The text is not JSON.
    Syntax,
    /// A field that the type does not have.
    UnknownField,
    /// A field given twice.
    RepeatedField,
    /// A JSON type that does not fit the Go type.
    WrongType,
    /// A number that does not fit the Go type.
    OutOfRange,
    /// A text that is no time, duration, quantity or base64.
    Malformed,
    /// Nested deeper than the decoder goes.
    TooDeep,
    /// `apiVersion` or `kind` of another subject.
    WrongKind,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "not JSON",
            Self::UnknownField => "unknown field",
            Self::RepeatedField => "repeated field",
            Self::WrongType => "wrong type",
            Self::OutOfRange => "number out of range",
            Self::Malformed => "malformed value",
            Self::TooDeep => "nested too deeply",
            Self::WrongKind => "wrong kind",
        })
    }
}

/// What happens to unknown and repeated fields: the request parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FieldValidation {
    /// They make the object undecodable: what `kubectl` asks for.
    #[default]
    Strict,
    /// They are dropped, with a warning each; of a repeated field the last counts. What a server does unless asked otherwise.
    Warn,
}

/// An object, and what was dropped from it.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// The object.
    pub node: Node<'a>,
    /// Unknown and repeated fields that were dropped; none under [`FieldValidation::Strict`].
    pub dropped: Vec<Undecodable>,
}

/// Decodes JSON text as a value of type `root`, strictly.
///
/// # Errors
/// When the text is not JSON or not a value of the type; the first fault is reported.
pub fn from_bytes<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a [u8],
    arena: &'a Arena,
) -> Result<Node<'a>, Undecodable> {
    from_bytes_with(schema, root, text, FieldValidation::Strict, arena).map(|decoded| decoded.node)
}

/// Decodes JSON text as a value of type `root`.
///
/// # Errors
/// When the text is not JSON or not a value of the type; the first fault is reported.
pub fn from_bytes_with<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a [u8],
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    let text = std::str::from_utf8(text).map_err(|error| Undecodable {
        field: "<nil>".to_owned(),
        reason: Reason::Syntax,
        detail: format!("invalid UTF-8 after byte {}", error.valid_up_to()),
    })?;
    let decoded = decode_text(schema, root, text, validation, arena);
    match decoded.is_err().then(|| without_negative_zeros(text)) {
        // An integer `-0` was refused as if it were a float.
        Some(Cow::Owned(text)) => decode_text(schema, root, arena.alloc_str(&text), validation, arena),
        _ => decoded,
    }
}

fn decode_text<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a str,
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    let mut json = serde_json::Deserializer::from_str(text);
    let decoded = decode(schema, root, validation, arena, &mut json)?;
    json.end().map_err(|error| Undecodable {
        field: "<nil>".to_owned(),
        reason: Reason::Syntax,
        detail: error.to_string(),
    })?;
    Ok(decoded)
}

/// Decodes a JSON tree as a value of type `root`, strictly. Texts are borrowed from the tree.
///
/// # Errors
/// When the tree is not a value of the type; the first fault is reported.
pub fn from_value<'a>(
    schema: &'a Schema,
    root: TypeId,
    value: &'a Value,
    arena: &'a Arena,
) -> Result<Node<'a>, Undecodable> {
    from_value_with(schema, root, value, FieldValidation::Strict, arena).map(|decoded| decoded.node)
}

/// Decodes a JSON tree as a value of type `root`. Texts are borrowed from the tree.
///
/// # Errors
/// When the tree is not a value of the type; the first fault is reported.
pub fn from_value_with<'a>(
    schema: &'a Schema,
    root: TypeId,
    value: &'a Value,
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    decode(schema, root, validation, arena, value)
}

fn decode<'a, D: Deserializer<'a>>(
    schema: &'a Schema,
    root: TypeId,
    validation: FieldValidation,
    arena: &'a Arena,
    source: D,
) -> Result<Decoded<'a>, Undecodable>
where
    D::Error: fmt::Display,
{
    let faults = Faults { validation, first: RefCell::new(None), dropped: RefCell::new(Vec::new()), arena };
    let place = Place { schema, faults: &faults, parent: None, step: Step::Root, depth: 0 };
    match (Typed { place, ty: root, pointer: false }).deserialize(source) {
        Ok(node) => Ok(Decoded { node, dropped: faults.dropped.into_inner() }),
        Err(error) => Err(faults.first.into_inner().unwrap_or_else(|| Undecodable {
            field: "<nil>".to_owned(),
            reason: if error.to_string().starts_with("recursion limit") { Reason::TooDeep } else { Reason::Syntax },
            detail: error.to_string(),
        })),
    }
}
