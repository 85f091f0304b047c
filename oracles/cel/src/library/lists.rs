//! Functions of lists.

use super::call::{Call, Function};
use super::standard::plus;
use crate::value::{Error, List, Outcome, Value, compare, equal};
use std::cmp::Ordering;

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "isSorted" => is_sorted,
        "sum" => sum,
        "min" => |call| extreme(call, "min", Ordering::Greater),
        "max" => |call| extreme(call, "max", Ordering::Less),
        "slice" => slice,
        "flatten" => flatten,
        "lists.range" => range,
        "distinct" => distinct,
        "reverse" => |call| {
            let mut values = list(call)?.values()?;
            values.reverse();
            Ok(Value::list(values))
        },
        "sort" => |call| {
            let list = list(call)?;
            sorted(list, list)
        },
        "@sortByAssociatedKeys" => |call| match call.args {
            [Value::List(list), Value::List(keys)] => sorted(list, keys),
            _ => call.mismatch(),
        },
        _ => return None,
    })
}

fn list<'c, 'a>(call: &Call<'c, 'a>) -> Outcome<&'c List<'a>> {
    match call.args {
        [Value::List(list)] => Ok(list),
        _ => call.mismatch(),
    }
}

fn comparable(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Bool(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
    )
}

fn is_sorted<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let mut former: Option<Value<'a>> = None;
    for item in list(call)?.iter() {
        let item = item?;
        if !comparable(&item) {
            return Err(Error::no_such_overload());
        }
        if former.is_some_and(|former| compare(&former, &item) == Ok(Ordering::Greater)) {
            return Ok(Value::Bool(false));
        }
        former = Some(item);
    }
    Ok(Value::Bool(true))
}

fn sum<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let list = list(call)?;
    let mut items = list.iter();
    let Some(first) = items.next() else {
        return match call.overload {
            Some(overload) if overload.contains("uint") => Ok(Value::Uint(0)),
            Some(overload) if overload.contains("double") => Ok(Value::Double(0.0)),
            Some(overload) if overload.contains("duration") => Ok(Value::Duration(0)),
            _ => Ok(Value::Int(0)),
        };
    };
    let mut total = first?;
    if !matches!(total, Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Duration(_)) {
        return Err(Error::no_such_overload());
    }
    for item in items {
        total = plus(&total, &item?)?;
    }
    Ok(total)
}

fn extreme<'a>(call: &Call<'_, 'a>, name: &str, replaced: Ordering) -> Outcome<Value<'a>> {
    let mut best: Option<Value<'a>> = None;
    for item in list(call)?.iter() {
        let item = item?;
        if !comparable(&item) {
            return Err(Error::no_such_overload());
        }
        if best.as_ref().is_none_or(|best| compare(best, &item) == Ok(replaced)) {
            best = Some(item);
        }
    }
    best.ok_or_else(|| Error::new(format!("{name} called on empty list")))
}

/// The first or last place of an item.
pub(super) fn index_of<'a>(call: &Call<'_, 'a>, last: bool) -> Outcome<Value<'a>> {
    let [Value::List(list), wanted] = call.args else { return call.mismatch() };
    let mut found = -1;
    for (at, item) in (0i64..).zip(list.iter()) {
        if item.is_ok_and(|item| equal(&item, wanted) == Ok(true)) {
            found = at;
            if !last {
                break;
            }
        }
    }
    Ok(Value::Int(found))
}

fn slice<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = call.args else { return call.mismatch() };
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let why = if *start < 0 || *end < 0 {
        "negative indexes not supported".to_owned()
    } else if start > end {
        "start index must be less than or equal to end index".to_owned()
    } else if *end > length {
        format!("list is length {length}")
    } else {
        let (start, end) = (usize::try_from(*start).unwrap_or_default(), usize::try_from(*end).unwrap_or_default());
        let items = (start..end).filter_map(|at| list.get(at)).collect::<Outcome<Vec<_>>>()?;
        return Ok(Value::list(items));
    };
    Err(Error::new(format!("cannot slice({start}, {end}), {why}")))
}

fn flatten<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (list, depth) = match call.args {
        [Value::List(list)] => (list, 1),
        [Value::List(list), Value::Int(depth)] => (list, *depth),
        _ => return call.mismatch(),
    };
    if depth < 0 {
        return Err(Error::new("level must be non-negative"));
    }
    let mut flat = Vec::new();
    // What is left of each list that is open, and how deep it may be opened.
    let mut open = vec![(list.values()?.into_iter(), depth)];
    while let Some((items, depth)) = open.last_mut() {
        let depth = *depth;
        match items.next() {
            None => {
                open.pop();
            }
            Some(Value::List(inner)) if depth > 0 => open.push((inner.values()?.into_iter(), depth - 1)),
            Some(other) => flat.push(other),
        }
    }
    Ok(Value::list(flat))
}

/// Longest range: the elements of one would cost more than any rule may.
const MAX_RANGE: i64 = 1_000_000;

fn range<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::Int(end)] = call.args else { return call.mismatch() };
    if *end > MAX_RANGE {
        return Err(Error::fatal("operation cancelled: a list is too long"));
    }
    Ok(Value::list((0..*end).map(Value::Int).collect()))
}

fn distinct<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let list = list(call)?;
    let mut kept: Vec<Value<'a>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for item in list.iter() {
        let item = item?;
        // Strings need no comparison with each other.
        if let Value::String(text) = &item {
            if seen.insert(text.to_string()) {
                kept.push(item);
            }
            continue;
        }
        if !kept.iter().any(|known| equal(known, &item) == Ok(true)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

/// The items in the order of their keys.
fn sorted<'a>(list: &List<'a>, keys: &List<'a>) -> Outcome<Value<'a>> {
    let (items, keys) = (list.values()?, keys.values()?);
    if items.len() != keys.len() {
        return Err(Error::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        )));
    }
    let Some(first) = keys.first() else { return Ok(Value::List(list.clone())) };
    if !comparable(first) {
        return Err(Error::new("list elements must be comparable"));
    }
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(Error::new("list elements must have the same type"));
    }
    let mut pairs: Vec<(Value<'a>, Value<'a>)> = keys.into_iter().zip(items).collect();
    pairs.sort_by(|(a, _), (b, _)| compare(a, b).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}
