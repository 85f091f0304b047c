//! The report as Markdown for a pull request, the most important parts first, as many as fit: nothing in it can leave its place, mention
//! a person or close an issue.

use crate::form::Form;
use crate::markup::{Budgeted, COMMENT, code, fenced};
use crate::numbers::{counted, grouped, percent};
use crate::run::answer::{AnswerRow, CheckAnswer, Summary, apart_defaults, apart_rules, counted_in, findings, rows};
use crate::run::cause_row::{CauseRow, counts};
use crate::run::comparison;
use crate::run::difference::difference;
use crate::run::exceptions::ExceptionEntry;
use crate::run::finding::FindingReport;
use crate::run::kinds::{FigureNames, apart, summaries};
use crate::run::model::RunReport;
use crate::run::notes;
use crate::run::rule::RuleReport;
use crate::run::standing::FindingStanding;
use crate::run::subject::{FieldReport, SubjectReport};
use crate::run::verdict::VerdictKind;
use crate::text::{field_name, named};
use std::fmt::Write as _;
use takeover_harness::compare::Matter;
use takeover_harness::readiness::{Next, Readiness};
use takeover_harness::yaml::to_yaml;

/// Most lines of a minimal object.
const OBJECT_LINES: usize = 40;

/// For the comment of a pull request.
pub(super) const FORM: Form<RunReport> =
    Form::new("markdown", "For a pull request comment: at most 65,536 characters", "md", |report, _| {
        Ok(markdown(report, COMMENT))
    });

/// Room that is kept for saying what was left out.
const REST: usize = 400;

/// The report as Markdown of at most `most` characters ([`COMMENT`] for a pull request): first the summary, then what is blocked,
/// what is ready, the findings, what lacks evidence, and what has no rule. What does not fit is counted.
#[must_use]
pub(super) fn markdown(report: &RunReport, most: usize) -> String {
    let mut out = Budgeted::new(most.saturating_sub(REST));
    out.add(&summary(report));
    let mut left_out = Vec::new();
    let mut section = |heading: &str, what: &str, parts: Vec<String>| {
        let all = parts.len();
        // A section whose first part does not fit has no heading either.
        let mut parts = parts.into_iter();
        let mut shown = 0;
        if let Some(first) = parts.next()
            && out.add(&format!("\n### {heading}\n\n{first}"))
        {
            shown = 1 + parts.take_while(|part| out.add(part)).count();
        }
        if shown < all {
            left_out.push(counted((all - shown) as u64, what));
        }
    };
    let subjects = || report.headline();
    let rules = |standing| subjects().flat_map(move |subject| rules_of(subject, standing)).collect::<Vec<_>>();
    section("How the pairs were compared", "remark", subjects().flat_map(remarks).collect());
    section("Pairs without rules", "pair", subjects().filter_map(pair_line).collect());
    section("Blocked", "blocked rule", rules(VerdictKind::Blocked));
    section("Findings by cause", "row of findings by cause", report.causes.iter().map(cause).collect());
    section("Exceptions that need attention", "exception", report.due_exceptions().map(exception).collect());
    section("Ready", "ready rule", rules(VerdictKind::Ready));
    section("Findings", "finding", subjects().flat_map(|subject| subject.findings.iter().map(finding)).collect());
    section("Insufficient evidence", "rule short of evidence", rules(VerdictKind::Insufficient));
    section("Out of reach", "rule out of reach", rules(VerdictKind::OutOfReach));
    let checks = subjects().flat_map(not_migrated);
    section("Handwritten checks without rule", "handwritten check", checks.collect());
    for (matter, heading) in [
        (Matter::Defaults, "Defaults: may this line of SetDefaults be deleted?"),
        (Matter::Semantics, "Defaults: does this one mean the same in a custom resource?"),
    ] {
        let answers = report.answers.iter().filter(|answer| answer.matter() == matter);
        section(heading, "default", answers.map(default).collect());
    }
    section("Delegated", "delegated part", subjects().flat_map(delegated).collect());
    section(
        "Notes",
        "note",
        subjects().flat_map(|subject| notes::markdown(&subject.subject, &subject.notes)).collect(),
    );
    let lines = apart(report).into_iter().map(|line| format!("* {}\n", code(&line)));
    section("Apart from these figures: no server shows it", "group of subjects", lines.collect());
    let found = report.apart().flat_map(|subject| subject.findings.iter().map(finding));
    section("Findings that no server shows", "finding", found.collect());

    let mut text = out.into_text();
    if !left_out.is_empty() {
        let _ = write!(text, "\n_Not shown, to keep this short: {}._\n", left_out.join(", "));
    }
    text
}

fn summary(report: &RunReport) -> String {
    let of = &report.summary;
    let mut text = format!("## {}\n\n**{}**\n", report.question(), report.opening());
    if let Some(assumption) = report.assumption() {
        let _ = writeln!(text, "\n{}", code(&assumption));
    }
    if let Some(far) = report.unfinished {
        let _ = writeln!(text, "\n**Unfinished**: {far}.");
    }
    let rows = rows(of);
    if !rows.is_empty() {
        let what = counted_in(report.matter());
        let _ = write!(text, "\n| {what} | | |\n|---|--:|---|\n");
    }
    for row in rows {
        let label = row.heading();
        let AnswerRow { number, remark, .. } = row;
        let _ = writeln!(text, "| {} | {number} | {} |", label, if remark.is_empty() { remark } else { code(&remark) });
    }
    text.push('\n');
    if let Some(apart) = apart_rules(&of.rules) {
        let _ = writeln!(text, "Apart from checks: {apart}.");
    }
    if let Some(apart) = apart_defaults(of.any_defaults()) {
        let _ = writeln!(text, "Apart from these: {apart}.");
    }
    let _ = writeln!(
        text,
        "{} compared, {}{}; {}.",
        counted(of.cases.compared, "case"),
        findings(&of.findings),
        match report.is_of_servers() {
            true => String::new(),
            false => format!(
                "; {} of the planted faults exposed; seed {}",
                percent(of.faults.exposed, of.faults.telling),
                report.seed
            ),
        },
        match comparison::mixed(&report.semantics) {
            Some(how) => format!("answers compared {}", code(&how)),
            None => format!("matching as in Kubernetes {}", code(&report.semantics)),
        },
    );
    if !report.causes.is_empty() {
        let rows = counted(report.causes.len() as u64, "row");
        let _ = writeln!(text, "Findings by cause: {}, in {rows}.", counts(&report.causes));
    }
    for line in report.production_lines() {
        let _ = writeln!(text, "\n{line}");
    }
    if !report.missing_shards.is_empty() {
        let _ = writeln!(text, "\n**Partial**: without shard {}.", code(&report.missing_shards.join(", ")));
    }
    let names = FigureNames::of(report.matter());
    let [may_go, may_not, need_evidence, no_rule] = names.names;
    let _ = writeln!(
        text,
        "\n| kind | {may_go} | {may_not} | {need_evidence} | {no_rule} | cases | findings | faults exposed |"
    );
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (kind, of) in summaries(report) {
        let (figures, Summary { cases, faults, .. }) = (names.figures(&of), &of);
        let [may_go, may_not, need_evidence, no_rule] = figures.map(|count| grouped(count as u64));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            code(kind),
            may_go,
            may_not,
            need_evidence,
            no_rule,
            grouped(cases.compared),
            grouped(of.findings.all as u64),
            percent(faults.exposed, faults.telling),
        );
    }
    text
}

fn rules_of(subject: &SubjectReport, standing: VerdictKind) -> Vec<String> {
    let of_field = |field: &FieldReport| {
        let rules = field.rules.iter().filter(|rule| VerdictKind::of(&rule.verdict) == standing);
        rules.map(|rule| rule_line(&subject.subject, &field.field, rule)).collect::<Vec<_>>()
    };
    subject.fields.iter().flat_map(of_field).collect()
}

fn rule_line(subject: &str, field: &str, rule: &RuleReport) -> String {
    let mut line = format!("* {} {} {}", code(subject), code(&field_name(field)), code(&rule.label()));
    line.push_str(&because(&rule.verdict));
    if let Some(Next { level: Some(level), allowed: true, .. }) = &rule.next {
        let _ = write!(line, ". May become {}", code(level));
    }
    line.push('\n');
    line
}

/// The first reason of a verdict, and how many more there are.
fn because(verdict: &Readiness) -> String {
    let mut because = String::new();
    let reasons = verdict.reasons();
    if let Some(first) = reasons.first() {
        let _ = write!(because, ": {}", code(first));
    }
    if reasons.len() > 1 {
        let _ = write!(because, " and {} more", reasons.len() - 1);
    }
    because
}

fn pair_line(subject: &SubjectReport) -> Option<String> {
    let verdict = &subject.pair.as_ref()?.verdict;
    Some(format!("* {}, {}{}\n", code(&subject.subject), VerdictKind::of(verdict).label(), because(verdict)))
}

fn remarks(subject: &SubjectReport) -> Vec<String> {
    let line = |remark: String| format!("* {}: {remark}\n", code(&subject.subject));
    comparison::remarks(subject, code).into_iter().map(line).collect()
}

fn cause(row: &CauseRow) -> String {
    let brings = match row.brings as u64 {
        0 => String::new(),
        some => format!(", and {} brought along", counted(some, "finding")),
    };
    format!(
        "* **{}**, {}: {} {} in {} ({}): {} ({}){brings}; smallest: finding {}. {}\n",
        row.cause(),
        code(&row.standing()),
        code(&row.kind),
        code(&row.said()),
        code(&row.places()),
        row.when(),
        counted(row.cases, "case"),
        row.for_the_user(),
        row.smallest,
        code(&row.remedy),
    )
}

fn exception(entry: &ExceptionEntry) -> String {
    format!("* {}: {}, {}\n", code(&entry.fares()), code(&entry.about()), code(&entry.exception.said()))
}

fn finding(finding: &FindingReport) -> String {
    let mut text = format!(
        "<details><summary>{}. {}{} × {}</summary>\n\n",
        finding.number,
        match finding.standing() {
            FindingStanding::Blocking => String::new(),
            standing => format!("{}: ", standing.word()),
        },
        grouped(finding.count),
        html_code(&named(&finding.signature))
    );
    for said in finding.remarks() {
        let _ = writeln!(text, "{}\n", code(&said));
    }
    if let Some(exception) = &finding.exception {
        let _ = writeln!(text, "Exception: {}\n", code(&exception.said()));
    }
    if let Some(rules) = finding.attribution() {
        let _ = writeln!(text, "Attributed to {}.\n", code(&named(&rules)));
    }
    let _ = writeln!(text, "First: {}\n", code(&finding.first));
    if let Some(case) = &finding.case {
        let lines = difference(case).into_iter().map(|line| format!("{} {}\n", line.reporter.sign(), line.text()));
        text.push_str(&fenced("diff", &lines.collect::<String>(), usize::MAX));
        for panic in &case.panics {
            let _ = writeln!(text, "\nPanic: {}", code(&panic.to_string()));
        }
        text.push('\n');
        text.push_str(&fenced("yaml", &to_yaml(&case.minimal), OBJECT_LINES));
    }
    if let Some(command) = &finding.reproduce {
        text.push('\n');
        text.push_str(&fenced("sh", command, 4));
    }
    text.push_str("\n</details>\n");
    text
}

/// Code inside HTML, where Markdown is not read.
fn html_code(text: &str) -> String {
    let mut escaped = String::from("<code>");
    for c in crate::text::shown(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // Markdown would still look for its own signs here.
            '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '!' | '|' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            _ => escaped.push(c),
        }
    }
    escaped.push_str("</code>");
    escaped
}

fn default(of: &CheckAnswer) -> String {
    format!(
        "* {} {} {}: **{}**, {}, {}\n",
        code(&of.kind),
        code(&field_name(&of.field)),
        code(&of.error()),
        of.answer.word(),
        code(&of.next()),
        code(&of.figures),
    )
}

fn not_migrated(subject: &SubjectReport) -> Vec<String> {
    if subject.defaults {
        return Vec::new();
    }
    let line = |check: &crate::run::subject::NotMigrated| {
        format!(
            "* {} {} {} {}: {} on create, {} on update\n",
            code(&subject.subject),
            code(&field_name(&check.field)),
            code(&check.error_type),
            code(&check.origin),
            grouped(check.create),
            grouped(check.update)
        )
    };
    subject.not_migrated.iter().map(line).collect()
}

fn delegated(subject: &SubjectReport) -> Vec<String> {
    let line = |part: &crate::run::subject::DelegatedReport| {
        format!("* {} {}: {}\n", code(&subject.subject), code(&part.path), code(&part.reason))
    };
    subject.delegated.iter().map(line).collect()
}
