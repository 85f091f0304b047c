//! Texts as Go prints them.

use takeover_harness::error::BadValue;

/// A text as `%q` prints it.
pub(super) fn quoted(text: &str) -> String {
    BadValue::from(text).to_string()
}

/// A float as `%v` prints it: the shortest digits, with an exponent below −4 and from 6 on.
pub(super) fn float(value: f64) -> String {
    let text = format!("{value:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => value.to_string(),
    }
}

/// `1 byte`, `2 bytes`.
pub(super) fn plural(count: i64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
