//! Negative zero, which Go reads as an integer and serde_json as a float.

use memchr::memmem;
use std::borrow::Cow;

/// The JSON text with ` 0` for every number `-0`; everything stays in its place. Go reads `-0` as an integer, and `-0.0` as a
/// float that no integer type takes: serde_json makes the same of both.
#[must_use]
pub fn without_negative_zeros(text: &str) -> Cow<'_, str> {
    if !memmem::find_iter(text.as_bytes(), "-0").any(|at| is_number(text.as_bytes(), at)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'-' if !in_string && text.as_bytes().get(at + 1) == Some(&b'0') && is_number(text.as_bytes(), at) => {
                out.push_str(text.get(copied..at).unwrap_or_default());
                out.push(' ');
                copied = at + 1;
            }
            _ => {}
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether the `-0` at `at` is a number of its own, if it does not stand in a string.
fn is_number(text: &[u8], at: usize) -> bool {
    let starts = match at.checked_sub(1).and_then(|before| text.get(before)) {
        None => true,
        Some(before) => matches!(before, b':' | b',' | b'[') || before.is_ascii_whitespace(),
    };
    let ends = match text.get(at + 2) {
        None => true,
        Some(after) => matches!(after, b',' | b'}' | b']') || after.is_ascii_whitespace(),
    };
    starts && ends
}

#[cfg(test)]
mod tests {
    use super::without_negative_zeros;

    #[test]
    fn integers_lose_the_sign_of_zero_and_nothing_else_changes() {
        for (text, expected) in [
            ("-0", " 0"),
            ("[-0,-0.0,-0e1,0,-01,-1]", "[ 0,-0.0,-0e1,0,-01,-1]"),
            (r#"{"a-0": "x -0 ", "b": -0}"#, r#"{"a-0": "x -0 ", "b":  0}"#),
            (r#"{"\"": "\\", "c": -0 , "d":"\": -0 "}"#, r#"{"\"": "\\", "c":  0 , "d":"\": -0 "}"#),
            ("[\n-0\n]", "[\n 0\n]"),
            ("{\"at\": \"2024-01-01\"}", "{\"at\": \"2024-01-01\"}"),
        ] {
            assert_eq!(without_negative_zeros(text), expected, "{text}");
        }
    }
}
