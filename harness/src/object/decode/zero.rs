//! What Go reads otherwise than serde_json: negative zero, an integer; half a surrogate pair and bytes that are no UTF-8, replacement
//! characters.

use memchr::memmem;
use std::borrow::Cow;

/// The JSON text of these bytes. Each byte that is no UTF-8 becomes a replacement character, as in Go.
#[must_use]
pub fn text_as_go_reads(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|_| out.push('\u{fffd}'));
    }
    Cow::Owned(out)
}

/// The JSON text as serde_json reads what Go reads in it: [`without_negative_zeros`], and with `\ufffd` for half a surrogate pair;
/// everything stays in its place.
#[must_use]
pub fn as_go_reads(text: &str) -> Cow<'_, str> {
    match without_lone_surrogates(text) {
        Cow::Borrowed(text) => without_negative_zeros(text),
        Cow::Owned(text) => Cow::Owned(without_negative_zeros(&text).into_owned()),
    }
}

fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    if ["\\ud", "\\uD"].iter().all(|start| memmem::find(text.as_bytes(), start.as_bytes()).is_none()) {
        return Cow::Borrowed(text);
    }
    // The code unit that an escape at `at` stands for.
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = text.get(at..).and_then(|rest| memchr::memchr(b'\\', rest.as_bytes())) {
        at += next;
        at += match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                out.push_str(text.get(copied..at).unwrap_or_default());
                out.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            Some(_) => 6,
            // The character that is escaped may be a backslash.
            None => 1 + text.get(at + 1..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8),
        };
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

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
    #[test]
    fn half_a_pair_and_bytes_that_are_no_text_become_replacement_characters() {
        use super::{as_go_reads, text_as_go_reads};
        for (text, read) in [
            (r#""\ud800""#, "\u{fffd}"),
            (r#""\uDC00x""#, "\u{fffd}x"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud800\n\\ud800""#, "\u{fffd}\n\\ud800"),
            (r#""\ud800-0""#, "\u{fffd}-0"),
        ] {
            assert_eq!(serde_json::from_str::<String>(&as_go_reads(text)).unwrap(), read, "{text}");
        }
        assert!(serde_json::from_str::<String>(&as_go_reads(r#""\ud80""#)).is_err());
        // Each byte for itself, as in Go.
        assert_eq!(text_as_go_reads(b"a\xffb\xe2\x82c"), "a\u{fffd}b\u{fffd}\u{fffd}c");
        assert_eq!(text_as_go_reads("é".as_bytes()), "é");
    }

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
