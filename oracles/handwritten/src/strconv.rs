//! Numbers as Go's `strconv` reads them.

use takeover_harness::error::BadValue;

/// `ParseInt` of a decimal number of 64 bits; the message of its error where it is none.
///
/// # Errors
/// In Go's words.
pub fn parse_int(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| {
        let problem = if is_number(text) { "value out of range" } else { "invalid syntax" };
        format!("strconv.ParseInt: parsing {}: {problem}", BadValue::from(text))
    })
}

/// `Atoi` without its error: what is too large is the largest number, and what is no number is zero.
#[must_use]
pub fn atoi(text: &str) -> i64 {
    text.parse().unwrap_or_else(|_| match text.starts_with('-') {
        _ if !is_number(text) => 0,
        true => i64::MIN,
        false => i64::MAX,
    })
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_sign_and_digits_and_nothing_else() {
        for (text, expected, atoi_gives) in [
            ("+5", Ok(5), 5),
            ("-0", Ok(0), 0),
            ("9223372036854775807", Ok(i64::MAX), i64::MAX),
            ("9223372036854775808", Err("value out of range"), i64::MAX),
            ("-9223372036854775809", Err("value out of range"), i64::MIN),
            ("", Err("invalid syntax"), 0),
            ("-", Err("invalid syntax"), 0),
            ("1_000", Err("invalid syntax"), 0),
            ("0x1", Err("invalid syntax"), 0),
            (" 1", Err("invalid syntax"), 0),
        ] {
            let expected = expected.map_err(|problem| format!("strconv.ParseInt: parsing \"{text}\": {problem}"));
            assert_eq!(parse_int(text), expected);
            assert_eq!(atoi(text), atoi_gives, "{text}");
        }
    }
}
