//! What stands in the page itself of the report, readable without any script, as text that is printable and of bounded length. The
//! template escapes it.

use crate::numbers::grouped;
use crate::run::answer::{CheckAnswer, Summary};
use crate::run::cause_row::CauseRow;
use crate::run::comparison;
use crate::run::finding::FindingReport;
use crate::run::kinds::kind_of;
use crate::run::model::RunReport;
use crate::run::notes;
use crate::run::rule::RuleReport;
use crate::run::subject::{FieldReport, SubjectReport};
use crate::run::verdict::VerdictKind;
use crate::text::field_name;
use crate::text::{named, shown};

/// Most reasons that a subject lists.
const LISTED: usize = 60;

/// A subject.
pub(super) struct Subject {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) standings: Vec<(&'static str, String)>,
    pub(super) totals: String,
    pub(super) notes: Vec<String>,
    pub(super) rules: Vec<Rule>,
    pub(super) findings: Vec<Finding>,
    pub(super) not_migrated: usize,
    pub(super) delegated: usize,
}

/// A rule.
pub(super) struct Rule {
    pub(super) standing: &'static str,
    pub(super) label: &'static str,
    pub(super) field: String,
    pub(super) rule: String,
    pub(super) because: String,
}

/// A finding.
pub(super) struct Finding {
    pub(super) number: usize,
    pub(super) count: String,
    pub(super) signature: String,
    pub(super) standing: &'static str,
}

/// A path in parts that each end in a dot.
fn members(path: &str) -> Vec<String> {
    path.split_inclusive('.').map(str::to_owned).collect()
}

/// The answer about a check that a rule covers.
pub(super) struct Check {
    pub(super) answer: &'static str,
    pub(super) word: &'static str,
    pub(super) kind: String,
    /// The members of the path, between which a line may break.
    pub(super) field: Vec<String>,
    pub(super) error: String,
    pub(super) places: String,
    pub(super) cause: String,
    pub(super) next: String,
}

impl Check {
    pub(super) fn of(check: &CheckAnswer) -> Self {
        Self {
            answer: check.answer.name(),
            word: check.answer.word(),
            kind: shown(&check.kind),
            field: members(&field_name(&check.field)),
            error: check.error(),
            places: shown(&check.places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            cause: check.cause.as_deref().map(shown).unwrap_or_default(),
            next: match check.defaults {
                true => format!("{} ({})", check.next(), shown(&check.figures)),
                false => check.next(),
            },
        }
    }
}

/// The findings of one cause and field.
pub(super) struct Cause {
    pub(super) is_open: bool,
    pub(super) cause: &'static str,
    pub(super) kind: String,
    /// In parts between which a line may break.
    pub(super) complaint: Vec<String>,
    pub(super) places: String,
    pub(super) when: String,
    pub(super) cases: String,
    pub(super) decision: String,
    pub(super) standing: String,
    pub(super) findings: usize,
    pub(super) smallest: usize,
    pub(super) remedy: String,
}

impl Cause {
    pub(super) fn of(row: &CauseRow) -> Self {
        Self {
            is_open: row.is_open(),
            cause: row.cause(),
            kind: shown(&row.kind),
            complaint: members(&shown(&row.said())),
            places: shown(&row.places()),
            when: row.when(),
            cases: grouped(row.cases),
            decision: row.for_the_user(),
            standing: shown(&row.standing()),
            findings: row.findings.len() + row.brings,
            smallest: row.smallest,
            remedy: shown(&row.remedy),
        }
    }
}

/// The subjects of a report.
pub(super) fn subjects(report: &RunReport) -> Vec<Subject> {
    report.subjects.iter().enumerate().map(|(index, of)| subject(index, of)).collect()
}

fn subject(index: usize, of: &SubjectReport) -> Subject {
    let summary = Summary::of_subjects([of]);
    let standings = VerdictKind::ALL.into_iter().filter(|standing| summary.rules.with(*standing) > 0);
    let standings = standings.map(|standing| {
        let count = grouped(summary.rules.with(standing) as u64);
        (standing.name(), format!("{count} {}", standing.label()))
    });
    let of_pair = of.pair.as_ref().map(|pair| VerdictKind::of(&pair.verdict));
    let of_pair = of_pair.map(|standing| (standing.name(), standing.label().to_owned()));
    let totals = &of.totals;
    let undecodable = totals.undecodable.len();
    let reasons = totals
        .left_out()
        .enumerate()
        .map(|(at, (count, reason))| (if at < undecodable { "undecodable" } else { "skipped" }, reason, count));
    let mut remarks = comparison::remarks(of, shown);
    let verdict = of.pair.iter().flat_map(|pair| pair.verdict.reasons());
    remarks.extend(verdict.map(|reason| format!("the pair as a whole: {}", shown(reason))));
    remarks.extend(reasons.take(LISTED).map(|(what, reason, count)| format!("{} {what}: {reason}", grouped(count))));
    if totals.with_dropped_fields > 0 {
        remarks
            .push(format!("{} compared without their unknown or repeated fields", grouped(totals.with_dropped_fields)));
    }
    remarks.extend(notes::summary(&of.notes).into_iter().chain(notes::lines(&of.notes)));
    Subject {
        id: format!("subject-{}", index + 1),
        name: shown(&of.subject),
        kind: shown(kind_of(&of.subject)),
        standings: of_pair.into_iter().chain(standings).collect(),
        totals: comparison::totals(of),
        notes: remarks,
        rules: of.fields.iter().flat_map(|field| field.rules.iter().map(move |it| rule(field, it))).collect(),
        findings: of.findings.iter().map(finding).collect(),
        not_migrated: of.not_migrated.len(),
        delegated: of.delegated.len(),
    }
}

fn rule(field: &FieldReport, of: &RuleReport) -> Rule {
    let standing = VerdictKind::of(&of.verdict);
    Rule {
        standing: standing.name(),
        label: standing.label(),
        field: field_name(&field.field),
        rule: shown(&of.label()),
        because: of.verdict.reasons().first().map_or_else(String::new, |reason| shown(reason)),
    }
}

fn finding(of: &FindingReport) -> Finding {
    Finding {
        number: of.number,
        count: grouped(of.count),
        signature: named(&of.signature),
        standing: of.standing().word(),
    }
}
