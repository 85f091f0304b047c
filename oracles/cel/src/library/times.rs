//! Parts of points in time and of spans.

use super::call::{Call, Function};
use crate::scalar::time::{self, Civil, Timestamp};
use crate::value::{Error, Outcome, Value};

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "getFullYear" => |call| part(call, |_, civil| civil.year),
        "getMonth" => |call| part(call, |_, civil| civil.month - 1),
        "getDayOfYear" => |call| part(call, |_, civil| civil.day_of_year),
        "getDayOfMonth" => |call| part(call, |_, civil| civil.day - 1),
        "getDate" => |call| part(call, |_, civil| civil.day),
        "getDayOfWeek" => |call| part(call, |_, civil| civil.day_of_week),
        "getHours" => |call| either(call, |span| span / 3_600_000_000_000, |_, civil| civil.hour),
        "getMinutes" => |call| either(call, |span| span / 60_000_000_000, |_, civil| civil.minute),
        "getSeconds" => |call| either(call, |span| span / 1_000_000_000, |_, civil| civil.second),
        "getMilliseconds" => |call| either(call, |span| span / 1_000_000, |at, _| i64::from(at.nanos) / 1_000_000),
        _ => return None,
    })
}

fn part<'a>(call: &Call<'_, 'a>, of: fn(Timestamp, Civil) -> i64) -> Outcome<Value<'a>> {
    let (at, offset) = match call.args {
        [Value::Timestamp(at)] => (*at, 0),
        [Value::Timestamp(at), Value::String(zone)] => (*at, time::offset(zone, *at).map_err(Error::new)?),
        _ => return call.mismatch(),
    };
    Ok(Value::Int(of(at, at.civil(offset))))
}

fn either<'a>(
    call: &Call<'_, 'a>,
    of_span: fn(i64) -> i64,
    of_time: fn(Timestamp, Civil) -> i64,
) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Duration(span)] => Ok(Value::Int(of_span(*span))),
        _ => part(call, of_time),
    }
}
