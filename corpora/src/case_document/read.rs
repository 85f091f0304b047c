//! Reads a case from its document.

use super::loaded::{LoadedCase, StoredVerdict};
use crate::shortened::shortened;
use serde_json::{Map, Value};
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};

const OWN_FIELDS: [&str; 10] = [
    "apiVersion",
    "kind",
    "name",
    "operation",
    "subresource",
    "options",
    "oldObject",
    "object",
    "provenance",
    "verdict",
];

/// Whether an object is a line of recorded verdicts.
pub(crate) fn is_recorded(value: &Value) -> bool {
    value.get("operation").is_some_and(Value::is_string) && value.get("object").is_some_and(Value::is_object)
}

/// A document that a case was written as.
pub(crate) struct CaseDocument {
    pub(crate) provenance: Provenance,
    pub(crate) api_version: String,
    pub(crate) kind: String,
    /// Whether it is of our own kind, and no line of recorded verdicts.
    pub(crate) own: bool,
    /// Whether it stands in a corpus: later programs may have written members that are not known here.
    pub(crate) stored: bool,
}

impl CaseDocument {
    /// The case that stands in `map`.
    ///
    /// # Errors
    /// Returns what is wrong with the document when it is no case.
    pub(crate) fn read(self, mut map: Map<String, Value>) -> Result<LoadedCase, String> {
        if self.own
            && !self.stored
            && let Some(unknown) = map.keys().find(|key| !OWN_FIELDS.contains(&key.as_str()))
        {
            return Err(format!(
                "a case has no field `{}`; its fields are {}",
                shortened(unknown),
                OWN_FIELDS.join(", ")
            ));
        }
        let operation = match map.get("operation").and_then(Value::as_str) {
            Some("create") => Operation::Create,
            Some("update") => Operation::Update,
            Some(other) => return Err(format!("`operation` is `{}`, not `create` or `update`", shortened(other))),
            None => return Err("the case has no `operation`: `create` or `update`".to_owned()),
        };
        let object = object(&mut map, "object")?.ok_or("the case has no `object`")?;
        let old = object_of(operation, object_or_null(&mut map, "oldObject")?)?;
        let (api_version, kind) = if self.own {
            (identity(&object, "apiVersion")?, identity(&object, "kind")?)
        } else {
            (self.api_version, self.kind)
        };
        Ok(LoadedCase {
            name: optional_text(&map, if self.own { "name" } else { "id" })?,
            api_version,
            kind,
            subresource: optional_text(&map, "subresource")?.unwrap_or_default(),
            origin: if self.own { optional_text(&map, "provenance")? } else { None },
            verdict: if self.own { verdict(map.remove("verdict"))? } else { None },
            content: None,
            case: Case {
                operation,
                object: object.into(),
                old: old.map(Payload::from),
                options: options(map.get("options"))?,
                provenance: self.provenance,
            },
        })
    }
}

fn object(map: &mut Map<String, Value>, field: &str) -> Result<Option<Value>, String> {
    match map.remove(field) {
        None => Ok(None),
        Some(value) if value.is_object() => Ok(Some(value)),
        Some(_) => Err(format!("`{field}` is not an object")),
    }
}

fn object_or_null(map: &mut Map<String, Value>, field: &str) -> Result<Option<Value>, String> {
    if map.get(field).is_some_and(Value::is_null) {
        map.remove(field);
    }
    object(map, field)
}

fn object_of(operation: Operation, old: Option<Value>) -> Result<Option<Value>, String> {
    match (operation, old) {
        (Operation::Update, None) => Err("an update has no `oldObject`".to_owned()),
        (Operation::Create, Some(_)) => Err("a create has an `oldObject`".to_owned()),
        (_, old) => Ok(old),
    }
}

fn identity(object: &Value, field: &str) -> Result<String, String> {
    match object.get(field).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("`object` has no text `{field}`")),
    }
}

fn optional_text(map: &Map<String, Value>, field: &str) -> Result<Option<String>, String> {
    match map.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{field}` is not a text")),
    }
}

fn verdict(value: Option<Value>) -> Result<Option<StoredVerdict>, String> {
    let Some(value) = value else { return Ok(None) };
    serde_json::from_value(value).map(Some).map_err(|error| format!("`verdict` is not valid: {error}"))
}

fn options(value: Option<&Value>) -> Result<Options, String> {
    let mut options = Options::new();
    match value {
        None | Some(Value::Null) => {}
        Some(Value::Array(names)) => {
            for name in names {
                let name = name.as_str().ok_or("`options` lists something that is not a name")?;
                options.set(name, true);
            }
        }
        Some(Value::Object(states)) => {
            for (name, state) in states {
                let on = state.as_bool().ok_or_else(|| format!("option `{}` is not a boolean", shortened(name)))?;
                options.set(name, on);
            }
        }
        Some(_) => return Err("`options` is neither a list of names nor a map of names to booleans".to_owned()),
    }
    Ok(options)
}
