//! Cron expressions and time zones, with the complaints of the parser that Kubernetes uses.

use jiff::tz::TimeZoneDatabase;
use std::sync::LazyLock;
use takeover_harness::error::BadValue;

/// The zones of the IANA database that is part of the program.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// One of the five fields: least and greatest number, and names for the numbers from the least on.
struct Bounds {
    min: i64,
    max: i64,
    names: &'static [&'static str],
}

/// Minute, hour, day of the month, month, day of the week.
const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[] },
    Bounds { min: 0, max: 23, names: &[] },
    Bounds { min: 1, max: 31, names: &[] },
    Bounds { min: 1, max: 12, names: &MONTHS },
    Bounds { min: 0, max: 6, names: &DAYS },
];

/// Whether a schedule parses; otherwise the complaint.
pub(super) fn parse_schedule(schedule: &str) -> Result<(), String> {
    let schedule = match schedule.strip_prefix("CRON_TZ=").or_else(|| schedule.strip_prefix("TZ=")) {
        None => schedule,
        Some(zoned) => {
            // The parser of Kubernetes panics here, and says what Go says of it.
            let no_space = "invalid schedule format: runtime error: slice bounds out of range [:-1]";
            let (zone, rest) = zoned.split_once(' ').ok_or(no_space)?;
            if let Some(problem) = location_problem(zone) {
                return Err(format!("provided bad location {zone}: {problem}"));
            }
            rest.trim()
        }
    };
    if schedule.starts_with('@') {
        return parse_descriptor(schedule);
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    for (field, bounds) in fields.iter().zip(&FIELDS) {
        for range in field.split(',').filter(|range| !range.is_empty()) {
            parse_range(range, bounds)?;
        }
    }
    Ok(())
}

fn parse_descriptor(descriptor: &str) -> Result<(), String> {
    if matches!(descriptor, "@yearly" | "@annually" | "@monthly" | "@weekly" | "@daily" | "@midnight" | "@hourly") {
        return Ok(());
    }
    match descriptor.strip_prefix("@every ") {
        None => Err(format!("unrecognized descriptor: {descriptor}")),
        Some(duration) => {
            parse_duration(duration).map_err(|problem| format!("failed to parse duration {descriptor}: {problem}"))
        }
    }
}

/// `first-last/step`.
fn parse_range(range: &str, bounds: &Bounds) -> Result<(), String> {
    let parts: Vec<&str> = range.split('/').collect();
    let span: Vec<&str> = parts.first().copied().unwrap_or_default().split('-').collect();
    let (mut start, mut end) = (bounds.min, bounds.max);
    match span.as_slice() {
        ["*" | "?", ..] => {}
        [first] => {
            start = parse_number(first, bounds.names, bounds.min)?;
            end = start;
        }
        [first, last] => {
            start = parse_number(first, bounds.names, bounds.min)?;
            end = parse_number(last, bounds.names, bounds.min)?;
        }
        [first, ..] => {
            parse_number(first, bounds.names, bounds.min)?;
            return Err(format!("too many hyphens: {range}"));
        }
        [] => {}
    }
    let step = match parts.as_slice() {
        [_] => 1,
        [_, step] => {
            let step = parse_int(step)?;
            if span.len() == 1 {
                end = bounds.max;
            }
            step
        }
        _ => return Err(format!("too many slashes: {range}")),
    };
    if start < bounds.min {
        return Err(format!("beginning of range ({start}) below minimum ({}): {range}", bounds.min));
    }
    if end > bounds.max {
        return Err(format!("end of range ({end}) above maximum ({}): {range}", bounds.max));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(())
}

fn parse_number(text: &str, names: &[&str], first: i64) -> Result<i64, String> {
    let lower = text.to_lowercase();
    let named = (first..).zip(names).find(|(_, name)| **name == lower);
    named.map_or_else(|| parse_int(text), |(number, _)| Ok(number))
}

fn parse_int(text: &str) -> Result<i64, String> {
    let number = atoi(text).map_err(|problem| format!("failed to parse int from {text}: {problem}"))?;
    if number < 0 {
        return Err(format!("negative number ({number}) not allowed: {text}"));
    }
    Ok(number)
}

/// Go's `strconv.Atoi`, with its complaints.
pub(super) fn atoi(text: &str) -> Result<i64, String> {
    let problem = |what: &str| format!("strconv.Atoi: parsing {}: {what}", BadValue::from(text));
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem("invalid syntax"));
    }
    text.parse().map_err(|_| problem("value out of range"))
}

/// Go's `time.ParseDuration`, with its complaints.
fn parse_duration(text: &str) -> Result<(), String> {
    let invalid = || format!("time: invalid duration {}", BadValue::from(text));
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), split_digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        match unit {
            "" => return Err(format!("time: missing unit in duration {}", BadValue::from(text))),
            "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h" => rest = after,
            other => {
                let (unit, whole) = (BadValue::from(other), BadValue::from(text));
                return Err(format!("time: unknown unit {unit} in duration {whole}"));
            }
        }
    }
    Ok(())
}

/// The digits that a text starts with, and what follows.
fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// Longest part of the name of a zone, in bytes.
const ZONE_PART_LIMIT: usize = 14;

/// What is wrong with the time zone of a field: first its form, then whether it is explicit and known.
pub(super) fn time_zone_problems(zone: &str) -> Vec<String> {
    if zone.is_empty() {
        return vec!["timeZone must be nil or non-empty string".to_owned()];
    }
    let is_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
        let length = 1..=ZONE_PART_LIMIT;
        !matches!(part, "." | "..") && !part.starts_with('-') && length.contains(&part.len()) && part.bytes().all(plain)
    };
    if !zone.split('/').all(is_part) {
        return vec![format!("unknown time zone {zone}")];
    }
    let explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    let local = zone.eq_ignore_ascii_case("local").then(|| explicit.to_owned());
    local.into_iter().chain(location_problem(zone)).collect()
}

/// What Go's `time.LoadLocation` says of a name that it does not find. Names are told apart by case.
fn location_problem(zone: &str) -> Option<String> {
    if matches!(zone, "" | "UTC" | "Local") {
        return None;
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Some("time: invalid location name".to_owned());
    }
    let found = ZONES.get(zone).ok();
    let known = found.as_ref().and_then(|found| found.iana_name()).is_some_and(|name| name == zone);
    (!known).then(|| format!("unknown time zone {zone}"))
}

#[cfg(test)]
mod tests {
    use super::{parse_schedule, time_zone_problems};

    #[test]
    fn schedules_are_read_as_the_parser_of_kubernetes_reads_them() {
        for (schedule, problem) in [
            ("*/5 0-6,12 ? JAN-mar mon", ""),
            ("@hourly", ""),
            ("@every 1h30m", ""),
            ("0 0 1 1 *", ""),
            ("TZ=Europe/Berlin 0 0 * * *", ""),
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"),
            ("@fortnightly", "unrecognized descriptor: @fortnightly"),
            ("@every 1d", "failed to parse duration @every 1d: time: unknown unit \"d\" in duration \"1d\""),
            ("@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""),
            (
                "@every 1.5h1..5s",
                "failed to parse duration @every 1.5h1..5s: time: missing unit in duration \"1.5h1..5s\"",
            ),
            ("@every .s", "failed to parse duration @every .s: time: invalid duration \".s\""),
            ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
            ("TZ=Mars/Base 0 0 * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"),
        ] {
            assert_eq!(parse_schedule(schedule).err().unwrap_or_default(), problem, "{schedule}");
        }
    }

    #[test]
    fn time_zones_are_names_of_the_iana_database_in_their_case() {
        for (zone, problems) in [
            ("Europe/Berlin", &[][..]),
            ("Etc/GMT+5", &[]),
            ("America/Argentina/Buenos_Aires", &[]),
            ("UTC", &[]),
            ("EUROPE/BERLIN", &["unknown time zone EUROPE/BERLIN"]),
            ("Europe", &["unknown time zone Europe"]),
            ("", &["timeZone must be nil or non-empty string"]),
            ("../etc", &["unknown time zone ../etc"]),
            ("/UTC", &["unknown time zone /UTC"]),
            ("Local", &["timeZone must be an explicit"]),
            ("LOCAL", &["timeZone must be an explicit", "unknown time zone LOCAL"]),
        ] {
            let found = time_zone_problems(zone);
            assert_eq!(found.len(), problems.len(), "{zone}: {found:?}");
            assert!(found.iter().zip(problems).all(|(found, start)| found.starts_with(start)), "{zone}: {found:?}");
        }
    }
}
