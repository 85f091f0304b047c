//! What a call costs when it runs.

use crate::value::{Error, Outcome, Value};

/// Cost of reading a string, by code point.
const TRAVERSAL: f64 = 0.1;
/// Cost of a pattern, by code point.
const PATTERN: f64 = 0.25;
/// Cost of a new list.
const NEW_LIST: u64 = 10;

/// Cost of asking an authorizer.
const AUTHORIZATION: u64 = 350_000;

/// How large a value counts.
fn size(value: &Outcome<Value<'_>>) -> u64 {
    value.as_ref().map_or(1, size_of)
}

fn size_of(value: &Value<'_>) -> u64 {
    let size = match value {
        Value::String(text) => text.chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        Value::Optional(Some(value)) => return size_of(value),
        Value::Ip(address) => {
            if address.is_ipv4() {
                4
            } else {
                16
            }
        }
        Value::Cidr(range) => usize::from(range.bits).div_ceil(8),
        _ => 1,
    };
    size as u64
}

fn scaled(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// The cost of `==` and `!=`.
pub(crate) fn equality(args: &[Outcome<Value<'_>>; 2], negated: bool) -> u64 {
    let [left, right] = args;
    let flat = matches!(
        left,
        Ok(Value::Quantity(_) | Value::Ip(_) | Value::Cidr(_) | Value::Format(_) | Value::Url(_) | Value::Semver(_))
    );
    if flat && !negated { 1 } else { scaled(size(left).min(size(right)), TRAVERSAL) }
}

/// The cost of a call. `overload`: the only one that types allow.
///
/// # Errors
/// Returns what ends API servers' count for some calls whose arguments failed.
pub(crate) fn call(
    name: &str,
    overload: Option<&str>,
    args: &[Outcome<Value<'_>>],
    result: &Outcome<Value<'_>>,
) -> Outcome<u64> {
    let arg = |place: usize| args.get(place).map_or(1, size);
    if let Some(overload) = overload
        && let Some(cost) = of_lists(overload, args, result)?
    {
        return Ok(cost);
    }
    Ok(match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => args.first().map_or(0, traversal),
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR" | "quantity"
        | "isQuantity" | "semver" | "isSemver" => scaled(arg(0), TRAVERSAL),
        "ip" if overload == Some("cidr_ip") => 1,
        "ip" => scaled(arg(0), TRAVERSAL),
        "replace" | "split" | "ip.isCanonical" => scaled(arg(0), 2.0 * TRAVERSAL),
        "join" => scaled(size(result), 2.0 * TRAVERSAL),
        "find" | "findAll" => matching(arg(0), arg(1)),
        "containsIP" => {
            let text = if overload == Some("cidr_contains_ip_string") { scaled(arg(1), TRAVERSAL) } else { 0 };
            scaled(2 * arg(0), TRAVERSAL) + text
        }
        "containsCIDR" => {
            let text = if overload == Some("cidr_contains_cidr_string") { scaled(arg(1), TRAVERSAL) } else { 0 };
            scaled(2 * arg(0), TRAVERSAL) + scaled(arg(0), TRAVERSAL) + 1 + text
        }
        "check" => AUTHORIZATION,
        // Half of its length may be requirements, each with a struct and a list of values.
        "fieldSelector" | "labelSelector" => NEW_LIST + scaled(arg(1), TRAVERSAL) + 50 * scaled(arg(1), 0.5),
        "validate" => match args.first() {
            Some(Ok(Value::Format(format))) => matching(arg(1), format.pattern_size),
            _ => 1,
        },
        _ => standard(overload, args),
    })
}

/// The cost of finding a pattern of a size in a text of a size.
fn matching(text: u64, pattern: u64) -> u64 {
    (scaled(text + 1, TRAVERSAL)).saturating_mul(scaled(pattern, PATTERN))
}

fn standard(overload: Option<&str>, args: &[Outcome<Value<'_>>]) -> u64 {
    let arg = |place: usize| args.get(place).map_or(1, size);
    match overload.unwrap_or_default() {
        "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string" | "strings_quote"
        | "string_format" => scaled(arg(0), TRAVERSAL),
        "in_list" => arg(1),
        "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes" => scaled(arg(0).min(arg(1)), TRAVERSAL),
        "add_string" | "add_bytes" => scaled(arg(0) + arg(1), TRAVERSAL),
        "matches_string" => matching(arg(0), arg(1)),
        "contains_string" => scaled(arg(0), TRAVERSAL) * scaled(arg(1), TRAVERSAL),
        _ => 1,
    }
}

/// The cost of functions that make lists, and of sets.
fn of_lists(overload: &str, args: &[Outcome<Value<'_>>], result: &Outcome<Value<'_>>) -> Outcome<Option<u64>> {
    let arg = |place: usize| args.get(place).map_or(1, size);
    let made = |factor: f64, size: u64| Ok(Some((size as f64 * factor) as u64 + 1 + NEW_LIST));
    match overload {
        "list_slice" | "lists_range" | "list_reverse" => made(1.0, size(result)),
        "list_flatten" => made(1.0, arg(0)),
        "list_flatten_int" => match args.get(1) {
            Some(Ok(Value::Int(depth))) => made(*depth as f64, arg(0)),
            _ => Err(Error::fatal("internal error: interface conversion: ref.Val is *types.Err, not types.Int")),
        },
        "list_distinct" => compared(args.first()).map(Some),
        "list_sets_contains_list" | "list_sets_intersects_list" => Ok(Some(1 + arg(0) * arg(1))),
        "list_sets_equivalent_list" => Ok(Some(1 + 2 * arg(0) * arg(1))),
        other if other.ends_with("_sortByAssociatedKeys") => compared(args.get(1)).map(Some),
        other if other.starts_with("list_") && other.ends_with("_sort") => compared(args.first()).map(Some),
        _ => Ok(None),
    }
}

/// The cost of comparing the items of a list with each other.
fn compared(list: Option<&Outcome<Value<'_>>>) -> Outcome<u64> {
    let Some(Ok(Value::List(list))) = list else {
        return Err(Error::fatal(
            "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add",
        ));
    };
    let strings = matches!(list.get(0), Some(Ok(Value::String(_) | Value::Bytes(_))));
    let size = list.len() as u64;
    let factor = if strings { 2.0 + TRAVERSAL } else { 2.0 };
    Ok((size.saturating_mul(size) as f64 * factor) as u64 + 1 + NEW_LIST)
}

/// The cost of reading a value with all its parts once; strings count their bytes here.
fn traversal(value: &Outcome<Value<'_>>) -> u64 {
    match value {
        Ok(Value::String(text)) => (text.len() as f64 * TRAVERSAL) as u64,
        Ok(Value::Bytes(bytes)) => (bytes.len() as f64 * TRAVERSAL) as u64,
        Ok(Value::List(list)) => list.iter().map(|item| traversal(&item)).sum(),
        Ok(Value::Map(map)) => map
            .keys()
            .into_iter()
            .map(|key| {
                let value = map.find(&key).map(|value| value.unwrap_or(Value::Null));
                traversal(&Ok(key)) + traversal(&value)
            })
            .sum(),
        _ => 1,
    }
}
