//! Classes of values that the type of a field tells apart, whatever its rules say.

use super::layout::Layout;
use super::pools::well_known;
use serde_json::{Map, Value, json};
use takeover_harness::rule::{Boundary, Sample, any_text};
use takeover_harness::schema::{Kind, Schema, TypeId, WellKnown};

/// Texts that checks of any field may tell apart: case, blanks, letters of several bytes, what no enumeration lists.
const TEXTS: [(&str, &str); 9] = [
    ("empty", ""),
    ("blank", " "),
    ("blank inside", "a b"),
    ("capital", "Aa"),
    ("two bytes a letter", "\u{e9}"),
    ("unknown value", "Unknown-1"),
    ("hyphen first", "-a"),
    ("dots", "a..b"),
    ("slash", "a/b/c"),
];

/// Number of classes that are made of a list of values, such as those of quantities.
const MOST_WELL_KNOWN: usize = 6;

/// A class with a sample. Whether it breaks anything is not known.
pub(super) fn class(name: impl Into<String>, sample: Sample) -> Boundary {
    Boundary { class: name.into(), breaks: true, sample, options: Vec::new() }
}

pub(super) fn value(name: impl Into<String>, value: impl Into<Value>) -> Boundary {
    class(name, Sample::Value(value.into()))
}

/// The classes of the type `ty`: absent, empty, and what its shape allows.
pub(super) fn of_type(schema: &Schema, layout: &Layout, ty: TypeId) -> Vec<Boundary> {
    let mut classes = vec![class("absent", Sample::Absent)];
    let (native, kind) = schema.pointed(ty);
    match kind {
        Kind::Text => classes.extend(TEXTS.map(|(name, text)| value(name, text))),
        Kind::Bool => classes.extend([value("true", true), value("false", false)]),
        Kind::Int { signed, .. } => {
            let (least, most) = range(schema.meant_bits(native), *signed);
            classes.extend([value("zero", 0), value("one", 1), value("largest", most)]);
            if *signed {
                classes.extend([value("minus one", -1), value("smallest", least)]);
            }
        }
        Kind::Float { .. } => classes.extend([value("zero", 0.0), value("minus one", -1.0), value("large", 1e300)]),
        Kind::Bytes => classes.extend([value("empty", ""), value("one byte", "YQ==")]),
        Kind::WellKnown(WellKnown::Raw) => classes.push(value("empty", json!({}))),
        Kind::WellKnown(known) => {
            classes
                .extend(well_known(*known).iter().take(MOST_WELL_KNOWN).map(|text| value(format!("`{text}`"), *text)));
            if *known == WellKnown::IntOrString {
                classes.extend([value("zero", 0), value("minus one", -1)]);
            }
        }
        Kind::List(item) => {
            classes.push(value("empty", json!([])));
            classes.extend(items(schema, layout, *item));
        }
        Kind::Map { .. } => {
            classes.push(value("empty", json!({})));
            // A text is planted as a key.
            classes.extend(["-a", "Aa", "a b"].map(|key| value(format!("key `{key}`"), key)));
        }
        Kind::Struct(_) => classes.push(value("empty", json!({}))),
        _ => {}
    }
    classes
}

/// The smallest and the largest number of such a type that are looked at.
pub(super) fn range(bits: u8, signed: bool) -> (i64, i64) {
    let most = i64::try_from((1_u64 << (bits - u8::from(signed)).min(63)) - 1).unwrap_or(i64::MAX);
    (if signed { most.saturating_neg().saturating_sub(1) } else { 0 }, most)
}

/// Classes of a list with items of type `item`: one, two that differ, duplicates as a whole and duplicates by key.
fn items(schema: &Schema, layout: &Layout, item: TypeId) -> Vec<Boundary> {
    let two = |name: &str, one: Value, other: Value| value(name, vec![one, other]);
    let Some([first, second]) = apart(schema, item) else {
        let (id, kind) = schema.pointed(item);
        if !matches!(kind, Kind::Struct(_)) {
            return Vec::new();
        }
        let mut classes = vec![value("one item", json!([{}])), two("the same item twice", json!({}), json!({}))];
        let scalars: Vec<(&str, [Value; 2])> =
            layout.members(id).iter().filter_map(|member| Some((&*member.name, apart(schema, member.ty)?))).collect();
        let with = |members: &[(&str, &Value)]| -> Value {
            let members = members.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone()));
            Value::Object(members.collect::<Map<_, _>>())
        };
        // The first text is what mostly names an item.
        let is_text = |(_, [value, _]): &&(&str, [Value; 2])| value.is_string();
        if let Some((key, [one, other])) = scalars.iter().find(is_text).or(scalars.first()) {
            classes.push(two("two items", with(&[(key, one)]), with(&[(key, other)])));
            for (name, [first, second]) in scalars.iter().filter(|(name, _)| name != key).take(2) {
                classes.push(two(
                    &format!("the same `{key}` with another `{name}`"),
                    with(&[(key, one), (name, first)]),
                    with(&[(key, one), (name, second)]),
                ));
            }
        }
        return classes;
    };
    vec![
        value("one item", vec![first.clone()]),
        two("two items", first.clone(), second.clone()),
        two("the same item twice", first.clone(), first.clone()),
        value("the same item apart", vec![first.clone(), second, first]),
    ]
}

/// Two values of a simple type; none of another.
fn apart(schema: &Schema, ty: TypeId) -> Option<[Value; 2]> {
    Some(match schema.pointed(ty).1 {
        Kind::Text => [any_text(0).into(), any_text(1).into()],
        Kind::Int { .. } => [1.into(), 2.into()],
        Kind::Bool => [true.into(), false.into()],
        _ => return None,
    })
}

/// A value of the type that is not empty, as plain as can be; none where that takes more than one value.
pub(super) fn plain(schema: &Schema, ty: TypeId) -> Option<[Value; 2]> {
    apart(schema, ty).or_else(|| {
        Some(match schema.pointed(ty).1 {
            Kind::WellKnown(WellKnown::IntOrString) => [1.into(), 2.into()],
            Kind::WellKnown(WellKnown::Raw) => return None,
            Kind::WellKnown(known) => match well_known(*known) {
                [one, other, ..] => [(*one).into(), (*other).into()],
                _ => return None,
            },
            Kind::Bytes => ["YQ==".into(), "Yg==".into()],
            _ => return None,
        })
    })
}

/// Whether values of a type are no lists, maps or structs, and not of any type.
pub(super) fn is_scalar(schema: &Schema, ty: TypeId) -> bool {
    !matches!(
        schema.pointed(ty).1,
        Kind::Struct(_) | Kind::List(_) | Kind::Map { .. } | Kind::Any | Kind::WellKnown(WellKnown::Raw)
    )
}

/// Whether a sample can be a value of a type, as far as plain types tell.
pub(super) fn may_be(schema: &Schema, layout: &Layout, ty: TypeId, sample: &Value) -> bool {
    let (id, kind) = schema.pointed(ty);
    match (kind, sample) {
        (_, Value::Null) => true,
        (Kind::Text, _) => sample.is_string(),
        (Kind::Bool, _) => sample.is_boolean(),
        (Kind::Int { .. } | Kind::Float { .. }, _) => sample.is_number(),
        (Kind::List(item), Value::Array(items)) => items.iter().all(|sample| may_be(schema, layout, *item, sample)),
        (Kind::Map { value, .. }, Value::Object(entries)) => {
            entries.values().all(|sample| may_be(schema, layout, *value, sample))
        }
        (Kind::Struct(_), Value::Object(members)) => members.iter().all(|(name, sample)| {
            layout.member(schema, id, name).is_some_and(|inner| may_be(schema, layout, inner, sample))
        }),
        (Kind::List(_) | Kind::Map { .. } | Kind::Struct(_), _) => false,
        _ => true,
    }
}

/// Texts around a limit of how long they may be, in characters and in bytes.
pub(super) fn around_length(limit: usize) -> Vec<Boundary> {
    let wide = |count: usize| "\u{e9}".repeat(count);
    vec![
        value(format!("{limit} bytes"), "a".repeat(limit)),
        value(format!("{} bytes", limit + 1), "a".repeat(limit + 1)),
        value(format!("{limit} letters of two bytes"), wide(limit)),
        value(format!("{} letters of two bytes", limit + 1), wide(limit + 1)),
        value(format!("more than {limit} bytes in fewer letters"), wide(limit / 2 + 1)),
        value(format!("no more than {limit} bytes in letters of two"), wide(limit / 2)),
    ]
}

/// Lists and maps around a limit of how many elements they may have.
pub(super) fn around_count(schema: &Schema, layout: &Layout, ty: TypeId, limit: usize) -> Vec<Boundary> {
    [limit, limit + 1]
        .into_iter()
        .filter_map(|count| {
            let sample: Value = match schema.pointed(ty).1 {
                Kind::List(item) => {
                    let (id, kind) = schema.pointed(*item);
                    let key =
                        layout.members(id).iter().find(|member| matches!(schema.pointed(member.ty).1, Kind::Text));
                    (0..count)
                        .map(|number| match (kind, key) {
                            (Kind::Struct(_), Some(key)) => json!({ &*key.name: any_text(number) }),
                            (Kind::Text, _) => any_text(number).into(),
                            (Kind::Int { .. }, _) => number.into(),
                            _ => json!({}),
                        })
                        .collect()
                }
                Kind::Map { value, .. } => {
                    let [plain, _] = plain(schema, *value)?;
                    Value::Object((0..count).map(|number| (format!("a{number}"), plain.clone())).collect())
                }
                _ => return None,
            };
            Some(value(format!("{count} elements"), sample))
        })
        .collect()
}
