//! Texts made from a pattern.

use crate::structural::Pattern;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// Ways through alternatives that are tried.
const WAYS: usize = 4;
/// Characters of a text that is made.
const LONGEST: usize = 70_000;
/// Repetitions of a pattern whose bounds are tried, and the greatest bound that is.
const REPETITIONS: usize = 8;
const MOST_COUNTED: u32 = 256;
/// Parts inside of parts of a pattern.
const DEPTH: usize = 60;
/// Characters that are taken where they are allowed.
const PREFERRED: [char; 7] = ['a', '1', 'A', '-', '.', '/', '_'];

/// Different texts that match, made from the parts of the pattern; empty when none is found.
pub(super) fn made(pattern: &Pattern) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern.as_regex()) else { return Vec::new() };
    let mut texts: Vec<String> = Vec::new();
    for way in 0..WAYS {
        for extra in [0, 1] {
            let text = Maker::new(way, extra).of(&hir);
            if let Some(text) = text.filter(|text| !texts.contains(text) && pattern.is_match(text)) {
                texts.push(text);
            }
        }
    }
    texts
}

/// Texts that match and have the first or the last digit wherever the pattern allows a range of digits: `00:00` and `23:59`.
pub(super) fn ends(pattern: &Pattern) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern.as_regex()) else { return Vec::new() };
    let mut texts: Vec<String> = Vec::new();
    for (way, digits) in (0..WAYS).flat_map(|way| [(way, Digits::First), (way, Digits::Last)]) {
        let text = Maker { digits, ..Maker::new(way, 0) }.of(&hir);
        texts.extend(text.filter(|text| !texts.contains(text) && pattern.is_match(text)));
    }
    texts
}

/// Texts in which one repetition is taken exactly as often as its bounds say, and once more or less: `AB` and `ABCDE` for `^[A-Z]{3,4}$`.
/// Some of them do not match.
pub(super) fn counted(pattern: &Pattern) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern.as_regex()) else { return Vec::new() };
    let mut repetitions = Vec::new();
    add_repetitions(&hir, &[], 0, &mut repetitions);
    let mut texts: Vec<String> = Vec::new();
    for (of, around) in repetitions.iter().take(REPETITIONS) {
        let most = of.max.filter(|most| *most <= MOST_COUNTED);
        let less = of.min.checked_sub(1).filter(|_| of.min <= MOST_COUNTED);
        let counts = [less, most.or_else(|| (of.min == 0).then_some(1)), most.map(|most| most + 1)];
        for (way, count) in (0..WAYS).flat_map(|way| counts.map(|count| (way, count))) {
            let Some(count) = count.and_then(|count| usize::try_from(count).ok()) else { continue };
            let text = Maker { counted: Some((of, count)), around, ..Maker::new(way, 0) }.of(&hir);
            texts.extend(text.filter(|text| !texts.contains(text)));
        }
    }
    texts
}

/// Texts that do not match, but do so in other languages: there `$` stands before a line break at the end as well, and `\d` for digits of
/// any script.
pub(super) fn elsewhere(pattern: &Pattern) -> Vec<String> {
    let Some(text) = made(pattern).into_iter().next() else { return Vec::new() };
    let digit = text.find(|char: char| char.is_ascii_digit());
    let with_digit = digit.filter(|_| pattern.as_str().contains("\\d")).map(|at| {
        let (before, from) = text.split_at(at);
        format!("{before}\u{663}{}", from.get(1..).unwrap_or_default())
    });
    let all = [Some(format!("{text}\n")), with_digit].into_iter().flatten();
    all.filter(|text| !pattern.is_match(text)).collect()
}

/// Adds the repetitions of a part, each with those that it is inside of.
fn add_repetitions<'h>(
    hir: &'h Hir,
    around: &[&'h Repetition],
    depth: usize,
    all: &mut Vec<(&'h Repetition, Vec<&'h Repetition>)>,
) {
    if depth > DEPTH {
        return;
    }
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            all.push((repetition, around.to_vec()));
            add_repetitions(&repetition.sub, &[around, &[repetition]].concat(), depth + 1, all);
        }
        HirKind::Capture(capture) => add_repetitions(&capture.sub, around, depth + 1, all),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| add_repetitions(part, around, depth + 1, all));
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => {}
    }
}

/// A text of `length` characters that matches, if one is found.
pub(super) fn of_length(pattern: &Pattern, length: usize) -> Option<String> {
    let hir = regex_syntax::parse(pattern.as_regex()).ok()?;
    (0..WAYS).find_map(|way| {
        let made = |extra: usize| Maker::new(way, extra).of(&hir);
        let shortest = made(0)?.chars().count();
        // A repetition may add one character at a time, or several.
        let missing = length.checked_sub(shortest)?;
        let each = made(1)?.chars().count().saturating_sub(shortest).max(1);
        let candidates = [missing / each, missing, missing.saturating_sub(1)];
        candidates.into_iter().filter_map(made).find(|text| text.chars().count() == length && pattern.is_match(text))
    })
}

/// Whether a text of `length` characters may match: false where each text that does is certainly longer.
pub(crate) fn has_length(pattern: &Pattern, length: usize) -> bool {
    let Ok(hir) = regex_syntax::parse(pattern.as_regex()) else { return true };
    shortest(&hir, 0).is_none_or(|shortest| shortest <= length)
}

/// Characters of the shortest text that a part matches, or fewer; `None` where that is not known.
fn shortest(hir: &Hir, depth: usize) -> Option<usize> {
    if depth > DEPTH {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(0),
        HirKind::Literal(literal) => Some(std::str::from_utf8(&literal.0).ok()?.chars().count()),
        HirKind::Class(_) => Some(1),
        HirKind::Repetition(repetition) => {
            shortest(&repetition.sub, depth + 1)?.checked_mul(usize::try_from(repetition.min).ok()?)
        }
        HirKind::Capture(capture) => shortest(&capture.sub, depth + 1),
        HirKind::Concat(parts) => {
            parts.iter().try_fold(0_usize, |sum, part| sum.checked_add(shortest(part, depth + 1)?))
        }
        HirKind::Alternation(parts) => parts
            .iter()
            .map(|part| shortest(part, depth + 1))
            .try_fold(usize::MAX, |least, part| Some(least.min(part?))),
    }
}

struct Maker<'h> {
    /// Which alternatives are taken.
    way: usize,
    /// How often the next repetition is taken beyond what it needs.
    extra: usize,
    digits: Digits,
    /// A repetition, and how often it is taken.
    counted: Option<(&'h Repetition, usize)>,
    /// Repetitions that are taken at least once.
    around: &'h [&'h Repetition],
    text: String,
}

/// Which digit of a range of digits is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Ordinary,
    First,
    Last,
}

impl<'h> Maker<'h> {
    fn new(way: usize, extra: usize) -> Self {
        Self { way, extra, digits: Digits::Ordinary, counted: None, around: &[], text: String::new() }
    }

    fn of(mut self, hir: &'h Hir) -> Option<String> {
        self.add(hir, 0)?;
        Some(self.text)
    }

    fn add(&mut self, hir: &'h Hir, depth: usize) -> Option<()> {
        if depth > DEPTH || self.text.len() > LONGEST {
            return None;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.push_str(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(class) => self.text.push(digit(class, self.digits).or_else(|| character(class))?),
            HirKind::Repetition(repetition) => {
                let most = repetition.max.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
                let least = usize::try_from(repetition.min).ok()?;
                let count = least.saturating_add(self.extra).min(most);
                self.extra = self.extra.saturating_sub(count - least);
                let count = match self.counted {
                    Some((counted, times)) if std::ptr::eq(counted, repetition) => times,
                    _ if self.around.iter().any(|around| std::ptr::eq(*around, repetition)) => count.max(1),
                    _ => count,
                };
                for _ in 0..count {
                    self.add(&repetition.sub, depth + 1)?;
                }
            }
            HirKind::Capture(capture) => self.add(&capture.sub, depth + 1)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.add(part, depth + 1))?,
            HirKind::Alternation(parts) => {
                let chosen = parts.get(self.way % parts.len().max(1))?;
                self.add(chosen, depth + 1)?;
            }
        }
        Some(())
    }
}

/// The first or last digit of a class of digits.
fn digit(class: &Class, digits: Digits) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let (first, last) = (class.iter().next()?.start(), class.iter().last()?.end());
    let is_of_digits = first.is_ascii_digit() && last.is_ascii_digit();
    match digits {
        Digits::First if is_of_digits => Some(first),
        Digits::Last if is_of_digits => Some(last),
        _ => None,
    }
}

/// A character of a class, an ordinary one if there is one.
fn character(class: &Class) -> Option<char> {
    match class {
        Class::Unicode(class) => {
            let holds = |c: &char| class.iter().any(|range| (range.start()..=range.end()).contains(c));
            PREFERRED.into_iter().find(holds).or_else(|| class.iter().next().map(|range| range.start()))
        }
        Class::Bytes(class) => {
            let holds = |c: &char| class.iter().any(|range| (range.start()..=range.end()).contains(&(*c as u8)));
            PREFERRED.into_iter().find(holds).or_else(|| class.iter().next().map(|range| char::from(range.start())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, elsewhere, ends, has_length, made, of_length};
    use crate::structural::Pattern;

    #[test]
    fn texts_match_the_pattern_that_they_are_made_from() {
        for text in [
            "^([a-z0-9]+)\\.(rbd|cephfs)\\.example\\.com$",
            "^[A-Z]{3}-[0-9]{2,4}$",
            "a|bb|ccc",
            "^arn:[^:]+:iam::\\d{12}:role/.*$",
            "^$",
        ] {
            let pattern = Pattern::new(text).unwrap();
            let texts = made(&pattern);
            assert!(!texts.is_empty(), "{text}");
            assert!(texts.iter().all(|made| pattern.is_match(made)), "{texts:?}");
        }
        let pattern = Pattern::new("^[a-z]([-a-z0-9]*[a-z0-9])?$").unwrap();
        assert_eq!(of_length(&pattern, 63).map(|text| text.len()), Some(63));
        assert_eq!(of_length(&Pattern::new("^[0-9]{4}$").unwrap(), 3), None);
    }

    #[test]
    fn what_matches_in_other_languages_only_is_tried() {
        let of = |text: &str| elsewhere(&Pattern::new(text).unwrap());
        assert_eq!(of("^\\d+$"), ["1\n", "\u{663}"]);
        assert_eq!(of("^[0-9]+$"), ["1\n"]);
        assert_eq!(of("^a"), [""; 0]);
    }

    #[test]
    fn ranges_of_digits_have_ends() {
        let of = |text: &str| ends(&Pattern::new(text).unwrap());
        assert_eq!(of("^([01][0-9]|2[0-4]):[0-5][0-9]$"), ["00:00", "19:59", "20:00", "24:59"]);
        assert_eq!(of("^v[1-3]$"), ["v1", "v3"]);
        assert_eq!(of("^[a-z]+$"), ["a"]);
    }

    #[test]
    fn repetitions_are_taken_at_their_bounds() {
        let of = |text: &str| counted(&Pattern::new(text).unwrap());
        assert_eq!(of("^[A-Z]{3,4}$"), ["AA", "AAAA", "AAAAA"]);
        assert_eq!(of("^v[0-9]+(alpha|beta)?$"), ["v", "v1alpha", "v1alphaalpha", "v1beta", "v1betabeta"]);
        assert!(of("^a(-[0-9]{2,3})?$").contains(&"a-1111".to_owned()));
        assert!(of("^a$").is_empty());
    }

    #[test]
    fn the_shortest_match_is_known() {
        for (text, shortest) in
            [("^[a-z]([-a-z0-9]*[a-z0-9])?$", 1), ("^[A-Z]{3}-[0-9]{2,4}$", 6), ("a|bb|ccc", 1), ("^é+x$", 2), ("", 0)]
        {
            let pattern = Pattern::new(text).unwrap();
            let least = (0..10).find(|length| has_length(&pattern, *length));
            assert_eq!(least, Some(shortest), "{text}");
        }
    }

    #[test]
    fn hostile_patterns_end() {
        for text in ["^((a{90}){90}){90}$", "(((((((((a*)*)*)*)*)*)*)*)*)*b", "^a{1000}{1000}$"] {
            if let Ok(pattern) = Pattern::new(text) {
                assert!(made(&pattern).iter().all(|text| text.len() < 100_000));
            }
        }
    }
}
