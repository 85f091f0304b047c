//! Every form of every report, of small fixed inputs, as people read it.

use super::small;
use serde::Serialize;
use takeover_reports::{Form, Look, conform, explain, gate, lint, promote, run, subjects, validate};

/// Holds every form of a report, other than plain JSON, against its snapshot.
pub(crate) fn assert_forms<R: Serialize>(kind: &str, report: &R, forms: &[Form<R>]) {
    for form in forms.iter().filter(|form| form.name != "json") {
        let text = (form.write)(report, Look::plain(120)).unwrap();
        assert_text(&format!("{kind}_{}", form.name), &text);
    }
}

fn assert_text(name: &str, text: &str) {
    // Style and script are files of their own; their hashes change with them.
    let filters = [
        (r"(?s)<style>.*?</style>", "<style>…</style>"),
        (r"(?s)<script>.*?</script>", "<script>…</script>"),
        (r"sha256-[0-9A-Za-z+/=]+", "sha256-…"),
        (r#""semanticVersion": "[^"]+""#, r#""semanticVersion": "…""#),
    ];
    insta::with_settings!({ filters => filters, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn the_report_of_a_run() {
    let report = small::run();
    assert_forms("run", &report, run::FORMS);
    let narrow = (Form::find(run::FORMS, "table").unwrap().write)(&report, Look::plain(80)).unwrap();
    assert_text("run_table_narrow", &narrow);
    let summary = Form::find(run::FORMS, "github").unwrap().step_summary.unwrap()(&report);
    assert_eq!(summary, (Form::find(run::FORMS, "markdown").unwrap().write)(&report, Look::plain(120)).unwrap());
}

#[test]
fn the_difference_of_two_runs() {
    assert_forms("diff", &small::diff(), run::DIFF_FORMS);
}

#[test]
fn the_explanation_of_a_rule() {
    assert_forms("explain", &small::explanation(), explain::FORMS);
}

#[test]
fn the_explanation_of_a_rule_that_only_a_run_knows() {
    let known = explain::Explanation { boundary: None, conditions: None, line: None, ..small::explanation() };
    assert_forms("explain_run_alone", &known, explain::FORMS);
}

#[test]
fn the_explanation_of_a_law() {
    assert_forms("explain_law", &small::explained_law(), explain::FORMS);
    let kept = explain::Law {
        trial: Some(explain::LawTrial { objects: 1, broken: 0, kept: None, breaches: Vec::new() }),
        ..small::explained_law().law.unwrap()
    };
    let kept = explain::Explanation { law: Some(kept), ..small::explained_law() };
    let text = Form::find(explain::FORMS, "text").unwrap();
    let printed = (text.write)(&kept, Look::plain(120)).unwrap();
    assert!(printed.contains("\nTried just now: 1 object, none breaks the law\n"), "{printed}");
}

#[test]
fn what_lint_found() {
    assert_forms("lint", &small::linted(true), lint::FORMS);
    assert_forms("lint_without_notes", &small::linted(false), lint::FORMS);
    let of_crds = lint::LintReport { of_crds: true, ..small::linted(false) };
    let table = Form::find(lint::FORMS, "table").unwrap();
    let printed = (table.write)(&of_crds, Look::plain(120)).unwrap();
    assert!(printed.contains(" looked at: ") && !printed.contains("package"), "{printed}");
    assert!(printed.contains(" CRD") && printed.contains(" file"), "{printed}");
    assert_forms("lint_list", &small::lints(), lint::LIST_FORMS);
}

#[test]
fn what_a_server_would_say_of_objects() {
    let report = small::validated();
    assert_forms("validate", &report, validate::FORMS);
    assert_text("validate_problems", &report.problems_text());
}

#[test]
fn the_subjects() {
    assert_forms("subjects", &small::subjects(false), subjects::FORMS);
    assert_forms("subjects_in_detail", &small::subjects(true), subjects::FORMS);
    assert_text("coverage", &subjects::coverage(&small::subjects(false)));
}

#[test]
fn the_agreement_with_recorded_verdicts() {
    assert_forms("conform", &small::agreement(), conform::FORMS);
}

#[test]
fn what_came_of_a_gate() {
    assert_forms("gate_failed", &small::gate(true), gate::FORMS);
    assert_forms("gate_passed", &small::gate(false), gate::FORMS);
}

#[test]
fn what_promote_decides() {
    let beta = small::promotion(takeover_reports::Level::Beta);
    assert_forms("promote", &beta, promote::FORMS);
    assert_text("promote_to_beta", &promote::text(&beta));
    assert_text("promote_to_stable", &promote::text(&small::promotion(takeover_reports::Level::Stable)));
}

/// What the closing screen shows of a report.
fn screen(report: &takeover_reports::RunReport) -> String {
    (Form::find(run::FORMS, "screen").unwrap().write)(report, Look::plain(80)).unwrap()
}

#[test]
fn the_screen_names_only_commands_and_files_that_are_there() {
    let at = run::Whereabouts {
        soak: "takeover soak --kind Widget --types api".to_owned(),
        page: true,
        ..run::Whereabouts::new("runs/one", "takeover")
    };
    let mut report = takeover_reports::RunReport { at, ..small::run() };
    report.subjects.clear();
    report.causes.clear();
    let text = screen(&report);
    assert!(text.contains("\nReport: runs/one/report.html (seed 7)\n"), "{text}");
    assert!(text.ends_with("run longer:\n  takeover soak --kind Widget --types api --for 10m\n"), "{text}");
    report.at.soak.clear();
    assert!(!screen(&report).contains("soak"), "nobody knows which soak it was");
    report.summary.checks.need_evidence = 0;
    assert!(!screen(&report).contains("promote"), "nobody changes the built-in types");
    report.at.own_types = true;
    assert!(screen(&report).ends_with("\n  takeover promote runs/one --to beta\n"), "{}", screen(&report));
    report.at.page = false;
    let text = screen(&report);
    assert!(text.contains("\n  takeover report runs/one --format html -o report.html\n"), "{text}");
}

#[test]
fn a_report_of_a_part_or_of_nothing_begins_by_saying_so() {
    let mut report = small::run();
    report.missing_shards.clear();
    report.shard = Some("1/4".to_owned());
    report.at.program = "takeover".to_owned();
    let part = "Only shard 1/4 of the run: combine all shards with `takeover merge`.";
    assert!(report.in_a_line().ends_with(part) && screen(&report).contains(part), "{}", report.in_a_line());
    report.summary.cases.compared = 0;
    report.subjects.clear();
    report.outside.push(run::Outside { reason: "not selected: v1 Pod".to_owned(), count: 5, first: String::new() });
    let said = "Nothing was compared: not selected (v1 Pod, 5 cases); \
                of a kind that is not compared (2 cases).";
    assert_eq!(report.opening(), said);
    assert!(screen(&report).starts_with("Nothing was compared: not selected (v1 Pod, 5 cases); of a"));
    report.outside.clear();
    assert_eq!(report.opening(), "Nothing was compared: no object was recorded, and no case generated.");
    report.unfinished = Some(run::Unfinished::default());
    assert_eq!(report.opening(), "The run was stopped before its first case: nothing was judged yet.");
}

#[test]
fn the_screen_keeps_the_value_and_the_count_of_a_finding_with_a_long_path() {
    let mut report = small::run();
    let long = "spec.template.spec.containers[*].volumeMounts[*].subPathExpressions[*].name";
    report.causes.iter_mut().for_each(|row| row.field = long.to_owned());
    let text = screen(&report);
    assert!(text.contains("…") && text.contains(".name, 7 cases\n"), "{text}");
    assert!(text.contains("Invalid value: -1: must be greater"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_kind_that_the_report_does_not_have_is_answered_with_the_one_that_was_meant() {
    let of = |kind: &str| {
        let selection = takeover_reports::Selection { kind: Some(kind.to_owned()), ..Default::default() };
        selection.of(small::run()).unwrap_err().to_string()
    };
    assert!(of("ReplicationControler").ends_with("; did you mean `ReplicationController`?"), "{}", of("x"));
    assert!(of("Pod").ends_with("; it has ReplicationController"), "{}", of("Pod"));
}
