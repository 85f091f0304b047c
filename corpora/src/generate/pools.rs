//! Values that suit fields, and values that do not.

use super::choices::Choices;
use super::settings::GeneratorSettings;
use serde_json::Value;
use std::collections::HashMap;
use takeover_harness::object::{Number, Tree};
use takeover_harness::schema::WellKnown;

/// Texts seen or given for a field name, at most.
const MOST_TEXTS: usize = 24;

/// Texts that suit fields, by JSON name.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    // Looked up by name only: the order of a hash map would not be the same twice.
    texts: HashMap<Box<str>, Vec<Box<str>>>,
    /// Keys of maps, by the JSON name of the map.
    keys: HashMap<Box<str>, Vec<Box<str>>>,
}

impl Pools {
    pub(super) fn new(settings: &GeneratorSettings, recorded: &[Value]) -> Self {
        let mut pools = Self::default();
        for (name, texts) in &settings.texts {
            texts.iter().for_each(|text| add(&mut pools.texts, name, text));
        }
        for (name, keys) in &settings.keys {
            keys.iter().for_each(|key| add(&mut pools.keys, name, key));
        }
        recorded.iter().for_each(|object| pools.harvest("", object));
        pools
    }

    fn harvest(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => add(&mut self.texts, name, text),
            Value::Array(items) => items.iter().for_each(|item| self.harvest(name, item)),
            Value::Object(members) => {
                for (key, member) in members {
                    // Names of fields are identifiers; a key that is none stands in a map.
                    if key.contains(['/', '.', '-']) {
                        add(&mut self.keys, name, key);
                    }
                    self.harvest(key, member);
                }
            }
            _ => {}
        }
    }

    /// A key that suits a map of this name.
    pub(super) fn key(&self, name: &str, choices: &mut Choices<'_, '_>) -> &str {
        let seen = self.keys.get(name).map_or(&[][..], Vec::as_slice);
        let index = choices.below(KEYS.len() + seen.len());
        match KEYS.get(index) {
            Some(key) => key,
            None => seen.get(index - KEYS.len()).map_or("", |key| key),
        }
    }

    /// A text that suits a field of this name.
    pub(super) fn text(&self, name: &str, choices: &mut Choices<'_, '_>) -> &str {
        let built_in: &[&'static str] = match name {
            "namespace" => &["default", "shop"],
            "generateName" => &["web-", "a-"],
            "uid" => &["1631e0ac-fcf4-435b-b847-8f166c956796", "00000000-0000-4000-8000-000000000001"],
            "resourceVersion" => &["1", "42"],
            "apiVersion" => &["v1", "apps/v1"],
            "kind" => &["Thing", "Other"],
            "image" => &["registry.example/web:1", "web"],
            "path" | "mountPath" => &["/", "/data"],
            "finalizers" => &["example.com/hold", "orphan"],
            _ if name == "name" || name.ends_with("Name") => &["web", "frontend-2", "a.b", "log"],
            _ => &["a", "web", "one"],
        };
        let seen = self.texts.get(name).map_or(&[][..], Vec::as_slice);
        let index = choices.below(built_in.len() + seen.len());
        match built_in.get(index) {
            Some(text) => text,
            None => seen.get(index - built_in.len()).map_or("", |text| text),
        }
    }
}

fn add(pool: &mut HashMap<Box<str>, Vec<Box<str>>>, name: &str, text: &str) {
    let texts = pool.entry(name.into()).or_default();
    if texts.len() < MOST_TEXTS && text.len() <= 256 && !texts.iter().any(|known| **known == *text) {
        texts.push(text.into());
    }
}

/// Keys that suit maps of labels and the like.
const KEYS: [&str; 6] = ["app", "tier", "example.com/part", "a", "version", "app.kubernetes.io/name"];

/// Values of types with their own form, the first ones plain.
pub(super) fn well_known(kind: WellKnown) -> &'static [&'static str] {
    match kind {
        WellKnown::Time => {
            &["2026-01-02T03:04:05Z", "1970-01-01T00:00:00Z", "2026-01-02T03:04:05+02:00", "9999-12-31T23:59:59Z"]
        }
        WellKnown::MicroTime => &["2026-01-02T03:04:05.000006Z", "1970-01-01T00:00:00.000000Z"],
        WellKnown::Duration => &["1m0s", "0s", "-1s", "1h30m0s", "1ns", "2540400h0m0s"],
        WellKnown::Quantity => {
            &["1", "0", "-1", "100m", "1Gi", "1.5", "1e3", "0.5Gi", "1n", "9223372036854775807", "1Ei"]
        }
        _ => &["50%", "http", "0%", "100%", "101%", "-1%", "a-b", "A", "", "1"],
    }
}

/// Lengths around the limits that Kubernetes has.
const LENGTHS: [usize; 22] =
    [1, 2, 15, 16, 20, 32, 33, 52, 53, 62, 63, 64, 65, 128, 252, 253, 254, 255, 256, 317, 1024, 1025];

/// Texts that are right in one place and wrong in another.
const ODD: [&str; 44] = [
    "true",
    "null",
    "0",
    "-1",
    "01",
    "1.5",
    "1e3",
    "*",
    "%",
    "a b",
    " a",
    "A",
    "_a",
    "a_",
    "a_b",
    "a.b",
    "a..b",
    ".a",
    "a.",
    "-",
    "--",
    "::1",
    "10.0.0.1",
    "010.0.0.1",
    "256.1.1.1",
    "::ffff:10.0.0.1",
    "fd00::/8",
    "10.0.0.0/8",
    "10.0.0.1/8",
    "Always",
    "\u{0}",
    "\u{7f}",
    "\u{ff41}",
    "\u{130}",
    "\u{1f600}",
    "e\u{301}",
    "xn--a",
    "kubernetes.io/x",
    "k8s.io",
    "a:b",
    "a=b",
    "a,b",
    "a\\b",
    "a\"b",
];

/// A text as long as all annotations together may be, give or take a few bytes. Dear, so to be asked for rarely.
pub(super) fn huge_text(choices: &mut Choices<'_, '_>) -> String {
    "a".repeat(256 * 1024 - 48 + choices.below(64))
}

/// A text near `text` or of a sort that checks tell apart.
pub(super) fn odd_text(text: &str, choices: &mut Choices<'_, '_>) -> String {
    let length = |choices: &mut Choices<'_, '_>| choices.pick(&LENGTHS).copied().unwrap_or(1);
    match choices.below(25) {
        0 => String::new(),
        1 => text.to_ascii_uppercase(),
        2 => format!("{text}\n"),
        3 => format!("-{text}"),
        4 => format!("{text}-"),
        5 => format!(".{text}"),
        6 => format!("{text}."),
        7 => format!("{text}..a"),
        8 => format!("{text}\u{e9}"),
        9 => format!("{text} "),
        10 => format!("{text}_"),
        11 => format!("{text}/"),
        12 => format!("{text}/a/b"),
        13 => format!("example.com/{text}"),
        14 | 15 => "a".repeat(length(choices)),
        16 => "\u{e9}".repeat(length(choices)),
        17 => {
            let mut text = text.to_owned();
            text.pop();
            text
        }
        18 => format!("{}/x", "a".repeat(length(choices))),
        19 => format!("x/{}", "a".repeat(length(choices))),
        20 => {
            // Labels of 63 letters up to a whole length around the limit of a name.
            let length = length(choices);
            let mut name = format!("{}.", "a".repeat(63)).repeat(length / 64);
            name.push_str(&"a".repeat(length % 64));
            name
        }
        21 if choices.chance(1, 256) => huge_text(choices),
        _ => choices.pick(&ODD).map_or_else(String::new, |odd| (*odd).to_owned()),
    }
}

/// Numbers that parts of a text may not be: just above a month, hour, day, minute, percentage, part of an address or port, and one with
/// zeros in front.
const PARTS: [&str; 8] = ["13", "24", "32", "60", "101", "256", "65536", "007"];

/// A text with one of its numbers changed: `60 0 * * *` for `0 0 * * *`.
pub(super) fn odd_number_in(text: &str, choices: &mut Choices<'_, '_>) -> String {
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts: Vec<usize> = (0..text.len())
        .filter(|at| is_digit(*at) && at.checked_sub(1).is_none_or(|before| !is_digit(before)))
        .collect();
    let Some(start) = choices.pick(&starts).copied() else { return text.to_owned() };
    let end = (start..text.len()).find(|at| !is_digit(*at)).unwrap_or(text.len());
    let part = choices.pick(&PARTS).copied().unwrap_or_default();
    format!("{}{part}{}", text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default())
}

/// A whole number.
pub(super) fn number(value: impl Into<Number>) -> Tree<'static> {
    Tree::from(value.into())
}

/// An integer near `value` or at a limit of its type.
pub(super) fn odd_int(value: i64, bits: u8, signed: bool, choices: &mut Choices<'_, '_>) -> Tree<'static> {
    let (least, most) = match (signed, bits) {
        (true, 0..=63) => (-(1_i64 << (bits.max(1) - 1)), (1_i64 << (bits.max(1) - 1)) - 1),
        (true, _) => (i64::MIN, i64::MAX),
        (false, 0..=62) => (0, (1_i64 << bits) - 1),
        (false, _) => (0, i64::MAX),
    };
    let odd = match choices.below(15) {
        0 => 0,
        1 => value.saturating_add(1),
        2 => value.saturating_sub(1),
        3 => value.saturating_neg(),
        4 => 1,
        5 => -1,
        6 => most,
        7 => least,
        8 => most.saturating_sub(1),
        9 => 2,
        10 => 100,
        11 => choices.pick(&[255, 256, 1023, 1024, 65535, 65536, 3600, 86400]).copied().unwrap_or(0),
        12 => i64::from(i32::MAX),
        // Beyond the type: undecodable, which only has to be seen now and then.
        13 if choices.chance(1, 8) => return most.checked_add(1).map_or_else(|| number(u64::MAX), number),
        14 if choices.chance(1, 8) => return least.checked_sub(1).map_or_else(|| Tree::from(1.5), number),
        _ => value.saturating_mul(2),
    };
    number(odd.clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::odd_number_in;
    use crate::generate::choices::Choices;
    use std::collections::BTreeSet;

    #[test]
    fn one_number_of_a_text_is_changed() {
        let changed = |text: &str| -> BTreeSet<String> {
            let of = |seed: u8| {
                let bytes: Vec<u8> = (0..64).map(|at: u8| at.wrapping_mul(37) ^ seed.wrapping_mul(101)).collect();
                odd_number_in(text, &mut Choices::new(&mut arbitrary::Unstructured::new(&bytes)))
            };
            (0..=255).map(of).collect()
        };
        let all = changed("0 12 * é");
        assert!(all.contains("60 12 * é") && all.contains("0 32 * é"), "{all:?}");
        assert!(all.iter().all(|text| text.ends_with(" * é") && text.split(' ').count() == 4), "{all:?}");
        assert_eq!(changed("none"), ["none".to_owned()].into());
    }
}
