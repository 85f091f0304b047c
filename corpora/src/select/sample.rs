//! Samples by content.

use crate::load::LoadedCase;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use takeover_harness::case::{Payload, stored};

/// Millionths in a whole.
const WHOLE: u32 = 1_000_000;

/// How many cases are chosen. Printed and read as `500`, or as `2.5%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Sample {
    /// So many: those whose hashes are the smallest. The inputs are read twice for it.
    Count(u64),
    /// So many millionths: those whose hashes lie in that part of all hashes.
    Share(u32),
}

/// Text that names no sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a sample: use a number of cases such as 500, or a share from 0.0001% to 100%")]
pub struct BadSample(String);

impl Sample {
    /// Whether a share takes a case with this hash; a number of cases says nothing of one alone.
    pub(super) fn takes(self, hash: u64) -> Option<bool> {
        match self {
            Self::Count(_) => None,
            Self::Share(share) => Some(u128::from(hash) * u128::from(WHOLE) < u128::from(share) << 64),
        }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Share(share) => {
                let digits = format!("{:04}", share % 10_000);
                let digits = digits.trim_end_matches('0');
                let point = if digits.is_empty() { "" } else { "." };
                write!(f, "{}{point}{digits}%", share / 10_000)
            }
        }
    }
}

impl FromStr for Sample {
    type Err = BadSample;

    fn from_str(text: &str) -> Result<Self, BadSample> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let read = || {
            let Some(percent) = text.strip_suffix('%') else {
                return digits(text).then(|| text.parse().ok()).flatten().filter(|count| *count > 0).map(Self::Count);
            };
            let (whole, part) = percent.split_once('.').unwrap_or((percent, "0"));
            if !digits(whole) || !digits(part) || part.is_empty() || part.len() > 4 {
                return None;
            }
            let share =
                whole.parse::<u32>().ok()?.checked_mul(10_000)?.checked_add(format!("{part:0<4}").parse().ok()?)?;
            (1..=WHOLE).contains(&share).then_some(Self::Share(share))
        };
        read().ok_or_else(|| BadSample(text.to_owned()))
    }
}

impl TryFrom<String> for Sample {
    type Error = BadSample;

    fn try_from(text: String) -> Result<Self, BadSample> {
        text.parse()
    }
}

impl From<Sample> for String {
    fn from(sample: Sample) -> Self {
        sample.to_string()
    }
}

/// The hash of what a case is: its operation, subresource, objects and options, not where it came from.
#[must_use]
pub fn content_hash(loaded: &LoadedCase) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(loaded.case.operation.to_string().as_bytes());
    hasher.update(&[0]).update(loaded.subresource.as_bytes()).update(&[0]);
    for payload in std::iter::once(&loaded.case.object).chain(&loaded.case.old) {
        match payload {
            // Writing to a hasher does not fail.
            Payload::Value(value) => _ = serde_json::to_writer(&mut hasher, value.as_ref()),
            Payload::Stored(value) => _ = serde_json::to_writer(&mut hasher, &stored(value.as_ref().clone())),
            Payload::Tree(tree) => _ = serde_json::to_writer(&mut hasher, tree),
            Payload::Json(text) => match payload.to_value() {
                Ok(value) => _ = serde_json::to_writer(&mut hasher, &value),
                Err(_) => _ = hasher.update(text),
            },
        }
        hasher.update(&[0]);
    }
    let mut options: Vec<_> = loaded.case.options.iter().collect();
    options.sort_unstable();
    for (name, on) in options {
        hasher.update(name.as_bytes()).update(&[0, u8::from(on)]);
    }
    first(&hasher)
}

/// The first eight bytes of a hash.
pub(super) fn first(hasher: &blake3::Hasher) -> u64 {
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn samples_are_read_as_they_are_printed() {
        for (text, sample) in [
            ("500", Sample::Count(500)),
            ("100%", Sample::Share(1_000_000)),
            ("2.5%", Sample::Share(25_000)),
            ("0.0001%", Sample::Share(1)),
        ] {
            assert_eq!(text.parse(), Ok(sample));
            assert_eq!(sample.to_string(), text);
        }
        for text in ["", "0", "-1", "0%", "101%", "100.0001%", "1.%", "1.00001%", "%", "ten", "1e3", "+5"] {
            assert!(text.parse::<Sample>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_share_takes_its_part_of_the_hashes() {
        assert_eq!(Sample::Share(1_000_000).takes(u64::MAX), Some(true));
        assert_eq!(Sample::Share(500_000).takes(u64::MAX / 2), Some(true));
        assert_eq!(Sample::Share(500_000).takes(u64::MAX / 2 + 1), Some(false));
        assert_eq!(Sample::Share(1).takes(0), Some(true));
    }
}
