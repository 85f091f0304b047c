//! Decoded data as values, by their schema and without one.

use super::data::{Datum, View};
use super::error::{Error, Outcome};
use super::kinds::{Items, List, ListType, Map, Text, Value};
use super::shape::{Format, ListShape, Shape, ShapeKind};
use crate::scalar::time;
use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

impl<'a> Value<'a> {
    /// [`wrap`], as the parts of values see it.
    pub(super) fn wrapped(data: &'a dyn Datum, shape: &'a Shape) -> Outcome<Self> {
        wrap(data, shape)
    }

    /// [`native`], as the parts of values see it.
    pub(super) fn native(data: &'a dyn Datum) -> Self {
        native(data)
    }
}

/// The value of `data` by its schema. Nothing below it is looked at yet.
///
/// # Errors
/// Returns an error where data do not fit the schema.
pub fn wrap<'a>(data: &'a dyn Datum, shape: &'a Shape) -> Outcome<Value<'a>> {
    let view = data.view();
    if view == View::Null {
        return if shape.nullable {
            Ok(Value::Null)
        } else {
            Err(Error::new("invalid data, got null for schema with nullable=false"))
        };
    }
    match (&shape.kind, view) {
        (ShapeKind::IntOrString, View::String(text)) => Ok(Value::String(Text::Borrowed(text))),
        (ShapeKind::IntOrString | ShapeKind::Integer, View::Int(int)) => Ok(Value::Int(int)),
        (ShapeKind::IntOrString, _) => {
            Err(Error::new("invalid data, expected XIntOrString value to be either a string or integer"))
        }
        (ShapeKind::Object(_) | ShapeKind::Map(_) | ShapeKind::Empty, View::Object(len)) => {
            Ok(Value::Map(Map::Typed(data, len, shape)))
        }
        (ShapeKind::Object(_) | ShapeKind::Map(_) | ShapeKind::Empty, _) => {
            Err(Error::new("invalid data, expected a map for the provided schema with type=object"))
        }
        (ShapeKind::List(items, list_type), View::List(len)) => {
            let Some(items) = items else {
                return Err(Error::new("invalid array type, expected Items with a non-empty Schema"));
            };
            let list_type = match list_type {
                ListShape::Atomic => ListType::Atomic,
                ListShape::Set => ListType::Set,
                ListShape::Map(keys) => ListType::Map(keys),
                ListShape::Unknown(name) => {
                    return Err(Error::new(format!(
                        "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got {name}"
                    )));
                }
            };
            Ok(Value::List(List { items: Items::Data(data, len, Some(items)), list_type }))
        }
        (ShapeKind::List(..), _) => {
            Err(Error::new("invalid data, expected an array for the provided schema with type=array"))
        }
        (ShapeKind::String(format), View::String(text)) => string(text, *format),
        (ShapeKind::String(_), other) => Err(misfit("string", other)),
        (ShapeKind::Number, View::Int(int)) => Ok(Value::Double(int as f64)),
        (ShapeKind::Number, View::Float(float)) => Ok(Value::Double(float)),
        (ShapeKind::Number, other) => Err(misfit("float", other)),
        (ShapeKind::Integer, other) => Err(misfit("int", other)),
        (ShapeKind::Bool, View::Bool(value)) => Ok(Value::Bool(value)),
        (ShapeKind::Bool, other) => Err(misfit("bool", other)),
        (ShapeKind::Preserved, _) => Ok(Value::Opaque(data)),
        (ShapeKind::Untyped(name), _) => Err(Error::new(format!(
            "invalid type, expected object, array, number, integer, boolean or string, or no type with \
             x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {name}"
        ))),
    }
}

fn misfit(expected: &str, view: View<'_>) -> Error {
    let got = match view {
        View::Null => "<nil>",
        View::Bool(_) => "bool",
        View::Int(_) => "int64",
        View::Float(_) => "float64",
        View::String(_) => "string",
        View::List(_) => "[]interface {}",
        View::Object(_) => "map[string]interface {}",
    };
    Error::new(format!("invalid data, expected {expected}, got {got}"))
}

fn string(text: &str, format: Format) -> Outcome<Value<'_>> {
    match format {
        Format::Plain => Ok(Value::String(Text::Borrowed(text))),
        Format::Duration => time::kube_duration(text)
            .map(Value::Duration)
            .map_err(|error| Error::new(format!("Invalid duration {text}: {error}"))),
        Format::Date => time::date(text)
            .map(Value::Timestamp)
            .map_err(|error| Error::new(format!("Invalid date formatted string {text}: {error}"))),
        Format::DateTime => time::kube_date_time(text)
            .map(Value::Timestamp)
            .map_err(|error| Error::new(format!("Invalid date-time formatted string {text}: {error}"))),
        Format::Byte => url_base64(text)
            .map(|bytes| Value::Bytes(bytes.into()))
            .map_err(|error| Error::new(format!("Invalid byte formatted string {text}: {error}"))),
    }
}

/// Base64 in the alphabet of URLs, with padding; line breaks are skipped.
fn url_base64(text: &str) -> Result<Vec<u8>, String> {
    let engine = GeneralPurpose::new(
        &base64::alphabet::URL_SAFE,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
    );
    let bare: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    engine.decode(&bare).map_err(|error| {
        let at = match error {
            base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => at,
            _ => bare.len() - bare.len() % 4,
        };
        format!("illegal base64 data at input byte {at}")
    })
}

/// The value of `data` without a schema.
#[must_use]
pub fn native(data: &dyn Datum) -> Value<'_> {
    match data.view() {
        View::Null => Value::Null,
        View::Bool(value) => Value::Bool(value),
        View::Int(int) => Value::Int(int),
        View::Float(float) => Value::Double(float),
        View::String(text) => Value::String(Text::Borrowed(text)),
        View::List(len) => Value::List(List { items: Items::Data(data, len, None), list_type: ListType::Plain }),
        View::Object(len) => Value::Map(Map::Native(data, len)),
    }
}

/// A value without its schema, as it is once it was in an optional value.
#[must_use]
pub fn nativized<'a>(value: &Value<'a>) -> Value<'a> {
    match value {
        Value::Map(Map::Typed(data, len, _)) => Value::Map(Map::Native(*data, *len)),
        Value::List(List { items: Items::Data(data, len, _), .. }) => {
            Value::List(List { items: Items::Data(*data, *len, None), list_type: ListType::Plain })
        }
        Value::Opaque(data) => native(*data),
        other => other.clone(),
    }
}
