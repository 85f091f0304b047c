//! Looks for what was replaced in one place everywhere else: as it is, escaped as in JSON or in addresses, and in base64 or
//! hexadecimal digits.

use super::cipher::Key;
use super::decoded;
use super::forms::Form;
use super::originals::Originals;
use super::public;
use super::quarry::Quarry;
use super::spelled::Spelled;
use super::text_roles::{self, TextRole};
use aho_corasick::BuildError;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// How often a text is decoded that was encoded more than once.
const DEEPEST: usize = 4;

/// Finds originals, and puts their replacements.
pub struct Hunt {
    key: Key,
    texts: Quarry,
    names: Quarry,
    /// Originals that everybody knows.
    words: Quarry,
    short: usize,
    kinds: BTreeSet<String>,
}

/// What is left of the originals in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survivors {
    /// Originals in texts that were not replaced as a whole, and not kept either: each is a leak.
    pub found: u64,
    /// Originals that stay on purpose.
    pub kept: Kept,
    /// Texts that were replaced as a whole and became, by chance, the original of another.
    pub by_chance: u64,
}

/// Originals that stay on purpose, by what keeps them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Moments in time, addresses, quantities and longer numbers, which keep their form.
    pub in_forms: u64,
    /// Certificates and requests for some, which are judged by what they hold.
    pub in_certificates: u64,
    /// `apiVersion` and `kind`, which say what an object is, or what one that it refers to is.
    pub in_kinds: u64,
    /// Names of fields.
    pub in_fields: u64,
    /// Words that everybody knows.
    pub as_words: u64,
}

impl std::ops::AddAssign for Survivors {
    fn add_assign(&mut self, other: Self) {
        self.found += other.found;
        self.by_chance += other.by_chance;
        self.kept.in_forms += other.kept.in_forms;
        self.kept.in_certificates += other.kept.in_certificates;
        self.kept.in_kinds += other.kept.in_kinds;
        self.kept.in_fields += other.kept.in_fields;
        self.kept.as_words += other.kept.as_words;
    }
}

/// What was seen of originals in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Nothing,
    InCertificate,
    Open,
}

impl Hunt {
    /// A hunt for these originals. `known` tells words that are nobody's secret.
    ///
    /// # Errors
    /// Returns an error when they are too many to look for.
    pub fn new(key: Key, originals: Originals, known: &dyn Fn(&str) -> bool) -> Result<Self, BuildError> {
        let Originals { mut texts, mut names, short, kinds } = originals;
        let mut words = BTreeSet::new();
        let mut sort = |list: &mut BTreeSet<String>, is_public: fn(&str) -> bool| {
            words.extend(list.extract_if(.., |word| is_public(word) || known(word)));
        };
        sort(&mut texts, public::is_public);
        sort(&mut names, public::is_public_name);
        let [texts, names, words] = [(texts, false), (names, true), (words, true)];
        let quarry = |(list, bounded)| Quarry::new(list, bounded);
        Ok(Self { key, texts: quarry(texts)?, names: quarry(names)?, words: quarry(words)?, short: short.len(), kinds })
    }

    /// Originals that are not looked for, because they are words that everybody knows.
    #[must_use]
    pub fn left_alone(&self) -> usize {
        self.words.whole.len()
    }

    /// Originals that are not looked for, because they are too short to say anything as a part of another text.
    #[must_use]
    pub fn short(&self) -> usize {
        self.short
    }

    /// Originals that are looked for.
    #[must_use]
    pub fn quarry(&self) -> usize {
        self.texts.whole.len() + self.names.whole.len()
    }

    /// Replaces the originals in a redacted object, and says how many texts changed. Names of fields, `apiVersion` and `kind`
    /// stay.
    pub fn object(&self, object: &mut Value) -> u64 {
        let mut changed = 0;
        text_roles::walk(object, &mut |role, text| {
            if is_open(role)
                && let Some(replaced) = self.replaced(text, 0)
            {
                *text = replaced;
                changed += 1;
            }
        });
        changed
    }

    /// Replaces the originals in the place where a case is from, and says whether there were any. Names of kinds and groups,
    /// by which files are called, stay.
    pub fn place(&self, text: &mut String) -> bool {
        let mut changed = false;
        for quarry in [&self.texts, &self.names] {
            for span in quarry
                .all_spans(text)
                .into_iter()
                .rev()
                .filter(|span| !self.is_of_kinds(text, span))
                .collect::<Vec<_>>()
            {
                let replacement = self.key.text(text.get(span.clone()).unwrap_or_default());
                text.replace_range(span, &replacement);
                changed = true;
            }
        }
        changed
    }

    /// What is left of the originals in the place where a case is from.
    #[must_use]
    pub fn survivors_in_place(&self, text: &str) -> Survivors {
        let mut survivors = Survivors::default();
        for span in [&self.texts, &self.names].into_iter().flat_map(|quarry| quarry.all_spans(text)) {
            let kept = self.is_of_kinds(text, &span);
            *(if kept { &mut survivors.kept.in_kinds } else { &mut survivors.found }) += 1;
        }
        survivors
    }

    /// Whether a part of a text is within words of kinds and groups.
    fn is_of_kinds(&self, text: &str, span: &Range<usize>) -> bool {
        let boundary = |c: char| !c.is_alphanumeric();
        let start = text.get(..span.start).and_then(|before| before.rfind(boundary)).map_or(0, |at| at + 1);
        let end = text.get(span.end..).and_then(|after| after.find(boundary)).map_or(text.len(), |at| span.end + at);
        let mut words = text.get(start..end).unwrap_or_default().split(boundary).filter(|word| !word.is_empty());
        words.all(|word| self.kinds.contains(word))
    }

    /// The text without originals; none when there are none.
    fn replaced(&self, text: &str, depth: usize) -> Option<String> {
        if decoded::is_certificates(text) {
            return None;
        }
        let mut out = None;
        for quarry in [&self.texts, &self.names] {
            let current = out.as_deref().unwrap_or(text);
            let spans = if depth == 0 { quarry.spans(current) } else { quarry.all_spans(current) };
            for span in spans.into_iter().rev() {
                let out = out.get_or_insert_with(|| text.to_owned());
                let replacement = self.key.text(out.get(span.clone()).unwrap_or_default());
                out.replace_range(span, &replacement);
            }
        }
        if depth < DEEPEST {
            for number in 0..Spelled::SPELLINGS {
                let current = out.as_deref().unwrap_or(text);
                let Some(mut spelled) = Spelled::read(current, number) else { continue };
                if let Some(plain) = self.replaced(&spelled.plain(), depth + 1) {
                    spelled.characters = plain.chars().collect();
                    let mut written = String::with_capacity(current.len());
                    spelled.write(&mut written);
                    out = Some(written);
                }
            }
            for run in decoded::runs(out.as_deref().unwrap_or(text)) {
                let current = out.as_deref().unwrap_or(text);
                let encoded = current.get(run.clone()).unwrap_or_default();
                if self.seen_encoded(encoded, depth) == Seen::Open {
                    let replacement = self.key.text(encoded);
                    out.get_or_insert_with(|| text.to_owned()).replace_range(run, &replacement);
                }
            }
        }
        out
    }

    /// What of originals stands in a text, other than in what keeps its form.
    fn seen(&self, text: &str, depth: usize) -> Seen {
        let certificates = decoded::is_certificates(text);
        let plain = [&self.texts, &self.names].into_iter().any(|quarry| {
            let spans = if depth == 0 { quarry.spans(text) } else { quarry.all_spans(text) };
            !spans.is_empty()
        });
        let seen = if plain { Seen::Open } else { self.seen_beneath(text, depth) };
        if certificates { seen.min(Seen::InCertificate) } else { seen }
    }

    /// What of originals a text stands for that is encoded in one way or another.
    fn seen_beneath(&self, text: &str, depth: usize) -> Seen {
        if depth == DEEPEST {
            return Seen::Nothing;
        }
        let spelled = (0..Spelled::SPELLINGS)
            .filter_map(|number| Spelled::read(text, number))
            .map(|spelled| self.seen(&spelled.plain(), depth + 1));
        let runs = decoded::runs(text).into_iter().filter_map(|run| text.get(run));
        let encoded = runs.map(|run| self.seen_encoded(run, depth));
        spelled.chain(encoded).max().unwrap_or(Seen::Nothing)
    }

    /// What of originals a run of base64 or hexadecimal digits stands for.
    fn seen_encoded(&self, run: &str, depth: usize) -> Seen {
        let seen = decoded::readings(run).into_iter().map(|reading| match decoded::as_text(&reading) {
            Some(text) => self.seen(text, depth + 1),
            None if self.texts.is_in(&reading) => Seen::Open,
            None => Seen::Nothing,
        });
        seen.max().unwrap_or(Seen::Nothing)
    }

    /// What is left of the originals in an object that was redacted and hunted through.
    #[must_use]
    pub fn survivors(&self, object: &mut Value) -> Survivors {
        let mut survivors = Survivors::default();
        text_roles::walk(object, &mut |role, text| {
            let kept = &mut survivors.kept;
            let spans = |quarry: &Quarry| quarry.all_spans(text).len() as u64;
            let open = || spans(&self.texts) + spans(&self.names);
            match role {
                TextRole::Data(_) | TextRole::Base64(_) => {
                    survivors.by_chance += u64::from(self.texts.whole.contains(text.as_str()));
                }
                TextRole::Field => kept.in_fields += open(),
                TextRole::Fixed => {
                    kept.in_kinds += open();
                    kept.as_words += spans(&self.words);
                }
                _ => {
                    kept.as_words += spans(&self.words);
                    match self.seen(text, 0) {
                        Seen::InCertificate => kept.in_certificates += 1,
                        Seen::Open => survivors.found += 1,
                        Seen::Nothing => {
                            let form = Form::of(text);
                            let forms = |quarry: &Quarry| {
                                quarry.all_spans(text).iter().filter(|span| form.keeps(span)).count() as u64
                            };
                            kept.in_forms += forms(&self.texts) + forms(&self.names);
                        }
                    }
                }
            }
        });
        survivors
    }
}

/// Whether texts of this role were not replaced as a whole, and must not be changed.
fn is_open(role: TextRole) -> bool {
    !matches!(role, TextRole::Data(_) | TextRole::Base64(_) | TextRole::Field | TextRole::Fixed)
}
