//! Puts the findings of a report into rows by cause.

use super::cause_row::CauseRow;
use super::finding::FindingReport;
use super::subject::SubjectReport;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::compare::{Cause, Direction, Signature};

/// The row that a finding belongs to: where it stands makes no difference.
type Key = (Option<Cause>, String, String, String, Direction, String);

/// Puts the findings of all subjects into rows: those that fail the run first, then by cause, kind and field. Panics have no cause, and
/// what another finding brings along is counted with that one.
pub(super) fn rows(subjects: &[SubjectReport]) -> Vec<CauseRow> {
    let mut rows: BTreeMap<Key, (CauseRow, usize)> = BTreeMap::new();
    for subject in subjects {
        for finding in subject.findings.iter().filter(|finding| !finding.is_brought_along()) {
            let Some(signature) = finding.parts() else { continue };
            let of = &signature.pair.subject;
            let (group, _) = group_version(&signature);
            let complaint = signature.complaint();
            let key = (
                signature.cause,
                of.kind.clone(),
                group.to_owned(),
                signature.path.clone(),
                signature.direction,
                complaint.clone(),
            );
            let lines = finding.minimal_lines.unwrap_or(usize::MAX);
            let (row, least) = rows.entry(key).or_insert_with(|| (empty(&signature, complaint, finding), lines));
            row.places.insert(place(&signature));
            row.operations.insert(signature.operation.to_string());
            row.relations.insert(signature.relation);
            row.cases += finding.count;
            row.deciding += finding.deciding;
            row.standings.insert(finding.standing().word().to_owned());
            row.findings.push(finding.number);
            row.brings += subject.brought_along_by(finding).count();
            if lines < *least {
                (row.smallest, *least) = (finding.number, lines);
            }
        }
    }
    let mut rows: Vec<CauseRow> = rows.into_values().map(|(row, _)| row).collect();
    rows.sort_by_key(|row| !row.is_open());
    rows
}

fn empty(signature: &Signature, complaint: String, finding: &FindingReport) -> CauseRow {
    CauseRow {
        cause: signature.cause,
        group: group_version(signature).0.to_owned(),
        kind: signature.pair.subject.kind.clone(),
        field: signature.path.clone(),
        direction: signature.direction,
        complaint,
        places: BTreeSet::new(),
        operations: BTreeSet::new(),
        relations: BTreeSet::new(),
        cases: 0,
        deciding: 0,
        matter: finding.matter,
        standings: BTreeSet::new(),
        findings: Vec::new(),
        brings: 0,
        smallest: finding.number,
        remedy: finding.remedy.clone(),
    }
}

fn group_version(signature: &Signature) -> (&str, &str) {
    let of = signature.pair.subject.api_version.as_str();
    of.rsplit_once('/').unwrap_or(("", of))
}

/// The version, the subresource and the name of the pair: `v1`, `v1 /scale`, `v1 #webhook`.
fn place(signature: &Signature) -> String {
    let of = &signature.pair.subject;
    let subresource = if of.subresource.is_empty() { String::new() } else { format!(" /{}", of.subresource) };
    let name = signature.pair.name.as_str();
    let name = if name.is_empty() { String::new() } else { format!(" #{name}") };
    format!("{}{subresource}{name}", group_version(signature).1)
}
