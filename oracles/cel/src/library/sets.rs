//! Lists as sets.

use super::call::Function;
use crate::value::{List, Outcome, Value, equal};

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "sets.contains" => |call| match call.args {
            [Value::List(list), Value::List(sublist)] => contains(list, sublist).map(Value::Bool),
            _ => call.mismatch(),
        },
        "sets.equivalent" => |call| match call.args {
            [Value::List(a), Value::List(b)] => Ok(Value::Bool(contains(a, b)? && contains(b, a)?)),
            _ => call.mismatch(),
        },
        "sets.intersects" => |call| match call.args {
            [Value::List(a), Value::List(b)] => {
                let b = b.values()?;
                for item in a.iter() {
                    let item = item?;
                    if b.iter().any(|other| equal(&item, other) == Ok(true)) {
                        return Ok(Value::Bool(true));
                    }
                }
                Ok(Value::Bool(false))
            }
            _ => call.mismatch(),
        },
        _ => return None,
    })
}

fn contains(list: &List<'_>, sublist: &List<'_>) -> Outcome<bool> {
    let known = list.values()?;
    for item in sublist.iter() {
        let item = item?;
        if !known.iter().any(|known| equal(known, &item) == Ok(true)) {
            return Ok(false);
        }
    }
    Ok(true)
}
