//! Findings gathered by cause: a row for each cause and field of a kind, across versions, subresources and operations.

use anyhow::Context as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use takeover_harness::compare::{Cause, DifferenceKind, Direction, Signature};
use takeover_reports::{FindingReport, RunReport};

/// What makes a row: the cause, the kind with its group, and the field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// None where nobody looked for the cause.
    pub cause: Option<Cause>,
    /// `autoscaling HorizontalPodAutoscaler`.
    pub kind: String,
    /// Path pattern; empty for the object itself.
    pub field: String,
}

/// A row.
pub(super) struct Row {
    /// The errors that only one side reports: `missing Required`, `extra Invalid (minimum)`.
    pub errors: BTreeSet<String>,
    /// Versions and subresources.
    pub places: BTreeSet<String>,
    /// Operations and relations: `update, kept`.
    pub when: BTreeSet<String>,
    /// How many cases.
    pub cases: u64,
    /// In how many of them the user is answered otherwise.
    pub deciding: u64,
    /// How many signatures.
    pub signatures: usize,
    /// The smallest case.
    pub smallest: Minimal,
}

/// The smallest case of a row: objects with their version and kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Minimal {
    /// The subresource; empty for the main resource.
    pub subresource: String,
    /// The new object.
    pub object: Value,
    /// The stored object, on updates.
    pub old: Option<Value>,
}

impl Minimal {
    /// What is smaller is better to read; what is as small is told apart by its text.
    fn size(&self) -> (usize, String) {
        let text = format!("{} {}", self.object, self.old.as_ref().unwrap_or_default());
        (text.chars().count(), text)
    }
}

/// The rows of all findings in `folders`, but for those that another finding brings along, which stand for nothing of their own.
///
/// # Errors
/// Returns an error when a folder holds no report of a run, or an oracle panicked in it.
pub(super) fn rows(folders: &[PathBuf]) -> anyhow::Result<BTreeMap<Key, Row>> {
    let mut rows: BTreeMap<Key, Row> = BTreeMap::new();
    for folder in folders {
        for finding in report(folder)?.findings().filter(|finding| !finding.is_brought_along()) {
            let signature =
                finding.parts().with_context(|| format!("`{}` is not a disagreement", finding.signature))?;
            let Some(smallest) = minimal(finding, &signature) else { continue };
            let row = rows.entry(key(&signature)).or_insert_with(|| Row {
                errors: BTreeSet::new(),
                places: BTreeSet::new(),
                when: BTreeSet::new(),
                cases: 0,
                deciding: 0,
                signatures: 0,
                smallest: smallest.clone(),
            });
            row.errors.insert(error(&signature));
            row.places.insert(place(&signature));
            row.when.insert(format!("{}, {}", signature.operation, signature.relation));
            row.cases += finding.count;
            row.deciding += finding.deciding;
            row.signatures += 1;
            if smallest.size() < row.smallest.size() {
                row.smallest = smallest;
            }
        }
    }
    Ok(rows)
}

fn report(folder: &Path) -> anyhow::Result<RunReport> {
    let file = folder.join("report.json");
    let text = crate::bounded::text(&file, crate::bounded::EVIDENCE).with_context(|| {
        format!("`{}` is not the folder of a finished run: cannot read `report.json`", folder.display())
    })?;
    RunReport::from_json(&text).with_context(|| format!("failed to read `{}`", file.display()))
}

fn key(signature: &Signature) -> Key {
    let subject = &signature.pair.subject;
    let group = subject.api_version.rsplit_once('/').map_or(String::new(), |(group, _)| format!("{group} "));
    Key { cause: signature.cause, kind: format!("{group}{}", subject.kind), field: signature.path.clone() }
}

fn error(signature: &Signature) -> String {
    let direction = signature.direction;
    match &signature.kind {
        DifferenceKind::Error { error_type, origin } => {
            let name = error_type.api_name();
            let name = name.strip_prefix("FieldValue").unwrap_or(name);
            let origin = if origin.is_empty() { String::new() } else { format!(" ({origin})") };
            format!("{direction} {name}{origin}")
        }
        DifferenceKind::Value => format!("{direction} value"),
        DifferenceKind::Decision { shape } => {
            let side = if direction == Direction::Missing { "reference" } else { "candidate" };
            let why = if shape.is_empty() { String::new() } else { format!(": {shape}") };
            format!("only the {side} rejects{why}")
        }
    }
}

fn place(signature: &Signature) -> String {
    let subject = &signature.pair.subject;
    let version = subject.api_version.rsplit_once('/').map_or(subject.api_version.as_str(), |(_, version)| version);
    let subresource = if subject.subresource.is_empty() { String::new() } else { format!("/{}", subject.subresource) };
    format!("{version}{subresource}")
}

/// The smallest case of a finding; none where the run kept none.
fn minimal(finding: &FindingReport, signature: &Signature) -> Option<Minimal> {
    let case = &finding.case.as_ref()?.minimal;
    Some(Minimal {
        subresource: signature.pair.subject.subresource.clone(),
        object: case.get("object")?.clone(),
        old: case.get("oldObject").cloned(),
    })
}
