//! Findings by cause: which of them are one row, and how they are counted.

use super::small;
use takeover_harness::compare::Cause;
use takeover_reports::{CauseRow, FindingReport, RunReport, Selection, Summary};

fn rows(change: impl FnOnce(&mut RunReport)) -> Vec<CauseRow> {
    let mut report = small::run();
    change(&mut report);
    Selection::default().of(report).unwrap().causes
}

/// The same finding of another pair.
fn of_pair(finding: &FindingReport, pair: &str) -> FindingReport {
    FindingReport {
        signature: finding.signature.replace("v1 ReplicationController", pair),
        case: None,
        ..finding.clone()
    }
}

#[test]
fn a_cause_at_a_field_is_one_row_across_versions_subresources_and_operations() {
    let rows = rows(|report| {
        let mut other = report.subjects[0].clone();
        let first = report.subjects[0].findings[0].clone();
        let mut on_update = of_pair(&first, "v1 ReplicationController/scale");
        on_update.signature = on_update.signature.replace(" create new ", " update changed ");
        (on_update.number, on_update.minimal_lines) = (6, Some(2));
        other.findings = vec![on_update];
        report.subjects.push(other);
    });
    let row = rows.iter().find(|row| row.cause == Some(Cause::ReportsMore)).unwrap();
    assert_eq!((row.kind.as_str(), row.field.as_str()), ("ReplicationController", "spec.replicas"));
    assert_eq!(row.places.iter().collect::<Vec<_>>(), ["v1", "v1 /scale"]);
    assert_eq!(row.operations.iter().collect::<Vec<_>>(), ["create", "update"]);
    assert_eq!((row.cases, row.deciding, row.relations.len()), (14, 2, 2));
    assert_eq!((row.findings.as_slice(), row.smallest), ([1, 6].as_slice(), 6), "the smallest object is the example");
}

#[test]
fn another_cause_field_direction_kind_or_group_is_another_row() {
    for (from, to) in [
        (" reports-more ", " unmarked "),
        ("spec.replicas", "spec.paused"),
        (" extra ", " missing "),
        ("v1 ReplicationController", "v1 Pod"),
        ("v1 ReplicationController", "apps/v1 ReplicationController"),
        (" minimum", " maximum"),
    ] {
        let rows = rows(|report| {
            let finding = report.subjects[0].findings[0].clone();
            let signature = finding.signature.replace(from, to);
            report.subjects[0].findings = vec![finding.clone(), FindingReport { signature, case: None, ..finding }];
        });
        assert_eq!(rows.len(), 2, "{to}");
    }
}

#[test]
fn what_comes_along_counts_with_its_root_and_what_fails_the_run_comes_first() {
    let report = small::run();
    assert_eq!(report.causes.len(), 3);
    let open: Vec<bool> = report.causes.iter().map(CauseRow::is_open).collect();
    assert_eq!(open, [true, false, false]);
    assert_eq!(report.causes[0].brings, 1);
    let findings = Summary::of_subjects(&report.subjects).findings;
    assert_eq!((findings.all, findings.excused, findings.tolerated, findings.brought_along), (3, 1, 1, 1));
    let names = |which: fn(&FindingReport) -> bool| -> Vec<usize> {
        report.findings().filter(|finding| which(finding)).map(|finding| finding.number).collect()
    };
    assert_eq!((names(FindingReport::is_open), names(FindingReport::is_brought_along)), (vec![1], vec![4]));
}
