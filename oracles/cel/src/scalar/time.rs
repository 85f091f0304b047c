//! Points in time and spans, read and written as Go does.

use super::text::quoted;
use std::fmt::{self, Write as _};

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

/// The first and the last second that CEL knows.
pub(crate) const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// A point in time by calendar and clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: i64,
    /// From 1.
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    /// From 0.
    pub(crate) day_of_year: i64,
    /// From 0, Sunday.
    pub(crate) day_of_week: i64,
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

impl Timestamp {
    /// Calendar and clock at an offset from UTC, in seconds.
    pub(crate) fn civil(self, offset: i64) -> Civil {
        let local = self.seconds.saturating_add(offset);
        let (days, clock) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted - era * 146_097;
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Civil {
            year,
            month,
            day,
            hour: clock / 3_600,
            minute: clock / 60 % 60,
            second: clock % 60,
            day_of_year: days - days_from_civil(year, 1, 1),
            day_of_week: (days + 4).rem_euclid(7),
        }
    }

    /// This and so many nanoseconds more.
    pub(crate) fn plus(self, nanos: i64) -> Option<Self> {
        let total = i64::from(self.nanos) + nanos % 1_000_000_000;
        let seconds = self.seconds.checked_add(nanos / 1_000_000_000)?.checked_add(total.div_euclid(1_000_000_000))?;
        SECONDS
            .contains(&seconds)
            .then(|| Self { seconds, nanos: u32::try_from(total.rem_euclid(1_000_000_000)).unwrap_or_default() })
    }

    /// Nanoseconds since `other`.
    pub(crate) fn since(self, other: Self) -> Option<i64> {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        i64::try_from(seconds * 1_000_000_000 + i128::from(self.nanos) - i128::from(other.nanos)).ok()
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.civil(0);
        write!(f, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month, c.day, c.hour, c.minute, c.second)?;
        if self.nanos != 0 {
            let digits = format!("{:09}", self.nanos);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

/// A part of a layout: its name in Go, and how it is read.
#[derive(Clone, Copy)]
enum Piece {
    Literal(&'static str),
    Year,
    Two(&'static str),
    Zone,
}

const DATE: [Piece; 5] = [Piece::Year, Piece::Literal("-"), Piece::Two("01"), Piece::Literal("-"), Piece::Two("02")];
const CLOCK: [Piece; 6] = [
    Piece::Literal("T"),
    Piece::Two("15"),
    Piece::Literal(":"),
    Piece::Two("04"),
    Piece::Literal(":"),
    Piece::Two("05"),
];

/// Reads RFC 3339.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, String> {
    let pieces: Vec<Piece> = DATE.into_iter().chain(CLOCK).chain([Piece::Zone]).collect();
    read(text, "2006-01-02T15:04:05Z07:00", &pieces)
}

/// Reads a date of a schema: midnight in UTC.
pub(crate) fn date(text: &str) -> Result<Timestamp, String> {
    read(text, "2006-01-02", &DATE)
}

/// Reads a `date-time` of a schema: RFC 3339, or without a zone.
pub(crate) fn kube_date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(Timestamp { seconds: 0, nanos: 0 });
    }
    timestamp(text).or_else(|_| {
        let pieces: Vec<Piece> = DATE.into_iter().chain(CLOCK).collect();
        read(text, "2006-01-02T15:04:05", &pieces)
    })
}

fn read(text: &str, layout: &str, pieces: &[Piece]) -> Result<Timestamp, String> {
    let cannot = |rest: &str, piece: &str| {
        format!(
            "parsing time {} as {}: cannot parse {} as {}",
            quoted(text),
            quoted(layout),
            quoted(rest),
            quoted(piece)
        )
    };
    let range = |what: &str| format!("parsing time {}: {what} out of range", quoted(text));
    let mut rest = text;
    let (mut year, mut month, mut day, mut hour, mut minute, mut second) = (0i64, 1i64, 1i64, 0i64, 0i64, 0i64);
    let (mut nanos, mut offset) = (0u32, 0i64);
    for piece in pieces {
        let held = rest;
        match piece {
            Piece::Literal(literal) => {
                rest = rest.strip_prefix(literal).ok_or_else(|| cannot(held, literal))?;
            }
            Piece::Year => {
                let (digits, after) = rest.split_at_checked(4).ok_or_else(|| cannot(held, "2006"))?;
                year = number(digits).ok_or_else(|| cannot(held, "2006"))?;
                rest = after;
            }
            Piece::Two(name) => {
                let two = rest.split_at_checked(2).and_then(|(digits, after)| Some((number(digits)?, after)));
                let one = || {
                    let (digit, after) = rest.split_at_checked(1)?;
                    (*name == "15").then_some((number(digit)?, after))
                };
                let (value, after) = two.or_else(one).ok_or_else(|| cannot(held, name))?;
                rest = after;
                match *name {
                    "01" if !(1..=12).contains(&value) => return Err(range("month")),
                    "01" => month = value,
                    "02" => day = value,
                    "15" if value > 23 => return Err(range("hour")),
                    "15" => hour = value,
                    "04" if value > 59 => return Err(range("minute")),
                    "04" => minute = value,
                    _ if value > 59 => return Err(range("second")),
                    _ => {
                        second = value;
                        let digits = rest.strip_prefix(['.', ',']).unwrap_or_default();
                        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
                        if count > 0 {
                            let fraction: String =
                                digits.chars().take(count).chain(std::iter::repeat('0')).take(9).collect();
                            nanos = fraction.parse().unwrap_or_default();
                            rest = rest.get(1 + count..).unwrap_or_default();
                        }
                    }
                }
            }
            Piece::Zone => {
                if let Some(after) = rest.strip_prefix('Z') {
                    rest = after;
                    continue;
                }
                let (zone, after) = rest.split_at_checked(6).ok_or_else(|| cannot(held, "Z07:00"))?;
                let sign = match zone.as_bytes() {
                    [b'+', _, _, b':', ..] => 1,
                    [b'-', _, _, b':', ..] => -1,
                    _ => return Err(cannot(held, "Z07:00")),
                };
                let part = |from: usize| zone.get(from..from + 2).and_then(number);
                let (Some(hours), Some(minutes)) = (part(1), part(4)) else { return Err(cannot(held, "Z07:00")) };
                if hours > 24 {
                    return Err(range("time zone offset hour"));
                }
                if minutes > 60 {
                    return Err(range("time zone offset minute"));
                }
                offset = sign * (hours * 3_600 + minutes * 60);
                rest = after;
            }
        }
    }
    if !rest.is_empty() {
        return Err(format!("parsing time {}: extra text: {}", quoted(text), quoted(rest)));
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !(1..=longest).contains(&day) {
        return Err(range("day"));
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    Ok(Timestamp { seconds, nanos })
}

fn number(digits: &str) -> Option<i64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Parses a duration as Go's `time.ParseDuration` does, in nanoseconds; `None` if it is invalid.
#[must_use]
pub fn duration(text: &str) -> Option<i64> {
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
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let whole = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(whole);
        let mut value: u64 = if whole == 0 { 0 } else { digits.parse().ok().filter(|value| *value <= 1 << 63)? };
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(after.bytes().take_while(u8::is_ascii_digit).count()),
            None => ("", after),
        };
        if whole == 0 && fraction.is_empty() {
            return None;
        }
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let unit: u64 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        value = value.checked_mul(unit).filter(|value| *value <= 1 << 63)?;
        if !fraction.is_empty() {
            // As Go: digits beyond what fits are dropped.
            let (mut part, mut scale) = (0u64, 1f64);
            for digit in fraction.bytes() {
                let Some(next) = part.checked_mul(10).and_then(|part| part.checked_add(u64::from(digit - b'0'))) else {
                    break;
                };
                if next > i64::MAX as u64 {
                    break;
                }
                part = next;
                scale *= 10.0;
            }
            value =
                value.checked_add((part as f64 * (unit as f64 / scale)) as u64).filter(|value| *value <= 1 << 63)?;
        }
        total = total.checked_add(value).filter(|total| *total <= 1 << 63)?;
        rest = after;
    }
    if negative { Some(0i64.wrapping_sub(total.cast_signed())) } else { i64::try_from(total).ok() }
}

/// Reads a `duration` of a schema: as Go, or numbers with the names of units.
pub(crate) fn kube_duration(text: &str) -> Result<i64, String> {
    if let Some(nanos) = duration(text) {
        return Ok(nanos);
    }
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "\u{b5}s", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], 1_000_000_000),
        (&["m", "min"], 60_000_000_000),
        (&["h", "hr", "hour"], 3_600_000_000_000),
        (&["d", "day"], 86_400_000_000_000),
        (&["w", "wk", "week"], 604_800_000_000_000),
    ];
    let (mut total, mut found, mut rest) = (0i64, false, text);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest.get(start..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (amount, after) = rest.split_at(digits);
        let after = after.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let length = after.find(|c: char| !(c.is_ascii_alphabetic() || c == '\u{b5}')).unwrap_or(after.len());
        let (unit, after) = after.split_at(length);
        rest = after;
        if unit.is_empty() {
            continue;
        }
        let amount: i64 =
            amount.parse().map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", quoted(amount)))?;
        let unit = unit.to_lowercase();
        for (names, nanos) in UNITS {
            for (at, name) in names.iter().enumerate() {
                if unit == *name || (at + 1 == names.len() && unit.starts_with(name)) {
                    found = true;
                    total = total.wrapping_add(amount.wrapping_mul(nanos));
                }
            }
        }
    }
    if found { Ok(total) } else { Err(format!("unable to parse {text} as duration")) }
}

/// A span as Go prints it: `1h0m0.5s`.
#[must_use]
pub fn go_duration(nanos: i64) -> String {
    if nanos == 0 {
        return "0s".to_owned();
    }
    let mut out = if nanos < 0 { "-".to_owned() } else { String::new() };
    let left = nanos.unsigned_abs();
    let fraction = |out: &mut String, whole: u64, part: u64, digits: usize, unit: &str| {
        let _ = write!(out, "{whole}");
        if part != 0 {
            let part = format!("{part:0digits$}");
            let _ = write!(out, ".{}", part.trim_end_matches('0'));
        }
        out.push_str(unit);
    };
    if left < 1_000 {
        let _ = write!(out, "{left}ns");
    } else if left < 1_000_000 {
        fraction(&mut out, left / 1_000, left % 1_000, 3, "\u{b5}s");
    } else if left < 1_000_000_000 {
        fraction(&mut out, left / 1_000_000, left % 1_000_000, 6, "ms");
    } else {
        let seconds = left / 1_000_000_000;
        if seconds >= 3_600 {
            let _ = write!(out, "{}h", seconds / 3_600);
        }
        if seconds >= 60 {
            let _ = write!(out, "{}m", seconds / 60 % 60);
        }
        fraction(&mut out, seconds % 60, left % 1_000_000_000, 9, "s");
    }
    out
}

/// The offset of a zone at a point in time, in seconds: `+02:00`, or a name.
pub(crate) fn offset(zone: &str, at: Timestamp) -> Result<i64, String> {
    if let Some((hours, minutes)) = zone.split_once(':') {
        let part = |digits: &str| {
            let parsed: Result<i64, _> = digits.parse();
            parsed.map_err(|_| format!("strconv.Atoi: parsing {}: invalid syntax", quoted(digits)))
        };
        let (hours, minutes) = (part(hours)?, part(minutes)?);
        let total = if zone.starts_with('-') { hours * 60 - minutes } else { hours * 60 + minutes };
        return Ok(total.saturating_mul(60));
    }
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(0);
    }
    let unknown = |_| format!("unknown time zone {zone}");
    let zone = jiff::tz::TimeZone::get(zone).map_err(unknown)?;
    let at = at.seconds.clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    let at = jiff::Timestamp::from_second(at).map_err(unknown)?;
    Ok(i64::from(zone.to_offset(at).seconds()))
}
