//! The object of a question as it was sent, for oracles that set defaults: what is null, absent, zero or empty there is so here.

use super::Objects;
use crate::object::{Node, to_value_with_empty};
use crate::path::{Path, pattern};
use crate::schema::{Kind, Schema, TypeId};
use serde_json::Value;

impl Objects<'_> {
    /// The object of the request as JSON, with every null, zero and empty value that was sent, and none that was not; `None` where both
    /// sides judge the decoded object.
    #[must_use]
    pub fn given(&self) -> Option<Value> {
        let sent = self.sent.filter(|sent| sent.nulls.is_some())?;
        self.settled(&self.new, &sent.new.to_value().ok()?)
    }

    /// The stored object in the same form.
    #[must_use]
    pub fn given_old(&self) -> Option<Value> {
        let sent = self.sent.filter(|sent| sent.nulls.is_some())?;
        self.settled(self.old.as_ref()?, &sent.old?.to_value().ok()?)
    }

    fn settled(&self, node: &Node<'_>, sent: &Value) -> Option<Value> {
        let mut printed = to_value_with_empty(self.schema, self.root, node);
        settle(self.schema, self.root, &mut printed, sent);
        Some(printed)
    }

    /// Whether the value that was sent at a place is a null that means the same as absence there.
    pub(crate) fn is_void(&self, given: &Value, path: &Path<'_>) -> bool {
        let nulls = self.sent.and_then(|sent| sent.nulls);
        given.is_null() && nulls.is_some_and(|nulls| !nulls.contains(&pattern(&path.to_field())))
    }
}

/// Turns a printed object back into what was sent. A step of the request may have added and removed other values than null, zero and empty
/// ones.
fn settle(schema: &Schema, ty: TypeId, printed: &mut Value, sent: &Value) {
    let kind = schema.pointed(ty).1;
    match (kind, printed, sent) {
        (Kind::Struct(_) | Kind::Map { .. }, Value::Object(printed), Value::Object(sent)) => {
            // Go prints zero values that nobody sent.
            printed.retain(|name, value| sent.contains_key(name) || !is_zero(value));
            for (name, value) in sent {
                let inner = match kind {
                    Kind::Struct(fields) => fields.member(name).map(|member| member.ty),
                    Kind::Map { value, .. } => Some(*value),
                    _ => None,
                };
                let Some(inner) = inner else { continue };
                match printed.get_mut(name) {
                    Some(printed) => settle(schema, inner, printed, value),
                    None if is_zero(value) && !value.is_object() => _ = printed.insert(name.clone(), value.clone()),
                    None => {}
                }
            }
        }
        (Kind::List(inner), Value::Array(printed), Value::Array(sent)) if printed.len() == sent.len() => {
            printed.iter_mut().zip(sent).for_each(|(printed, sent)| settle(schema, *inner, printed, sent));
        }
        (_, printed, sent) if is_zero(printed) && sent.is_null() => *printed = Value::Null,
        _ => {}
    }
}

/// Whether a value is null, zero or empty, or has nothing else inside.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        // Quantities and durations have a text for it.
        Value::String(text) => matches!(text.as_str(), "" | "0" | "0s"),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_zero),
    }
}
