//! Regular expressions.

use super::call::{Call, Function};
use super::pattern::Pattern;
use crate::value::{Error, Outcome, Value};
use std::cell::RefCell;

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "matches" => |call| match call.args {
            [Value::String(text), Value::String(pattern)] => {
                with(pattern, |pattern| Value::Bool(pattern.is_match(text)))
            }
            _ => call.mismatch(),
        },
        "find" => |call| match call.args {
            [Value::String(text), Value::String(pattern)] => {
                with(pattern, |pattern| Value::text(pattern.find(text).unwrap_or_default()))
            }
            _ => call.mismatch(),
        },
        "findAll" => find_all,
        _ => return None,
    })
}

fn find_all<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (text, pattern, limit) = match call.args {
        [Value::String(text), Value::String(pattern)] => (text, pattern, -1),
        [Value::String(text), Value::String(pattern), Value::Int(limit)] => (text, pattern, *limit),
        _ => return call.mismatch(),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    with(pattern, |pattern| Value::list(pattern.find_all(text, limit).into_iter().map(Value::text).collect()))
}

thread_local! {
    /// The patterns used last: most rules call with a constant.
    static COMPILED: RefCell<Vec<Pattern>> = const { RefCell::new(Vec::new()) };
}
const KEPT: usize = 32;

fn with<'a>(text: &str, use_it: impl FnOnce(&Pattern) -> Value<'a>) -> Outcome<Value<'a>> {
    COMPILED.with_borrow_mut(|kept| {
        if let Some(pattern) = kept.iter().find(|pattern| pattern.as_str() == text) {
            return Ok(use_it(pattern));
        }
        let pattern = Pattern::new(text).map_err(|error| Error::new(error.go_text()))?;
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(pattern);
        kept.last().map(use_it).ok_or_else(Error::no_such_overload)
    })
}
