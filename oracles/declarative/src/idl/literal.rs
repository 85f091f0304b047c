//! Go literals: strings with their escapes, integers with their prefixes.

/// The value of a Go string literal with its quotes; none if it is malformed or not UTF-8.
pub(super) fn unquote(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('`') {
        // Go drops carriage returns from raw strings.
        return Some(raw.strip_suffix('`')?.replace('\r', ""));
    }
    let body = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            if c == '"' {
                return None;
            }
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match rest.next()? {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' => bytes.push(b'\\'),
            '"' => bytes.push(b'"'),
            'x' => bytes.push(u8::try_from(digits(&mut rest, 16, 2, 0)?).ok()?),
            first @ '0'..='7' => bytes.push(u8::try_from(digits(&mut rest, 8, 2, first.to_digit(8)?)?).ok()?),
            'u' => push_char(&mut bytes, digits(&mut rest, 16, 4, 0)?)?,
            'U' => push_char(&mut bytes, digits(&mut rest, 16, 8, 0)?)?,
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

/// Reads `count` digits behind the value so far.
fn digits(rest: &mut std::str::Chars<'_>, radix: u32, count: usize, first: u32) -> Option<u32> {
    (0..count).try_fold(first, |value, _| value.checked_mul(radix)?.checked_add(rest.next()?.to_digit(radix)?))
}

fn push_char(bytes: &mut Vec<u8>, code: u32) -> Option<()> {
    bytes.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

/// The value of a Go integer literal: decimal, `0x`, `0o`, `0b`, old octal, underscores between digits.
pub(super) fn integer(literal: &str) -> Option<i128> {
    let text = literal.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match (text.get(..2), text.as_str()) {
        (Some("0x"), _) => (text.get(2..)?, 16),
        (Some("0o"), _) => (text.get(2..)?, 8),
        (Some("0b"), _) => (text.get(2..)?, 2),
        (Some(_), old) if old.starts_with('0') => (text.get(1..)?, 8),
        _ => (text.as_str(), 10),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok()
}

/// The value of a decimal Go float literal, to the precision of `float64`: `1.5`, `.5`, `1e3`, underscores between digits.
pub(super) fn float(literal: &str) -> Option<f64> {
    let text = literal.replace('_', "");
    let is_decimal = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    text.parse().ok().filter(|number: &f64| is_decimal && number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_literals_have_the_value_go_gives_them() {
        let rows = [
            (r#""a""#, Some("a")),
            (r#""a\tb\n\"\\""#, Some("a\tb\n\"\\")),
            (r#""\x41\102\u0043\U00000044""#, Some("ABCD")),
            (r#""\303\244""#, Some("ä")),
            ("`a\\n\"b\r`", Some("a\\n\"b")),
            (r#""\xff""#, None),
            (r#""\q""#, None),
            (r#""\ud800""#, None),
            (r#""\777""#, None),
            (r#""a"#, None),
            ("", None),
        ];
        for (literal, value) in rows {
            assert_eq!(unquote(literal).as_deref(), value, "{literal}");
        }
    }

    #[test]
    fn integer_literals_have_the_value_go_gives_them() {
        let rows = [
            ("0", Some(0)),
            ("42", Some(42)),
            ("1_000", Some(1000)),
            ("0x1F", Some(31)),
            ("0b101", Some(5)),
            ("0o17", Some(15)),
            ("017", Some(15)),
            ("08", None),
            ("1.5", None),
            ("0x-1", None),
        ];
        for (literal, value) in rows {
            assert_eq!(integer(literal), value, "{literal}");
        }
    }

    #[test]
    fn float_literals_have_the_value_go_gives_them() {
        for (literal, value) in [
            ("1.5", Some(1.5)),
            (".5", Some(0.5)),
            ("1.", Some(1.0)),
            ("1e3", Some(1000.0)),
            ("1_0.2_5E-1", Some(1.025)),
            ("1e999", None),
            ("0x1p4", None),
        ] {
            assert_eq!(float(literal), value, "{literal}");
        }
    }
}
