//! The handwritten checks that are no longer needed once the rules have moved.

use super::decide::{Judged, Promotion};
use super::lines::{At, Line};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::compare::{DifferenceKind, Direction, Signature};
use takeover_oracles::registry::Registry;
use takeover_reports::{
    Check, ExceptionReport, FindingReport, FindingStanding, Level, RuleReport, RunReport, SubjectReport, Twin,
};

/// A check that may be deleted, or what still needs it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deletable {
    /// Group and kind, and the error that the check reports.
    pub check: String,
    /// What still needs it; none if it may go.
    pub needed: Option<String>,
}

/// The handwritten twins of the rules that become stable.
///
/// Handwritten checks serve all versions of a kind: one may go when in every version every rule that reports the same is stable, and
/// the check rejected nothing by itself there, excused or not.
pub fn deletable(
    registry: &Registry,
    lines: &BTreeMap<At, Line>,
    promotion: &Promotion<'_>,
    report: &RunReport,
) -> BTreeSet<Deletable> {
    let judged = Judged::of(report);
    let mut stable = BTreeSet::new();
    let moved = || promotion.moved.keys().filter_map(|at| lines.get(at)).flat_map(|line| &line.uses);
    for found in moved() {
        for subject in &found.subjects {
            stable.insert((subject.to_string(), found.path.as_str(), found.chain.as_str()));
        }
    }
    let is_stable = |subject: &str, path: &str, rule: &RuleReport| {
        let moved = stable.iter().any(|(of, at, chain)| {
            of == subject && *at == path && judged.get(of, at, chain).is_some_and(|of| std::ptr::eq(of, rule))
        });
        moved || rule.lifecycle.level == Level::Stable
    };
    let mut found = BTreeSet::new();
    for (subject, path, chain) in &stable {
        let Some(rule) = judged.get(subject, path, chain).filter(|rule| rule.twin == Twin::Seen) else { continue };
        let kind = kind(subject);
        for check in &rule.reports {
            let mut needed = BTreeSet::new();
            for id in registry.subjects().map(|id| id.to_string()).filter(|id| self::kind(id) == kind) {
                match report.subjects.iter().find(|of| of.subject == id) {
                    None => drop(needed.insert(format!("`{id}` was not judged"))),
                    Some(of) => {
                        needed.extend(needs(of, check, &is_stable));
                        needed.extend(of.findings.iter().filter(|finding| is_alone(finding, check)).map(alone));
                    }
                }
            }
            let needed = (!needed.is_empty()).then(|| needed.into_iter().collect::<Vec<_>>().join("; "));
            found.insert(Deletable { check: format!("{kind}: {}", name(check)), needed });
        }
    }
    found
}

fn needs(
    subject: &SubjectReport,
    check: &Check,
    is_stable: &dyn Fn(&str, &str, &RuleReport) -> bool,
) -> Option<String> {
    let name = &subject.subject;
    let mut rules = subject
        .fields
        .iter()
        .flat_map(|field| field.rules.iter().map(|rule| (field.field.as_str(), rule)))
        .filter(|(_, rule)| rule.reports.contains(check))
        .peekable();
    if rules.peek().is_none() {
        return Some(format!("no rule of `{name}` reports it"));
    }
    rules
        .find(|(path, rule)| !is_stable(name, path, rule))
        .map(|(path, rule)| format!("`{name}` {path} {}", rule.label()))
}

/// Whether the finding has cases that only the check rejects, whatever rules they are attributed to. What the policy tolerates, such as
/// stored values that a rule lets be, needs no check.
fn is_alone(finding: &FindingReport, check: &Check) -> bool {
    !matches!(finding.standing, FindingStanding::Tolerated { .. })
        && finding.signature.parse().is_ok_and(|of: Signature| {
            of.direction == Direction::Missing
                && of.path == check.field
                && matches!(of.kind, DifferenceKind::Error { error_type, origin }
                if error_type.api_name() == check.error_type && origin == check.origin)
        })
}

fn alone(finding: &FindingReport) -> String {
    let excused = finding.exception.as_ref().map_or_else(|| "not excused".to_owned(), ExceptionReport::said);
    format!("it alone rejects {} × {}, {excused}", finding.count, finding.signature)
}

fn name(check: &Check) -> String {
    let place = if check.field.is_empty() { "the object" } else { &check.field };
    let origin = if check.origin.is_empty() { String::new() } else { format!(" (origin {})", check.origin) };
    format!("{} at {place}{origin}", check.error_type)
}

/// Group and kind of a subject, as `apps Deployment`.
fn kind(subject: &str) -> String {
    let (version, kind) = subject.split_once(' ').unwrap_or(("", subject));
    let group = version.rsplit_once('/').map_or("core", |(group, _)| group);
    format!("{group} {}", kind.split('/').next().unwrap_or(kind))
}
