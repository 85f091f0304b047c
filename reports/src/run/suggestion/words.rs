//! What a message says in words: bounds, values, patterns, other fields.

use super::Holds;
use super::line::Line;
use std::collections::BTreeSet;
use takeover_harness::compare::perhaps_alternatives;
use takeover_harness::path::pattern;

/// Words that stand before the last good number, and what a schema calls the bound.
const BOUNDS: [(&str, Bound); 16] = [
    ("greater than or equal to ", Bound::Least),
    ("less than or equal to ", Bound::Most),
    ("no less than ", Bound::Least),
    ("no more than ", Bound::Most),
    ("not be more than ", Bound::Most),
    ("not be longer than ", Bound::Most),
    ("not be less than ", Bound::Least),
    ("not be greater than ", Bound::Most),
    ("not exceed ", Bound::Most),
    ("not have more than ", Bound::Most),
    ("at least ", Bound::Least),
    ("at most ", Bound::Most),
    ("more than ", Bound::Above),
    ("greater than ", Bound::Above),
    ("less than ", Bound::Below),
    ("up to ", Bound::Most),
];

/// On which side of a number good values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Least,
    Most,
    Above,
    Below,
}

impl Bound {
    pub(super) fn operator(self) -> &'static str {
        match self {
            Self::Least => ">=",
            Self::Most => "<=",
            Self::Above => ">",
            Self::Below => "<",
        }
    }

    /// Whether it accepts a number that compares to the other one as `sign` says: `<`, `=` or `>`.
    pub(super) fn keeps(self, sign: char) -> bool {
        match self {
            Self::Least => sign != '<',
            Self::Most => sign != '>',
            Self::Above => sign == '>',
            Self::Below => sign == '<',
        }
    }
}

/// Whether a message says that a value stays as it is.
pub(super) fn is_immutable(message: &str) -> bool {
    let message = message.to_lowercase();
    let says =
        ["immutable", "not be changed", "not be modified", "not be updated", "cannot change", "cannot be changed"];
    says.iter().any(|words| message.contains(words))
}

/// The values that a message allows a field of this sort, as in JSON.
pub(super) fn allowed(message: &str, holds: Holds) -> Option<Vec<String>> {
    let as_json = |value: &String| match (holds, value.parse::<i64>()) {
        (Holds::Number, number) => number.ok().map(|number| number.to_string()),
        _ => Some(serde_json::json!(value).to_string()),
    };
    let values: Option<Vec<String>> = perhaps_alternatives(message).iter().map(as_json).collect();
    values.filter(|values| !values.is_empty())
}

/// Numbers in words.
const NUMBERS: [(&str, &str); 6] =
    [("zero", "0"), ("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5")];

/// The number that a text starts with, if it ends as a number does: not `1Gi`.
fn number(text: &str) -> Option<&str> {
    let word = text.split([' ', ',', ';', ')', ':']).next().unwrap_or("");
    if let Some((_, number)) = NUMBERS.iter().find(|(known, _)| *known == word) {
        return Some(number);
    }
    let end = text.find(|char: char| !char.is_ascii_digit() && !matches!(char, '-' | '.')).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    let number = number.trim_end_matches('.');
    // `1,000` is no 1.
    let goes_on = rest.strip_prefix(',').is_some_and(|after| after.starts_with(|char: char| char.is_ascii_digit()));
    let ends = !goes_on && (rest.is_empty() || rest.starts_with([' ', ',', ';', ')', ':']));
    (ends && number.parse::<f64>().is_ok()).then_some(number)
}

pub(super) fn first_number(message: &str) -> Option<&str> {
    message.split(' ').find_map(number)
}

/// The bounds that a message names of a value of this sort.
pub(super) fn bound(message: &str, holds: Holds) -> Option<Line> {
    if let Some((_, range)) = message.split_once("between ") {
        let (least, most) = range.split_once(" and ")?;
        let (least, most) = (number(least)?, number(most)?);
        if message.contains("exclusive") {
            return None;
        }
        let (first, last) = names(message, holds)?;
        return Some(Line::Bounds(vec![(first, least.to_owned()), (last, most.to_owned())]));
    }
    if let Some((least, most)) = range(message) {
        let (first, last) = names(message, holds)?;
        return Some(Line::Bounds(vec![(first, least.to_owned()), (last, most.to_owned())]));
    }
    if holds == Holds::Number
        && ["non-negative", "not be negative", "nonnegative"].iter().any(|no| message.contains(no))
    {
        return Some(Line::bound("minimum", "0"));
    }
    if holds == Holds::Number && message.contains("be positive") {
        return Some(Line::Exclusive { bound: "minimum", keyword: "exclusiveMinimum", limit: "0".to_owned() });
    }
    // What is added up is no size.
    if ["add up", "adds up", "sum", "total", "together"].iter().any(|word| message.contains(word)) {
        return None;
    }
    let (limit, bound) = BOUNDS.iter().find_map(|(before, bound)| {
        let (_, rest) = message.split_once(before)?;
        Some((number(rest), *bound))
    })?;
    let limit = limit?;
    if holds == Holds::Text && message.contains("byte") {
        let (operator, limit) = match bound {
            Bound::Least => (">=", limit.to_owned()),
            Bound::Most => ("<=", limit.to_owned()),
            Bound::Above => (">=", limit.parse::<u64>().ok()?.checked_add(1)?.to_string()),
            Bound::Below => ("<=", limit.parse::<u64>().ok()?.checked_sub(1)?.to_string()),
        };
        return Some(Line::Bytes { operator, limit });
    }
    let (first, last) = names(message, holds)?;
    let exclusive = |bound, keyword, limit: &str| Line::Exclusive { bound, keyword, limit: limit.to_owned() };
    Some(match bound {
        Bound::Least => Line::bound(first, limit),
        Bound::Most => Line::bound(last, limit),
        Bound::Above if first == "minimum" => exclusive(first, "exclusiveMinimum", limit),
        Bound::Below if last == "maximum" => exclusive(last, "exclusiveMaximum", limit),
        Bound::Above => Line::bound(first, &limit.parse::<u64>().ok()?.checked_add(1)?.to_string()),
        Bound::Below => Line::bound(last, &limit.parse::<u64>().ok()?.checked_sub(1)?.to_string()),
    })
}

/// The range of `must be in 1..7` and `must be in the range 1-7`.
fn range(message: &str) -> Option<(&str, &str)> {
    let (_, rest) = message.split_once(" in ")?;
    let rest = ["the range ", "range "].iter().find_map(|words| rest.strip_prefix(words)).unwrap_or(rest);
    let word = rest.split([' ', ',', ';']).next()?.trim_matches(['[', ']', '(', ')']);
    let is_number = |text: &str| !text.is_empty() && text.parse::<i64>().is_ok();
    let (least, most) = word.split_once("..").or_else(|| word.split_once('-'))?;
    (is_number(least) && is_number(most)).then_some((least, most))
}

/// What a schema calls the bounds of a value of this sort. None where the message counts something else: minutes of a text.
fn names(message: &str, holds: Holds) -> Option<(&'static str, &'static str)> {
    match holds {
        Holds::Number => Some(("minimum", "maximum")),
        Holds::Text if ["character", "long"].iter().any(|unit| message.contains(unit)) => {
            Some(("minLength", "maxLength"))
        }
        Holds::List if counts(message) => Some(("minItems", "maxItems")),
        Holds::Members if counts(message) => Some(("minProperties", "maxProperties")),
        Holds::Text | Holds::List | Holds::Members | Holds::Other => None,
    }
}

/// Whether a message about a list or map may speak of how many there are: `values must not exceed 50` speaks of what each is.
fn counts(message: &str) -> bool {
    let names_a_number =
        ["have", "has", "contain", "many", "few", "at most", "at least", "more than", "less than", "number of"];
    let unit = message.rsplit(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    names_a_number.iter().any(|word| message.contains(word))
        || unit.strip_prefix(' ').is_some_and(|unit| unit.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The regular expression that a message names, anchored as Kubernetes' helpers match.
pub(super) fn pattern_in(message: &str) -> Option<String> {
    let pattern = named_pattern(message)?;
    let (start, stop) = (pattern.starts_with('^'), pattern.ends_with('$'));
    Some(if start && stop { pattern.to_owned() } else { format!("^({pattern})$") })
}

fn named_pattern(message: &str) -> Option<&str> {
    if let Some((_, rest)) = message.split_once("regex used for validation is '") {
        return rest.get(..rest.rfind('\'')?).filter(|pattern| !pattern.is_empty());
    }
    let (_, rest) = message.split_once("match ")?;
    let words = ["the pattern ", "pattern ", "the regular expression ", "regular expression ", "the regex ", "regex "];
    let named = words.iter().find_map(|words| rest.strip_prefix(words));
    let rest = named.unwrap_or(rest);
    if let Some(quote) = rest.chars().next().filter(|char| matches!(char, '\'' | '`' | '/' | '"')) {
        let inside = rest.strip_prefix(quote)?;
        return inside.get(..inside.rfind(quote)?).filter(|pattern| !pattern.is_empty());
    }
    if named.is_some() && !rest.contains(' ') {
        return Some(rest);
    }
    // Without quotes, a pattern shows both ends.
    let end = rest.rfind('$')? + 1;
    rest.get(..end).filter(|pattern| pattern.starts_with('^'))
}

/// The field that a message compares a field with, and how.
pub(super) fn compared<'f>(message: &str, field: &str, fields: &BTreeSet<&'f str>) -> Option<(&'f str, Bound)> {
    let (rest, bound) = BOUNDS.iter().find_map(|(before, bound)| {
        let (_, rest) = message.split_once(before)?;
        Some((rest, *bound))
    })?;
    let word = rest.split(' ').next()?.trim_matches(|char: char| !char.is_alphanumeric());
    let beside = match field.rsplit_once('.') {
        Some((parent, _)) => format!("{parent}.{word}"),
        None => word.to_owned(),
    };
    // `spec.max` of `spec.list[*].min` is what it says, `max` stands beside.
    let of_item = field.rsplit_once('.').and_then(|(parent, _)| {
        let name = word.rsplit('.').next()?;
        let is_item = word.contains('[') && pattern(word) == format!("{parent}.{name}");
        is_item.then(|| format!("{parent}.{name}"))
    });
    let other = [Some(word.to_owned()), Some(beside), of_item].into_iter().flatten();
    let known = other.into_iter().find_map(|other| fields.get(other.as_str()).copied())?;
    (known != field).then_some((known, bound))
}
