//! Values of tags, read the way the generator reads them: canonical decimal only.

use crate::compile::problem::Problem;
use crate::grammar::{Literal, Payload, Tag};

/// The value of a tag as text; empty when it has none.
pub(super) fn text(tag: &Tag) -> &str {
    match &tag.value {
        Payload::Literal(literal) => literal.as_text(),
        _ => "",
    }
}

/// A canonical decimal integer: no plus, no leading zeros, no other base.
pub(super) fn canonical(text: &str) -> Result<i64, Problem> {
    match text.parse::<i64>() {
        Ok(value) if value.to_string() == text => Ok(value),
        _ => Err(Problem::new(format!("`{text}` is not a plain decimal integer"))),
    }
}

/// The value of a tag as a size in `0..=limit`.
pub(super) fn size(tag: &Tag, limit: i64) -> Result<usize, Problem> {
    let value = canonical(text(tag))?;
    if value < 0 {
        return Err(Problem::new("the value must not be negative"));
    }
    if value > limit {
        return Err(Problem::new(format!("the value must not be above {limit}")));
    }
    usize::try_from(value).map_err(|_| Problem::new(format!("`{value}` is out of range")))
}

/// The value of a tag as a bound of an integer type.
pub(super) fn bound(tag: &Tag, bits: u8, signed: bool) -> Result<i128, Problem> {
    let text = text(tag);
    let value = text
        .parse::<i128>()
        .ok()
        .filter(|value| value.to_string() == text)
        .ok_or_else(|| Problem::new(format!("`{text}` is not a plain decimal integer")))?;
    let span = 1i128 << bits.min(64);
    let range = if signed { -(span / 2)..=(span / 2 - 1) } else { 0..=(span - 1) };
    if range.contains(&value) {
        Ok(value)
    } else {
        let name = if signed { "int" } else { "uint" };
        Err(Problem::new(format!("`{value}` does not fit {name}{bits} ({} to {})", range.start(), range.end())))
    }
}

/// The positional argument, which registration made sure of.
pub(super) fn positional(tag: &Tag) -> Result<&str, Problem> {
    tag.positional().map(Literal::as_text).ok_or_else(|| Problem::new("the argument in parentheses is missing"))
}

/// The value of a tag as an integer; none when it is no integer literal.
pub(super) fn integer(tag: &Tag) -> Option<i128> {
    match &tag.value {
        Payload::Literal(Literal::Int(text)) => text.parse().ok(),
        _ => None,
    }
}
