//! Which of the shapes of a type a value has.

use super::error::Problems;
use crate::schema::{Atom, ListType, MapType, Scalar};
use crate::value::{go_syntax, go_type, go_value};
use serde_json::{Map, Value};

/// A shape of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'s> {
    Map(&'s MapType),
    Scalar(Scalar),
    List(&'s ListType),
    /// The type has none.
    Nothing,
}

impl Shape<'_> {
    fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Atom {
    /// The shape by which a value is treated: its own if the type has it, otherwise the first that the type has.
    pub(super) fn shape(&self, value: Option<&Value>) -> Shape<'_> {
        let own = match value {
            None | Some(Value::Null) => None,
            Some(Value::Object(_)) => self.map.as_ref().map(Shape::Map),
            Some(Value::Array(_)) => self.list.as_ref().map(Shape::List),
            Some(_) => self.scalar.map(Shape::Scalar),
        };
        own.or_else(|| self.map.as_ref().map(Shape::Map))
            .or_else(|| self.scalar.map(Shape::Scalar))
            .or_else(|| self.list.as_ref().map(Shape::List))
            .unwrap_or(Shape::Nothing)
    }

    /// The shapes by which two values are treated together: one, or that of the left and then that of the right.
    pub(super) fn shapes(&self, left: Option<&Value>, right: Option<&Value>) -> (Option<Shape<'_>>, Shape<'_>) {
        let (of_left, of_right) = (self.shape(left), self.shape(right));
        match (left, right) {
            (_, None) => (None, of_left),
            (None, _) => (None, of_right),
            // What is null may be anything, and is no shape of its own where the type has several.
            _ if of_left.is_same(&of_right) => (None, of_right),
            _ => (Some(of_left), of_right),
        }
    }
}

/// The members of a map; `None` if it is null or no map.
pub(super) fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object)
}

/// The items of a list; `None` if it is null or no list.
pub(super) fn items(value: Option<&Value>) -> Option<&[Value]> {
    value.and_then(Value::as_array).map(Vec::as_slice)
}

/// What is wrong with a value that is to be a scalar.
pub(super) fn scalar_problems(scalar: Scalar, value: Option<&Value>, prefix: &str) -> Problems {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Problems::default() };
    let fits = match scalar {
        Scalar::Numeric => value.is_number(),
        Scalar::Text => value.is_string(),
        Scalar::Boolean => value.is_boolean(),
        Scalar::Untyped => !value.is_array() && !value.is_object(),
    };
    if fits {
        return Problems::default();
    }
    let (expected, got) = match scalar {
        Scalar::Numeric => ("numeric (int or float)", go_type(value).to_owned()),
        Scalar::Text => ("string", format!("&value.valueUnstructured{{Value:{}}}", go_syntax(value))),
        Scalar::Boolean => ("boolean", go_wrapped(value)),
        Scalar::Untyped => ("any scalar", go_wrapped(value)),
    };
    Problems::one(format!("{prefix}expected {expected}, got {got}"))
}

/// A value in the wrapper that messages print.
pub(super) fn go_wrapped(value: &Value) -> String {
    format!("&{{{}}}", go_value(value))
}
