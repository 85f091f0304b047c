//! `metav1.Time` and `metav1.MicroTime`.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;
use std::fmt;

/// A moment, as `metav1.Time` holds it: seconds since the Unix epoch and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    seconds: i64,
    nanoseconds: i32,
}

/// Go's zero time.
pub(super) const ZERO: &str = "0001-01-01T00:00:00Z";
/// Its seconds.
const ZERO_SECONDS: i64 = -62_135_596_800;

impl Instant {
    /// Parses RFC 3339 as Go's `time.Parse(time.RFC3339, …)` does; none when Go refuses the text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Instant> {
        if !has_rfc3339_shape(text.as_bytes()) {
            return None;
        }
        // Go takes a comma for the fraction's point.
        static PARSER: DateTimeParser = DateTimeParser::new();
        let timestamp: Timestamp = if text.contains(',') {
            PARSER.parse_timestamp(text.replace(',', ".")).ok()?
        } else {
            PARSER.parse_timestamp(text).ok()?
        };
        Some(Instant { seconds: timestamp.as_second(), nanoseconds: timestamp.subsec_nanosecond() })
    }

    /// Whether this is Go's zero time.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.seconds == ZERO_SECONDS && self.nanoseconds == 0
    }

    /// The text that Kubernetes prints for a `metav1.Time`: UTC, whole seconds.
    #[must_use]
    pub fn to_seconds_text(self) -> String {
        Timestamp::new(self.seconds, 0)
            .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    /// The text that Kubernetes prints for a `metav1.MicroTime`: UTC, six digits.
    #[must_use]
    pub fn to_micro_text(self) -> String {
        Timestamp::new(self.seconds, self.nanoseconds)
            .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string())
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_seconds_text())
    }
}

/// `YYYY-MM-DDTHH:MM:SS[(.|,)digits](Z|±HH:MM)`: upper-case letters only, and no leap second.
fn has_rfc3339_shape(text: &[u8]) -> bool {
    let digits = |from: usize, to: usize| text.get(from..to).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let at = |index: usize, byte: u8| text.get(index) == Some(&byte);
    let head = digits(0, 4)
        && at(4, b'-')
        && digits(5, 7)
        && at(7, b'-')
        && digits(8, 10)
        && at(10, b'T')
        && digits(11, 13)
        && at(13, b':')
        && digits(14, 16)
        && at(16, b':')
        && digits(17, 19)
        && text.get(17..19) != Some(b"60".as_slice());
    let Some(mut rest) = text.get(19..).filter(|_| head) else { return false };
    if let Some((b'.' | b',', fraction)) = rest.split_first() {
        let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        match fraction.get(count..) {
            Some(tail) if count > 0 => rest = tail,
            _ => return false,
        }
    }
    match rest {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Nanoseconds of a Go duration (`time.ParseDuration`): `1h30m`, `-1.5s`, `0`.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let number_len = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, tail) = rest.split_at_checked(number_len)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || whole.len() > 19 {
            return None;
        }
        let unit_len = tail.bytes().take_while(|byte| !byte.is_ascii_digit() && *byte != b'.').count();
        let (unit, next) = tail.split_at_checked(unit_len)?;
        let scale: i128 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total += whole * scale;
        let mut weight = scale;
        for digit in fraction.bytes() {
            weight /= 10;
            total += i128::from(digit - b'0') * weight;
        }
        if total > 1 << 63 {
            return None;
        }
        rest = next;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

/// A Go duration as `time.Duration.String` prints it: `1h30m0s`, `1.5s`, `100ms`, `0s`.
pub(super) fn duration_text(nanos: i64) -> String {
    let magnitude = nanos.unsigned_abs();
    let sign = if nanos < 0 { "-" } else { "" };
    let fractional = |value: u64, unit: u64| {
        let digits = format!("{:0width$}", value % unit, width = unit.ilog10() as usize);
        let fraction = digits.trim_end_matches('0');
        if fraction.is_empty() { format!("{}", value / unit) } else { format!("{}.{fraction}", value / unit) }
    };
    match magnitude {
        0 => "0s".to_owned(),
        1..1_000 => format!("{sign}{magnitude}ns"),
        1_000..1_000_000 => format!("{sign}{}\u{b5}s", fractional(magnitude, 1_000)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", fractional(magnitude, 1_000_000)),
        _ => {
            let minutes = magnitude / 60_000_000_000;
            let seconds = fractional(magnitude % 60_000_000_000, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Instant, ZERO, duration_text, parse_duration};

    #[test]
    fn times_parse_as_go_parses_rfc3339() {
        for text in [
            "2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00.123456789Z",
            "2024-01-01T00:00:00,5Z",
            "2024-01-01T01:00:00+01:00",
            "0001-01-01T00:00:00Z",
        ] {
            assert!(Instant::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "bad",
            "2024-01-01",
            "2024-01-01t00:00:00z",
            "2024-01-01T00:00:00",
            "2024-02-30T00:00:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T00:00:00.Z",
        ] {
            assert!(Instant::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn offsets_name_the_same_instant() {
        assert_eq!(Instant::parse("2024-01-01T01:00:00+01:00"), Instant::parse("2024-01-01T00:00:00Z"));
        assert!(Instant::parse(ZERO).is_some_and(Instant::is_zero));
        assert_eq!(
            Instant::parse("2024-01-01T01:02:03.9Z").map(Instant::to_seconds_text).as_deref(),
            Some("2024-01-01T01:02:03Z")
        );
        assert_eq!(
            Instant::parse("2024-01-01T01:02:03.9Z").map(Instant::to_micro_text).as_deref(),
            Some("2024-01-01T01:02:03.900000Z")
        );
    }

    #[test]
    fn durations_read_and_print_as_go_does() {
        for (text, printed) in [
            ("0", "0s"),
            ("1h", "1h0m0s"),
            ("90m", "1h30m0s"),
            ("1.5s", "1.5s"),
            ("100ms", "100ms"),
            ("-1m30s", "-1m30s"),
            ("1us", "1\u{b5}s"),
            (".5s", "500ms"),
        ] {
            assert_eq!(parse_duration(text).map(duration_text).as_deref(), Some(printed), "{text}");
        }
        for text in ["", "1", "h", "1x", "1..5s", "-", "99999999999h"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
