//! A part of a report: some verdicts, one kind.

use crate::run::answer::Answer;
use crate::run::by_cause;
use crate::run::kinds::kind_of;
use crate::run::model::RunReport;
use crate::run::subject::{FieldReport, SubjectReport};
use crate::run::verdict::VerdictKind;
use std::collections::BTreeSet;
use takeover_harness::text::nearest;

/// Which part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only rules with verdicts of these kinds, and what belongs to them; empty is all.
    pub only: Vec<VerdictKind>,
    /// Only this kind (`Role`) or subject (`v1 Role`).
    pub kind: Option<String>,
    /// Only these subjects, by their whole names; nothing is all.
    pub subjects: Option<BTreeSet<String>>,
}

/// Why nothing is selected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSelected {
    /// A kind that the report does not have.
    #[error("the report has no kind or subject `{name}`; {}", meant(name, known))]
    UnknownKind {
        /// The requested name.
        name: String,
        /// The kinds or subjects of the report.
        known: Vec<String>,
    },
    /// The report contains none of the chosen subjects.
    #[error("the report has nothing of what the settings choose: {}", some(.0))]
    NoneOf(Vec<String>),
}

/// Most kinds that are named where none is near.
const MOST_KINDS: usize = 5;

/// The kind that was probably meant, or some that there are.
fn meant(name: &str, known: &[String]) -> String {
    if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
        return format!("did you mean `{near}`?");
    }
    format!("it has {}", some(known))
}

/// The first of some names, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_KINDS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let first: Vec<&str> = names.iter().take(MOST_KINDS).map(String::as_str).collect();
    format!("{}{more}", first.join(", "))
}

/// What a report says of some subjects.
#[must_use]
pub fn among(mut report: RunReport, is_asked: impl Fn(&str) -> bool) -> RunReport {
    report.subjects.retain(|subject| is_asked(&subject.subject));
    // The version of an exception may be left open.
    let kinds = report.subjects.iter().map(|subject| kind_of(&subject.subject)).collect::<BTreeSet<_>>();
    report.exceptions.retain(|exception| kinds.contains(kind_of(&exception.subject)));
    report
}

impl Selection {
    /// The part of `report`. Totals stay those of the whole subject; subjects of which nothing is left go.
    ///
    /// # Errors
    /// Returns an error when the report has no such kind, or none of the subjects.
    pub fn of(&self, mut report: RunReport) -> Result<RunReport, NotSelected> {
        if let Some(chosen) = &self.subjects {
            report = among(report, |subject| chosen.contains(subject));
            if report.subjects.is_empty() {
                return Err(NotSelected::NoneOf(chosen.iter().cloned().collect()));
            }
        }
        if let Some(name) = &self.kind {
            let is_asked = |subject: &str| subject == name || kind_of(subject).eq_ignore_ascii_case(name);
            if !report.subjects.iter().any(|subject| is_asked(&subject.subject)) {
                let mut known: Vec<String> =
                    report.subjects.iter().map(|subject| kind_of(&subject.subject).to_owned()).collect();
                known.dedup();
                // A name with a version means a subject.
                if name.contains(' ') {
                    known = report.subjects.iter().map(|subject| subject.subject.clone()).collect();
                }
                return Err(NotSelected::UnknownKind { name: name.clone(), known });
            }
            report = among(report, is_asked);
        }
        // What was asked for in part is judged as a whole.
        report.gather();
        if !self.only.is_empty() {
            if !self.takes(VerdictKind::Blocked) {
                report.exceptions.clear();
            }
            report.subjects = report.subjects.into_iter().filter_map(|subject| self.subject(subject)).collect();
        }
        report.causes = by_cause::rows(&report.subjects);
        report.answers.retain(|check| self.takes_answer(check.answer));
        Ok(report)
    }

    fn takes(&self, kind: VerdictKind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }

    fn takes_answer(&self, answer: Answer) -> bool {
        self.takes(match answer {
            Answer::MayGo => VerdictKind::Ready,
            Answer::MayNot => VerdictKind::Blocked,
            Answer::NeedsEvidence => VerdictKind::Insufficient,
            Answer::NoRule | Answer::MayMove => VerdictKind::NotMigrated,
            Answer::Elsewhere => VerdictKind::OutOfReach,
        })
    }

    fn subject(&self, mut subject: SubjectReport) -> Option<SubjectReport> {
        for field in &mut subject.fields {
            field.rules.retain(|rule| self.takes(VerdictKind::of(&rule.verdict)));
        }
        subject.fields.retain(|field: &FieldReport| !field.rules.is_empty());
        // Disagreements and panics are what blocks.
        if !self.takes(VerdictKind::Blocked) {
            subject.findings.clear();
        }
        if !self.takes(VerdictKind::NotMigrated) {
            subject.not_migrated.clear();
            subject.checks = None;
        }
        subject.delegated.clear();
        subject.notes.clear();
        subject.pair = subject.pair.filter(|pair| self.takes(VerdictKind::of(&pair.verdict)));
        let is_empty = subject.pair.is_none()
            && subject.fields.is_empty()
            && subject.findings.is_empty()
            && subject.not_migrated.is_empty();
        (!is_empty).then_some(subject)
    }
}
