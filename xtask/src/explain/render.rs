//! What is known of a rule, as text.

use super::examples::{Example, Shown, examples};
use super::find::Found;
use crate::output::{printable, program};
use std::fmt::Write as _;
use std::path::Path;
use takeover_harness::readiness::RuleCounts;
use takeover_harness::rule::Rule;
use takeover_reports::{FindingReport, Report, RuleReport, difference, shortened};

/// Longest example in a line, in characters.
const LONGEST: usize = 240;

/// Everything that is known of the rule, with the evidence of the run in the folder, if one is named. Ends with a line break.
pub fn render(found: &Found, run: Option<(&Path, &Report)>) -> String {
    let Found { subject, rule, also } = found;
    let mut text = format!("{} {}\n  of {}\n", field(&rule.path), rule.label(), subject.id);
    if !also.is_empty() {
        let also: Vec<String> = also.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  and of {}", also.join(", "));
    }
    definition(&mut text, rule);
    boundary(&mut text, &examples(subject, rule));
    let id = subject.id.to_string();
    let kind = format!("'{id}'");
    if let Some((_, report)) = run {
        let of = report.subjects.iter().find(|subject| subject.subject == id);
        let known = of.and_then(|subject| {
            let field = subject.fields.iter().find(|field| field.field == rule.path)?;
            let found = field.rules.iter().find(|known| known.rule == rule.label())?;
            let name = format!("{} {}", field.field, found.rule);
            let findings = subject.findings.iter().filter(|finding| finding.is_laid_to(&name));
            Some((found, findings.collect::<Vec<_>>()))
        });
        match known {
            Some((known, findings)) => evidence(&mut text, known, &findings),
            None => text.push_str("\nEvidence\n  the run did not judge this rule\n"),
        }
    }
    let program = program();
    let _ = writeln!(text, "\nGo on");
    let _ = writeln!(text, "  {program} soak --kind {kind} --for 60s");
    if let Some((run, _)) = run {
        let _ = writeln!(text, "  {program} report '{}' --kind {kind} --format html -o report.html", run.display());
    } else {
        let _ = writeln!(
            text,
            "  {program} explain '{} {}' --run RUN    # with the evidence of a run",
            rule.path, rule.chain
        );
    }
    let _ = writeln!(text, "  {program} docs tags    # what `{}` means", rule.tag);
    printable(&text)
}

fn field(path: &str) -> &str {
    if path.is_empty() { "(the object)" } else { path }
}

fn definition(text: &mut String, rule: &Rule) {
    text.push_str("\nDefinition\n");
    if let Some(source) = &rule.source {
        let _ = writeln!(text, "  {source}");
        if let Some(line) = line_at(source) {
            let _ = writeln!(text, "    {}", shortened(line.trim(), LONGEST));
        }
    }
    let level = rule.stability.map_or_else(|| "stable".to_owned(), |level| level.to_string());
    let since = rule.since.as_ref().map_or_else(String::new, |since| format!(" since {since}"));
    let _ = writeln!(text, "  level {level}{since}");
    if let Some((tag, settled)) = &rule.least_settled {
        let _ = writeln!(text, "  the tag `{tag}` is itself {settled}");
    }
    for report in &rule.reports {
        let origin = if report.origin.is_empty() { String::new() } else { format!(" ({})", report.origin) };
        let _ = writeln!(text, "  reports {} {}{origin}", report.error_type.api_name(), field(&report.field));
    }
    if rule.reports.is_empty() {
        text.push_str("  reports nothing itself: it steers other rules\n");
    }
    if rule.update_only {
        text.push_str("  judges updates only\n");
    }
    if rule.after_default {
        text.push_str("  rejects only what defaulting prevents\n");
    }
    for (option, state) in &rule.options {
        let _ = writeln!(text, "  runs when the option `{option}` is {}", if *state { "on" } else { "off" });
    }
}

/// The line that a rule is written in, where its file is at hand.
fn line_at(source: &str) -> Option<String> {
    let (file, line) = source.rsplit_once(':')?;
    let number: usize = line.parse().ok()?;
    let content = std::fs::read_to_string(file).ok()?;
    content.lines().nth(number.checked_sub(1)?).map(str::to_owned)
}

fn boundary(text: &mut String, examples: &[Example]) {
    text.push_str("\nBoundary: an example of every class of values, judged just now\n");
    if examples.is_empty() {
        text.push_str("  the tag tells no classes apart\n");
    }
    for Example { class, breaks, shown } in examples {
        let should = if *breaks { "breaks the rule" } else { "is fine" };
        let Some(Shown { object, old, reference, candidate }) = shown else {
            let _ = writeln!(text, "  {class}, which {should}: no case of it alone");
            continue;
        };
        let said = match (reference, candidate) {
            (true, true) => "both report it",
            (false, false) => "neither reports it",
            (true, false) => "ONLY the handwritten side reports it",
            (false, true) => "ONLY the rule reports it",
        };
        let _ = writeln!(text, "  {class}, which {should}: {said}");
        if let Some(old) = old {
            let _ = writeln!(text, "    old {}", shortened(&old.to_string(), LONGEST));
        }
        let _ = writeln!(text, "    new {}", shortened(&object.to_string(), LONGEST));
    }
}

fn evidence(text: &mut String, rule: &RuleReport, findings: &[&FindingReport]) {
    let _ = writeln!(text, "\nEvidence: {}", rule.verdict);
    for criterion in rule.criteria.iter().filter(|criterion| !criterion.met) {
        let _ = writeln!(text, "  {}: {}", criterion.found, criterion.remedy);
    }
    for (operation, counts) in [("create", &rule.create), ("update", &rule.update)] {
        let RuleCounts { compared, agreed_accept, agreed_reject, missing, extra, panicked, .. } = counts;
        let _ = writeln!(
            text,
            "  {operation}: {compared} compared, {agreed_accept} agreed accepts, {agreed_reject} agreed rejects, {missing} missing, {extra} extra, {panicked} panicked"
        );
    }
    let never: Vec<&str> = rule
        .classes
        .iter()
        .filter(|class| class.create + class.update == 0)
        .map(|class| class.class.as_str())
        .collect();
    if !never.is_empty() {
        let _ = writeln!(text, "  classes never shown: {}", never.join(", "));
    }
    for class in &rule.unreachable {
        let _ = writeln!(text, "  class that no object can show: {} ({})", class.name, class.reason);
    }
    let controls = &rule.controls;
    let _ = writeln!(text, "  planted faults: {} of {} exposed", controls.exposed, controls.telling);
    for survivor in &controls.survivors {
        let _ = writeln!(text, "    survived: {survivor}");
    }
    for finding in findings {
        let _ = writeln!(text, "  finding {}: {} × {}", finding.number, finding.count, finding.signature);
        for line in finding.case.iter().flat_map(difference) {
            let _ = writeln!(text, "    {} {}", line.reporter.sign(), line.text());
        }
        if let Some(command) = &finding.reproduce {
            let _ = writeln!(text, "    again: {command}");
        }
    }
    if let Some(next) = &rule.next {
        let to = next.level.as_ref().map_or_else(String::new, |level| format!("{level}: "));
        let _ = writeln!(text, "  next level: {to}{}", next.because.join("; "));
    }
}
