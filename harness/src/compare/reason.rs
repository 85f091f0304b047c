//! Messages without their values, and plain-text reasons by field.

use crate::error::{BadValue, ErrorType, FieldError};
use crate::object::Node;
use crate::oracle::{Answer, Decision, Objects};
use crate::path::{Path, members, pattern};
use crate::schema::{Kind, WellKnown};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The longest shape of a message, in characters.
pub(crate) const LONGEST: usize = 160;

/// Common words, which stay in a reason even if the object contains them.
const WORDS: [&str; 20] = [
    "a", "an", "as", "at", "be", "by", "do", "if", "in", "is", "it", "no", "not", "of", "on", "or", "so", "the", "to",
    "up",
];

/// A message without what changes from value to value: quoted texts become `"…"`, numbers `N`.
pub(crate) fn message_shape(message: &str) -> String {
    shape_up_to(message, LONGEST)
}

fn shape_up_to(message: &str, longest: usize) -> String {
    let mut shape = String::new();
    let mut rest = message.chars().peekable();
    let mut length = 0;
    while let Some(next) = rest.next() {
        if length >= longest {
            shape.push('…');
            break;
        }
        length += 1;
        match next {
            '"' => {
                let mut escaped = false;
                for inside in rest.by_ref() {
                    match inside {
                        '"' if !escaped => break,
                        '\\' => escaped = !escaped,
                        _ => escaped = false,
                    }
                }
                shape.push_str("\"…\"");
            }
            first
                if (first.is_ascii_digit() || (first == '-' && rest.peek().is_some_and(char::is_ascii_digit)))
                    && !shape.ends_with(|before: char| before.is_alphanumeric()) =>
            {
                while rest.next_if(|more| more.is_ascii_digit() || *more == '.').is_some() {}
                shape.push('N');
            }
            other => shape.push(other),
        }
    }
    shape
}

/// The shape of a reason in plain text. Words that are texts of the objects become `…` too: `name web-7 is taken` is `name … is taken`.
fn reason_shape(reason: &str, texts: &BTreeSet<&str>) -> String {
    let mut reason = Cow::Borrowed(reason);
    for text in texts.iter().filter(|text| text.trim().contains(char::is_whitespace)) {
        if reason.contains(*text) {
            reason = reason.replace(*text, "…").into();
        }
    }
    // What is allowed is the check's own, whatever the objects hold.
    let allowed = alternatives(&reason);
    let is_value = |word: &str| {
        let is_text = texts.contains(word) || texts.contains(&*word.replace("\\n", "\n"));
        // Numbers have a sign of their own.
        let is_number = word.parse::<f64>().is_ok();
        is_text && !is_number && !WORDS.contains(&word) && !allowed.iter().any(|allowed| allowed == word)
    };
    let words = reason.split_whitespace().map(|word| {
        let inside = word.trim_matches(|char: char| !char.is_alphanumeric());
        match () {
            () if is_value(word) => "…".to_owned(),
            () if is_value(inside) && !inside.is_empty() => word.replacen(inside, "…", 1),
            () => word.to_owned(),
        }
    });
    message_shape(&words.collect::<Vec<_>>().join(" "))
}

/// What one check says in a reason in plain text: `spec.size must be at most 5` says of `spec.size` that it `must be at most 5`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The field that it names, printed as the field of an error; empty where it names none.
    pub field: String,
    /// What it says, without a field that it begins with.
    pub text: String,
    /// The whole of it, for people.
    pub said: String,
    /// What it says, without the values, and without the type and the value that Kubernetes writes in front.
    pub shape: String,
}

impl Reason {
    /// The reasons of an answer that rejects these objects with a text alone; none of any other answer.
    #[must_use]
    pub fn of(answer: &Answer, objects: &Objects<'_>) -> Vec<Self> {
        match &answer.decision {
            Some(Decision::Reject(text)) if answer.errors.is_empty() => Self::all(text, objects),
            _ => Vec::new(),
        }
    }

    /// The reasons in a text. Checks are told apart by `; `, by lines, and by `, ` before a field with a colon, as Kubernetes joins errors:
    /// `Widget "a" is invalid: [spec.size: Required value, spec.mode: Invalid value: "x"]`.
    fn all(text: &str, objects: &Objects<'_>) -> Vec<Self> {
        let mut texts = BTreeSet::new();
        [Some(objects.new), objects.old].into_iter().flatten().for_each(|object| gather(object, &mut texts));
        let begins_with_field = |text: &str| {
            let (word, rest) = first_word(text.trim_start_matches('['));
            word.ends_with(':') && !rest.is_empty() && is_field(objects, bare(word))
        };
        // A line of a value is no line of the reason.
        let text = texts.iter().filter(|value| value.contains('\n')).fold(Cow::Borrowed(text), |text, value| {
            if text.contains(*value) { text.replace(*value, &value.replace('\n', "\\n")).into() } else { text }
        });
        let mut text = text.trim();
        // `Widget.shop.example.com "a" is invalid: ` stands before all of it.
        if let Some((_, rest)) = text.split_once(" is invalid: ").filter(|(before, _)| before.ends_with('"')) {
            text = rest;
        }
        if let Some(list) = text.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            text = list;
        }
        let mut all: Vec<Self> = Vec::new();
        for part in text.split("; ").flat_map(str::lines) {
            let (mut rest, mut from) = (part, 0);
            while let Some(at) = rest.get(from..).and_then(|tail| tail.find(", ")).map(|at| from + at) {
                let (Some(before), Some(after)) = (rest.get(..at), rest.get(at + 2..)) else { break };
                if begins_with_field(after) {
                    all.extend(Self::one(before, objects, &texts));
                    (rest, from) = (after, 0);
                } else {
                    from = at + 2;
                }
            }
            all.extend(Self::one(rest, objects, &texts));
        }
        all
    }

    fn one(said: &str, objects: &Objects<'_>, texts: &BTreeSet<&str>) -> Option<Self> {
        let said = said.trim();
        let (first, rest) = first_word(said);
        let first = bare(first);
        let (field, text) = if !rest.is_empty() && is_field(objects, first) {
            (first, rest)
        } else {
            let mut words = said.split_whitespace().map(bare);
            (words.find(|word| word.contains('.') && is_field(objects, word)).unwrap_or(""), said)
        };
        let (_, detail) = Self::typed(text);
        let shape = reason_shape(if detail.is_empty() { text } else { detail }, texts);
        let own = str::to_owned;
        (!said.is_empty()).then(|| Self { field: own(field), text: own(text), said: own(said), shape })
    }

    /// The error that says the same, as far as the words tell its type.
    #[must_use]
    pub fn as_error(&self) -> FieldError {
        let (error_type, detail) = Self::typed(&self.text);
        let error = FieldError::new(error_type, &Path::ROOT, BadValue::Null, detail.to_owned());
        FieldError { field: if self.field.is_empty() { error.field } else { self.field.clone() }, ..error }
    }

    /// The type of the error that a text is, and its detail: `Invalid value: 5: must be at most 3` names both.
    #[must_use]
    pub fn typed(text: &str) -> (ErrorType, &str) {
        for (words, error_type) in TYPES {
            let Some(rest) = text.strip_prefix(words) else { continue };
            let rest = rest.strip_prefix(": ").unwrap_or(rest);
            if matches!(error_type, ErrorType::Required | ErrorType::Forbidden | ErrorType::TooLong) {
                return (error_type, rest);
            }
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
            let end = values.next().and_then(Result::ok).map(|_| values.byte_offset());
            let detail = end.and_then(|end| rest.get(end..)?.strip_prefix(": "));
            let detail = detail.or_else(|| Some(rest.split_once(": ")?.1)).unwrap_or(rest);
            return (if error_type == ErrorType::Invalid { in_words(detail) } else { error_type }, detail);
        }
        (in_words(text), text)
    }
}

/// Whether a reason of this shape, about this field, is somewhere in a text. The texts of objects in a shape stand for any word.
pub(crate) fn is_said_in(field: &str, shape: &str, text: &str) -> bool {
    let field = pattern(field);
    let names = field.is_empty() || text.split_whitespace().any(|word| pattern(bare(word)) == field);
    // Several reasons may stand in one text, however long it is.
    let text = shape_up_to(text, usize::MAX);
    let ends = |char: char| matches!(char, ';' | ',' | ']' | '.');
    let said: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(ends)).collect();
    let sought: Vec<&str> = shape.split_whitespace().map(|word| word.trim_end_matches(ends)).collect();
    let is_like = |(sought, said): (&&str, &&str)| sought.contains('…') || sought == said;
    let said = || said.windows(sought.len()).any(|words| sought.iter().zip(words).all(is_like));
    names && (sought.is_empty() || said())
}

fn first_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

/// A word without what stands around a field in a sentence.
fn bare(word: &str) -> &str {
    let word = word.trim_start_matches('[');
    let word = word.trim_matches(|char: char| matches!(char, '"' | '\'' | '`' | ':' | ',' | '.' | '(' | ')'));
    if word.contains('[') { word } else { word.trim_end_matches(']') }
}

/// Whether a word is the path of a field that the type of the objects has.
fn is_field(objects: &Objects<'_>, word: &str) -> bool {
    let is_of_path =
        |char: char| char.is_alphanumeric() || matches!(char, '.' | '[' | ']' | '-' | '_' | '/' | '*' | '$');
    if word.is_empty() || !word.chars().all(is_of_path) {
        return false;
    }
    let schema = objects.schema;
    let mut ty = objects.root;
    for member in members(word) {
        // No type tells what is below.
        if matches!(schema.pointed(ty).1, Kind::Any | Kind::WellKnown(WellKnown::Raw)) {
            return true;
        }
        let Some(below) = schema.below(ty, member) else { return false };
        ty = below;
    }
    true
}

/// What stands before an error's value in the texts of Kubernetes, and the type of the error.
const TYPES: [(&str, ErrorType); 8] = [
    ("Required value", ErrorType::Required),
    ("Invalid value", ErrorType::Invalid),
    ("Unsupported value", ErrorType::NotSupported),
    ("Duplicate value", ErrorType::Duplicate),
    ("Forbidden", ErrorType::Forbidden),
    ("Too long", ErrorType::TooLong),
    ("Too many", ErrorType::TooMany),
    ("Not found", ErrorType::NotFound),
];

/// Words that say that there is no value.
const REQUIRED: [&str; 5] = ["is required", "must be set", "must be specified", "must not be empty", "cannot be empty"];

/// The type of an error by its words.
fn in_words(text: &str) -> ErrorType {
    match () {
        () if REQUIRED.iter().any(|words| text.contains(words)) => ErrorType::Required,
        () if !alternatives(text).is_empty() => ErrorType::NotSupported,
        () => ErrorType::Invalid,
    }
}

/// Words before a list of the values that are allowed.
const LISTS: [&str; 8] = [
    "supported values: ",
    "supported values are ",
    "allowed values: ",
    "allowed values are ",
    "valid values: ",
    "valid values are ",
    "one of: ",
    "one of ",
];

/// What stands before `one of` where it lists values, and not fields.
const BEFORE_ONE_OF: [&str; 6] = ["", "be", "is", "not", "expected", "want"];

/// The values that a message allows: `A` and `B` of `must be one of: A, B`, `Auto` and `Manual` of `must be Auto or Manual`. Empty if it
/// lists none.
#[must_use]
pub fn alternatives(message: &str) -> Vec<String> {
    let named = LISTS.iter().find_map(|words| {
        let (before, list) = message.split_once(words)?;
        let last = before.split_whitespace().next_back().unwrap_or("");
        (!words.starts_with("one of") || BEFORE_ONE_OF.contains(&last)).then_some(list)
    });
    let (list, is_named) = match named {
        Some(list) => (list.trim_start_matches("the following values: ").trim_start_matches("the following: "), true),
        None => {
            let Some((_, list)) = message.split_once("must be ") else { return Vec::new() };
            (list.trim_start_matches("either "), false)
        }
    };
    let values = listed(list, is_named);
    // One value alone is none of several.
    if values.len() > 1 || message.contains("upported values: ") { values } else { Vec::new() }
}

/// The values that a text begins with: `A, B or C`, `"a", "b"`, `[A B]` as Go prints a list. Values without quotes are names with a
/// capital letter where nothing says that they are values.
fn listed(text: &str, is_named: bool) -> Vec<String> {
    let (mut rest, is_go) = text.strip_prefix('[').map_or((text, false), |rest| (rest, !rest.contains(", ")));
    let (mut values, mut is_last) = (Vec::new(), false);
    loop {
        let (value, after, is_quoted) = item(rest);
        let is_of_value = |char: char| char.is_alphanumeric() || matches!(char, '.' | '_' | '/' | '-');
        let is_name = is_named || value.starts_with(char::is_uppercase);
        if !is_quoted && (value.is_empty() || !value.chars().all(is_of_value) || !is_name) {
            break;
        }
        let separators = [", or ", ", ", " or ", " | ", "|", if is_go { " " } else { ", " }];
        let next = separators.iter().find_map(|separator| Some((*separator, after.strip_prefix(separator)?)));
        let ends = after.is_empty() || after.starts_with([']', ')', '.', ';', ',']) || after.starts_with(" (");
        let is_whole = next.is_some() || ends || is_quoted || (is_last && is_named);
        if !is_whole {
            // `got X` after a comma is no value, nor is `Manual` of `Manual mode`.
            return if is_named { values } else { Vec::new() };
        }
        values.push(value);
        let Some((separator, following)) = next else { break };
        (rest, is_last) = (following, separator.contains("or"));
    }
    values
}

/// The item that a list begins with, what comes after it, and whether it is in quotes.
fn item(text: &str) -> (String, &str, bool) {
    let mut texts = serde_json::Deserializer::from_str(text).into_iter::<String>();
    if text.starts_with('"')
        && let Some(Ok(value)) = texts.next()
    {
        return (value, text.get(texts.byte_offset()..).unwrap_or(""), true);
    }
    for quote in ['\'', '`'] {
        if let Some((value, after)) = text.strip_prefix(quote).and_then(|inside| inside.split_once(quote)) {
            return (value.to_owned(), after, true);
        }
    }
    let end = text.find(|char: char| char.is_whitespace() || matches!(char, ',' | ';' | ']' | ')' | '|'));
    let (word, after) = text.split_at(end.unwrap_or(text.len()));
    let value = word.trim_end_matches(['.', ':']);
    (value.to_owned(), text.get(value.len()..).unwrap_or(after), false)
}

/// Adds the texts at and below a node.
fn gather<'n>(node: Node<'n>, texts: &mut BTreeSet<&'n str>) {
    if !node.text().is_empty() {
        texts.insert(node.text());
    }
    node.fields().iter().for_each(|(_, below)| gather(*below, texts));
    node.items().iter().for_each(|below| gather(*below, texts));
    node.entries().iter().for_each(|(_, below)| gather(*below, texts));
}

#[cfg(test)]
mod tests {
    use super::{Reason, alternatives, is_said_in, message_shape};
    use crate::error::ErrorType;

    #[test]
    fn messages_lose_their_values_and_keep_their_words() {
        for (message, shape) in [
            ("must be less than or equal to 1000", "must be less than or equal to N"),
            ("must be between 0.5 and 10", "must be between N and N"),
            ("-3 is below -1: 2023-11 and a-1", "N is below N: N-N and a-N"),
            ("no entry \"a\\\"b\" in v1beta2", "no entry \"…\" in v1beta2"),
            ("half \"open", "half \"…\""),
            ("", ""),
        ] {
            assert_eq!(message_shape(message), shape);
        }
        assert_eq!(message_shape(&"x".repeat(1000)).chars().count(), 161);
    }

    #[test]
    fn a_reason_is_found_among_others_whatever_the_values_are() {
        let long = format!("spec.a is {}; spec.size must be at most 5", "bad ".repeat(100));
        for (field, shape, text, found) in [
            ("spec.size", "must be at most N", "spec.size must be at most 5", true),
            ("spec.size", "must be at most N", "bad; `spec.size`: must be at most 7; spec.mode is bad", true),
            ("spec.l[0].a", "is bad", "spec.l[3].a is bad", true),
            ("spec.size", "must be at most N", "spec.other must be at most 5", false),
            ("spec.size", "must be at most N", "spec.size must be at least 5", false),
            ("<nil>", "the name … is taken", "first. the name web-7 is taken", true),
            ("<nil>", "the name … is taken", "the name is taken", false),
            ("<nil>", "", "anything", true),
            ("spec.size", "must be at most N", long.as_str(), true),
        ] {
            assert_eq!(is_said_in(field, shape, text), found, "{field} {shape} in {text}");
        }
    }

    #[test]
    fn words_tell_the_type_of_an_error() {
        for (text, error_type, detail) in [
            ("Invalid value: 5: must be at most 3", ErrorType::Invalid, "must be at most 3"),
            ("Invalid value: \"a: b\": must be c", ErrorType::Invalid, "must be c"),
            ("Unsupported value: \"x\": supported values: \"A\"", ErrorType::NotSupported, "supported values: \"A\""),
            ("Required value", ErrorType::Required, ""),
            ("Required value: give one", ErrorType::Required, "give one"),
            ("Too many: 5: must have at most 3 items", ErrorType::TooMany, "must have at most 3 items"),
            ("must be set", ErrorType::Required, "must be set"),
            ("must be Auto or Manual", ErrorType::NotSupported, "must be Auto or Manual"),
            ("must be at most 3", ErrorType::Invalid, "must be at most 3"),
        ] {
            assert_eq!(Reason::typed(text), (error_type, detail), "{text}");
        }
    }

    #[test]
    fn allowed_values_are_read_from_words() {
        for (message, values) in [
            ("must be Auto or Manual", &["Auto", "Manual"][..]),
            ("must be either Auto, Manual or Off", &["Auto", "Manual", "Off"]),
            ("must be one of: a, b, c", &["a", "b", "c"]),
            ("must be one of a, b, or c", &["a", "b", "c"]),
            ("must be one of [A B C]", &["A", "B", "C"]),
            ("must be one of ['A', 'B'], got X", &["A", "B"]),
            ("\"x\" is not one of A, B", &["A", "B"]),
            ("allowed values are \"A\", \"B\"", &["A", "B"]),
            ("supported values: \"A\", \"B\"", &["A", "B"]),
            ("supported values: \"A\"", &["A"]),
            ("must be \"on\" or \"off\"", &["on", "off"]),
            ("must be one of A, B (case matters)", &["A", "B"]),
            ("must be set or removed", &[]),
            ("must be either set or unset", &[]),
            ("must be Auto or what the class says", &[]),
            ("must be at least 5", &[]),
            ("at least one of a, b must be set", &[]),
            ("must set exactly one of spec.a, spec.b", &[]),
            ("must be Auto", &[]),
            ("must be Auto or Manual mode", &[]),
            ("must be one of a, b when c is set", &[]),
            ("must be one of a, b or c when d is set", &["a", "b", "c"]),
            (r#"supported values: "a b", "A\"b", """#, &["a b", "A\"b", ""]),
            ("", &[]),
        ] {
            assert_eq!(alternatives(message), values, "{message}");
        }
    }
}
