//! What the values that a reference accepted show of a field, whatever its checks say.

use crate::judge::Shown;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Most values that are kept of a field.
const MOST_VALUES: usize = 16;

/// Texts of more bytes are not kept.
const LONGEST_TEXT: usize = 256;

/// Values of a field in cases that the reference accepted: extremes, and some of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AcceptedValues {
    /// Whether a created object, or an update that changed the struct around the field, had it not set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unset: bool,
    /// Whether an update set it for the first time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
    /// Whether an update removed it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Whether an update changed its value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// The least and the greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<(Number, Number)>,
    /// The least and the greatest size: characters of a text, items, entries, members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<(u64, u64)>,
    /// The most bytes of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Some of the texts, chosen by their digest alone, so that no order of cases matters.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub texts: BTreeSet<String>,
    /// Some of the numbers, likewise.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub some_numbers: BTreeSet<String>,
    /// How the number compared with other fields of the struct, by field name: `<`, `=`, `>`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<String, BTreeSet<char>>,
}

impl AcceptedValues {
    pub(super) fn add(&mut self, shown: &Shown) {
        match shown {
            Shown::Unset => self.unset = true,
            Shown::Added => self.added = true,
            Shown::Removed => self.removed = true,
            Shown::Changed => self.changed = true,
            Shown::Size(size) => widen(&mut self.sizes, &(*size, *size), u64::cmp),
            Shown::Number(number) => {
                widen(&mut self.numbers, &(number.clone(), number.clone()), by_size);
                keep(&mut self.some_numbers, &number.to_string());
            }
            Shown::Beside(name, order) => {
                let sign = match order {
                    Ordering::Less => '<',
                    Ordering::Equal => '=',
                    Ordering::Greater => '>',
                };
                self.beside.entry(name.clone()).or_default().insert(sign);
            }
            Shown::Text(text) => {
                let characters = count(text.chars().count());
                widen(&mut self.sizes, &(characters, characters), u64::cmp);
                self.bytes = self.bytes.max(Some(count(text.len())));
                if text.len() <= LONGEST_TEXT {
                    keep(&mut self.texts, text);
                }
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.unset |= other.unset;
        self.added |= other.added;
        self.removed |= other.removed;
        self.changed |= other.changed;
        other.numbers.iter().for_each(|range| widen(&mut self.numbers, range, by_size));
        other.sizes.iter().for_each(|range| widen(&mut self.sizes, range, u64::cmp));
        self.bytes = self.bytes.max(other.bytes);
        other.texts.iter().for_each(|text| keep(&mut self.texts, text));
        other.some_numbers.iter().for_each(|number| keep(&mut self.some_numbers, number));
        for (name, signs) in &other.beside {
            self.beside.entry(name.clone()).or_default().extend(signs);
        }
    }

    /// The same without any value.
    pub(super) fn hide(&mut self) {
        let Self { unset, added, removed, changed, .. } = *self;
        *self = Self { unset, added, removed, changed, ..Self::default() };
    }
}

fn count(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn by_size(one: &Number, other: &Number) -> Ordering {
    let size = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
    size(one).total_cmp(&size(other)).then_with(|| one.to_string().cmp(&other.to_string()))
}

/// Widens a range so that it covers another.
fn widen<T: Clone>(range: &mut Option<(T, T)>, other: &(T, T), by: impl Fn(&T, &T) -> Ordering) {
    let Some((least, greatest)) = range else {
        *range = Some(other.clone());
        return;
    };
    if by(&other.0, least).is_lt() {
        *least = other.0.clone();
    }
    if by(&other.1, greatest).is_gt() {
        *greatest = other.1.clone();
    }
}

/// Adds a value; of too many, those with the least digests stay.
fn keep(values: &mut BTreeSet<String>, value: &str) {
    if values.contains(value) {
        return;
    }
    if values.len() < MOST_VALUES {
        values.insert(value.to_owned());
        return;
    }
    let last = values.iter().map(|known| (digest(known), known)).max();
    if let Some((most, last)) = last
        && (digest(value), value) < (most, last.as_str())
    {
        let last = last.clone();
        values.remove(&last);
        values.insert(value.to_owned());
    }
}

/// FNV-1a: quick, and the same everywhere.
fn digest(value: &str) -> u64 {
    value.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::AcceptedValues;
    use crate::judge::Shown;

    #[test]
    fn values_are_kept_whatever_the_order_and_the_parts() {
        let all: Vec<Shown> = (0..100)
            .flat_map(|at| [Shown::Number(at.into()), Shown::Text("ä".repeat(at)), Shown::Size(7)])
            .chain([Shown::Unset, Shown::Changed])
            .collect();
        let gathered = |shown: &mut dyn Iterator<Item = &Shown>| {
            let mut values = AcceptedValues::default();
            shown.for_each(|shown| values.add(shown));
            values
        };
        let whole = gathered(&mut all.iter());
        assert_eq!(gathered(&mut all.iter().rev()), whole);
        let mut merged = gathered(&mut all.iter().step_by(2));
        merged.merge(&gathered(&mut all.iter().skip(1).step_by(2)));
        assert_eq!(merged, whole);
        assert_eq!(whole.numbers, Some((0.into(), 99.into())));
        assert_eq!((whole.sizes, whole.bytes), (Some((0, 99)), Some(198)));
        assert_eq!((whole.texts.len(), whole.some_numbers.len()), (16, 16));
        assert_eq!((whole.unset, whole.changed, whole.added, whole.removed), (true, true, false, false));
        let text = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<AcceptedValues>(&text).unwrap(), whole);
    }
}
