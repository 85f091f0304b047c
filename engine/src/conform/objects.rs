//! Recorded objects in the form in which ours are compared with them.

use crate::target::Target;
use serde_json::Value;
use takeover_harness::object::{Arena, FieldValidation, Instant, Node, to_value};
use takeover_harness::oracle::OracleFailure;
use takeover_oracles::handwritten::strategy::REQUEST_TIME;

/// How times of the year 10000 begin. An offset can lead to one: it is printed, but it is no time to a reader.
const LATE: &str = "10000-";

/// Stands for a late time while an object is read.
const READABLE: &str = "9999-12-31T23:59:59Z";

/// An object that Kubernetes printed, as we print it after `change`.
///
/// # Errors
/// Returns an error when the object does not decode.
pub(super) fn printed_by_us(
    target: &Target,
    recorded: &Value,
    validation: FieldValidation,
    change: impl for<'a> FnOnce(&'a Target, Node<'a>, &'a Arena) -> Node<'a>,
) -> Result<Value, OracleFailure> {
    let (arena, mut readable) = (Arena::new(), recorded.clone());
    put_texts(&mut readable, recorded, &|_, text| text.starts_with(LATE).then_some(READABLE));
    let node = target
        .decode_with(&readable, validation, &arena)
        .map_err(|refused| OracleFailure::new(format!("cannot decode the recorded object: {refused}")))?;
    let mut printed = to_value(target.schema(), target.root, &change(target, node, &arena));
    let prefix = READABLE.trim_end_matches('Z');
    put_texts(&mut printed, recorded, &|ours, text| {
        (ours.starts_with(prefix) && text.starts_with(LATE)).then_some(text)
    });
    Ok(printed)
}

/// Puts the times of the recorded request in the place of the one that our requests have.
pub(super) fn put_request_times(ours: &mut Value, recorded: &Value) {
    put_texts(ours, recorded, &|ours, text| (ours == REQUEST_TIME && Instant::parse(text).is_some()).then_some(text));
}

/// Puts into the texts of one object what `instead` makes of them and of those at the same places in another.
fn put_texts(into: &mut Value, from: &Value, instead: &dyn for<'a> Fn(&str, &'a str) -> Option<&'a str>) {
    match (into, from) {
        (Value::String(into), Value::String(from)) => {
            if let Some(text) = instead(into, from) {
                text.clone_into(into);
            }
        }
        (Value::Object(into), Value::Object(from)) => {
            for (name, member) in into {
                if let Some(from) = from.get(name) {
                    put_texts(member, from, instead);
                }
            }
        }
        (Value::Array(into), Value::Array(from)) => {
            into.iter_mut().zip(from).for_each(|(into, from)| put_texts(into, from, instead));
        }
        _ => {}
    }
}
