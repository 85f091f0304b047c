//! What is known of a rule, as data. Its JSON form is part of the interface: fields are only ever added within a format version.

use super::examples::{Example, examples};
use super::find::{Found, Judged, Known};
use crate::output::program;
use serde::Serialize;
use std::path::Path;
use takeover_harness::rule::Rule;
use takeover_reports::{Check, FindingReport, RuleReport, RunReport, counted, shortened};

/// Version of the JSON form.
const FORMAT_VERSION: u32 = 1;

/// Longest line of a source file that is shown, in characters.
const LONGEST: usize = 240;

/// Everything that is known of a rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    format_version: u32,
    /// Version, kind and subresource.
    pub subject: String,
    /// The other subjects that have the rule.
    pub also: Vec<String>,
    /// Path pattern; empty for the object itself.
    pub field: String,
    /// The tag with its level.
    pub rule: String,
    /// File and line of the tag.
    pub source: Option<String>,
    /// What is written there, where the file is at hand.
    pub line: Option<String>,
    /// Its level.
    pub level: String,
    /// The release since which it stands there.
    pub since: Option<String>,
    /// The sorts of errors that it can make.
    pub reports: Vec<Check>,
    /// What else decides whether it judges or reports; none when only the run is known, which does not say it.
    pub conditions: Option<Vec<String>>,
    /// A case of every class of values, judged just now; none when only the run is known.
    pub boundary: Option<Vec<Example>>,
    /// The run whose evidence is shown, if one was named.
    pub run: Option<String>,
    /// What the run knows; none when it did not judge the rule.
    pub evidence: Option<Evidence>,
    /// Commands to go on.
    pub commands: Vec<Command>,
}

/// What a run knows of a rule, as its report has it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The rule.
    pub rule: RuleReport,
    /// How many findings of it exceptions excuse: without these exceptions, the rule is blocked.
    pub excused: usize,
    /// The findings that are laid to it.
    pub findings: Vec<FindingReport>,
}

impl Evidence {
    /// The verdict for a headline, which says so when it rests on exceptions.
    pub(super) fn headline(&self) -> String {
        let verdict = &self.rule.verdict;
        match self.excused as u64 {
            0 => verdict.to_string(),
            excused => format!("{verdict}, resting on exceptions ({} excused)", counted(excused, "finding")),
        }
    }
}

/// A command.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Command {
    /// As it is typed.
    pub command: String,
    /// What it is for, where it does not say it.
    pub purpose: Option<String>,
}

/// A run by its folder or report, and its report.
pub type Run<'r> = (&'r Path, &'r RunReport);

impl Explanation {
    /// What is known of a rule of the built-in types; with the evidence of a run, if one is named.
    pub fn of_builtin(found: &Found, run: Option<Run<'_>>) -> Self {
        let Found { subject, rule, also } = found;
        let id = subject.id.to_string();
        let judged = run.and_then(|(_, report)| Judged::of(report, &id, &rule.path, &rule.label()));
        let again = format!("{} explain '{} {}' --run RUN", program(), rule.path, rule.chain);
        Self {
            format_version: FORMAT_VERSION,
            also: also.iter().map(ToString::to_string).collect(),
            field: rule.path.clone(),
            rule: rule.label(),
            source: rule.source.clone(),
            line: rule.source.as_deref().and_then(line_at),
            level: rule.stability.map_or_else(|| "stable".to_owned(), |level| level.to_string()),
            since: rule.since.clone(),
            reports: rule.reports.iter().map(check).collect(),
            conditions: Some(conditions(rule)),
            boundary: Some(examples(subject, rule)),
            run: run.map(|(place, _)| place.display().to_string()),
            evidence: judged.map(evidence),
            commands: commands(&id, None, run.map(|(place, _)| place), &rule.tag, &again),
            subject: id,
        }
    }

    /// What a run alone knows of a rule: its types are not those of this program.
    pub fn of_run(known: &Known<'_>, place: &Path, types: Option<&Path>) -> Self {
        let rule = known.judged.rule;
        let level = rule.lifecycle.level.name();
        Self {
            format_version: FORMAT_VERSION,
            subject: known.judged.subject.subject.clone(),
            also: known.also.iter().map(|subject| (*subject).to_owned()).collect(),
            field: known.judged.field.to_owned(),
            rule: rule.rule.clone(),
            source: rule.source.clone(),
            line: rule.source.as_deref().and_then(line_at),
            level: level.to_owned(),
            since: rule.lifecycle.since.clone(),
            reports: rule.reports.clone(),
            conditions: None,
            boundary: None,
            run: Some(place.display().to_string()),
            evidence: Some(evidence(known.judged)),
            commands: commands(&known.judged.subject.subject, types, Some(place), known.tag(), ""),
        }
    }
}

fn evidence(judged: Judged<'_>) -> Evidence {
    let findings: Vec<FindingReport> = judged.subject.laid_to(judged.field, judged.rule).cloned().collect();
    let excused = findings.iter().filter(|finding| finding.is_excused()).count();
    Evidence { rule: judged.rule.clone(), excused, findings }
}

fn check(report: &takeover_harness::rule::Report) -> Check {
    Check {
        error_type: report.error_type.api_name().to_owned(),
        field: report.field.clone(),
        origin: report.origin.clone(),
    }
}

fn conditions(rule: &Rule) -> Vec<String> {
    let mut conditions = Vec::new();
    if let Some((tag, settled)) = &rule.least_settled {
        conditions.push(format!("the tag `{tag}` is itself {settled}"));
    }
    if rule.reports.is_empty() {
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
fn line_at(source: &str) -> Option<String> {
    let (file, line) = source.rsplit_once(':')?;
    let number: usize = line.parse().ok()?;
    let content = std::fs::read_to_string(file).ok()?;
    let line = content.lines().nth(number.checked_sub(1)?)?;
    Some(shortened(line.trim(), LONGEST).into_owned())
}

fn commands(subject: &str, types: Option<&Path>, run: Option<&Path>, tag: &str, again: &str) -> Vec<Command> {
    let program = program();
    let types = types.map_or_else(String::new, |types| format!(" --idl '{}'", types.display()));
    let plain = |command: String| Command { command, purpose: None };
    let mut commands = vec![plain(format!("{program} soak --kind '{subject}'{types} --for 60s"))];
    match run {
        Some(run) => {
            let run = run.display();
            commands.push(plain(format!("{program} report '{run}' --kind '{subject}' --format html -o report.html")));
        }
        None => {
            let purpose = Some("with the evidence of a run".to_owned());
            commands.push(Command { command: again.to_owned(), purpose });
        }
    }
    commands.push(Command { command: format!("{program} docs tags"), purpose: Some(format!("what `{tag}` means")) });
    commands
}
