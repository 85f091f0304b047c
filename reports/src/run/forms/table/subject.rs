//! One subject: its figures, rules, and what stands beside them.

use crate::layout::{Column, Layout, Look};
use crate::numbers::{counted, grouped};
use crate::run::comparison;
use crate::run::difference::difference;
use crate::run::notes;
use crate::run::rule::ControlsReport;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use crate::text::{command_line, field_name, named, shown};
use std::fmt::Write as _;
use tabled::settings::Color;
use takeover_harness::evidence::RuleCounts;
use takeover_harness::readiness::Readiness;

/// Most reasons that a row shows; the JSON report has all.
const MAX_REASONS: usize = 2;

/// The column of the verdict.
const VERDICT: usize = 6;

/// Most unmigrated checks that the table lists; the JSON report has all.
const MAX_NOT_MIGRATED: usize = 12;

/// Most delegated parts that the table lists; the JSON report has all.
const MAX_DELEGATED: usize = 12;

/// Writes everything of a subject.
pub(super) fn write_subject(out: &mut String, subject: &SubjectReport, look: Look) {
    let totals = &subject.totals;
    let _ = writeln!(out, "{}", shown(&subject.subject));
    let _ = writeln!(out, "{}", comparison::totals(subject));
    for remark in comparison::remarks(subject, shown) {
        let _ = writeln!(out, "  {remark}");
    }
    if totals.with_dropped_fields > 0 {
        let _ = writeln!(
            out,
            "  {} compared without their unknown or repeated fields",
            grouped(totals.with_dropped_fields)
        );
    }
    for (count, reason) in totals.left_out() {
        let _ = writeln!(out, "  {} {reason}", grouped(count));
    }

    if let Some(pair) = &subject.pair {
        let _ = writeln!(out, "the pair as a whole: {}, {}", pair.verdict, because(&pair.verdict, usize::MAX));
    }
    if subject.pair.is_none() || !subject.fields.is_empty() {
        write_rules(out, subject, look);
    }
    write_lists(out, subject);
    out.push_str(&notes::text(&subject.notes));
}

fn write_rules(out: &mut String, subject: &SubjectReport, look: Look) {
    let mut rows = Layout::new([
        Column::text("field"),
        Column::text("rule"),
        Column::number("create ok/no").wide_only(),
        Column::number("update ok/no").wide_only(),
        Column::number("faults").wide_only(),
        Column::number("disagree").wide_only(),
        Column::text("verdict"),
        Column::text("because"),
    ]);
    for field in &subject.fields {
        for (index, rule) in field.rules.iter().enumerate() {
            let name = if index > 0 { String::new() } else { field_name(&field.field) };
            let findings = [&rule.create, &rule.update].iter().map(|counts| counts.disagreed()).sum::<u64>();
            rows.row([
                name,
                shown(&rule.label()),
                counts(&rule.create),
                counts(&rule.update),
                faults(&rule.controls),
                grouped(findings),
                rule.verdict.to_string(),
                because(&rule.verdict, MAX_REASONS),
            ]);
            if let Some(colour) = colour(&rule.verdict) {
                rows.colour(VERDICT, colour);
            }
        }
    }
    let _ = writeln!(out, "{}", rows.fitted(look));
}

/// The first reasons of a verdict, and how many more there are.
fn because(verdict: &Readiness, most: usize) -> String {
    let reasons = verdict.reasons();
    let mut because = reasons.iter().take(most).map(|reason| shown(reason)).collect::<Vec<_>>().join("; ");
    if reasons.len() > most {
        let _ = write!(because, "; {} more", grouped((reasons.len() - most) as u64));
    }
    because
}

fn write_lists(out: &mut String, subject: &SubjectReport) {
    if let Some(checks) = &subject.checks {
        let _ = writeln!(out, "checks: {}", checks.counts);
    }
    if !subject.not_migrated.is_empty() {
        let _ = match (subject.defaults, subject.semantics) {
            (true, true) => writeln!(out, "set in a custom resource without a marker:"),
            (true, false) => writeln!(out, "set by code alone:"),
            (false, _) => writeln!(out, "handwritten checks that no rule covers (not migrated):"),
        };
        for check in subject.not_migrated.iter().take(MAX_NOT_MIGRATED) {
            let origin = if check.origin.is_empty() { String::new() } else { format!(" `{}`", shown(&check.origin)) };
            let _ = writeln!(
                out,
                "  {} {}{origin}: {} on create, {} on update",
                field_name(&check.field),
                shown(&check.error_type),
                grouped(check.create),
                grouped(check.update)
            );
        }
    }
    if subject.not_migrated.len() > MAX_NOT_MIGRATED {
        let _ = writeln!(
            out,
            "  … and {} more in the JSON report",
            grouped((subject.not_migrated.len() - MAX_NOT_MIGRATED) as u64)
        );
    }
    if !subject.delegated.is_empty() {
        let _ = writeln!(out, "delegated, so not compared (the reference does not validate these paths):");
        for part in subject.delegated.iter().take(MAX_DELEGATED) {
            let _ = writeln!(out, "  {} ({})", shown(&part.path), shown(&part.reason));
        }
        if subject.delegated.len() > MAX_DELEGATED {
            let _ = writeln!(
                out,
                "  … and {} more in the JSON report",
                grouped((subject.delegated.len() - MAX_DELEGATED) as u64)
            );
        }
    }
    if !subject.findings.is_empty() {
        let _ = writeln!(out, "findings:");
        for finding in subject.findings.iter().filter(|finding| !finding.is_brought_along()) {
            let _ = writeln!(out, "  {}. {} × {}", finding.number, grouped(finding.count), named(&finding.signature));
            for said in finding.remarks() {
                let _ = writeln!(out, "     {said}");
            }
            for line in finding.case.as_ref().map(difference).unwrap_or_default() {
                let _ = writeln!(out, "     {} {}", line.reporter.sign(), line.text());
            }
            if let Some(exception) = &finding.exception {
                let _ = writeln!(out, "     {}", exception.said());
            }
            let _ = writeln!(out, "     first: {}", shown(&finding.first));
            if let Some(file) = &finding.file {
                let lines = finding
                    .minimal_lines
                    .map_or_else(String::new, |lines| format!(" (object of {})", counted(lines as u64, "line")));
                let _ = writeln!(out, "     minimal case{lines}: {}", shown(file));
            }
            if let Some(command) = &finding.reproduce {
                let _ = writeln!(out, "     reproduce: {}", command_line(command));
            }
            for along in subject.brought_along_by(finding) {
                let _ = writeln!(
                    out,
                    "     brings along {}. {} × {}",
                    along.number,
                    grouped(along.count),
                    named(&along.signature)
                );
            }
        }
    }
}

fn colour(verdict: &Readiness) -> Option<Color> {
    match VerdictKind::of(verdict) {
        VerdictKind::Ready => Some(Color::FG_GREEN),
        VerdictKind::Blocked => Some(Color::FG_RED),
        VerdictKind::Insufficient | VerdictKind::NotMigrated => Some(Color::FG_YELLOW),
        VerdictKind::OutOfReach => None,
    }
}

fn counts(counts: &RuleCounts) -> String {
    if counts.compared == 0 {
        return "-".to_owned();
    }
    format!("{}/{}", grouped(counts.agreed_accept), grouped(counts.agreed_reject))
}

/// Exposed and planted faults.
fn faults(controls: &ControlsReport) -> String {
    if controls.telling == 0 {
        return "-".to_owned();
    }
    format!("{}/{}", grouped(controls.exposed), grouped(controls.telling))
}
