//! Times, dates and sizes as arguments.

use bytesize::ByteSize;
use jiff::SignedDuration;
use jiff::civil::Date;
use std::time::Duration;

/// `500ms`, `60s`, `5m`, `1h`; a bare number is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = || text.parse().ok().map(Duration::from_secs);
    let with_unit = || text.parse::<SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    seconds().or_else(with_unit).ok_or_else(|| format!("`{text}` is not a time such as 60s or 5m"))
}

/// `2027-01-31`.
pub(super) fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| format!("`{text}` is not a date such as 2027-01-31"))
}

/// `512MiB`, `2GiB`; a bare number is bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    // What is too large comes as the largest number that there is.
    let size = text.parse().ok().map(|ByteSize(size)| size).filter(|size| *size < u64::MAX);
    size.ok_or_else(|| format!("`{text}` is not a size such as 512MiB or 2GiB"))
}

#[cfg(test)]
mod tests {
    use super::{date, duration, size};
    use std::time::Duration;

    #[test]
    fn times_are_read_with_their_unit() {
        for (text, millis) in [
            ("60s", 60_000),
            ("5m", 300_000),
            ("1h", 3_600_000),
            ("250ms", 250),
            ("0s", 0),
            ("7", 7_000),
            ("1.5s", 1_500),
            ("1h 30m", 5_400_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "1.5", "99999999999999999999s", "99999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date("2027-01-31"), Ok(jiff::civil::date(2027, 1, 31)));
        for text in ["", "tomorrow", "2027-13-01", "2027-02-29", "31.1.2027"] {
            assert!(date(text).is_err_and(|why| why.contains("2027-01-31")), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_with_their_unit() {
        for (text, bytes) in [
            ("1024", 1024),
            ("3KiB", 3072),
            ("512MiB", 512 << 20),
            ("2GiB", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("1GB", 1_000_000_000),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "GiB", "1XB", "-1MiB", "99999999999GiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
