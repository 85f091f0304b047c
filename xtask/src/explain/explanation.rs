//! What is known of a rule: of the built-in types, or of a run alone.

use super::code_defaults::CodeDefault;
use super::examples::examples;
use super::find::{Found, Judged, Known};
use super::laws::trial;
use crate::output::program;
use std::path::Path;
use takeover_engine::catalogue::LawsOf;
use takeover_harness::pair::Pair;
use takeover_harness::rule::{Rule, Source};
use takeover_reports::explain::{Explanation, FORMAT_VERSION, Law, RuleInRun, Suggestion};
use takeover_reports::{Check, FindingReport, Level, RunReport, shell_quoted, shortened};

/// Longest line of a source file that is shown, in characters.
const LONGEST: usize = 240;

/// A run by its folder or report, and its report.
pub type Run<'r> = (&'r Path, &'r RunReport);

/// What is known of a rule of the built-in types, or of `types`; with the evidence of a run, if one is named.
pub fn of_types(found: &Found, types: Option<&Path>, run: Option<Run<'_>>) -> Explanation {
    let Found { subject, rule, also, of_code } = found;
    let id = subject.id.to_string();
    let reference = rule.reference();
    let level = Level::from(rule.stability);
    let judged = run.and_then(|(_, report)| Judged::of(report, &id, &reference, level));
    let again =
        format!("{} explain {} --run RUN", program(), shell_quoted(format!("{} {}", rule.path, rule.chain).trim()));
    let source = rule.source.clone();
    // What a law means is in its words.
    let tag = if rule.law.is_some() { "" } else { &rule.tag };
    Explanation {
        format_version: FORMAT_VERSION,
        also: also.iter().map(ToString::to_string).collect(),
        matter: subject.matter,
        rule: reference,
        line: source.as_ref().and_then(line_at),
        source,
        level,
        since: rule.since.clone(),
        reports: rule.reports.iter().map(Check::from).collect(),
        conditions: Some(of_code.as_ref().map_or_else(|| conditions(rule), CodeDefault::conditions)),
        boundary: Some(match of_code {
            Some(of_code) => vec![of_code.example.clone()],
            None => examples(subject, rule),
        }),
        law: rule.law.map(|law| Law { asks: law.asks().to_owned(), trial: Some(trial(subject, rule)) }),
        run: run.map(|(place, _)| place.display().to_string()),
        evidence: judged.map(evidence),
        commands: suggestions(&id, types, run.map(|(place, _)| place), tag, &again),
        subject: id,
    }
}

/// What the objects of a CRD make of a law.
pub fn of_law(pair: Pair, law: Rule, of: LawsOf, crd: &Path) -> Explanation {
    let found = Found { subject: pair, rule: law, also: Vec::new(), of_code: None };
    let file = shell_quoted(&crd.to_string_lossy());
    let command = format!("{} soak --what {} --crd {file}", program(), of.word());
    Explanation { commands: vec![Suggestion { command, purpose: None }], ..of_types(&found, None, None) }
}

/// What a run alone knows of a rule: its types are not those of this program.
pub fn of_run(known: &Known<'_>, place: &Path, types: Option<&Path>) -> Explanation {
    let Judged { subject, rule } = known.judged;
    Explanation {
        format_version: FORMAT_VERSION,
        subject: subject.subject.clone(),
        also: known.also.iter().map(|subject| (*subject).to_owned()).collect(),
        matter: subject.matter(),
        rule: rule.rule.clone(),
        source: rule.source.clone(),
        line: rule.source.as_ref().and_then(line_at),
        level: rule.lifecycle.level,
        since: rule.lifecycle.since.clone(),
        reports: rule.reports.clone(),
        conditions: None,
        boundary: None,
        law: rule.law.map(|law| Law { asks: law.asks().to_owned(), trial: None }),
        run: Some(place.display().to_string()),
        evidence: Some(evidence(known.judged)),
        commands: suggestions(
            &subject.subject,
            types,
            Some(place),
            if rule.law.is_some() { "" } else { known.tag() },
            "",
        ),
    }
}

fn evidence(judged: Judged<'_>) -> RuleInRun {
    let findings: Vec<FindingReport> = judged.subject.findings_of(judged.rule).cloned().collect();
    let excused = findings.iter().filter(|finding| finding.is_excused()).count();
    RuleInRun { rule: judged.rule.clone(), excused, findings }
}

fn conditions(rule: &Rule) -> Vec<String> {
    let mut conditions = Vec::new();
    if let Some((tag, settled)) = &rule.least_settled {
        conditions.push(format!("the tag `{tag}` is itself {settled}"));
    }
    if rule.reports.is_empty() && rule.law.is_none() {
        conditions.push("reports nothing itself: it steers other rules".to_owned());
    }
    if rule.update_only {
        conditions.push("judges updates only".to_owned());
    }
    if rule.after_default {
        conditions.push("rejects only what defaulting prevents".to_owned());
    }
    for (option, state) in &rule.options {
        conditions.push(format!("runs when the option `{option}` is {}", if *state { "on" } else { "off" }));
    }
    conditions
}

/// The line that a rule is written in, where its file is at hand.
pub(super) fn line_at(source: &Source) -> Option<String> {
    let number = usize::try_from(source.line).ok()?.checked_sub(1)?;
    let content = std::fs::read_to_string(&source.file).ok()?;
    Some(shortened(content.lines().nth(number)?.trim(), LONGEST).into_owned())
}

fn suggestions(subject: &str, types: Option<&Path>, run: Option<&Path>, tag: &str, again: &str) -> Vec<Suggestion> {
    let program = program();
    let types = types.map_or_else(String::new, |types| format!(" --types '{}'", types.display()));
    let plain = |command: String| Suggestion { command, purpose: None };
    let mut commands = vec![plain(format!("{program} soak --kind '{subject}'{types} --for 60s"))];
    match run {
        Some(run) => {
            let run = run.display();
            commands.push(plain(format!("{program} report '{run}' --kind '{subject}' --format html -o report.html")));
        }
        None => {
            let purpose = Some("with the evidence of a run".to_owned());
            commands.push(Suggestion { command: again.to_owned(), purpose });
        }
    }
    if !tag.is_empty() {
        let purpose = Some(format!("what `{tag}` means"));
        commands.push(Suggestion { command: format!("{program} docs tags"), purpose });
    }
    commands
}
