//! Functions of URLs, quantities, versions and named formats.

use super::call::{Call, Function};
use crate::scalar::format::NamedFormat;
use crate::scalar::quantity::Quantity;
use crate::scalar::semver::Semver;
use crate::scalar::url::Url;
use crate::value::{Error, Key, Map, Outcome, PlainMap, Text, Value};
use std::cmp::Ordering;
use std::sync::Arc;

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "url" => |call| match call.args {
            [Value::String(text)] => Url::parse(text)
                .map(|url| Value::Url(Arc::new(url)))
                .map_err(|error| Error::new(format!("URL parse error during conversion from string: {error}"))),
            _ => call.mismatch(),
        },
        "isURL" => |call| match call.args {
            [Value::String(text)] => Ok(Value::Bool(Url::parse(text).is_ok())),
            _ => call.mismatch(),
        },
        "getScheme" => |call| of_url(call, |url| url.scheme.clone()),
        "getHost" => |call| of_url(call, |url| url.host.clone()),
        "getHostname" => |call| of_url(call, |url| url.hostname().to_owned()),
        "getPort" => |call| of_url(call, |url| url.port().to_owned()),
        "getEscapedPath" => |call| of_url(call, |url| url.path.clone()),
        "getQuery" => query,
        "quantity" => |call| match call.args {
            [Value::String(text)] => quantity(text).map(|quantity| Value::Quantity(Arc::new(quantity))),
            _ => call.mismatch(),
        },
        "isQuantity" => |call| match call.args {
            [Value::String(text)] => Ok(Value::Bool(Quantity::parse(text).is_ok())),
            _ => call.mismatch(),
        },
        "sign" => |call| of_quantity(call, |quantity| Ok(Value::Int(quantity.sign()))),
        "isInteger" => |call| of_quantity(call, |quantity| Ok(Value::Bool(quantity.integer().is_some()))),
        "asInteger" => |call| {
            of_quantity(call, |quantity| {
                quantity.integer().map(Value::Int).ok_or_else(|| Error::new("cannot convert value to integer"))
            })
        },
        "asApproximateFloat" => |call| of_quantity(call, |quantity| Ok(Value::Double(quantity.float()))),
        "add" => |call| sum(call, false),
        "sub" => |call| sum(call, true),
        "isGreaterThan" => |call| compared(call).map(|order| Value::Bool(order.is_gt())),
        "isLessThan" => |call| compared(call).map(|order| Value::Bool(order.is_lt())),
        "compareTo" => |call| compared(call).map(|order| Value::Int(order as i64)),
        "semver" => |call| semver(call)?.map(|version| Value::Semver(Arc::new(version))).map_err(Error::new),
        "isSemver" => |call| semver(call).map(|version| Value::Bool(version.is_ok())),
        "major" => |call| of_version(call, 0),
        "minor" => |call| of_version(call, 1),
        "patch" => |call| of_version(call, 2),
        "format.named" => |call| match call.args {
            [Value::String(name)] => Ok(match NamedFormat::named(name) {
                Some(format) => Value::some(Value::Format(format)),
                None => Value::Optional(None),
            }),
            _ => call.mismatch(),
        },
        "validate" => validate,
        name => {
            NamedFormat::named(name.strip_prefix("format.")?)?;
            |call| {
                let named = call.name.strip_prefix("format.").and_then(NamedFormat::named);
                named.map(Value::Format).ok_or_else(Error::no_such_overload)
            }
        }
    })
}

fn of_url<'a>(call: &Call<'_, 'a>, part: fn(&Url) -> String) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Url(url)] => Ok(Value::text(part(url))),
        _ => call.mismatch(),
    }
}

fn query<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::Url(url)] = call.args else { return call.mismatch() };
    let entries: PlainMap<'a> = url
        .query()
        .into_iter()
        .map(|(name, values)| {
            let values = values.into_iter().map(Value::text).collect();
            (Key::String(Text::Shared(name.into())), Value::list(values))
        })
        .collect();
    Ok(Value::Map(Map::Plain(Arc::new(entries))))
}

fn quantity(text: &str) -> Outcome<Quantity> {
    Quantity::parse(text).map_err(Error::new)
}

fn of_quantity<'a>(call: &Call<'_, 'a>, of: fn(&Quantity) -> Outcome<Value<'a>>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Quantity(quantity)] => of(quantity),
        _ => call.mismatch(),
    }
}

fn sum<'a>(call: &Call<'_, 'a>, subtract: bool) -> Outcome<Value<'a>> {
    let sum = match call.args {
        [Value::Quantity(a), Value::Quantity(b)] => a.sum(b, subtract),
        [Value::Quantity(a), Value::Int(b)] => a.sum(&Quantity::whole(*b), subtract),
        _ => return call.mismatch(),
    };
    Ok(Value::Quantity(Arc::new(sum)))
}

fn compared(call: &Call<'_, '_>) -> Outcome<Ordering> {
    match call.args {
        [Value::Quantity(a), Value::Quantity(b)] => Ok(a.order(b)),
        [Value::Semver(a), Value::Semver(b)] => Ok(a.precedence(b)),
        _ => call.mismatch(),
    }
}

fn semver(call: &Call<'_, '_>) -> Outcome<Result<Semver, String>> {
    match call.args {
        [Value::String(text)] => Ok(Semver::parse(text, false)),
        [Value::String(text), Value::Bool(normalize)] => Ok(Semver::parse(text, *normalize)),
        _ => call.mismatch(),
    }
}

fn of_version<'a>(call: &Call<'_, 'a>, place: usize) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Semver(version)] => {
            let number = version.numbers.get(place).copied().unwrap_or_default();
            Ok(Value::Int(number.cast_signed()))
        }
        _ => call.mismatch(),
    }
}

fn validate<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::Format(format), Value::String(text)] = call.args else { return call.mismatch() };
    let errors = format.validate(text);
    Ok(if errors.is_empty() {
        Value::Optional(None)
    } else {
        Value::some(Value::list(errors.into_iter().map(Value::text).collect()))
    })
}
