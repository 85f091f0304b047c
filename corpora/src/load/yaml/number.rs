//! Numbers of YAML 1.1 as Go's parser takes them.

/// A whole number in any notation of Go: decimal, `0x`, `0o`, `0b`, and a leading `0` for octal. Signs as in Go: only
/// numbers within 64 signed bits may have a `+`.
pub(super) fn integer(text: &str) -> Option<Integer> {
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (Some('-'), text.get(1..)?),
        Some(b'+') => (Some('+'), text.get(1..)?),
        _ => (None, text),
    };
    let (radix, digits) = notation(digits);
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok();
    Some(match (magnitude, sign) {
        (Some(size), Some('-')) if size <= 1 << 63 => Integer::Signed(0_i64.wrapping_sub_unsigned(size)),
        (Some(size), _) if i64::try_from(size).is_ok() => Integer::Signed(i64::try_from(size).unwrap_or(i64::MAX)),
        (Some(size), None) => Integer::Unsigned(size),
        // Beyond 64 bits a decimal number is a float and any other a text.
        _ => return None,
    })
}

/// A whole number by the range it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    Signed(i64),
    Unsigned(u64),
}

fn notation(digits: &str) -> (u32, &str) {
    let prefixed = |lower: &str, upper: &str| digits.strip_prefix(lower).or_else(|| digits.strip_prefix(upper));
    if let Some(rest) = prefixed("0x", "0X") {
        (16, rest)
    } else if let Some(rest) = prefixed("0o", "0O") {
        (8, rest)
    } else if let Some(rest) = prefixed("0b", "0B") {
        (2, rest)
    } else if digits.len() > 1
        && let Some(rest) = digits.strip_prefix('0')
    {
        (8, rest)
    } else {
        (10, digits)
    }
}

/// A float: digits with a point or an exponent, finite. `.5`, `1.` and `1e3` are floats; `e3`, `.` and `1e` are not.
pub(super) fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    if whole.is_empty() && fraction.is_empty() || !digits(whole) || !digits(fraction) || !exponent_fits {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A float as a map key: the shortest text that is this number in 32 bits, with an exponent from 1e6 on and below 1e-4,
/// which is how `sigs.k8s.io/yaml` writes it.
pub(super) fn float_key(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "keys are rounded to 32 bits on purpose")]
    let value = value as f32;
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_in_every_notation() {
        for (text, expected) in [
            ("0", Some(Integer::Signed(0))),
            ("-0", Some(Integer::Signed(0))),
            ("+7", Some(Integer::Signed(7))),
            ("0x1F", Some(Integer::Signed(31))),
            ("-0x10", Some(Integer::Signed(-16))),
            ("0o17", Some(Integer::Signed(15))),
            ("017", Some(Integer::Signed(15))),
            ("0b101", Some(Integer::Signed(5))),
            ("08", None),
            ("0x", None),
            ("+", None),
            ("12a", None),
            ("-9223372036854775808", Some(Integer::Signed(i64::MIN))),
            ("9223372036854775807", Some(Integer::Signed(i64::MAX))),
            ("9223372036854775808", Some(Integer::Unsigned(1 << 63))),
            ("+9223372036854775808", None),
            ("18446744073709551616", None),
            ("-9223372036854775809", None),
            ("0xfffffffffffffffff", None),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn floats_need_digits_and_a_whole_exponent() {
        for (text, expected) in [
            ("1.5", Some(1.5)),
            (".5", Some(0.5)),
            ("1.", Some(1.0)),
            ("1e3", Some(1000.0)),
            ("-1.5E-1", Some(-0.15)),
            ("08", Some(8.0)),
            (".", None),
            ("e3", None),
            ("1e", None),
            ("1e+", None),
            ("1.2.3", None),
            ("inf", None),
            ("1e400", None),
        ] {
            assert_eq!(float(text), expected, "{text}");
        }
    }

    #[test]
    fn float_keys_are_written_shortest() {
        for (value, expected) in [
            (1.5, "1.5"),
            (0.1, "0.1"),
            (3.0, "3"),
            (999_999.0, "999999"),
            (1e6, "1e+06"),
            (1e20, "1e+20"),
            (123_456_789.5, "1.2345679e+08"),
            (0.0001, "0.0001"),
            (1e-5, "1e-05"),
        ] {
            assert_eq!(float_key(value), expected);
        }
    }
}
