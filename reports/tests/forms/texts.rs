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
fn what_lint_found() {
    assert_forms("lint", &small::linted(true), lint::FORMS);
    assert_forms("lint_without_notes", &small::linted(false), lint::FORMS);
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
