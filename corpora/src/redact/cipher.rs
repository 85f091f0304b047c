//! A keyed one-to-one mapping of texts that keeps the class of every character.
//!
//! The characters that have a class fall into two halves, and a Feistel network of three rounds shifts each half, within the
//! classes of its characters, by a keyed hash of the other half and of everything that stays. Shifts can be undone, so no two
//! texts become the same one; the second round, which alone shifts the first half, never leaves its first character as it was,
//! so a text with any character to replace never stays what it was.

use std::sync::LazyLock;

/// Makes replacements. Two corpora redacted with one key have the same replacements; without it nobody can undo them.
#[derive(Clone)]
pub struct Key([u8; 32]);

/// What a character may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// So many characters from this one on.
    Range(char, u32),
    /// A table of characters outside ASCII, by its number.
    Table(usize),
}

/// Tables by length in UTF-8 and sort of character.
const TABLES: usize = 12;

/// Characters outside ASCII by table, ascending.
static WIDE: LazyLock<[Vec<char>; TABLES]> = LazyLock::new(|| {
    let mut tables: [Vec<char>; TABLES] = std::array::from_fn(|_| Vec::new());
    for c in '\u{80}'..=char::MAX {
        if let Some(list) = table(c).and_then(|number| tables.get_mut(number)) {
            list.push(c);
        }
    }
    tables
});

/// The table of a character; none for those that stay: what combines, steers, or is not assigned.
fn table(c: char) -> Option<usize> {
    let sort = if c.is_lowercase() {
        0
    } else if c.is_uppercase() {
        1
    } else if c.is_alphanumeric() {
        2
    } else if matches!(c, '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{bf}' | '\u{2190}'..='\u{2bff}' | '\u{1f300}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6c5}')
    {
        3
    } else {
        return None;
    };
    Some((c.len_utf8().checked_sub(2)?) * 4 + sort)
}

impl Class {
    fn of(c: char) -> Option<Self> {
        match c {
            'a'..='z' => Some(Self::Range('a', 26)),
            'A'..='Z' => Some(Self::Range('A', 26)),
            '0'..='9' => Some(Self::Range('0', 10)),
            _ if c.is_ascii() => None,
            _ => table(c).map(Self::Table),
        }
    }

    fn table(number: usize) -> &'static [char] {
        WIDE.get(number).map(Vec::as_slice).unwrap_or_default()
    }

    fn size(self) -> u64 {
        match self {
            Self::Range(_, size) => u64::from(size),
            Self::Table(number) => Self::table(number).len() as u64,
        }
    }

    /// The character so many places after `c`, going round.
    fn shifted(self, c: char, by: u64) -> char {
        match self {
            Self::Range(first, size) => {
                let place = u64::from(u32::from(c) - u32::from(first));
                let place = (place + by) % u64::from(size);
                u32::try_from(place).ok().and_then(|place| char::from_u32(u32::from(first) + place)).unwrap_or(c)
            }
            Self::Table(number) => {
                let list = Self::table(number);
                let place = list.binary_search(&c).unwrap_or_default() as u64;
                let place = (place + by) % (list.len() as u64).max(1);
                usize::try_from(place).ok().and_then(|place| list.get(place)).copied().unwrap_or(c)
            }
        }
    }
}

/// A character that is replaced, with what it may become.
struct Slot {
    at: usize,
    class: Class,
}

impl Key {
    /// A key of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key that a text of any length stands for.
    #[must_use]
    pub fn derived(text: &[u8]) -> Self {
        Self(blake3::derive_key("takeover corpora 2026 redaction key", text))
    }

    /// The replacement of `text`: as long in bytes and characters, with the same classes in the same order.
    ///
    /// ```
    /// use takeover_corpora::redact::Key;
    /// let key = Key::derived(b"an example");
    /// let replaced = key.text("s3cret-Ü");
    /// assert_eq!(replaced.len(), "s3cret-Ü".len());
    /// assert!(replaced != "s3cret-Ü" && replaced.as_bytes()[1].is_ascii_digit() && replaced.contains('-'));
    /// assert_eq!(replaced, key.text("s3cret-Ü"));
    /// ```
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        self.characters(&mut characters);
        characters.into_iter().collect()
    }

    /// Replaces characters in place.
    pub(super) fn characters(&self, text: &mut [char]) {
        let slots: Vec<Slot> =
            text.iter().enumerate().filter_map(|(at, c)| Class::of(*c).map(|class| Slot { at, class })).collect();
        // What stays, and the class of what does not, is the same on both sides of the mapping.
        let mut stays = blake3::Hasher::new_keyed(&self.0);
        let mut slot = slots.iter().peekable();
        for (at, c) in text.iter().enumerate() {
            match slot.next_if(|slot| slot.at == at).map(|slot| slot.class) {
                Some(Class::Range(first, _)) => stays.update(&[1, u32::from(first).to_le_bytes()[0]]),
                Some(Class::Table(number)) => stays.update(&[2, u8::try_from(number).unwrap_or_default()]),
                None => stays.update(&[0]).update(&u32::from(*c).to_le_bytes()),
            };
        }
        let (first, second) = slots.split_at(slots.len().div_ceil(2));
        for (round, from, into) in [(0, first, second), (1, second, first), (2, first, second)] {
            let mut hasher = stays.clone();
            hasher.update(&[3, round]);
            for slot in from {
                let c = text.get(slot.at).copied().unwrap_or_default();
                hasher.update(&u32::from(c).to_le_bytes());
            }
            let mut stream = hasher.finalize_xof();
            for (number, slot) in into.iter().enumerate() {
                let Some(c) = text.get_mut(slot.at) else { continue };
                let mut drawn = [0; 8];
                stream.fill(&mut drawn);
                let drawn = u64::from_le_bytes(drawn);
                let size = slot.class.size();
                let by = if round == 1 && number == 0 {
                    1 + drawn % size.saturating_sub(1).max(1)
                } else {
                    drawn % size.max(1)
                };
                *c = slot.class.shifted(*c, by);
            }
        }
    }

    /// Replaces bytes that are no text: any byte may become any.
    pub(super) fn bytes(&self, bytes: &mut [u8]) {
        let length = bytes.len();
        let (first, second) = bytes.split_at_mut(length.div_ceil(2));
        let shift = |round: u8, from: &[u8], into: &mut [u8]| {
            let mut hasher = blake3::Hasher::new_keyed(&self.0);
            hasher.update(&[4, round]).update(&(length as u64).to_le_bytes()).update(from);
            let mut stream = vec![0; into.len()];
            hasher.finalize_xof().fill(&mut stream);
            if let (1, Some(drawn)) = (round, stream.first_mut()) {
                *drawn = 1 + *drawn % 255;
            }
            for (byte, drawn) in into.iter_mut().zip(stream) {
                *byte = byte.wrapping_add(drawn);
            }
        };
        shift(0, first, second);
        shift(1, second, first);
        shift(2, first, second);
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Key, TABLES};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn key() -> Key {
        Key::derived(b"test")
    }

    #[test]
    fn every_text_of_a_small_class_has_a_replacement_of_its_own_that_is_another() {
        for texts in [
            (0..1000).map(|number| format!("{number:03}")).collect::<Vec<_>>(),
            ('a'..='z').map(String::from).collect(),
            ('a'..='z').flat_map(|one| ('A'..='Z').map(move |two| format!("{one}-{two}"))).collect(),
        ] {
            let replaced: BTreeSet<String> = texts.iter().map(|text| key().text(text)).collect();
            assert_eq!(replaced.len(), texts.len());
            assert!(texts.iter().all(|text| key().text(text) != *text));
            assert_eq!(replaced, texts.into_iter().collect(), "each becomes one of its own class");
        }
    }

    #[test]
    fn bytes_are_mapped_one_to_one_and_never_to_themselves() {
        for length in 0..3 {
            let all: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte; length]).collect();
            let mut seen = BTreeSet::new();
            for bytes in &all {
                let mut replaced = bytes.clone();
                key().bytes(&mut replaced);
                assert!(length == 0 || replaced != *bytes);
                seen.insert(replaced);
            }
            assert_eq!(seen.len(), if length == 0 { 1 } else { 256 });
        }
    }

    #[test]
    fn no_table_has_a_single_character_that_could_not_change() {
        assert!((0..TABLES).all(|number| Class::table(number).len() != 1));
    }

    #[test]
    fn another_key_gives_another_replacement() {
        assert_ne!(key().text("correct horse battery"), Key::derived(b"other").text("correct horse battery"));
    }

    proptest! {
        #[test]
        fn lengths_and_classes_stay(text in any::<String>(), ascii in "[ -~]{0,40}") {
            for text in [text, ascii] {
                let replaced = key().text(&text);
                prop_assert_eq!(replaced.len(), text.len());
                prop_assert_eq!(replaced.chars().count(), text.chars().count());
                for (one, other) in text.chars().zip(replaced.chars()) {
                    prop_assert_eq!(one.len_utf8(), other.len_utf8());
                    prop_assert_eq!(Class::of(one), Class::of(other));
                    prop_assert!(Class::of(one).is_some() || one == other);
                }
                prop_assert!(replaced != text || text.chars().all(|c| Class::of(c).is_none()));
            }
        }

        #[test]
        fn different_texts_stay_different(one in "[a-c0-1é-]{0,6}", other in "[a-c0-1é-]{0,6}") {
            prop_assert_eq!(one == other, key().text(&one) == key().text(&other));
        }
    }
}
