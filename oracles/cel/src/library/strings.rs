//! Functions of strings, which are counted in code points.

use super::call::{Call, Function};
use crate::value::{Error, List, Outcome, Value};

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "contains" => |call| pair(call, |text, part| text.contains(part)),
        "startsWith" => |call| pair(call, |text, part| text.starts_with(part)),
        "endsWith" => |call| pair(call, |text, part| text.ends_with(part)),
        "charAt" => char_at,
        "indexOf" => index_of,
        "lastIndexOf" => last_index_of,
        "lowerAscii" => |call| text(call, str::to_ascii_lowercase),
        "upperAscii" => |call| text(call, str::to_ascii_uppercase),
        "trim" => |call| text(call, |text| text.trim().to_owned()),
        "strings.quote" => |call| text(call, quote),
        "replace" => replace,
        "split" => split,
        "substring" => substring,
        "join" => join,
        "format" => super::formatting::format,
        _ => return None,
    })
}

fn pair<'a>(call: &Call<'_, 'a>, holds: fn(&str, &str) -> bool) -> Outcome<Value<'a>> {
    match call.args {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(holds(text, part))),
        _ => call.mismatch(),
    }
}

fn text<'a>(call: &Call<'_, 'a>, made: fn(&str) -> String) -> Outcome<Value<'a>> {
    match call.args {
        [Value::String(text)] => Ok(Value::text(made(text))),
        _ => call.mismatch(),
    }
}

fn out_of_range<T>(index: i64) -> Outcome<T> {
    Err(Error::new(format!("index out of range: {index}")))
}

fn char_at<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::String(text), Value::Int(index)] = call.args else { return call.mismatch() };
    let Ok(at) = usize::try_from(*index) else { return out_of_range(*index) };
    match text.chars().nth(at) {
        Some(c) => Ok(Value::text(c.to_string())),
        None if at == text.chars().count() => Ok(Value::text("")),
        None => out_of_range(*index),
    }
}

fn found<'a>(index: Option<usize>) -> Outcome<Value<'a>> {
    Ok(Value::Int(index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1)))
}

fn index_of<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (text, part, offset) = match call.args {
        [Value::String(text), Value::String(part)] => (text, part, 0),
        [Value::String(text), Value::String(part), Value::Int(offset)] => (text, part, *offset),
        _ => return super::lists::index_of(call, false),
    };
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    let Ok(from) = usize::try_from(offset) else { return out_of_range(offset) };
    let Some((start, _)) = text.char_indices().nth(from) else { return found(None) };
    let rest = text.get(start..).unwrap_or_default();
    found(rest.find(&**part).map(|at| from + rest.get(..at).unwrap_or_default().chars().count()))
}

fn last_index_of<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (text, part, offset) = match call.args {
        [Value::String(text), Value::String(part)] => {
            let length = text.chars().count();
            if part.is_empty() {
                return found(Some(length));
            }
            if text.len() < part.len() {
                return found(None);
            }
            (text, part, i64::try_from(length).unwrap_or(i64::MAX) - 1)
        }
        [Value::String(text), Value::String(part), Value::Int(offset)] => (text, part, *offset),
        _ => return super::lists::index_of(call, true),
    };
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    let Ok(from) = usize::try_from(offset) else { return out_of_range(offset) };
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if from >= starts.len() {
        return found(None);
    }
    let last = starts.iter().enumerate().take(from + 1).rev();
    found(last.filter(|(_, at)| text.get(**at..).is_some_and(|rest| rest.starts_with(&**part))).map(|(i, _)| i).next())
}

fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Longest string that a function makes: API servers run out of budget before.
const MAX_TEXT: usize = 16 << 20;

fn replace<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (text, old, new, limit) = match call.args {
        [Value::String(text), Value::String(old), Value::String(new)] => (text, old, new, -1),
        [Value::String(text), Value::String(old), Value::String(new), Value::Int(limit)] => (text, old, new, *limit),
        _ => return call.mismatch(),
    };
    let longest = (text.len() + 1).saturating_mul(new.len().max(1));
    if longest > MAX_TEXT && (text.matches(&**old).count()).saturating_mul(new.len()) > MAX_TEXT {
        return Err(Error::fatal("operation cancelled: a string is too long"));
    }
    let made = match usize::try_from(limit) {
        Ok(limit) => text.replacen(&**old, new, limit),
        Err(_) => text.replace(&**old, new),
    };
    Ok(Value::text(made))
}

fn split<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (text, separator, limit) = match call.args {
        [Value::String(text), Value::String(separator)] => (text, separator, -1),
        [Value::String(text), Value::String(separator), Value::Int(limit)] => (text, separator, *limit),
        _ => return call.mismatch(),
    };
    if limit == 0 {
        return Ok(Value::list(Vec::new()));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let parts: Vec<Value<'a>> = if separator.is_empty() {
        // One for each character; the last takes what is left.
        let mut parts = Vec::new();
        let mut rest: &str = text;
        while !rest.is_empty() {
            let end = rest.chars().next().map_or(0, char::len_utf8);
            let (part, after) = if parts.len() + 1 == limit { (rest, "") } else { rest.split_at(end) };
            parts.push(Value::text(part));
            rest = after;
        }
        parts
    } else {
        text.splitn(limit, &**separator).map(Value::text).collect()
    };
    Ok(Value::list(parts))
}

fn substring<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (text, start, end) = match call.args {
        [Value::String(text), Value::Int(start)] => (text, *start, None),
        [Value::String(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return call.mismatch(),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(Error::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    for index in [Some(start), end].into_iter().flatten() {
        if !(0..=length).contains(&index) {
            return out_of_range(index);
        }
    }
    let place = |index: i64| usize::try_from(index).unwrap_or_default();
    let taken = place(end.unwrap_or(length)) - place(start);
    Ok(Value::text(text.chars().skip(place(start)).take(taken).collect::<String>()))
}

fn join<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (list, separator): (&List<'a>, &str) = match call.args {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, separator),
        _ => return call.mismatch(),
    };
    let mut out = String::new();
    for (at, item) in list.iter().enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        match item {
            Ok(Value::String(text)) => out.push_str(&text),
            Ok(other) => {
                return Err(Error::new(format!("join: invalid input: {}", super::convert::shown(&other))));
            }
            Err(error) => return Err(Error::new(format!("join: invalid input: {error}"))),
        }
        if out.len() > MAX_TEXT {
            return Err(Error::fatal("operation cancelled: a string is too long"));
        }
    }
    Ok(Value::text(out))
}
