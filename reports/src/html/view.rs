//! What the page shows of the report, as text that is printable and of bounded length. The template escapes it.

use crate::excused::ExceptionReport;
use crate::model::{Check, ClassReport, FieldReport, FindingReport, Report, RuleReport, SubjectReport, Twin};
use crate::sides::difference;
use crate::summary::{Standing, Tally, grouped, kind_of};
use crate::table::field_name;
use crate::text::{command_line, shown, shown_lines};
use takeover_harness::readiness::{Criterion, Next, RuleCounts};
use takeover_harness::yaml::to_yaml;

/// Most lines of a minimal case.
const CASE_LINES: usize = 120;

/// Most parts, checks or names of a list in one place.
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
    pub(super) not_migrated: Vec<String>,
    pub(super) delegated: Vec<(String, String)>,
    pub(super) more_delegated: usize,
}

/// A rule.
pub(super) struct Rule {
    pub(super) standing: &'static str,
    pub(super) label: &'static str,
    pub(super) field: String,
    pub(super) rule: String,
    pub(super) because: String,
    pub(super) counts: Vec<Counts>,
    pub(super) lifecycle: String,
    pub(super) next: String,
    pub(super) twin: &'static str,
    pub(super) reports: Vec<String>,
    pub(super) source: String,
    pub(super) bound: String,
    pub(super) unmet: Vec<(String, String)>,
    pub(super) met: String,
    pub(super) classes: Vec<ClassReport>,
    pub(super) unreachable: Vec<(String, String)>,
    pub(super) kept: u64,
    pub(super) faults: String,
    pub(super) survivors: String,
    pub(super) equivalent: usize,
    pub(super) hidden: Vec<(String, String)>,
    pub(super) findings: Vec<usize>,
}

/// Counts of a rule on one operation.
pub(super) struct Counts {
    pub(super) operation: &'static str,
    pub(super) counts: RuleCounts,
}

/// A finding.
pub(super) struct Finding {
    pub(super) number: usize,
    pub(super) count: String,
    pub(super) signature: String,
    pub(super) cluster: Option<usize>,
    pub(super) is_excused: bool,
    pub(super) exception: String,
    pub(super) rule: String,
    pub(super) first: String,
    pub(super) difference: Vec<(&'static str, char, String, bool)>,
    pub(super) panics: Vec<String>,
    pub(super) minimal: String,
    pub(super) reproduce: String,
}

/// The subjects of a report.
pub(super) fn subjects(report: &Report) -> Vec<Subject> {
    report.subjects.iter().enumerate().map(|(index, of)| subject(index, of, report)).collect()
}

fn subject(index: usize, of: &SubjectReport, report: &Report) -> Subject {
    let tally = Tally::of(std::slice::from_ref(of));
    let standings = Standing::ALL.into_iter().filter(|standing| tally.with(*standing) > 0);
    let totals = &of.totals;
    let reasons = totals.undecodable.iter().map(|(reason, count)| ("undecodable", reason, count));
    let reasons = reasons.chain(totals.skipped.iter().map(|(reason, count)| ("skipped", reason, count)));
    let mut notes: Vec<String> = reasons
        .take(LISTED)
        .map(|(what, reason, count)| format!("{} {what}: {}", grouped(*count), shown(reason)))
        .collect();
    if totals.with_dropped_fields > 0 {
        notes
            .push(format!("{} compared without their unknown or repeated fields", grouped(totals.with_dropped_fields)));
    }
    Subject {
        id: format!("subject-{}", index + 1),
        name: shown(&of.subject),
        kind: shown(kind_of(&of.subject)),
        standings: standings
            .map(|standing| (standing.name(), format!("{} {}", tally.with(standing), standing.label())))
            .collect(),
        totals: format!(
            "{} cases: {} compared ({} agree in silence, {} agree on the same errors, {} disagree, {} panicked), {} undecodable, {} skipped",
            grouped(totals.cases),
            grouped(totals.compared),
            grouped(totals.agreed_accept),
            grouped(totals.agreed_reject),
            grouped(totals.disagreed),
            grouped(totals.panicked),
            grouped(totals.undecodable.values().sum()),
            grouped(totals.skipped.values().sum()),
        ),
        notes,
        rules: of
            .fields
            .iter()
            .flat_map(|field| field.rules.iter().map(move |it| rule(of, field, it, report)))
            .collect(),
        findings: of.findings.iter().map(finding).collect(),
        not_migrated: of
            .not_migrated
            .iter()
            .map(|check| {
                let (field, error_type, origin) = (&check.field, &check.error_type, &check.origin);
                let seen = format!("{} on create, {} on update", grouped(check.create), grouped(check.update));
                format!("{}: {seen}", sort_of_error(error_type, field, origin))
            })
            .collect(),
        delegated: of.delegated.iter().take(LISTED).map(|part| (shown(&part.path), shown(&part.reason))).collect(),
        more_delegated: of.delegated.len().saturating_sub(LISTED),
    }
}

fn sort_of_error(error_type: &str, field: &str, origin: &str) -> String {
    let origin = if origin.is_empty() { String::new() } else { format!(" ({})", shown(origin)) };
    format!("{} {}{origin}", field_name(field), shown(error_type))
}

fn rule(subject: &SubjectReport, field: &FieldReport, of: &RuleReport, report: &Report) -> Rule {
    let standing = Standing::of(&of.verdict);
    let name = format!("{} {}", field.field, of.rule);
    let counts = [("create", of.create), ("update", of.update)];
    let (met, unmet): (Vec<_>, Vec<_>) = of.criteria.iter().partition(|criterion| criterion.met);
    let since = of.lifecycle.since.as_ref().map_or_else(String::new, |since| format!(" since {}", shown(since)));
    let confidence = report.policy.map_or_else(String::new, |policy| format!(", {} % sure", policy.confidence * 100.0));
    let controls = &of.controls;
    Rule {
        standing: standing.name(),
        label: standing.label(),
        field: field_name(&field.field),
        rule: shown(&of.rule),
        because: of.verdict.reasons().first().map_or_else(String::new, |reason| shown(reason)),
        counts: counts.into_iter().map(|(operation, counts)| Counts { operation, counts }).collect(),
        lifecycle: format!("{}{since}", of.lifecycle.level.name()),
        next: next(of.next.as_ref()),
        twin: match of.twin {
            Twin::Seen => "a handwritten check reports the same",
            Twin::Unseen => "none seen: the rule is new, or was not exercised",
            Twin::NotNeeded => "none needed: the rule reports nothing that a check could",
        },
        reports: of
            .reports
            .iter()
            .map(|Check { error_type, field, origin }| sort_of_error(error_type, field, origin))
            .collect(),
        source: of.source.as_deref().map(shown).unwrap_or_default(),
        bound: format!("at most {:.3} % of cases disagree{confidence}", of.upper_bound * 100.0),
        unmet: unmet.into_iter().map(|criterion| (shown(&criterion.found), shown(&criterion.remedy))).collect(),
        met: met_names(&met),
        classes: of
            .classes
            .iter()
            .take(LISTED)
            .map(|class| ClassReport { class: shown(&class.class), ..class.clone() })
            .collect(),
        unreachable: of
            .unreachable
            .iter()
            .take(LISTED)
            .map(|class| (shown(&class.name), shown(&class.reason)))
            .collect(),
        kept: of.kept,
        faults: match controls.telling {
            0 => "none can be told from the rule".to_owned(),
            telling => format!("{} of {telling} exposed", controls.exposed),
        },
        survivors: controls.survivors.iter().take(LISTED).map(|name| shown(name)).collect::<Vec<_>>().join(", "),
        equivalent: controls.equivalent.len(),
        hidden: controls.hidden.iter().take(LISTED).map(|fault| (shown(&fault.name), shown(&fault.reason))).collect(),
        findings: subject
            .findings
            .iter()
            .filter(|finding| finding.is_laid_to(&name))
            .map(|finding| finding.number)
            .collect(),
    }
}

/// Names of criteria by operation: `create: panics, extra; update: panics`.
fn met_names(met: &[&Criterion]) -> String {
    let name = |criterion: &&Criterion| shown(&criterion.name);
    let parts = met.chunk_by(|one, other| one.operation == other.operation).map(|criteria| {
        let names = criteria.iter().map(name).collect::<Vec<_>>().join(", ");
        match criteria.first().and_then(|first| first.operation) {
            Some(operation) => format!("{operation}: {names}"),
            None => names,
        }
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn next(next: Option<&Next>) -> String {
    let Some(next) = next else { return String::new() };
    let because: Vec<String> = next.because.iter().map(|reason| shown(reason)).collect();
    let because = because.join("; ");
    match (&next.level, next.allowed) {
        (Some(level), true) => format!("may become {}: {because}", shown(level)),
        (Some(level), false) => format!("may not become {} yet: {because}", shown(level)),
        (None, _) => because,
    }
}

fn finding(of: &FindingReport) -> Finding {
    let case = of.case.as_ref();
    let lines = case.map(difference).unwrap_or_default();
    Finding {
        number: of.number,
        count: grouped(of.count),
        signature: shown(&of.signature),
        cluster: (of.cluster != of.number).then_some(of.cluster),
        is_excused: of.is_excused(),
        exception: of.exception.as_ref().map(ExceptionReport::said).unwrap_or_default(),
        rule: of.rule.as_deref().map(shown).unwrap_or_default(),
        first: shown(&of.first),
        difference: lines
            .into_iter()
            .map(|line| {
                let class = match line.reporter {
                    crate::sides::Reporter::Reference => "only-reference",
                    crate::sides::Reporter::Candidate => "only-candidate",
                    crate::sides::Reporter::Both => "both",
                    crate::sides::Reporter::Apart => "apart",
                };
                (class, line.reporter.sign(), line.text, line.is_finding)
            })
            .collect(),
        panics: case
            .map(|case| case.panics.iter().map(|panic| shown(&panic.to_string())).collect())
            .unwrap_or_default(),
        minimal: case.map(|case| shown_lines(&to_yaml(&case.minimal), CASE_LINES)).unwrap_or_default(),
        reproduce: of.reproduce.as_deref().map(command_line).unwrap_or_default(),
    }
}
