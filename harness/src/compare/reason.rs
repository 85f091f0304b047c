//! Messages without their values, and plain-text reasons by field.

use super::alternatives::{alternatives, perhaps_alternatives};
use crate::error::{BadValue, ErrorType, FieldError};
use crate::object::Node;
use crate::oracle::{Answer, Decision, Objects};
use crate::path::{Path, members};
use crate::schema::{Kind, WellKnown};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The longest shape of a message, in characters.
const LONGEST: usize = 160;

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

/// The texts of the objects that a reason is about.
struct Texts<'t, 'o> {
    /// All of them.
    all: &'t BTreeSet<&'o str>,
    /// Those at or below the field that it names; all where it names none.
    here: BTreeSet<&'o str>,
}

/// The shape of a reason in plain text. Words that are texts of the objects become `…` too: `name web-7 is taken` is `name … is taken`. A
/// word of letters alone does so only if it stands at the field, for any object may hold a `host` or a `size` somewhere.
fn reason_shape(reason: &str, texts: &Texts<'_, '_>) -> String {
    let mut reason = Cow::Borrowed(reason);
    for text in texts.all.iter().filter(|text| text.trim().contains(char::is_whitespace)) {
        if let Some(replaced) = without(&reason, text) {
            reason = replaced.into();
        }
    }
    // What is allowed is the check's own, whatever the objects hold.
    let allowed = perhaps_alternatives(&reason);
    let is_value = |word: &str| {
        let among = if word.chars().all(char::is_alphabetic) { &texts.here } else { texts.all };
        let is_text = among.contains(word) || among.contains(&*word.replace("\\n", "\n"));
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

/// A reason with `…` for each place at which it has this text, if it has one that is no part of a longer word.
fn without(reason: &str, text: &str) -> Option<String> {
    let (mut out, mut rest, mut is_found) = (String::new(), reason, false);
    while let Some(at) = rest.find(text) {
        let (before, after) = rest.split_at(at);
        let after = after.strip_prefix(text)?;
        let goes_on = before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        is_found |= !goes_on;
        out.push_str(before);
        out.push_str(if goes_on { text } else { "…" });
        rest = after;
    }
    out.push_str(rest);
    is_found.then_some(out)
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

    /// The reasons in a text. Checks are told apart by `; `, by lines, and by `, ` or ` and ` before another field. What stands before all
    /// of them is no reason: `2 errors occurred:`, `Widget "a" is invalid: [spec.size: Required value, spec.mode: Invalid value: "x"]`.
    fn all(text: &str, objects: &Objects<'_>) -> Vec<Self> {
        let mut texts = BTreeSet::new();
        sides(objects).for_each(|object| gather(object, &mut texts));
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
        let is_field = |word: &str| is_field(objects, bare(word));
        let parts: Vec<&str> =
            text.split("; ").flat_map(str::lines).map(unmarked).filter(|part| !part.is_empty()).collect();
        let has_more = parts.len() > 1;
        let heading = |part: &&str| has_more && part.ends_with(':') && !part.split_whitespace().any(is_field);
        let parts = parts.into_iter().filter(|part| !heading(part)).map(|part| without_heading(part, &is_field));
        let reasons = parts.flat_map(|part| told_apart(part, &is_field));
        reasons.filter_map(|said| Self::one(said, objects, &texts)).collect()
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
        let field = objects.with_keys(field).unwrap_or_else(|| field.to_owned());
        let mut here = BTreeSet::new();
        sides(objects).flat_map(|object| at(object, &field, objects)).for_each(|node| gather(node, &mut here));
        let (_, detail) = Self::typed(text);
        let texts = Texts { all: texts, here };
        let shape = reason_shape(if detail.is_empty() { text } else { detail }, &texts);
        let own = str::to_owned;
        (!said.is_empty()).then(|| Self { field, text: own(text), said: own(said), shape })
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
    let names = members(field).next().is_none() || text.split_whitespace().any(|word| is_same_place(field, bare(word)));
    // Several reasons may stand in one text, however long it is.
    let text = shape_up_to(text, usize::MAX);
    let ends = |char: char| matches!(char, ';' | ',' | ']' | '.');
    let said: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(ends)).collect();
    let sought: Vec<&str> = shape.split_whitespace().map(|word| word.trim_end_matches(ends)).collect();
    let is_like = |(sought, said): (&&str, &&str)| sought.contains('…') || sought == said;
    let said = || said.windows(sought.len()).any(|words| sought.iter().zip(words).all(is_like));
    names && (sought.is_empty() || said())
}

/// Whether a word leads to the place of a field, whatever the index or key, and also if it writes a key like members.
fn is_same_place(field: &str, word: &str) -> bool {
    let (field, word): (Vec<_>, Vec<_>) = (members(field).collect(), members(word).collect());
    is_same_way(&field, &word)
}

fn is_same_way(field: &[Option<&str>], word: &[Option<&str>]) -> bool {
    match (field.split_first(), word.split_first()) {
        (None, None) => true,
        (Some((None, field)), Some((step, rest))) => {
            // A key may have dots.
            let longest = if step.is_none() { 0 } else { rest.iter().take_while(|step| step.is_some()).count() };
            (0..=longest).any(|more| rest.get(more..).is_some_and(|rest| is_same_way(field, rest)))
        }
        (Some((step, field)), Some((other, word))) => step == other && is_same_way(field, word),
        _ => false,
    }
}

/// A line without the sign that an item of a list begins with: `* `, `- `, `3. `.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let (first, rest) = first_word(line);
    let number = first.strip_suffix(['.', ')']).unwrap_or("");
    let is_number = !number.is_empty() && number.chars().all(|char| char.is_ascii_digit());
    if matches!(first, "*" | "-" | "•") || (is_number && !rest.is_empty()) { rest } else { line }
}

/// A part without what stands before its first field and a colon: `validation failed: spec.size must be at most 5`.
fn without_heading<'t>(part: &'t str, is_field: &dyn Fn(&str) -> bool) -> &'t str {
    let Some((before, after)) = part.split_once(": ") else { return part };
    let (first, rest) = first_word(after);
    let names_field = before.split_whitespace().any(is_field);
    let begins_with_path = first.contains('.') || first.ends_with(':');
    if !names_field && begins_with_path && is_field(first) && !rest.is_empty() { after } else { part }
}

/// Words that follow the field that a reason is about.
const AFTER_FIELD: [&str; 19] = [
    "must", "is", "are", "cannot", "can't", "can", "should", "may", "might", "has", "have", "needs", "does", "exceeds",
    "contains", "required", "invalid", "not", "already",
];

/// Words that begin a condition.
const CONDITIONS: [&str; 8] = ["when", "if", "unless", "while", "where", "because", "since", "with"];

/// Words that stand before a list of fields.
const BEFORE_LIST: [&str; 7] = ["of", "both", "either", "neither", "between", "and", "or"];

/// The reasons of a part: `spec.size: Required value, spec.mode must be set and spec.owner must be set` are three. Fields that are listed,
/// or that a condition names, begin no reason.
fn told_apart<'t>(part: &'t str, is_field: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let begins = |text: &str| {
        let (first, rest) = first_word(text.trim_start_matches('['));
        if rest.is_empty() || !is_field(first) {
            return false;
        }
        first.ends_with(':') || AFTER_FIELD.contains(&first_word(rest).0)
    };
    let borders = |before: &str, after: &str| {
        let (first, rest) = first_word(after);
        if first.ends_with(':') {
            return is_field(first) && !rest.is_empty();
        }
        let mut words = before.split_whitespace();
        let ends_with_field = words.next_back().is_some_and(is_field);
        let is_listed = ends_with_field && words.clone().next_back().is_none_or(|word| BEFORE_LIST.contains(&word));
        begins(before) && begins(after) && !is_listed && !words.any(|word| CONDITIONS.contains(&word))
    };
    let (mut reasons, mut rest, mut from) = (Vec::new(), part, 0);
    let next = |rest: &str, from: usize| {
        let tail = rest.get(from..)?;
        let found =
            [", and ", ", ", " and "].into_iter().filter_map(|sign| Some((from + tail.find(sign)?, sign.len())));
        found.min_by_key(|(at, length)| (*at, usize::MAX - *length))
    };
    while let Some((at, length)) = next(rest, from) {
        let (Some(before), Some(after)) = (rest.get(..at), rest.get(at + length..)) else { break };
        if borders(before, after) {
            reasons.push(before);
            (rest, from) = (after, 0);
        } else {
            from = at + length;
        }
    }
    reasons.push(rest);
    reasons
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
    for member in members(objects.with_keys(word).as_deref().unwrap_or(word)) {
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

/// The objects of a question.
fn sides<'o>(objects: &Objects<'o>) -> impl Iterator<Item = Node<'o>> + use<'o> {
    [Some(objects.new), objects.old].into_iter().flatten()
}

/// What stands at a printed path, whatever the index or key; the object itself at the empty one.
fn at<'n>(object: Node<'n>, field: &str, objects: &Objects<'_>) -> Vec<Node<'n>> {
    let (mut nodes, mut ty) = (vec![object], objects.root);
    for member in members(field) {
        nodes = match (objects.schema.pointed(ty).1, member) {
            (Kind::Struct(fields), Some(name)) => {
                let Some(member) = fields.member(name) else { return Vec::new() };
                nodes.iter().map(|node| node.member(&member.slots)).collect()
            }
            (_, None) => {
                let below =
                    |node: &Node<'n>| node.items().iter().copied().chain(node.entries().iter().map(|(_, node)| *node));
                nodes.iter().flat_map(|node| below(node).collect::<Vec<_>>()).collect()
            }
            // No type tells what is below.
            _ => return nodes,
        };
        let Some(below) = objects.schema.below(ty, member) else { return nodes };
        ty = below;
    }
    nodes
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
    use super::{Reason, is_said_in, message_shape};
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
            ("spec.m[x].a", "is bad", "spec.m.y.a is bad", true),
            ("spec.m[x].a", "is bad", "spec.m.y.b is bad", false),
            ("spec.m[x].a", "is bad", "spec.m.y is bad", false),
            ("spec.m[app.io/x]", "is bad", "spec.m.app.io/y is bad", true),
            ("spec.m[x].a", "is bad", "spec.m.y.z.a is bad", true),
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
}
