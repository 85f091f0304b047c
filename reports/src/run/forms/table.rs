//! The report as a terminal table.

use super::screen::answer_rows;
use crate::form::Form;
use crate::layout::{Column, Layout, Look};
use crate::numbers::{counted, grouped};
use crate::run::answer::counted_in;
use crate::run::cause_row::counts as by_cause;
use crate::run::comparison;
use crate::run::difference::difference;
use crate::run::kinds::{FigureNames, apart, summaries};
use crate::run::model::{Outside, RunReport};
use crate::run::notes;
use crate::run::rule::ControlsReport;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use crate::text::{command_line, field_name, shown};
use std::fmt::Write as _;
use tabled::settings::Color;
use takeover_harness::compare::Matter;
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

/// For people who open the run folder.
pub(super) const FORM: Form<RunReport> =
    Form::new("table", "For people, in full", "txt", |report, look| Ok(table(report, look))).kept();

/// The report for people. Ends with a line break.
#[must_use]
pub fn table(report: &RunReport, look: Look) -> String {
    let mut out = String::new();
    write_answer(&mut out, report, look);
    if report.subjects.len() > 1 {
        write_kinds(&mut out, report, look);
    }
    write_checks(&mut out, report, look);
    write_causes(&mut out, report, look);
    write_exceptions(&mut out, report);
    for subject in &report.subjects {
        write_subject(&mut out, subject, look);
    }
    out + &report.notes
}

/// The answer, as on the screen at the end of the run.
fn write_answer(out: &mut String, report: &RunReport, look: Look) {
    let _ = writeln!(out, "{}", report.opening());
    if let Some(partial) = report.partial() {
        let _ = writeln!(out, "{partial}");
    }
    if let Some(assumption) = report.assumption() {
        let _ = writeln!(out, "{assumption}");
    }
    if let Some(far) = report.unfinished {
        let resume = report.resumes().map(|command| format!(" Resume it with: {}", command_line(&command)));
        let _ = writeln!(out, "Unfinished: {far}.{}", resume.unwrap_or_default());
    }
    out.push('\n');
    let rows = answer_rows(report, look);
    for row in &rows {
        let _ = writeln!(out, "{row}");
    }
    if !rows.is_empty() {
        out.push('\n');
    }
    if let Some(production) = &report.production {
        let _ = writeln!(out, "{production}\n");
    }
}

/// The defaults, each with its answer.
fn write_defaults(out: &mut String, report: &RunReport, look: Look) {
    let mut defaults = report.answers.iter().filter(|answer| answer.defaults).peekable();
    if defaults.peek().is_none() {
        return;
    }
    let mut rows = Layout::new([
        Column::text("default"),
        Column::text("value"),
        Column::text("where").wide_only(),
        Column::text("seen in").wide_only(),
        Column::text("answer"),
        Column::text("why, or what next"),
    ]);
    for default in defaults {
        let no = |cause: &String| format!("no: {}", shown(cause));
        rows.row([
            format!("{} {}", shown(&default.kind), field_name(&default.field)),
            default.error(),
            shown(&default.places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            shown(&default.figures),
            default.cause.as_ref().map_or_else(|| default.answer.word().to_owned(), no),
            default.next(),
        ]);
    }
    let _ = writeln!(out, "may this line of SetDefaults be deleted?\n{}", rows.fitted(look));
}

/// The checks that a rule covers, each with its answer.
fn write_checks(out: &mut String, report: &RunReport, look: Look) {
    write_defaults(out, report, look);
    let mut checks = report.answers.iter().filter(|answer| !answer.defaults).peekable();
    if checks.peek().is_none() {
        return;
    }
    let mut rows = Layout::new([
        Column::text("check"),
        Column::text("error"),
        Column::text("where").wide_only(),
        Column::text("answer"),
        Column::text("why, or what next"),
    ]);
    for check in checks {
        rows.row([
            format!("{} {}", shown(&check.kind), field_name(&check.field)),
            check.error(),
            shown(&check.places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            check
                .cause
                .as_ref()
                .map_or_else(|| check.answer.word().to_owned(), |cause| format!("no: {}", shown(cause))),
            check.next(),
        ]);
    }
    let _ = writeln!(out, "may this check be deleted?\n{}", rows.fitted(look));
}

/// The findings by cause, a row for each cause and field of a kind.
fn write_causes(out: &mut String, report: &RunReport, look: Look) {
    if report.causes.is_empty() {
        return;
    }
    let mut rows = Layout::new([
        Column::text("cause"),
        Column::text("kind"),
        Column::text("difference"),
        Column::text("where").wide_only(),
        Column::text("when").wide_only(),
        Column::number("cases"),
        Column::text("for the user").wide_only(),
        Column::text("stands"),
        Column::number("smallest"),
    ]);
    for row in &report.causes {
        rows.row([
            row.cause().to_owned(),
            shown(&row.kind),
            shown(&row.said()),
            shown(&row.places()),
            row.when(),
            grouped(row.cases),
            row.for_the_user(),
            shown(&row.standing()),
            row.smallest.to_string(),
        ]);
    }
    let _ = writeln!(
        out,
        "findings by cause: {} in {}\n{}",
        by_cause(&report.causes),
        counted(report.causes.len() as u64, "row"),
        rows.fitted(look)
    );
}

/// The exceptions that somebody has to do something about; the others stand with their findings.
fn write_exceptions(out: &mut String, report: &RunReport) {
    if report.due_exceptions().next().is_none() {
        return;
    }
    let _ = writeln!(out, "exceptions that need attention, of {}:", report.exceptions.len());
    for entry in report.due_exceptions() {
        let _ = writeln!(out, "  {}\n     {}", entry.fares(), entry.about());
        let _ = writeln!(out, "     {}", entry.exception.said());
    }
}

/// A row a kind, with what its subjects have together.
fn write_kinds(out: &mut String, report: &RunReport, look: Look) {
    let matter = report.matter();
    let names = FigureNames::of(matter);
    let [one, two, three, four] = names.names.map(Column::number);
    let (kind, cases, findings) = (Column::text("kind"), Column::number("cases"), Column::number("findings"));
    let mut rows = Layout::new([kind, cases.wide_only(), one, two, three, four, findings]);
    for (kind, of) in summaries(report) {
        let number = |count: usize| grouped(count as u64);
        let [one, two, three, four] = names.figures(&of).map(number);
        rows.row([shown(kind), grouped(of.cases.compared), one, two, three, four, number(of.findings.all)]);
    }
    let what = match matter {
        Matter::Errors => "checks",
        other => counted_in(other),
    };
    let _ = writeln!(out, "{what} by kind:\n{}", rows.fitted(look));
    for (number, line) in apart(report).iter().enumerate() {
        if number == 0 {
            out.push_str("apart from these figures, because no server shows it:\n");
        }
        let _ = writeln!(out, "  {line}");
    }
}

fn write_subject(out: &mut String, subject: &SubjectReport, look: Look) {
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
        Column::number("findings").wide_only(),
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
        let _ = match subject.defaults {
            true => writeln!(out, "set by code alone:"),
            false => writeln!(out, "handwritten checks that no rule covers (not migrated):"),
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
        let _ = writeln!(out, "not compared (the reference does not validate these paths):");
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
            let _ = writeln!(out, "  {}. {} × {}", finding.number, grouped(finding.count), shown(&finding.signature));
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
                    shown(&along.signature)
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

/// What was not compared and belongs to no subject, a line for every reason.
#[must_use]
pub fn not_compared(report: &RunReport) -> String {
    let line = |of: &Outside| {
        format!("not compared: {}, {}; first {}\n", counted(of.count, "case"), shown(&of.reason), shown(&of.first))
    };
    report.outside.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::layout::Look;
    use crate::run::answer::Summary;
    use crate::run::finding::FindingReport;
    use crate::run::model::{FORMAT_VERSION, RunReport, Whereabouts};
    use crate::run::rule::{ControlsReport, Level, Lifecycle, RuleReport, Twin};
    use crate::run::standing::FindingStanding;
    use crate::run::subject::{DelegatedReport, FieldReport, NotMigrated, SubjectReport, Totals};
    use takeover_harness::compare::{Cause, Relation};
    use takeover_harness::evidence::RuleCounts;
    use takeover_harness::readiness::Readiness;
    use takeover_harness::rule::{RuleRef, Source};

    fn rule(path: &str, chain: &str, create: RuleCounts, update: RuleCounts, verdict: Readiness) -> RuleReport {
        RuleReport {
            rule: RuleRef { path: path.into(), chain: chain.into() },
            lifecycle: Lifecycle { level: Level::Alpha, since: None },
            reports: Vec::new(),
            twin: Twin::Seen,
            source: None,
            create,
            update,
            production: None,
            verdict,
            criteria: Vec::new(),
            upper_bound: 0.01,
            next: None,
            classes: Vec::new(),
            unreachable: Vec::new(),
            kept: 0,
            law: None,
            controls: ControlsReport::default(),
        }
    }

    fn report() -> RunReport {
        let full = RuleCounts { compared: 300, agreed_accept: 200, agreed_reject: 100, ..RuleCounts::default() };
        let extra = RuleCounts { compared: 307, extra: 7, ..full };
        let blocked = Readiness::Blocked(vec!["7 cases rejected by the rule only on update".into()]);
        let mut report = RunReport {
            format_version: FORMAT_VERSION,
            seed: 7,
            semantics: "1.37".into(),
            missing_shards: Vec::new(),
            unfinished: None,
            assumed_covered: Vec::new(),
            production: None,
            policy: None,
            outside: Vec::new(),
            exceptions: Vec::new(),
            causes: Vec::new(),
            summary: Summary::default(),
            answers: Vec::new(),
            notes: String::new(),
            shard: None,
            at: Whereabouts::default(),
            subjects: vec![SubjectReport {
                subject: "v1 ReplicationController".into(),
                defaults: false,
                apply: false,
                unshown: None,
                apart: false,
                compared_by: None,
                reached_by_presence: false,
                answers: None,
                pair: None,
                totals: Totals {
                    cases: 1010,
                    compared: 1000,
                    agreed_accept: 793,
                    agreed_reject: 200,
                    incomparable: 0,
                    disagreed: 7,
                    panicked: 0,
                    with_dropped_fields: 0,
                    undecodable: [("unknown field".to_owned(), 10)].into(),
                    ..Totals::default()
                },
                fields: vec![
                    FieldReport {
                        field: "metadata.name".into(),
                        verdict: blocked.clone(),
                        rules: vec![RuleReport {
                            source: Some(Source { file: "core/v1/types.go".into(), line: 10 }),
                            ..rule("metadata.name", "subfield(name)=format=k8s-long-name", full, extra, blocked)
                        }],
                    },
                    FieldReport {
                        field: "spec.replicas".into(),
                        verdict: Readiness::Ready(vec![]),
                        rules: vec![
                            rule(
                                "spec.replicas",
                                "optional",
                                RuleCounts::default(),
                                full,
                                Readiness::InsufficientEvidence(vec!["a".into(), "b".into(), "c".into()]),
                            ),
                            RuleReport {
                                controls: ControlsReport { telling: 12, exposed: 12, ..ControlsReport::default() },
                                ..rule(
                                    "spec.replicas",
                                    "minimum=0",
                                    full,
                                    full,
                                    Readiness::Ready(vec!["create: 200 accepts, 100 rejects agreed".into()]),
                                )
                            },
                        ],
                    },
                ],
                observed: Vec::new(),
                checks: None,
                not_migrated: vec![NotMigrated {
                    error_type: "FieldValueRequired".into(),
                    field: "spec.selector".into(),
                    origin: String::new(),
                    create: 3,
                    update: 4,
                }],
                delegated: vec![DelegatedReport {
                    path: "spec.template.spec.containers".into(),
                    reason: "pod spec".into(),
                }],
                findings: vec![FindingReport {
                    number: 1,
                    cause: Some(Cause::Unmarked),
                    relation: Some(Relation::Changed),
                    deciding: 0,
                    classes: [("text".to_owned(), 7)].into(),
                    stopped_by: Vec::new(),
                    standing: FindingStanding::Blocking,
                    why: "both report it".into(),
                    trial: None,
                    suggestion: String::new(),
                    remedy: "mark it".into(),
                    signature: "update extra FieldValueInvalid metadata.name `format=k8s-long-name`".into(),
                    count: 7,
                    rules: Vec::new(),
                    places: Vec::new(),
                    first: "hostile\u{1b}[31m.yaml:1".into(),
                    minimal_lines: Some(9),
                    file: Some("findings/001.yaml".into()),
                    reproduce: Some("cargo xtask soak --cases 0 --recorded findings/001.yaml".into()),
                    case: None,
                    exception: None,
                }],
                notes: Vec::new(),
            }],
        };
        report.gather();
        report
    }

    #[test]
    fn the_table_reads_well_at_140_columns() {
        insta::assert_snapshot!(table(&report(), Look::plain(140)));
    }

    #[test]
    fn a_narrow_table_keeps_to_its_width() {
        let mut two = report();
        two.subjects.extend(report().subjects);
        for width in [40, 60, 80, 90, 120] {
            let text = table(&two, Look::plain(width));
            let rows = text.lines().filter(|line| line.starts_with(['│', '╭', '├', '╰']));
            let widest = rows.map(|line| line.chars().count()).max();
            // Five columns of names are as narrow as they get.
            assert!(widest.is_some_and(|widest| widest <= width.max(60)), "{width}: {text}");
            assert!(text.contains("REA") && text.contains("BLO"), "{width}: {text}");
        }
    }

    #[test]
    fn what_stands_apart_is_in_no_figure_of_the_run_and_has_lines_of_its_own() {
        let mut two = report();
        let because = Some("no longer served since 1.25".to_owned());
        let apart =
            |subject| SubjectReport { subject, unshown: because.clone(), apart: true, ..report().subjects.remove(0) };
        two.subjects.push(apart("batch/v1beta1 CronJob".to_owned()));
        two.gather();
        assert_eq!(two.summary, report().summary);
        let text = table(&two, Look::plain(140));
        let (_, summary) = text.split_once("checks by kind:").unwrap();
        let (figures, rest) = summary.split_once("apart from these figures").unwrap();
        assert!(figures.contains("ReplicationController") && !figures.contains("CronJob"), "{text}");
        assert!(rest.contains("no longer served since 1.25: 3 rules, 1 finding: batch/v1beta1 CronJob\n"), "{text}");
        assert!(text.contains("  apart from the figures of the run: no longer served since 1.25\n"), "{text}");
    }

    #[test]
    fn colours_come_only_when_asked_for_and_take_no_room() {
        let coloured = table(&report(), Look { width: 90, colour: true });
        assert!(coloured.contains("\u{1b}[32mREADY\u{1b}[39m"), "{coloured}");
        let plain = ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[39m"];
        let plain = plain.iter().fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(plain, table(&report(), Look::plain(90)));
    }

    #[test]
    fn control_characters_of_objects_never_reach_the_terminal() {
        assert!(!table(&report(), Look::plain(140)).contains('\u{1b}'));
    }

    #[test]
    fn the_json_form_round_trips() {
        let text = serde_json::to_string(&report()).unwrap();
        assert_eq!(serde_json::from_str::<RunReport>(&text).unwrap(), report());
    }
}
