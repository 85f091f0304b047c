//! Notes of a run: what is no difference, and worth a look all the same. No verdict and no exit code depends on them.

use super::finding::FindingCase;
use crate::markup::code;
use crate::text::{field_name, line as inert, shortened, shown};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use takeover_harness::case::Operation;
use takeover_harness::compare::{Note, NoteKind};
use takeover_harness::evidence::{PairEvidence, Sighting};
use takeover_harness::side::Side;
use takeover_harness::text::{grouped, plural};

/// Most notes of a subject that are listed for people; the JSON report has all.
const LISTED: usize = 6;

/// All cases with one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoteReport {
    /// What it is about.
    pub kind: NoteKind,
    /// Whose errors it is about; none where it is about what both sides report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// API name of the error type.
    pub error_type: String,
    /// Path pattern.
    pub field: String,
    /// Origin.
    pub origin: String,
    /// Cases on create.
    pub create: u64,
    /// Cases on update.
    pub update: u64,
    /// Where the first case came from, and what was said there.
    pub first: String,
    /// The same of the case that shows it best: with the fewest errors, and of these the smallest.
    pub smallest: String,
}

impl NoteReport {
    /// Both operations of one note, creates first.
    fn of(note: &Note, seen: &Counted<'_>) -> Option<Self> {
        let (first, smallest) = seen.shown.first()?;
        let told = |sighting: &Sighting| {
            let text = format!("{}: {}", sighting.provenance, sighting.message);
            shortened(&text, FindingCase::LONGEST_TEXT).into_owned()
        };
        Some(Self {
            kind: note.kind,
            side: note.side,
            error_type: note.shape.error_type.api_name().to_owned(),
            field: note.shape.field.clone(),
            origin: note.shape.origin.clone(),
            create: seen.create,
            update: seen.update,
            first: told(first),
            smallest: told(smallest),
        })
    }

    /// What the note is about: `order of the errors of the reference at spec.replicas FieldValueInvalid minimum`.
    fn about(&self) -> String {
        let side = self.side.map_or("both sides", Side::word);
        let what = match self.kind {
            NoteKind::Unsteady => format!("the {side} does not always report the error"),
            NoteKind::Order => format!("the {side} does not always report errors in the same order"),
            NoteKind::Repeated => format!("the {side} repeats the error"),
            NoteKind::Wording => "both sides word the error differently".to_owned(),
            NoteKind::Value => "both sides show different values in the error".to_owned(),
            other => other.word().to_owned(),
        };
        format!("{what}: {}", self.error())
    }

    fn error(&self) -> String {
        let origin = if self.origin.is_empty() { String::new() } else { format!(" `{}`", self.origin) };
        shown(&format!("{} {}{origin}", field_name(&self.field), self.error_type))
    }

    fn counts(&self) -> String {
        format!("{} on create, {} on update", self.create, self.update)
    }
}

#[derive(Default)]
struct Counted<'e> {
    create: u64,
    update: u64,
    /// Of each operation that has it, the first case and the one that shows it best.
    shown: Vec<(&'e Sighting, &'e Sighting)>,
}

/// The notes of a pair, the most telling kinds first.
pub(super) fn notes(of: &PairEvidence) -> Vec<NoteReport> {
    let mut all: BTreeMap<&Note, Counted<'_>> = BTreeMap::new();
    for operation in Operation::ALL {
        for (note, seen) in &of.operation(operation).notes {
            let counted = all.entry(note).or_default();
            match operation {
                Operation::Create => counted.create += seen.cases,
                Operation::Update => counted.update += seen.cases,
            }
            counted.shown.push((&seen.first, &seen.smallest.sighting));
        }
    }
    all.into_iter().filter_map(|(note, counted)| NoteReport::of(note, &counted)).collect()
}

/// How many notes of each kind a subject has, in a line; none without notes.
pub(super) fn summary(notes: &[NoteReport]) -> Option<String> {
    let count = |kind| notes.iter().filter(|note| note.kind == kind).count() as u64;
    let kinds = NoteKind::ALL.into_iter().map(|kind| (kind, count(kind))).filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{} {kind}", grouped(count))).collect();
    let all = plural(notes.len() as u64, "note");
    (!kinds.is_empty()).then(|| format!("{all} (no effect on verdicts): {}", kinds.join(", ")))
}

/// The first notes of a subject, a line each, and how many more there are.
pub(super) fn lines(notes: &[NoteReport]) -> Vec<String> {
    let line = |note: &NoteReport| format!("{}: {}; {}", note.about(), note.counts(), inert(&note.smallest));
    let more = notes.len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| format!("… and {} more in the JSON report", grouped(more as u64)));
    notes.iter().take(LISTED).map(line).chain(rest).collect()
}

/// The notes of a subject for a terminal: the line that counts them, and the first ones below it.
pub(super) fn text(notes: &[NoteReport]) -> String {
    let Some(summary) = summary(notes) else { return String::new() };
    let lines: String = lines(notes).iter().map(|line| format!("  {line}\n")).collect();
    format!("{summary}\n{lines}")
}

/// The notes of a subject for a comment on a pull request, a line each.
pub(super) fn markdown(subject: &str, notes: &[NoteReport]) -> Vec<String> {
    let line = |note: &NoteReport| {
        format!("* {} {}: {}; {}\n", code(subject), code(&note.about()), note.counts(), code(&inert(&note.smallest)))
    };
    notes.iter().map(line).collect()
}

/// The names of the notes of a subject, as a difference of reports tells them.
pub(super) fn names(subject: &str, notes: &[NoteReport]) -> impl Iterator<Item = String> {
    notes.iter().map(move |note| format!("{subject} {}", note.about()))
}

#[cfg(test)]
mod tests {
    use super::{NoteReport, lines, markdown, summary, text};
    use takeover_harness::compare::NoteKind;
    use takeover_harness::side::Side;

    fn note(kind: NoteKind, side: Option<Side>, field: &str) -> NoteReport {
        NoteReport {
            kind,
            side,
            error_type: "FieldValueInvalid".to_owned(),
            field: field.to_owned(),
            origin: "minimum".to_owned(),
            create: 2,
            update: 1,
            first: "generated 1".to_owned(),
            smallest: "generated 2: said\u{1b}[31m".to_owned(),
        }
    }

    #[test]
    fn notes_are_counted_by_kind_and_the_first_are_listed() {
        let notes = [
            note(NoteKind::Order, Some(Side::Reference), "spec.a"),
            note(NoteKind::Repeated, Some(Side::Candidate), "spec.a"),
        ];
        let words = (0..7).map(|at| note(NoteKind::Wording, None, &format!("spec.f{at}")));
        let all: Vec<NoteReport> = notes.into_iter().chain(words).collect();
        assert_eq!(summary(&all).as_deref(), Some("9 notes (no effect on verdicts): 1 order, 1 repeated, 7 wording"));
        let lines = lines(&all);
        assert_eq!(
            lines.first().map(String::as_str),
            Some(
                "the reference does not always report errors in the same order: spec.a FieldValueInvalid `minimum`: \
                 2 on create, 1 on update; generated 2: said�[31m"
            )
        );
        assert_eq!(lines.last().map(String::as_str), Some("… and 3 more in the JSON report"));
        assert!(!text(&all).contains('\u{1b}'), "no control characters reach the terminal");
        assert_eq!(markdown("v1 Web", &all).len(), 9);
    }

    #[test]
    fn without_notes_nothing_is_said() {
        assert_eq!(
            (summary(&[]), text(&[]), lines(&[]), markdown("v1 Web", &[])),
            (None, String::new(), vec![], vec![])
        );
    }
}
