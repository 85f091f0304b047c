//! Findings by cause: a row for each cause and field of a kind, across its versions and subresources.

use crate::numbers::grouped;
use crate::text::renamed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::compare::{Cause, Direction, Matter, Relation};
use takeover_harness::readiness::decision;

/// The findings of one cause at one field of a kind that say the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CauseRow {
    /// Why the sides differ; none where nobody looked for the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The group of the kind; empty for the core group.
    pub group: String,
    /// The kind, without its version.
    pub kind: String,
    /// Path pattern; empty for the object itself.
    pub field: String,
    /// Which side is alone.
    pub direction: Direction,
    /// What it says: `FieldValueInvalid spec.replicas minimum`.
    pub complaint: String,
    /// Version and subresource, with the name of the pair: `v1 /scale`.
    pub places: BTreeSet<String>,
    /// Creates, updates or both.
    pub operations: BTreeSet<String>,
    /// How the values relate to the stored object.
    pub relations: BTreeSet<Relation>,
    /// How many cases.
    pub cases: u64,
    /// In how many of them the outcome changes for the user; in the others, only the words.
    pub deciding: u64,
    /// What the sides were compared in.
    #[serde(default, skip_serializing_if = "Matter::is_of_errors")]
    pub matter: Matter,
    /// How the findings stand: `blocking`, `reported`, `tolerated` or `excused`.
    pub standings: BTreeSet<String>,
    /// Numbers of the findings.
    pub findings: Vec<usize>,
    /// How many findings these bring along.
    pub brings: usize,
    /// Number of the finding with the smallest object.
    pub smallest: usize,
    /// What would make the difference go.
    pub remedy: String,
}

impl CauseRow {
    /// Whether a run fails for one of its findings.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.standings.iter().any(|standing| matches!(standing.as_str(), "blocking" | "reported"))
    }

    /// Who is alone with what: `missing FieldValueInvalid spec.replicas minimum`.
    #[must_use]
    pub(crate) fn said(&self) -> String {
        format!("{} {}", self.direction, renamed(&self.complaint))
    }

    /// Versions and subresources in one line.
    #[must_use]
    pub(crate) fn places(&self) -> String {
        self.places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// On which operations, and of which values: `create and update, new or kept value`.
    #[must_use]
    pub(crate) fn when(&self) -> String {
        let operations: Vec<&str> = self.operations.iter().map(String::as_str).collect();
        let relations: Vec<&str> = self.relations.iter().map(|relation| relation.word()).collect();
        format!("{}, {} value", listed(&operations, "and"), listed(&relations, "or"))
    }

    /// How its findings stand, in one line.
    #[must_use]
    pub(crate) fn standing(&self) -> String {
        self.standings.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// What the user notices: another decision, or only other words.
    #[must_use]
    pub(crate) fn for_the_user(&self) -> String {
        match self.cause {
            Some(_) => decision(self.matter, self.cases, self.deciding),
            None => "not known".to_owned(),
        }
    }

    /// The cause in one word, or that nobody looked for it.
    #[must_use]
    pub fn cause(&self) -> &'static str {
        self.cause.map_or("unknown", Cause::word)
    }
}

/// How many findings that stand for themselves have each cause, the most frequent first: `282 ratchets, 209 reports-more`.
#[must_use]
pub(super) fn counts(rows: &[CauseRow]) -> String {
    let mut sums: BTreeMap<Option<Cause>, usize> = BTreeMap::new();
    for row in rows {
        *sums.entry(row.cause).or_default() += row.findings.len();
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(cause, count)| (std::cmp::Reverse(*count), *cause));
    let said = |(cause, count): &(Option<Cause>, usize)| {
        format!("{} {}", grouped(*count as u64), cause.map_or("unknown", Cause::word))
    };
    sums.iter().map(said).collect::<Vec<_>>().join(", ")
}

/// `new, changed or kept`.
fn listed(words: &[&str], joint: &str) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} {joint} {last}", first.join(", ")),
    }
}
