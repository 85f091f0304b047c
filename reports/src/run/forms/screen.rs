//! The answer on one screen: what a run prints when it ends.

use crate::form::Form;
use crate::layout::{Look, fitting, fitting_path, wrapped};
use crate::numbers::counted;
use crate::run::answer::{Answer, AnswerRow, apart_defaults, apart_rules, decided, rows};
use crate::run::cause_row::CauseRow;
use crate::run::finding::{CaseDifference, FindingReport};
use crate::run::model::{RunReport, Whereabouts};
use crate::run::rule::Level;
use crate::run::unfinished::Unfinished;
use crate::text::{command_line, field_name, printable_text, shell_quoted, shown};
use tabled::settings::Color;
use takeover_harness::compare::{Cause, DifferenceKind, Direction, Matter};
use takeover_harness::error::FieldError;
use takeover_harness::path::pattern;
use unicode_width::UnicodeWidthStr as _;

/// Most lines of the screen: a terminal of 24 also has the next prompt.
const MOST_LINES: usize = 23;

/// Width of the screen in columns, unless the terminal is narrower.
const WIDTH: usize = 80;

/// Most findings that it shows.
const MOST_FINDINGS: usize = 5;

/// For a terminal.
pub(super) const FORM: Form<RunReport> =
    Form::new("screen", "The answer on one screen", "screen.txt", |report, look| Ok(screen(report, look)));

/// The answer on one screen: at most [`MOST_LINES`] lines of at most 80 columns, but for folders and commands, which are never cut.
/// Ends with a line break.
#[must_use]
pub(super) fn screen(report: &RunReport, look: Look) -> String {
    let look = Look { width: look.width.min(WIDTH), ..look };
    let mut top: Vec<String> = report.opening_lines().iter().map(|line| fitting(line, look.width)).collect();
    top.extend(report.unfinished.map(|far| unfinished(far, look.width)));
    top.push(String::new());
    let rows = answer_rows(report, look);
    if !rows.is_empty() {
        top.extend(rows);
        top.push(String::new());
    }
    let mut end: Vec<String> = report.unanswered().iter().flat_map(|line| reason(line, look.width)).collect();
    end.extend(remarks(report).into_iter().map(|line| fitting(&line, look.width)));
    let Whereabouts { folder, program, page, .. } = &report.at;
    if !folder.is_empty() {
        // Servers count without a seed.
        let seed = if report.is_of_servers() { String::new() } else { format!(" (seed {})", report.seed) };
        if *page {
            end.push(format!("Report: {}/report.html{seed}", command_line(folder)));
        } else if !program.is_empty() && !report.at.behind {
            end.push(format!("Write the report{seed} with:"));
            let command = format!("{program} report {} --format html -o report.html", shell_quoted(folder));
            end.push(format!("  {}", command_line(&command)));
        }
    }
    if let Some((why, command)) = next(report) {
        end.push(format!("{why}:"));
        end.push(format!("  {}", command_line(&command)));
    }
    let room = MOST_LINES.saturating_sub(top.len() + end.len() + 1);
    let most = (0..=MOST_FINDINGS).rev().find(|most| findings(report, *most, look).len() <= room);
    let findings = findings(report, most.unwrap_or_default(), look);
    let mut lines = top;
    if !findings.is_empty() {
        lines.extend(findings);
        lines.push(String::new());
    }
    lines.extend(end);
    let text: String = lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect();
    if look.colour { text } else { printable_text(&text) }
}

/// Most lines for why a side did not answer.
const MOST_REASON_LINES: usize = 3;

/// Why a side did not answer, in a few lines; what does not fit the last one is cut.
fn reason(text: &str, width: usize) -> Vec<String> {
    let mut lines = wrapped(text, width);
    if lines.len() > MOST_REASON_LINES {
        let rest = lines.split_off(MOST_REASON_LINES - 1);
        let rest: Vec<&str> = rest.iter().map(|line| line.trim_start()).collect();
        lines.push(format!("  {}", rest.join(" ")));
    }
    lines.iter().map(|line| fitting(line, width)).collect()
}

/// A line for each answer that some check got: how many, what, and what there is to say of it.
pub(super) fn answer_rows(report: &RunReport, look: Look) -> Vec<String> {
    let rows = rows(&report.summary);
    let mut lines: Vec<String> = rows
        .into_iter()
        .map(|AnswerRow { answer, number, label, remark, .. }| {
            let (head, remark) = match remark.as_str() {
                "" => (format!("{number:>7}  {label}"), String::new()),
                remark => (format!("{number:>7}  {label:<18}"), format!("  {}", shown(remark))),
            };
            let line = fitting(&format!("{head}{remark}"), look.width);
            match colour(answer).filter(|_| look.colour) {
                Some(colour) => match line.strip_prefix(head.as_str()) {
                    Some(rest) => format!("{}{rest}", colour.colorize(&head)),
                    None => line,
                },
                None => line,
            }
        })
        .collect();
    if let Some(apart) = apart_rules(&report.summary.rules).filter(|_| report.has_compared()) {
        lines.push(fitting(&format!("  also: {apart}"), look.width));
    }
    if let Some(apart) = apart_defaults(report.summary.any_defaults()).filter(|_| report.has_compared()) {
        lines.push(fitting(&format!("  apart from these: {apart}"), look.width));
    }
    lines
}

fn colour(answer: Answer) -> Option<Color> {
    match answer {
        Answer::MayGo | Answer::MayMove => Some(Color::FG_GREEN),
        Answer::MayNot => Some(Color::FG_RED),
        Answer::NeedsEvidence => Some(Color::FG_YELLOW),
        Answer::NoRule | Answer::Elsewhere => None,
    }
}

/// The findings that tell most, two lines each, under a heading.
fn findings(report: &RunReport, most: usize, look: Look) -> Vec<String> {
    let telling = telling(report, most);
    if telling.is_empty() {
        return Vec::new();
    }
    let sums = &report.summary.findings;
    let (all, rows) = (counted(sums.all as u64, "finding"), report.causes.len());
    let most = if telling.len() < rows { "; the most telling" } else { "" };
    let mut lines = vec![fitting(&format!("{all}{}{most}:", decided(sums)), look.width)];
    for (row, finding) in telling {
        let head = format!("  {:>3}  {}: {} ", row.smallest, row.cause(), kind(row, finding));
        let cases = format!(", {}", counted(row.cases, "case"));
        let room = look.width.saturating_sub(head.width() + cases.width());
        let field = fitting_path(&field_name(&row.field), room);
        lines.push(fitting(&format!("{head}{field}{cases}"), look.width));
        lines.push(match finding.matter {
            Matter::Errors | Matter::Objects => example(row, finding, look.width),
            Matter::Defaults | Matter::Semantics | Matter::Apply => example_of_object(row, finding, look.width),
        });
        if !finding.suggestion.is_empty() {
            lines.push(fitting(&format!("       suggest: {}", shown(&finding.suggestion)), look.width));
        }
    }
    lines
}

/// The kind of a row, with the subresource that its smallest case is of: `Deployment/scale`.
fn kind(row: &CauseRow, finding: &FindingReport) -> String {
    let subresource = finding.parts().map(|of| of.pair.subject.subresource).filter(|name| !name.is_empty());
    let kind = shown(&row.kind);
    subresource.map_or_else(|| kind.clone(), |name| format!("{kind}/{}", shown(&name)))
}

/// The rows that tell most: those that stand against a check before others, then those that change the decision; the first of each
/// cause and kind before the second of any.
fn telling(report: &RunReport, most: usize) -> Vec<(&CauseRow, &FindingReport)> {
    let blocks = |row: &CauseRow| {
        report.answers.iter().any(|check| {
            check.answer == Answer::MayNot
                && check.kind == row.kind
                && check.group == row.group
                && check.field == row.field
                && check.cause.as_deref() == Some(row.cause())
        })
    };
    let mut rows: Vec<&CauseRow> = report.causes.iter().filter(|row| row.is_open()).collect();
    rows.sort_by_cached_key(|row| std::cmp::Reverse((blocks(row), row.deciding, row.cases)));
    let mut seen: Vec<(&str, &str)> = Vec::new();
    let mut order: Vec<(usize, &CauseRow)> = rows
        .into_iter()
        .map(|row| {
            let key = (row.cause(), row.kind.as_str());
            let before = seen.iter().filter(|of| **of == key).count() + seen.iter().filter(|of| of.0 == key.0).count();
            seen.push(key);
            (before, row)
        })
        .collect();
    order.sort_by_key(|(before, _)| *before);
    let finding = |row: &CauseRow| {
        let of_kind = |finding: &&FindingReport| {
            finding.number == row.smallest && finding.parts().is_some_and(|of| of.pair.subject.kind == row.kind)
        };
        report.findings().find(of_kind)
    };
    order.into_iter().filter_map(|(_, row)| Some((row, finding(row)?))).take(most).collect()
}

/// How far an unfinished run came: without the findings that are not minimised where there is no room for them.
fn unfinished(far: Unfinished, width: usize) -> String {
    let whole = format!("Unfinished: {far}.");
    if whole.width() <= width {
        return whole;
    }
    fitting(&format!("Unfinished: {}.", Unfinished { not_minimised: 0, ..far }), width)
}

/// Who says what, and when if there is room: `only the check: Invalid value: -1: must be greater than or equal to 0 (update, kept value)`.
fn example(row: &CauseRow, finding: &FindingReport, width: usize) -> String {
    let who = match (row.cause, row.direction) {
        (Some(Cause::Unmarked), _) => "unmarked check",
        (_, Direction::Missing) if row.matter == Matter::Objects => "only the reference",
        (_, Direction::Extra) if row.matter == Matter::Objects => "only the candidate",
        (_, Direction::Missing) => "only the check",
        (_, Direction::Extra) => "only the rule",
        (_, Direction::Differs) => "different values",
    };
    if row.cause == Some(Cause::OtherType)
        && let Some((check, rule)) = both(finding)
    {
        // Room for half of each, and what a short one leaves for the other.
        let room = width.saturating_sub("       check: ; rule: ".len());
        let least = |text: &str| text.width().min(room / 2);
        let check = fitting(&check, room.saturating_sub(least(&rule)));
        return fitting(&format!("       check: {check}; rule: {rule}"), width);
    }
    let said = said(finding).or_else(|| refusal(finding)).unwrap_or_else(|| shown(sighted(&finding.first)));
    let said = of_policy(&said).unwrap_or(said);
    let line = format!("       {who}: {said}");
    let whole = format!("{line} ({})", row.when());
    if fitting(&whole, width) == whole { whole } else { fitting(&line, width) }
}

/// The message of a first sighting, without the origin of the case, which ends in a bracket for generated cases.
fn sighted(first: &str) -> &str {
    let end = if first.starts_with("seed ") { "): " } else { ": " };
    first.split_once(end).map_or(first, |(_, said)| said)
}

/// A denial of an admission policy in fewer words: `policy sizes: too large`.
fn of_policy(said: &str) -> Option<String> {
    let (_, denial) = said.split_once("ValidatingAdmissionPolicy '")?;
    let (policy, rest) = denial.split_once('\'')?;
    let (_, message) = rest.split_once("denied request: ")?;
    Some(format!("policy {policy}: {message}"))
}

/// Who sets what: `only code takes the default 2`; or how a law is broken.
fn example_of_object(row: &CauseRow, finding: &FindingReport, width: usize) -> String {
    let who = match (row.cause, row.direction, row.matter) {
        (Some(Cause::BreaksLaw | Cause::DependsOnField), ..) | (_, _, Matter::Apply) => "",
        (_, Direction::Missing, Matter::Semantics) => "only a custom resource: ",
        (_, Direction::Extra, Matter::Semantics) => "only a built-in resource: ",
        (_, Direction::Missing, _) => "only code: ",
        (_, Direction::Extra, _) => "only the marker: ",
        (_, Direction::Differs, _) => "different values: ",
    };
    let said = finding_error(finding).map_or_else(|| shown(&finding.first), |error| shown(&error.detail));
    fitting(&format!("       {who}{said}"), width)
}

/// The error that a finding is about, as kubectl prints it, without its field.
fn said(finding: &FindingReport) -> Option<String> {
    finding_error(finding).map(without_field)
}

fn finding_error(finding: &FindingReport) -> Option<&FieldError> {
    let case = finding.case.as_ref()?;
    let of = finding.parts()?;
    let DifferenceKind::Error { error_type, origin } = &of.kind else { return None };
    // For a check without a mark, show its own error instead of the rule's.
    let of_rule = of.direction == Direction::Extra && of.cause != Some(Cause::Unmarked);
    let errors = if of_rule { &case.candidate } else { &case.reference };
    let same = |error: &&FieldError| error.error_type == *error_type && pattern(&error.field) == of.path;
    let exact = errors.iter().filter(same).find(|error| error.origin == *origin);
    exact.or_else(|| errors.iter().find(same))
}

/// The errors of check and rule at the field of a finding; `None` unless both report one there.
fn both(finding: &FindingReport) -> Option<(String, String)> {
    let case = finding.case.as_ref()?;
    let is_extra = finding.parts()?.direction == Direction::Extra;
    let one = finding_error(finding)?;
    let errors = if is_extra { &case.reference } else { &case.candidate };
    let at_place = |error: &&FieldError| error.field == one.field && error.error_type != one.error_type;
    let (one, other) = (without_field(one), without_field(errors.iter().find(at_place)?));
    Some(if is_extra { (other, one) } else { (one, other) })
}

/// An error as kubectl prints it, without its field.
fn without_field(error: &FieldError) -> String {
    let text = error.to_string();
    shown(text.strip_prefix(&format!("{}: ", error.field)).unwrap_or(&text))
}

/// Why the side of a finding refuses the object, where the finding is about a decision, or the smallest case no longer shows its
/// error; otherwise the field that it is about. None where there is neither.
fn refusal(finding: &FindingReport) -> Option<String> {
    let case = finding.case.as_ref()?;
    let of = finding.parts()?;
    if of.kind == DifferenceKind::Value {
        return None;
    }
    let errors = if of.direction == Direction::Extra { &case.candidate } else { &case.reference };
    let reason = case.differences.iter().find_map(|difference| match difference {
        CaseDifference::Decision { reason, .. } if difference.is_of(&of) => Some(reason.clone()),
        _ => None,
    });
    let error = || errors.first().map(ToString::to_string);
    let field = || (!of.path.is_empty()).then(|| of.path.clone());
    reason.filter(|reason| !reason.is_empty()).or_else(error).or_else(field).map(|text| shown(&text))
}

/// What else there is to know, in a line each.
fn remarks(report: &RunReport) -> Vec<String> {
    let due = report.due_exceptions().count() as u64;
    let due = (due > 0).then(|| format!("{} no longer fit: see the report.", counted(due, "exception")));
    let outside: u64 =
        report.outside.iter().filter(|outside| outside.may_be_missed()).map(|outside| outside.count).sum();
    let outside =
        (outside > 0).then(|| format!("{} could not be compared: see the report.", counted(outside, "input")));
    let production = report.production.as_ref().map(|production| format!("{production}."));
    [report.assumption(), report.partial(), production, due, outside].into_iter().flatten().collect()
}

/// The next command, and what it is for.
fn next(report: &RunReport) -> Option<(String, String)> {
    if let Some(command) = report.resumes() {
        return Some(("Resume it with".to_owned(), command));
    }
    let first = telling(report, 1);
    if let Some((row, finding)) = first.first()
        && let Some(command) = &finding.reproduce
    {
        return Some((format!("Reproduce finding {} with", row.smallest), command.clone()));
    }
    let Whereabouts { folder, program, soak, own_types, .. } = &report.at;
    let (checks, defaults, laws) = (&report.summary.checks, report.summary.any_defaults(), &report.summary.laws);
    if checks.need_evidence + defaults.need_evidence + laws.need_evidence > 0 {
        return (!soak.is_empty()).then(|| ("For more evidence, run longer".to_owned(), format!("{soak} --for 10m")));
    }
    // The built-in types are nobody's to change here.
    let at = |level: Level| checks.may_go_by_level.get(&level).copied().unwrap_or_default() > 0;
    let next = if at(Level::Alpha) { Some("beta") } else { at(Level::Beta).then_some("stable") };
    let is_kept = *own_types && !folder.is_empty() && !report.at.behind;
    let folder = shell_quoted(folder);
    match next.filter(|_| is_kept) {
        Some(next) => Some(("Promote their rules with".to_owned(), format!("{program} promote {folder} --to {next}"))),
        None if is_kept && at(Level::Stable) => {
            Some(("List the checks to delete with".to_owned(), format!("{program} report {folder} --full")))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::unfinished;
    use crate::run::unfinished::Unfinished;

    #[test]
    fn an_unfinished_run_says_how_far_it_came_in_one_line() {
        let run =
            Unfinished { recorded: true, cases: 69_632, seconds: 9, wanted_seconds: Some(25), ..Unfinished::default() };
        let far = "69,632 generated cases judged in 9 of 25 s";
        assert_eq!(unfinished(run, 80), format!("Unfinished: {far}."));
        assert_eq!(
            unfinished(Unfinished { not_minimised: 1, ..run }, 80),
            format!("Unfinished: {far}; 1 finding not minimised.")
        );
        assert_eq!(unfinished(Unfinished { not_minimised: 228, ..run }, 80), format!("Unfinished: {far}."));
    }
}
