//! Texts of known forms.

use super::matching;
use crate::structural::{Checks, Pattern, Structural};
use crate::validate::accepts;
use serde_json::Value;
use takeover_harness::rule::any_text;

/// Texts that patterns of CRDs tell apart.
const TEXTS: &[&str] = &[
    "a",
    "a1",
    "abc",
    "a-b",
    "a.b",
    "a/b",
    "a_b",
    "a.b/c",
    "example.com",
    "*.example.com",
    "A",
    "Abc",
    "ABC",
    "A_B",
    "AbC1",
    "1",
    "0",
    "10",
    "100",
    "8080",
    "1-2",
    "-1",
    "0.5",
    "1.5",
    "1.2.3",
    "v1",
    "v1.2.3",
    "50%",
    "100%",
    "1s",
    "10s",
    "5m",
    "1h",
    "1m30s",
    "1h30m0s",
    "5d",
    "100m",
    "1Gi",
    "1Ki",
    "10Mi",
    "1G",
    "true",
    "false",
    "/",
    "/a",
    "/a/b",
    "*",
    ".",
    "a=b",
    "a:b",
    "a@b.c",
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "fd00::/64",
    "10.0.0.1:80",
    "00:00:5e:00:53:01",
    "example.com:443",
    "https://example.com",
    "http://example.com/a",
    "https://example.com/",
    "tcp://example.com:80",
    "example.com/a",
    "example.com/a:v1",
    "2024-01-01T00:00:00Z",
    "2024-01-01",
    "123e4567-e89b-42d3-a456-426614174000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "0123456789abcdef",
    "arn:aws:iam::123456789012:role/a",
    "us-east-1",
    "0 0 * * *",
    "60 0 * * *",
    "projects/a",
    "AAAA",
    "\u{e9}",
    " ",
    "a b",
    "a\n",
    "!",
    "",
];

/// Texts that a pattern may match: the known ones, and its own words.
pub(super) fn candidates(pattern: &Pattern) -> &[String] {
    pattern.candidates.get_or_init(|| made(pattern))
}

/// Texts that match a pattern, and texts that do not: the known ones and those at the bounds of its repetitions, a few of each. Each with
/// whether it matches.
#[must_use]
pub fn around(pattern: &Pattern) -> Vec<(String, bool)> {
    let mut all: Vec<(String, bool)> = Vec::new();
    for texts in [candidates(pattern), &matching::counted(pattern)] {
        for matching in [true, false] {
            let of = texts.iter().filter(|text| pattern.is_match(text) == matching).take(MOST_AROUND);
            all.extend(of.map(|text| (text.clone(), matching)));
        }
    }
    all
}

/// Texts of each sort that match a pattern, and texts that do not.
const MOST_AROUND: usize = 4;

/// Lengths of texts that are tried where a pattern changes: bounds of a repetition show there.
const LENGTHS: [usize; 5] = [100, 128, 253, 254, 256];
/// All lengths up to this one are tried.
const SHORT: usize = 64;

/// A text that fits the schema of a node and does not match a pattern; `None` if none of those that are tried is one.
pub(crate) fn lost(old: &Structural, new: &Pattern) -> Option<String> {
    let is_lost = |text: &String| !new.is_match(text) && accepts(old, &Value::from(text.as_str()));
    let was = old.checks.pattern.as_deref();
    let known = candidates(was.unwrap_or(new)).iter().cloned();
    let of_length = |length| matching::of_length(was?, length);
    known.chain((0..=SHORT).chain(LENGTHS).filter_map(of_length)).find(is_lost)
}

fn made(pattern: &Pattern) -> Vec<String> {
    let mut all: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    let made = matching::made(pattern);
    // What is known matches the simple ones; the others are made, and come first.
    let known = all.iter().filter(|text| pattern.is_match(text)).count();
    let at = if known < 2 { 0 } else { all.len() };
    all.splice(at..at, made);
    let bare = pattern.as_str().trim_start_matches(['^', '(']).trim_end_matches(['$', ')']);
    all.extend(bare.split('|').map(|word| word.trim_matches(['(', ')', '^', '$', '?', ':']).replace('\\', "")));
    // A word in front of something: `^projects/.+$`.
    let literal: String = bare.chars().take_while(|c| !"\\[](){}.*+?|^$".contains(*c)).collect();
    if !literal.is_empty() {
        all.extend(TEXTS.iter().map(|text| format!("{literal}{text}")));
    }
    all
}

/// A text of a format and one that is not of it; `None` if every text is, or the format is not known.
pub(super) fn of_format(format: &str) -> Option<(&'static str, &'static str)> {
    Some(match format.replace('-', "").as_str() {
        "datetime" => ("2024-01-01T00:00:00Z", "2024-01-01"),
        "date" => ("2024-01-01", "2024-02-30"),
        "duration" => ("1m30s", "soon"),
        "byte" => ("AAAA", "AAA"),
        "uri" => ("https://example.com/a", "example.com"),
        "email" => ("a@example.com", "a"),
        "hostname" => ("example.com", "-"),
        "ipv4" => ("10.0.0.1", "10.0.0"),
        "ipv6" => ("fd00::1", "10.0.0.1"),
        "cidr" => ("10.0.0.0/8", "10.0.0.0/33"),
        "mac" => ("00:00:5e:00:53:01", "00:00"),
        "uuid" | "uuid4" => ("123e4567-e89b-42d3-a456-426614174000", "123e4567"),
        "uuid3" => ("123e4567-e89b-32d3-a456-426614174000", "123e4567"),
        "uuid5" => ("123e4567-e89b-52d3-a456-426614174000", "123e4567"),
        "bsonobjectid" => ("507f1f77bcf86cd799439011", "507f"),
        "hexcolor" => ("#ffffff", "#f"),
        "rgbcolor" => ("rgb(0,0,0)", "rgb(0)"),
        "ssn" => ("123-45-6789", "123"),
        "isbn" | "isbn10" => ("0321751043", "0321751044"),
        "isbn13" => ("9780321751041", "9780321751042"),
        "creditcard" => ("4111111111111111", "4111111111111112"),
        "k8sshortname" => ("a-b", "a.b"),
        "k8slongname" => ("a.b", "a_b"),
        _ => return None,
    })
}

/// More texts of a format: what checks beside it tell apart, such as schemes, short and long times, and upper case.
pub(super) fn more_of_format(format: &str) -> &'static [&'static str] {
    match format.replace('-', "").as_str() {
        // The third is earlier than `2024-01-01T00:00:00Z`, and greater as a text.
        "datetime" => &[
            "1970-01-01T00:00:00Z",
            "2099-12-31T23:59:59Z",
            "2024-01-01T00:30:00+01:00",
            "2024-01-01T00:00:00.5Z",
            "2024-01-01t00:00:00z",
        ],
        "date" => &["1970-01-01", "2099-12-31"],
        "duration" => &["0s", "1ns", "1s", "24h", "8760h"],
        "uri" => &["http://example.com", "ftp://example.com/", "https://a@example.com:8443/b?c=d", "/a/b"],
        "email" => &["A@EXAMPLE.COM", "A <a@example.com>", "a@b"],
        "hostname" => &["localhost", "EXAMPLE.COM", "a_b.example.com"],
        "uuid" | "uuid3" | "uuid4" | "uuid5" => &[
            "123E4567-E89B-42D3-A456-426614174000",
            "123E4567-E89B-32D3-A456-426614174000",
            "123E4567-E89B-52D3-A456-426614174000",
            "123e4567e89b42d3a456426614174000",
            "00000000-0000-0000-0000-000000000000",
        ],
        "mac" => &["00:00:5E:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301"],
        "hexcolor" => &["#FFF", "#ABCDEF", "ffffff"],
        "bsonobjectid" => &["507F1F77BCF86CD799439011"],
        "byte" => &["", "_w==", "AAA=", "/w=="],
        "ipv4" => &["0.0.0.0", "127.0.0.1", "255.255.255.255"],
        "ipv6" => &["::", "::1", "FD00::1", "fd00:0::1", "::ffff:10.0.0.1"],
        "cidr" => &["0.0.0.0/0", "10.0.0.1/32", "::/0", "10.0.0.1/8"],
        _ => &[],
    }
}

/// Characters that each text of a format has at least; 0 where that is not known.
pub(super) fn least_of_format(format: &str) -> i64 {
    match format.replace('-', "").as_str() {
        "datetime" => 16,
        "date" => 10,
        "cidr" => 4,
        "ipv4" => 7,
        "ipv6" => 2,
        "mac" => 12,
        "uuid" | "uuid3" | "uuid4" | "uuid5" => 32,
        "bsonobjectid" => 24,
        _ => 0,
    }
}

/// Text number `index` that keeps the bounds, pattern and format, as far as one is known. Different numbers give different texts where
/// such are known.
pub(super) fn number(checks: &Checks, index: usize) -> String {
    let Some(pattern) = checks.pattern.as_ref().filter(|_| index > 0) else { return keeping(checks, any_text(index)) };
    let fits = |text: &str| {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        pattern.is_match(text)
            && checks.min_length.is_none_or(|least| length >= least)
            && checks.max_length.is_none_or(|most| length <= most)
            && checks.format.as_deref().and_then(of_format).is_none()
    };
    let known = || candidates(pattern).iter().filter(|text| fits(text)).nth(index).cloned();
    let made = || matching::of_length(pattern, index + 1).filter(|text| fits(text));
    let any = Some(any_text(index)).filter(|text| fits(text));
    any.or_else(known).or_else(made).unwrap_or_else(|| keeping(checks, any_text(index)))
}

/// A text that keeps the bounds, pattern and format, as far as one is known. `any` stands for all texts.
pub(super) fn keeping(checks: &Checks, any: String) -> String {
    let least = usize::try_from(checks.min_length.unwrap_or_default().clamp(0, 4_096)).unwrap_or_default();
    let most = checks.max_length.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or_default());
    let fits = |text: &str| {
        let length = text.chars().count();
        length >= least && length <= most && checks.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
    };
    if let Some((text, _)) = checks.format.as_deref().and_then(of_format) {
        return text.to_owned();
    }
    let found = checks.pattern.as_ref().and_then(|pattern| candidates(pattern).iter().find(|text| fits(text)).cloned());
    if found.is_none()
        && let Some(pattern) = &checks.pattern
        && let Some(text) = (least..=least.saturating_add(2))
            .find_map(|length| matching::of_length(pattern, length))
            .filter(|text| fits(text))
    {
        return text;
    }
    let text = found.unwrap_or(any);
    let length = text.chars().count();
    if length < least {
        return text + &"a".repeat(least - length);
    }
    text.chars().take(most).collect()
}
