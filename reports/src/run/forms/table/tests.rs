use super::table;
use crate::layout::Look;
use crate::run::answer::Summary;
use crate::run::finding::FindingReport;
use crate::run::model::{FORMAT_VERSION, RunReport, Whereabouts};
use crate::run::rule::{ControlsReport, Level, Lifecycle, RuleReport, Twin};
use crate::run::standing::FindingStanding;
use crate::run::subject::{DelegatedReport, FieldReport, NotMigrated, SubjectReport, Totals};
use takeover_harness::compare::{Cause, Matter, Relation};
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
    let blocked = Readiness::Blocked(vec!["7 cases that only the rule rejects, on update".into()]);
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
            semantics: false,
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
                matter: Matter::Errors,
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
    let coloured = table(&report(), Look { width: 90, colour: true, terminal: true });
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
