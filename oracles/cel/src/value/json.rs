//! Values as JSON that names their types.

use super::error::Outcome;
use super::kinds::Value;
use super::numbers::go_general;
use crate::scalar::time::go_duration;
use base64::Engine as _;
use serde_json::{Value as Json, json};

/// A value as JSON: `{"type": …, "value": …}`. Numbers are strings, bytes base64, maps lists of entries.
///
/// # Errors
/// Returns an error where a part of the value does not fit its schema.
pub fn to_json(value: &Value<'_>) -> Outcome<Json> {
    let typed = |name: &str, value: Json| Ok(json!({"type": name, "value": value}));
    match value {
        Value::Null => Ok(json!({"type": "null"})),
        Value::Bool(value) => typed("bool", (*value).into()),
        Value::Int(value) => typed("int", value.to_string().into()),
        Value::Uint(value) => typed("uint", value.to_string().into()),
        Value::Double(value) => typed("double", go_general(*value, 6).into()),
        Value::String(text) => typed("string", (&**text).into()),
        Value::Bytes(bytes) => typed("bytes", base64::engine::general_purpose::STANDARD.encode(bytes).into()),
        Value::Timestamp(at) => typed("timestamp", at.to_string().into()),
        Value::Duration(span) => typed("duration", go_duration(*span).into()),
        Value::List(list) => {
            let items = list.iter().map(|item| to_json(&item?)).collect::<Outcome<Vec<_>>>()?;
            typed("list", items.into())
        }
        Value::Map(map) => {
            let mut entries = Vec::with_capacity(map.len());
            for key in map.keys() {
                let Some(value) = map.find(&key)? else { continue };
                entries.push((to_json(&key)?, to_json(&value)?));
            }
            entries.sort_by_cached_key(|(key, _)| key.to_string());
            let entries: Vec<Json> = entries.into_iter().map(|(key, value)| json!({"k": key, "v": value})).collect();
            typed("map", entries.into())
        }
        Value::Type(name) => typed("type", (&**name).into()),
        Value::Optional(Some(value)) => typed("optional", to_json(value)?),
        Value::Optional(None) => Ok(json!({"type": "optional_none"})),
        Value::Ip(address) => typed("ip", address.to_string().into()),
        Value::Cidr(range) => typed("cidr", range.to_string().into()),
        Value::Url(url) => typed("url", url.to_string().into()),
        Value::Quantity(quantity) => typed("quantity", quantity.to_string().into()),
        Value::Semver(version) => typed("semver", version.to_string().into()),
        Value::Format(format) => typed("kubernetes.NamedFormat", format.name.into()),
        Value::Opaque(_) => typed("unknown", Json::Null),
        Value::Access(_) | Value::Members(_) => typed(value.type_name(), Json::Null),
    }
}
