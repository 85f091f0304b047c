//! Runs of base64 and hexadecimal digits within texts, and what they may stand for.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Shortest run that is read: what it stands for has six bytes.
const SHORTEST: usize = 8;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

#[expect(clippy::unwrap_used, reason = "the pattern is fixed, and a test compiles it")]
static CERTIFICATES: LazyLock<Regex> = LazyLock::new(|| {
    let block = r"-----BEGIN (?:NEW )?CERTIFICATE(?: REQUEST)?-----[A-Za-z0-9+/=\s]+-----END (?:NEW )?CERTIFICATE(?: REQUEST)?-----";
    Regex::new(&format!(r"\A\s*(?:{block}\s*)+\z")).unwrap()
});

/// Runs that look like base64 or hexadecimal digits, in order: of either alphabet, padded or not, broken into lines or not.
pub(super) fn runs(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut runs = Vec::new();
    let mut start = None;
    for (at, byte) in bytes.iter().enumerate() {
        // A line break belongs to a run that goes on after it.
        let within = is_digit(*byte)
            || (matches!(byte, b'\r' | b'\n')
                && start.is_some()
                && bytes.get(at + 1).is_some_and(|next| *next == b'\n' || is_digit(*next)));
        match (within, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                runs.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|from| from..bytes.len()));
    runs.retain(|run| run.len() >= SHORTEST);
    runs
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// What a run may stand for: as base64 from each of its first four digits on, for what is before may not belong to it; and each
/// part of it that is hexadecimal, from its first two digits on.
pub(super) fn readings(run: &str) -> Vec<Vec<u8>> {
    let digits: Vec<u8> = run
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    let mut readings = Vec::new();
    for skip in 0..4 {
        let part = digits.get(skip..).unwrap_or_default();
        // One digit that is too many says nothing.
        let part = if part.len() % 4 == 1 { part.split_last().map_or(part, |(_, part)| part) } else { part };
        readings.extend(BASE64.decode(part));
    }
    for part in digits.split(|byte| !byte.is_ascii_hexdigit()).filter(|part| part.len() >= 2 * 6) {
        readings.extend((0..2).map(|skip| hex(part.get(skip..).unwrap_or_default())));
    }
    readings
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let value =
        |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or_default();
    digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte: u8, digit| (byte << 4) | value(*digit))).collect()
}

/// A reading that is a text: no control characters but white space, and not too short to be one by chance.
pub(super) fn as_text(reading: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(reading).ok()?;
    (text.len() >= 6 && !text.contains(|c: char| c.is_control() && !c.is_whitespace())).then_some(text)
}

/// Whether a text is nothing but certificates, or requests for some, in PEM; or the base64 of that.
pub(super) fn is_certificates(text: &str) -> bool {
    /// How the base64 of PEM begins.
    const PEM: &str = "LS0tLS1CRUdJTi";
    if text.starts_with(PEM) {
        let reading = BASE64.decode(text.trim_end_matches('='));
        return reading.is_ok_and(|reading| as_text(&reading).is_some_and(|text| CERTIFICATES.is_match(text)));
    }
    text.trim_start().starts_with("-----BEGIN ") && CERTIFICATES.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::{as_text, is_certificates, readings, runs};

    #[test]
    fn runs_are_read_in_either_alphabet_padded_or_not_at_every_offset_and_as_digits() {
        for (text, said) in [
            ("say aHVudGVyMi1odW50ZXIy!", "hunter2-hunter2"),
            ("aHVudGVyMi1odW50ZQ==", "hunter2-hunte"),
            ("aHVudGVyMi1odW50ZQ", "hunter2-hunte"),
            ("aHVudGVy\nMi1odW50\r\nZXIy\n", "hunter2-hunter2"),
            ("xaHVudGVyMi1odW50ZXIy", "hunter2-hunter2"),
            ("xxaHVudGVyMi1odW50ZXIy", "hunter2-hunter2"),
            ("/a/aHVudGVyMi1odW50ZXIy", "hunter2-hunter2"),
            ("Pz8_Pj4-aHVudGVy", "???>>>hunter"),
            ("Pz8/Pj4+aHVudGVy", "???>>>hunter"),
            ("68756e74657232", "hunter2"),
            ("0x68756E74657232", "hunter2"),
            ("f68756e74657232", "hunter2"),
        ] {
            let said_by =
                |run: std::ops::Range<usize>| readings(&text[run]).iter().any(|reading| as_text(reading) == Some(said));
            assert!(runs(text).into_iter().any(said_by), "{text}");
        }
        assert!(runs("a short one\nand é").is_empty());
        assert!(runs(" 12345678 ").into_iter().eq(std::iter::once(1..9)));
    }

    #[test]
    fn certificates_are_told_from_keys_and_from_what_pretends_to_be_one() {
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        for (text, is) in [
            (certificate.to_owned(), true),
            (certificate.repeat(2), true),
            (certificate.replace("CERTIFICATE", "CERTIFICATE REQUEST"), true),
            ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUIKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=".to_owned(), true),
            (format!("{certificate}password: hunter2"), false),
            (certificate.replace("CERTIFICATE", "PRIVATE KEY"), false),
            ("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUIK".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_certificates(&text), is, "{text}");
        }
    }
}
