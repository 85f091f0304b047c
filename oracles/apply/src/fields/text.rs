//! Sets of fields as `FieldsV1`: an object whose members are `f:` fields, `k:` keys, `v:` values, `i:` indexes, and `.` for the path
//! itself.

use super::element::Element;
use super::set::FieldSet;
use crate::value::go_json;
use serde_json::{Map, Number, Value};
use std::fmt;

/// Why something is no set of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldsError(String);

impl fmt::Display for FieldsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for FieldsError {}

impl FieldSet {
    /// Reads `FieldsV1`. Elements of a kind that is not known are left out, as servers do.
    ///
    /// # Errors
    /// Returns an error when a member is no path element, or not an object.
    pub fn from_json(fields: &Value) -> Result<Self, FieldsError> {
        read(fields).map(|(set, _)| set.unwrap_or_default())
    }

    /// Writes `FieldsV1`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        Value::Object(self.written(false))
    }

    fn written(&self, with_itself: bool) -> Map<String, Value> {
        let mut object = Map::new();
        let is_bare = self.members.is_empty() && self.children.is_empty();
        if with_itself && !is_bare {
            object.insert(".".to_owned(), Value::Object(Map::new()));
        }
        for member in self.members.iter().filter(|member| !self.children.contains_key(*member)) {
            object.insert(member.to_text(), Value::Object(Map::new()));
        }
        for (element, child) in &self.children {
            object.insert(element.to_text(), Value::Object(child.written(self.members.contains(element))));
        }
        object
    }
}

/// The set that an object holds, and whether the path to the object is in the set itself.
fn read(fields: &Value) -> Result<(Option<FieldSet>, bool), FieldsError> {
    let empty = Map::new();
    let object = match fields {
        Value::Object(object) => object,
        Value::Null => &empty,
        other => return Err(FieldsError(format!("fields are no object: {other}"))),
    };
    let (mut set, mut is_member) = (None::<FieldSet>, false);
    for (name, below) in object {
        if name == "." {
            is_member = true;
            continue;
        }
        let Some(element) = Element::from_text(name)? else { continue };
        let (child, child_is_member) = read(below)?;
        if child_is_member {
            set.get_or_insert_default().members.insert(element.clone());
        }
        if let Some(child) = child {
            set.get_or_insert_default().children.insert(element, child);
        }
    }
    is_member |= set.is_none();
    Ok((set, is_member))
}

impl Element {
    /// Reads an element as `FieldsV1` writes it; `None` if its kind is not known.
    ///
    /// # Errors
    /// Returns an error when the kind is missing, or when keys, value or index cannot be read.
    pub fn from_text(text: &str) -> Result<Option<Self>, FieldsError> {
        if text.len() < 2 {
            return Err(FieldsError("key must be 2 characters long:".to_owned()));
        }
        let Some((kind, rest)) = text.split_once(':').filter(|(kind, _)| kind.len() == 1) else {
            return Err(FieldsError(format!("missing colon: {text}")));
        };
        let json = || -> Result<Value, FieldsError> {
            let value = serde_json::from_str(rest).map_err(|error| FieldsError(format!("{text}: {error}")))?;
            Ok(with_floats(value))
        };
        Ok(Some(match kind {
            "f" => Self::field(rest),
            "v" => Self::Value(json()?),
            "k" => match json()? {
                Value::Object(keys) => Self::keys(keys.into_iter().collect()),
                _ => return Err(FieldsError(format!("{text}: keys are no object"))),
            },
            "i" => Self::Index(rest.parse().map_err(|error| FieldsError(format!("{text}: {error}")))?),
            _ => return Ok(None),
        }))
    }

    /// The element as `FieldsV1` writes it.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(keys) => {
                let keys =
                    keys.iter().map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), go_json(value)));
                format!("k:{{{}}}", keys.collect::<Vec<_>>().join(","))
            }
            Self::Value(value) => format!("v:{}", go_json(value)),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

/// A value whose numbers are floats, as servers read them out of keys.
fn with_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            number.as_f64().and_then(Number::from_f64).map_or(Value::Number(number), Value::Number)
        }
        Value::Array(items) => items.into_iter().map(with_floats).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_floats(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, FieldSet, Path};
    use serde_json::json;

    #[test]
    fn a_set_is_written_in_its_order_with_a_dot_for_the_path_itself() {
        let written = json!({
            "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
            "f:spec": {
                "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}}},
                "f:finalizers": {"v:\"a\"": {}},
            },
        });
        let set = FieldSet::from_json(&written).unwrap();
        let paths: Vec<String> = set.paths().iter().map(ToString::to_string).collect();
        assert_eq!(
            paths,
            [
                ".metadata.labels",
                ".metadata.labels.app",
                ".spec.finalizers[=\"a\"]",
                ".spec.ports[port=80,protocol=\"TCP\"]",
                ".spec.ports[port=80,protocol=\"TCP\"].name",
            ]
        );
        assert_eq!(set.to_json(), written);
    }

    #[test]
    fn what_is_no_element_is_refused_and_what_is_unknown_is_left_out() {
        for (text, refused) in [
            ("x", "key must be 2 characters long:"),
            ("ab", "missing colon: ab"),
            ("i:a", "i:a: invalid digit found in string"),
            ("k:1", "k:1: keys are no object"),
        ] {
            assert_eq!(FieldSet::from_json(&json!({text: {}})).unwrap_err().to_string(), refused);
        }
        let known = FieldSet::from_json(&json!({"x:new": {}, "f:a": {}})).unwrap();
        assert_eq!(known, [Path::of_fields(&["a"])].into_iter().collect());
        assert_eq!(FieldSet::from_json(&json!({"f:a": {"x:new": {}}})).unwrap(), known);
        assert!(FieldSet::from_json(&json!({"f:a": 1})).is_err());
    }

    #[test]
    fn a_number_in_a_key_is_the_same_as_an_integer_or_a_float() {
        let read = Element::from_text("v:80").unwrap().unwrap();
        assert_eq!(read, Element::Value(json!(80)));
        assert_eq!(read.to_text(), "v:80");
    }
}
