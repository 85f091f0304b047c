//! What two answers that agree are still worth a note for: other words, another value, an error twice.

use super::comparator::Comparator;
use crate::error::{ErrorType, FieldError};
use crate::oracle::Answer;
use crate::path::{Path, pattern};
use crate::rule::ErrorShape;
use crate::side::{BySide, Side};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// Most errors of a side that notes are taken of: an oracle that babbles must not take the time.
const MOST_ERRORS: usize = 256;

/// What a note is about. No note is a difference: none counts as a mismatch, and no verdict depends on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NoteKind {
    /// The same case judged again gives other errors, although the sides agree.
    Unsteady,
    /// The same case judged again gives the same errors in another order.
    Order,
    /// One side reports an equal error more often than the other side reports the error.
    Repeated,
    /// Both sides report the error, with different details.
    Wording,
    /// Both sides report the error, and show different values.
    Value,
}

impl NoteKind {
    /// Every kind, the most telling first.
    pub const ALL: [Self; 5] = [Self::Unsteady, Self::Order, Self::Repeated, Self::Wording, Self::Value];

    /// One word, as in files: `wording`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Wording => "wording",
            Self::Value => "value",
            Self::Repeated => "repeated",
            Self::Order => "order",
            Self::Unsteady => "unsteady",
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What notes are grouped by. Printed as `repeated reference FieldValueInvalid spec.replicas minimum`, with `-` for both sides and for
/// no origin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// Whose errors it is about; none where it is about what both sides report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The error.
    #[serde(flatten)]
    pub shape: ErrorShape,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, side, shape: ErrorShape { error_type, field, origin } } = self;
        let or = |text: &'static str, none: &'static str| if text.is_empty() { none } else { text };
        let side = or(side.map_or("", Side::word), "-");
        let field = if field.is_empty() { "<nil>" } else { field };
        let origin = if origin.is_empty() { "-" } else { origin };
        write!(f, "{kind} {side} {} {field} {origin}", error_type.api_name())
    }
}

/// A note of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// What it is grouped by.
    pub note: Note,
    /// What was said in this case.
    pub said: String,
}

impl Noted {
    fn new(kind: NoteKind, side: Option<Side>, error: &FieldError, said: String) -> Self {
        let (field, origin) = (pattern(&error.field), error.origin.as_ref().to_owned());
        Self { note: Note { kind, side, shape: ErrorShape { error_type: error.error_type, field, origin } }, said }
    }
}

/// The errors of both sides that say the same of one field.
type Group<'e> = BySide<Vec<&'e FieldError>>;

/// Adds what two error lists are worth a note for: details and values that differ although the errors match, and errors that one side
/// repeats. Adds each note once.
pub(crate) fn take_notes(
    comparator: &Comparator,
    reference: &[FieldError],
    candidate: &[FieldError],
    notes: &mut Vec<Noted>,
) {
    let (least, most) = (reference.len().min(candidate.len()), reference.len().max(candidate.len()));
    // A single error says nothing twice, and nothing otherwise than another.
    if !comparator.compares_errors() || (least == 0 && most < 2) || most > MOST_ERRORS {
        return;
    }
    let heeded = |error: &FieldError| if comparator.heeds_origin() { error.origin.clone() } else { Cow::Borrowed("") };
    let mut groups: BTreeMap<(ErrorType, Cow<'_, str>, Cow<'static, str>), Group<'_>> = BTreeMap::new();
    for error in reference {
        let key = (error.error_type, Cow::Borrowed(error.field.as_str()), heeded(error));
        groups.entry(key).or_default().reference.push(error);
    }
    for error in candidate {
        let key = (error.error_type, comparator.normalized(&error.field), heeded(error));
        groups.entry(key).or_default().candidate.push(error);
    }
    for group in groups.values() {
        for side in Side::ALL {
            notes.extend(repeated(side, group));
        }
        let detail = |error: &FieldError| error.detail.clone();
        notes.extend(other_text(NoteKind::Wording, comparator, group, detail, |one, other| one.detail == other.detail));
        let value = |error: &FieldError| match error.error_type.shows_bad_value() {
            true => Cow::Owned(error.bad_value.to_string()),
            false => Cow::Borrowed(""),
        };
        let same_value = |one: &FieldError, other: &FieldError| {
            !one.error_type.shows_bad_value() || one.bad_value.is_known_to_print_as(&other.bad_value)
        };
        notes.extend(other_text(NoteKind::Value, comparator, group, value, same_value));
    }
    notes.sort_by(|one, other| (&one.note, &one.said).cmp(&(&other.note, &other.said)));
    notes.dedup_by(|one, other| one.note == other.note);
}

/// Whether a side reports an equal error more often than the other side reports the error at all.
fn repeated(side: Side, group: &Group<'_>) -> Option<Noted> {
    let (said, other) = (group.of(side), group.of(side.other()).len());
    if said.len() < 2 {
        return None;
    }
    // How often each is said, and where last. There may be hundreds, with long values: compare each with one of each kind.
    let mut times: Vec<(usize, usize, &FieldError)> = Vec::new();
    for (index, error) in said.iter().enumerate() {
        match times.iter_mut().find(|(_, _, known)| known == error) {
            Some(time) => *time = (time.0 + 1, index, error),
            None => times.push((1, index, error)),
        }
    }
    let (count, _, error) = times.into_iter().max_by_key(|(count, last, _)| (*count, *last))?;
    let told = || format!("{error} ({count} times, and {other} by the other side)");
    (count > 1 && count > other).then(|| Noted::new(NoteKind::Repeated, Some(side), error, told()))
}

/// Whether both sides report the errors of a group with a text that the other side has not. Makes no texts where errors are known to be
/// alike.
fn other_text<'e>(
    kind: NoteKind,
    comparator: &Comparator,
    group: &Group<'e>,
    text: impl Fn(&'e FieldError) -> Cow<'static, str>,
    are_alike: impl Fn(&FieldError, &FieldError) -> bool,
) -> Option<Noted> {
    let compared = |side: Side| group.of(side).iter().filter(move |error| comparator.includes(side, error)).copied();
    let (want, got) = (compared(Side::Reference).next()?, compared(Side::Candidate).next()?);
    if !comparator.matches(want, got) {
        return None;
    }
    if are_alike_in_turn(compared(Side::Reference), compared(Side::Candidate), are_alike) {
        return None;
    }
    let texts = |side| {
        let mut texts: Vec<Cow<'static, str>> = compared(side).map(&text).collect();
        texts.sort_unstable();
        texts
    };
    let texts = BySide { reference: texts(Side::Reference), candidate: texts(Side::Candidate) };
    let alone = |side: Side| texts.of(side).iter().find(|text| !texts.of(side.other()).contains(text));
    let (one, two) = (alone(Side::Reference)?, alone(Side::Candidate)?);
    let said = format!("{}: {one:?} in the reference, {two:?} in the candidate", want.field);
    // Where origins do not count, the two sides may name different ones.
    let named = if (&want.field, &want.origin) <= (&got.field, &got.origin) { want } else { got };
    Some(Noted::new(kind, None, named, said))
}

fn are_alike_in_turn<'e>(
    mut one: impl Iterator<Item = &'e FieldError>,
    mut other: impl Iterator<Item = &'e FieldError>,
    are_alike: impl Fn(&FieldError, &FieldError) -> bool,
) -> bool {
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if are_alike(one, other) => {}
            _ => return false,
        }
    }
}

/// What a side is worth a note for that was asked the same again. Other errors count only where `agreed`: where the sides differ, that
/// is the cause of the difference.
pub(crate) fn steadiness(side: Side, first: &Answer, again: &Answer, agreed: bool) -> Option<Noted> {
    let (errors, errors_again) = (first.errors.as_slice(), again.errors.as_slice());
    other_errors(side, errors, errors_again, agreed).or_else(|| {
        let said = match first.rejects() {
            true if !again.rejects() => "rejects the object, and accepts it when the case is judged again",
            false if again.rejects() => "accepts the object, and rejects it when the case is judged again",
            _ if first.object != again.object => "changes the object differently when the case is judged again",
            _ => return None,
        };
        let object = FieldError::new(ErrorType::Invalid, &Path::ROOT, "", "");
        agreed.then(|| Noted::new(NoteKind::Unsteady, Some(side), &object, format!("the {side} {said}")))
    })
}

fn other_errors(side: Side, first: &[FieldError], again: &[FieldError], agreed: bool) -> Option<Noted> {
    if first == again || first.len().max(again.len()) > MOST_ERRORS {
        return None;
    }
    let mut counts: HashMap<String, (i64, &FieldError)> = HashMap::new();
    let told = |error: &FieldError| format!("{error} ({})", error.origin);
    for (error, by) in first.iter().map(|error| (error, 1)).chain(again.iter().map(|error| (error, -1))) {
        counts.entry(told(error)).or_insert((0, error)).0 += by;
    }
    let other = counts.iter().filter(|(_, (count, _))| *count != 0).min_by_key(|(text, _)| text.as_str());
    if let Some((_, (count, error))) = other {
        let what = if *count > 0 { "gone" } else { "added" };
        let said = || format!("{error} ({what} when the case is judged again)");
        return agreed.then(|| Noted::new(NoteKind::Unsteady, Some(side), error, said()));
    }
    let moved = first.iter().zip(again).filter(|(one, two)| one != two).map(|(error, _)| error);
    let error = moved.min_by_key(|error| told(error))?;
    let said = format!("{error} (at another place among {} errors when the case is judged again)", first.len());
    Some(Noted::new(NoteKind::Order, Some(side), error, said))
}

#[cfg(test)]
mod tests {
    use super::{Noted, steadiness, take_notes};
    use crate::compare::{Comparator, Matcher, Semantics};
    use crate::error::{BadValue, FieldError, Stability};
    use crate::oracle::{Answer, Decision};
    use crate::path::Path;
    use crate::side::Side;

    fn error(field: &str, value: i64, detail: &'static str) -> FieldError {
        FieldError { field: field.to_owned(), ..FieldError::invalid(&Path::ROOT, value, detail) }.with_origin("minimum")
    }

    fn covered(field: &str, value: i64, detail: &'static str) -> FieldError {
        error(field, value, detail).covered()
    }

    fn alpha(field: &str, value: i64, detail: &'static str) -> FieldError {
        FieldError { stability: Some(Stability::Alpha), ..error(field, value, detail) }
    }

    fn list_value(item: i32) -> BadValue {
        BadValue::json(vec![item].into())
    }

    fn noted(reference: &[FieldError], candidate: &[FieldError]) -> Vec<String> {
        let mut notes = Vec::new();
        take_notes(&Comparator::Kubernetes(Matcher::new(Semantics::V1_37)), reference, candidate, &mut notes);
        notes.into_iter().map(|Noted { note, said }| format!("{note} | {said}")).collect()
    }

    #[test]
    fn other_words_and_other_values_of_errors_that_match_are_noted() {
        let shape = "FieldValueInvalid spec.l[*] minimum";
        assert_eq!(noted(&[covered("spec.l[0]", 1, "x")], &[alpha("spec.l[0]", 1, "x")]), [""; 0]);
        assert_eq!(
            noted(&[covered("spec.l[0]", 1, "x")], &[alpha("spec.l[0]", 2, "y")]),
            [
                format!("wording - {shape} | spec.l[0]: \"x\" in the reference, \"y\" in the candidate"),
                format!("value - {shape} | spec.l[0]: \"1\" in the reference, \"2\" in the candidate"),
            ]
        );
        assert_eq!(noted(&[error("a", 1, "x")], &[alpha("a", 1, "y")]), [""; 0], "the first takes no part");
        assert_eq!(noted(&[covered("a", 1, "x")], &[alpha("b", 1, "y")]), [""; 0], "another field");
        let long = FieldError { bad_value: list_value(1), ..covered("a", 1, "x") };
        let same = FieldError { bad_value: list_value(1), ..alpha("a", 1, "x") };
        let other = FieldError { bad_value: list_value(2), ..same.clone() };
        let shared = FieldError { bad_value: long.bad_value.clone(), ..same.clone() };
        assert_eq!(noted(std::slice::from_ref(&long), &[shared]), [""; 0], "the same value");
        assert_eq!(noted(std::slice::from_ref(&long), &[same]), [""; 0], "the same text, of two values");
        assert_eq!(noted(&[long], &[other]).len(), 1);
        let both = [covered("a", 1, "x"), covered("a", 1, "y")];
        assert_eq!(noted(&both, &[alpha("a", 1, "y"), alpha("a", 1, "x")]), [""; 0], "the same words in another order");
    }

    #[test]
    fn an_error_that_one_side_reports_more_often_is_noted_of_that_side() {
        let twice = [covered("a", 1, "x"), covered("b", 1, "x"), covered("a", 1, "x")];
        let said = "repeated reference FieldValueInvalid a minimum | a: Invalid value: 1: x (2 times, and 1 by the other side)";
        assert_eq!(noted(&twice, &[alpha("a", 1, "x")]), [said]);
        assert_eq!(noted(&twice, &[alpha("a", 1, "x"), alpha("a", 1, "x")]), [""; 0], "both repeat it");
        assert_eq!(noted(&[covered("a", 1, "x"), covered("a", 2, "x")], &[alpha("a", 1, "x")]), [""; 0], "not equal");
        assert_eq!(noted(&[alpha("a", 1, "x")], &[alpha("a", 1, "x"), alpha("a", 1, "x")]).len(), 1);
    }

    #[test]
    fn what_a_second_answer_says_in_another_order_or_otherwise_is_noted() {
        let (one, two) = (covered("a", 1, "x"), covered("b", 1, "x"));
        let answer = |errors: &[FieldError]| Answer { errors: errors.to_vec().into(), ..Answer::new() };
        let said = |first: &[FieldError], again: &[FieldError], agreed| {
            let noted = steadiness(Side::Reference, &answer(first), &answer(again), agreed);
            noted.map(|noted| noted.note.to_string())
        };
        let both = [one.clone(), two.clone()];
        assert_eq!(said(&both, &both, true), None);
        let order = Some("order reference FieldValueInvalid a minimum".to_owned());
        assert_eq!(said(&both, &[two.clone(), one.clone()], false), order);
        assert_eq!(said(&[two.clone(), one.clone()], &both, true), order, "whichever order came first");
        let unsteady = Some("unsteady reference FieldValueInvalid b minimum".to_owned());
        assert_eq!(said(&both, std::slice::from_ref(&one), true), unsteady);
        assert_eq!(said(std::slice::from_ref(&one), &both, true), unsteady);
        assert_eq!(said(&both, &[one], false), None, "then the cause of the difference is that");
    }
    #[test]
    fn a_second_answer_that_decides_or_changes_otherwise_is_noted() {
        let decided = |decision| Answer { decision: Some(decision), ..Answer::new() };
        let (yes, no) = (decided(Decision::Accept), decided(Decision::Reject("closed".into())));
        let changed = |to: i32| Answer { object: Some(to.into()), ..Answer::new() };
        let said =
            |first: &Answer, again: &Answer| steadiness(Side::Candidate, first, again, true).map(|noted| noted.said);
        assert_eq!(said(&no, &decided(Decision::Reject("other words".into()))), None);
        assert_eq!(said(&changed(1), &changed(1)), None);
        for (first, again, what) in [
            (&yes, &no, "the candidate accepts the object, and rejects it"),
            (&no, &yes, "the candidate rejects the object, and accepts it"),
            (&changed(1), &changed(2), "the candidate changes the object differently"),
        ] {
            assert_eq!(said(first, again), Some(format!("{what} when the case is judged again")));
        }
    }
}
