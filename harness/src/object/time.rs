//! `metav1.Time` and `metav1.MicroTime`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::RangeInclusive;

/// A moment, as `metav1.Time` holds it: seconds since the Unix epoch and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    seconds: i64,
    nanoseconds: i32,
}

/// The seconds of Go's zero time.
const ZERO_SECONDS: i64 = -62_135_596_800;
/// What timestamps count from.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// Years after which the calendar repeats itself, weekdays included.
const CYCLE_YEARS: i64 = 400;
/// The seconds in them.
const CYCLE: i64 = 146_097 * 86_400;
/// Cycles by which [`Instant::timestamp`] moves what is too late for a `Timestamp`: enough to end up before every moment
/// that a text can say.
const MOVED: i64 = 26;

impl Instant {
    /// Go's zero time.
    pub const ZERO: Self = Self { seconds: ZERO_SECONDS, nanoseconds: 0 };

    /// Parses RFC 3339 as Go's `time.Parse(time.RFC3339, …)` does; none when Go refuses the text. Go takes an hour of one
    /// digit, a comma for the fraction's point, any number of fraction digits, of which nine count, and offsets up to `24:60`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Instant> {
        let mut rest = Rest(text.as_bytes());
        let year = rest.number(4..=4)?;
        let month = rest.after(b'-', 2..=2)?;
        let day = rest.after(b'-', 2..=2)?;
        let hour = rest.after(b'T', 1..=2)?;
        let minute = rest.after(b':', 2..=2)?;
        let second = rest.after(b':', 2..=2)?;
        let nanoseconds = rest.fraction();
        let offset = rest.offset()?;
        let small = |number: i32| i8::try_from(number).ok();
        let local = DateTime::new(
            i16::try_from(year).ok()?,
            small(month)?,
            small(day)?,
            small(hour)?,
            small(minute)?,
            small(second)?,
            0,
        );
        let seconds = local.ok()?.duration_since(EPOCH).as_secs();
        Some(Instant { seconds: seconds - i64::from(offset), nanoseconds })
    }

    /// Whether this is Go's zero time.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.seconds == ZERO_SECONDS && self.nanoseconds == 0
    }

    /// A timestamp that stands for this moment and no other: itself, but for the last day of the year 9999 and what offsets
    /// add to it, which `Timestamp` does not hold. That stands 10,400 years earlier, before every moment that has a text.
    #[must_use]
    pub fn timestamp(self) -> Timestamp {
        Timestamp::new(self.seconds - self.moved() * CYCLE, self.nanoseconds).unwrap_or(Timestamp::MIN)
    }

    /// Cycles by which [`Instant::timestamp`] is too early.
    fn moved(self) -> i64 {
        if self.seconds > Timestamp::MAX.as_second() { MOVED } else { 0 }
    }

    /// The text that Kubernetes prints for a `metav1.Time`: UTC, whole seconds.
    #[must_use]
    pub fn to_seconds_text(self) -> String {
        self.text("%m-%dT%H:%M:%SZ")
    }

    /// The text that Kubernetes prints for a `metav1.MicroTime`: UTC, six digits.
    #[must_use]
    pub fn to_micro_text(self) -> String {
        self.text("%m-%dT%H:%M:%S.%6fZ")
    }

    /// The year, then what follows it.
    fn text(self, rest: &str) -> String {
        let timestamp = self.timestamp();
        let year = i64::from(Offset::UTC.to_datetime(timestamp).year()) + self.moved() * CYCLE_YEARS;
        let sign = if year < 0 { "-" } else { "" };
        format!("{sign}{:04}-{}", year.unsigned_abs(), timestamp.strftime(rest))
    }
}

impl Default for Instant {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_seconds_text())
    }
}

/// The part of a text that is not read yet.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// The next byte, if it is one of `expected`.
    fn take(&mut self, expected: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        expected.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    /// A number of as many digits as there are, within `digits`.
    fn number(&mut self, digits: RangeInclusive<usize>) -> Option<i32> {
        let count = self.0.iter().take(*digits.end()).take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at_checked(count).filter(|_| digits.contains(&count))?;
        self.0 = rest;
        Some(number.iter().fold(0, |number, digit| number * 10 + i32::from(digit - b'0')))
    }

    /// The number after `separator`.
    fn after(&mut self, separator: u8, digits: RangeInclusive<usize>) -> Option<i32> {
        self.take(&[separator])?;
        self.number(digits)
    }

    /// Reads the nanoseconds after a point or comma; none if no digit follows. The point is then left, and refused as
    /// superfluous.
    fn fraction(&mut self) -> i32 {
        let Some((b'.' | b',', digits)) = self.0.split_first() else { return 0 };
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count > 0 {
            self.0 = digits.get(count..).unwrap_or_default();
        }
        let digits = digits.iter().take(count).map(|digit| i32::from(digit - b'0')).chain(std::iter::repeat(0));
        digits.take(9).fold(0, |nanoseconds, digit| nanoseconds * 10 + digit)
    }

    /// The seconds of the offset from UTC that ends the text.
    fn offset(&mut self) -> Option<i32> {
        let seconds = match self.take(b"Z+-")? {
            b'Z' => 0,
            sign => {
                let (hours, minutes) = (self.number(2..=2)?, self.after(b':', 2..=2)?);
                let size = (hours <= 24 && minutes <= 60).then_some((hours * 60 + minutes) * 60)?;
                if sign == b'-' { -size } else { size }
            }
        };
        self.0.is_empty().then_some(seconds)
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
    use super::{Instant, duration_text, parse_duration};

    const ZERO: &str = "0001-01-01T00:00:00Z";

    #[test]
    fn times_parse_as_go_parses_rfc3339() {
        for (text, printed) in [
            ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000Z"),
            ("2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123456Z"),
            ("2024-01-01T00:00:00.1234567890123Z", "2024-01-01T00:00:00.123456Z"),
            ("2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00.500000Z"),
            ("2024-01-01T0:00:00Z", "2024-01-01T00:00:00.000000Z"),
            ("2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00.000000Z"),
            ("2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00.000000Z"),
            ("2024-01-01T00:00:00+00:60", "2023-12-31T23:00:00.000000Z"),
            ("2024-01-01T00:00:00+24:59", "2023-12-30T23:01:00.000000Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
            ("0000-01-01T00:00:00+00:01", "-0001-12-31T23:59:00.000000Z"),
            ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00.000000Z"),
            ("9999-12-30T22:00:01Z", "9999-12-30T22:00:01.000000Z"),
            ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
            ("9999-12-31T23:59:59-24:60", "10000-01-02T00:59:59.000000Z"),
        ] {
            assert_eq!(Instant::parse(text).map(Instant::to_micro_text).as_deref(), Some(printed), "{text}");
        }
        for text in [
            "",
            "bad",
            "2024-01-01",
            "2024-01-01t00:00:00Z",
            "2024-01-01T00:00:00z",
            "2024-01-01 00:00:00Z",
            " 2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00Z ",
            "2024-01-01T00:00:00",
            "2023-02-29T00:00:00Z",
            "2024-02-30T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-1-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+25:00",
            "2024-01-01T00:00:00+00:61",
            "2024-01-01T00:00:00+0000",
        ] {
            assert!(Instant::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn timestamps_stand_for_one_moment_each() {
        let mut seen = Vec::new();
        for text in [
            "0000-01-01T00:00:00+24:60",
            ZERO,
            "2024-01-01T00:00:00.5Z",
            "9999-12-30T22:00:00.999999999Z",
            "9999-12-30T22:00:01Z",
            "9999-12-31T23:59:59-24:60",
        ] {
            let instant = Instant::parse(text).unwrap();
            assert!(!seen.contains(&instant.timestamp()), "{text}");
            seen.push(instant.timestamp());
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
