//! What the page shows of rules and findings once they are opened: one block of JSON in which every text stands once. The script
//! of the page knows the letters that stand for the names here.

use crate::numbers::grouped;
use crate::run::difference::{Reporter, difference};
use crate::run::exceptions::ExceptionReport;
use crate::run::finding::FindingReport;
use crate::run::kinds::in_production;
use crate::run::model::RunReport;
use crate::run::rule::{Check, RuleReport, Twin};
use crate::run::standing::FindingStanding;
use crate::run::subject::SubjectReport;
use crate::text::field_name;
use crate::text::{acts, command_line, named, shown, shown_lines};
use serde::Serialize;
use std::collections::HashMap;
use takeover_harness::evidence::RuleCounts;
use takeover_harness::readiness::{Criterion, Next};
use takeover_harness::yaml::to_yaml;

/// Most lines of a minimal case.
const CASE_LINES: usize = 120;

/// Most parts, checks or names of a list in one place.
const LISTED: usize = 60;

/// A text, by its number among all texts; 0 is no text.
type Text = usize;

/// Everything, in the order in which the page has it.
#[derive(Serialize)]
struct Data {
    #[serde(rename = "t")]
    texts: Vec<String>,
    #[serde(rename = "r")]
    rules: Vec<Rule>,
    #[serde(rename = "f")]
    findings: Vec<Finding>,
    #[serde(rename = "l")]
    lists: Vec<List>,
}

/// A rule.
#[derive(Serialize)]
struct Rule {
    #[serde(rename = "f", skip_serializing_if = "Vec::is_empty")]
    findings: Vec<usize>,
    /// What was found, and what to do about it.
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    unmet: Vec<(Text, Text)>,
    #[serde(rename = "m")]
    met: Text,
    /// On create, on update; the last of them, cases with different values, only where there are any.
    #[serde(rename = "c")]
    counts: [Vec<u64>; 2],
    /// 1 where answers were not compared as an API server compares them.
    #[serde(rename = "x", skip_serializing_if = "is_none")]
    unusual: usize,
    /// Name, whether it breaks the rule, creates, updates.
    #[serde(rename = "k", skip_serializing_if = "Vec::is_empty")]
    classes: Vec<(Text, u8, u64, u64)>,
    /// Name and reason.
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    unreachable: Vec<(Text, Text)>,
    #[serde(rename = "b")]
    bound: Text,
    #[serde(rename = "l")]
    level: Text,
    #[serde(rename = "t")]
    twin: Text,
    #[serde(rename = "r", skip_serializing_if = "Vec::is_empty")]
    reports: Vec<Text>,
    #[serde(rename = "p")]
    faults: Text,
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    survivors: Vec<Text>,
    #[serde(rename = "q", skip_serializing_if = "is_none")]
    equivalent: usize,
    /// Name and reason.
    #[serde(rename = "h", skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<(Text, Text)>,
    #[serde(rename = "v")]
    kept: u64,
    #[serde(rename = "w", skip_serializing_if = "is_none")]
    source: Text,
}

/// A finding.
#[derive(Serialize)]
struct Finding {
    #[serde(rename = "e", skip_serializing_if = "is_none")]
    exception: Text,
    /// How it stands, unless it simply blocks.
    #[serde(rename = "z", skip_serializing_if = "is_none")]
    standing: Text,
    /// Number of the finding that brings it along.
    #[serde(rename = "g", skip_serializing_if = "is_none")]
    root: usize,
    /// Numbers of the findings that it brings along.
    #[serde(rename = "b", skip_serializing_if = "Vec::is_empty")]
    brings: Vec<usize>,
    /// Why, and what to do.
    #[serde(rename = "u", skip_serializing_if = "is_none")]
    advice: Text,
    #[serde(rename = "r", skip_serializing_if = "is_none")]
    rule: Text,
    #[serde(rename = "o")]
    first: Text,
    /// 1 where answers were not compared as an API server compares them.
    #[serde(rename = "x", skip_serializing_if = "is_none")]
    unusual: usize,
    /// Who says it, whether the finding is about it, the parts of its text.
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    difference: Vec<(u8, u8, Vec<Text>)>,
    #[serde(rename = "p", skip_serializing_if = "Vec::is_empty")]
    panics: Vec<Text>,
    /// Line by line.
    #[serde(rename = "y", skip_serializing_if = "Vec::is_empty")]
    minimal: Vec<Text>,
    #[serde(rename = "a", skip_serializing_if = "is_none")]
    reproduce: Text,
}

/// A list of a subject.
#[derive(Serialize)]
enum List {
    /// Handwritten checks: sort of error, creates, updates.
    #[serde(rename = "m")]
    NotMigrated(Vec<(Text, u64, u64)>),
    /// Parts that are left unjudged, with the reason; how many more there are.
    #[serde(rename = "d")]
    Delegated(Vec<(Text, Text)>, usize),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

/// Texts by their number.
#[derive(Default)]
struct Texts {
    numbers: HashMap<String, Text>,
    all: Vec<String>,
}

impl Texts {
    /// The number of a text that is printable and of bounded length.
    fn add(&mut self, text: String) -> Text {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.all.len();
        self.numbers.insert(text.clone(), number);
        self.all.push(text);
        number
    }

    fn shown(&mut self, text: &str) -> Text {
        self.add(shown(text))
    }

    fn pair(&mut self, one: &str, other: &str) -> (Text, Text) {
        (self.shown(one), self.shown(other))
    }
}

/// The block, in which nothing can end its element and nothing acts.
///
/// # Errors
/// Returns an error when it cannot be encoded.
pub(super) fn data(report: &RunReport) -> serde_json::Result<String> {
    let mut texts = Texts::default();
    texts.add(String::new());
    let (mut rules, mut findings, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for subject in &report.subjects {
        findings.extend(subject.findings.iter().map(|of| finding(subject, of, &mut texts)));
        for field in &subject.fields {
            rules.extend(field.rules.iter().map(|of| rule(subject, of, report, &mut texts)));
        }
        lists.extend(not_migrated(subject, &mut texts));
        lists.extend(delegated(subject, &mut texts));
    }
    let plain = serde_json::to_string(&Data { texts: texts.all, rules, findings, lists })?;
    let mut block = String::with_capacity(plain.len());
    for c in plain.chars() {
        // JSON has these only inside of texts.
        if matches!(c, '<' | '>' | '&') || acts(c) {
            block.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            block.push(c);
        }
    }
    Ok(block)
}

fn rule(subject: &SubjectReport, of: &RuleReport, report: &RunReport, texts: &mut Texts) -> Rule {
    let (met, unmet): (Vec<_>, Vec<_>) = of.criteria.iter().partition(|criterion| criterion.met);
    let since = of.lifecycle.since.as_ref().map_or_else(String::new, |since| format!(" since {}", shown(since)));
    let next = next(of.next.as_ref());
    let next = if next.is_empty() { next } else { format!("; {next}") };
    let confidence =
        report.policy.as_ref().map_or_else(String::new, |policy| format!(", {} % sure", policy.confidence * 100.0));
    let controls = &of.controls;
    Rule {
        findings: subject.findings_of(of).map(|finding| finding.number).collect(),
        unmet: unmet.into_iter().map(|criterion| texts.pair(&criterion.found, &criterion.remedy)).collect(),
        met: texts.add(met_names(&met)),
        counts: rows(of),
        unusual: subject.compared_by.is_some().into(),
        classes: of
            .classes
            .iter()
            .take(LISTED)
            .map(|class| (texts.shown(&class.class), u8::from(class.breaks), class.create, class.update))
            .collect(),
        unreachable: of.unreachable.iter().take(LISTED).map(|class| texts.pair(&class.name, &class.reason)).collect(),
        bound: texts.add(format!(
            "at most {:.3} % of cases disagree{confidence}{}",
            of.upper_bound * 100.0,
            of.production.as_ref().map(|seen| format!("; {}", in_production(seen))).unwrap_or_default()
        )),
        level: texts.add(format!("{}{since}{next}", of.lifecycle.level.name())),
        twin: texts.shown(match of.twin {
            Twin::Seen => "a handwritten check reports the same",
            Twin::Unseen => "none seen: the rule is new, or was not exercised",
            Twin::NotNeeded => "none needed: the rule reports nothing that a check could",
        }),
        reports: of
            .reports
            .iter()
            .map(|Check { error_type, field, origin }| texts.add(sort_of_error(error_type, field, origin)))
            .collect(),
        faults: texts.add(match controls.telling {
            0 => "none can be distinguished from the rule".to_owned(),
            telling => format!("{} of {} exposed", grouped(controls.exposed), grouped(telling)),
        }),
        survivors: controls.survivors.iter().take(LISTED).map(|name| texts.shown(name)).collect(),
        equivalent: controls.equivalent.len(),
        hidden: controls.hidden.iter().take(LISTED).map(|fault| texts.pair(&fault.name, &fault.reason)).collect(),
        kept: of.kept,
        source: of.source.as_ref().map_or(0, |source| texts.shown(&source.to_string())),
    }
}

fn rows(of: &RuleReport) -> [Vec<u64>; 2] {
    let some_differ = of.create.differs + of.update.differs > 0;
    let row = |of: RuleCounts| {
        let usual =
            [of.compared, of.agreed_accept, of.agreed_reject, of.missing, of.extra, of.panicked, of.not_reached];
        usual.into_iter().chain(some_differ.then_some(of.differs)).collect()
    };
    [row(of.create), row(of.update)]
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

fn finding(subject: &SubjectReport, of: &FindingReport, texts: &mut Texts) -> Finding {
    let case = of.case.as_ref();
    let lines = case.map(difference).unwrap_or_default();
    let minimal = case.map(|case| shown_lines(&to_yaml(&case.minimal), CASE_LINES)).unwrap_or_default();
    Finding {
        exception: of.exception.as_ref().map_or(0, |exception: &ExceptionReport| texts.add(exception.said())),
        standing: match of.standing() {
            FindingStanding::BroughtAlong { .. } => 0,
            standing => standing.said().map_or(0, |said| texts.shown(&said)),
        },
        root: match of.standing() {
            FindingStanding::BroughtAlong { by } => *by,
            _ => 0,
        },
        brings: subject.brought_along_by(of).map(|finding| finding.number).take(LISTED).collect(),
        advice: texts.shown(&of.advice()),
        rule: of.attribution().map_or(0, |rules| texts.shown(&named(&rules))),
        first: texts.shown(&of.first),
        unusual: case.is_some_and(|case| case.compared_by.is_some()).into(),
        difference: lines
            .into_iter()
            .map(|line| {
                let reporter = match line.reporter {
                    Reporter::Both => 0,
                    Reporter::Reference => 1,
                    Reporter::Candidate => 2,
                    Reporter::Apart => 3,
                };
                (reporter, u8::from(line.is_finding), line.parts.into_iter().map(|part| texts.add(part)).collect())
            })
            .collect(),
        panics: case
            .map(|case| case.panics.iter().map(|panic| texts.shown(&panic.to_string())).collect())
            .unwrap_or_default(),
        minimal: minimal.lines().map(|line| texts.add(line.to_owned())).collect(),
        reproduce: of.reproduce.as_deref().map_or(0, |command| texts.add(command_line(command))),
    }
}

fn not_migrated(of: &SubjectReport, texts: &mut Texts) -> Option<List> {
    let checks = of.not_migrated.iter().map(|check| {
        (texts.add(sort_of_error(&check.error_type, &check.field, &check.origin)), check.create, check.update)
    });
    let checks: Vec<_> = checks.collect();
    (!checks.is_empty()).then_some(List::NotMigrated(checks))
}

fn delegated(of: &SubjectReport, texts: &mut Texts) -> Option<List> {
    let parts: Vec<_> = of.delegated.iter().take(LISTED).map(|part| texts.pair(&part.path, &part.reason)).collect();
    let more = of.delegated.len() - parts.len();
    (!parts.is_empty()).then_some(List::Delegated(parts, more))
}

fn sort_of_error(error_type: &str, field: &str, origin: &str) -> String {
    let origin = if origin.is_empty() { String::new() } else { format!(" ({})", shown(origin)) };
    format!("{} {}{origin}", field_name(field), shown(error_type))
}

#[cfg(test)]
mod tests {
    use super::Texts;

    #[test]
    fn every_text_stands_once() {
        let mut texts = Texts::default();
        let numbers = ["", "a", "b", "a", "", "a\u{1b}", "a\u{202e}"].map(|text| texts.shown(text));
        assert_eq!(numbers, [0, 1, 2, 1, 0, 3, 3]);
        assert_eq!(texts.all, ["", "a", "b", "a\u{fffd}"]);
    }
}
