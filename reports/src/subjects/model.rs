//! The subjects and what is known about each, as data.

use crate::conform::AgreementCount;
use crate::run::{Check, DelegatedReport};
use serde::Serialize;
use std::collections::BTreeMap;
use takeover_harness::subject::SubjectId;

/// Every subject. Its JSON form is the machine-readable output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectList {
    /// One entry a subject, in the order of the registry.
    pub subjects: Vec<SubjectEntry>,
    /// The pairs that the settings describe.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<DescribedPairEntry>,
    /// The newest release whose rules are modelled.
    pub release: String,
    /// Whether people are told everything of each subject, rather than a row.
    #[serde(skip)]
    pub in_detail: bool,
}

/// A pair that the settings describe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedPairEntry {
    /// Version, kind, subresource and name: what `--kind` takes.
    pub pair: String,
    /// What decides today, as people write it.
    pub reference: String,
    /// What is to take over, as people write it.
    pub candidate: String,
    /// How answers are compared; `None` when the sides decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<String>,
}

/// One subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectEntry {
    /// Version, kind and subresource.
    pub subject: String,
    /// The same in parts.
    pub id: SubjectId,
    /// How the modelled releases of Kubernetes treat it, from the oldest on.
    pub releases: Vec<SubjectRelease>,
    /// Why a run over everything leaves it out, if it does: no server of the newest modelled release shows its rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unshown: Option<String>,
    /// How many rules stand at each level.
    pub levels: LevelCounts,
    /// The rules that can reject something, in catalogue order.
    pub rules: Vec<SubjectRule>,
    /// Handwritten checks, as seen in their errors, that no rule covers.
    pub not_covered: Vec<Check>,
    /// Parts of the object that the reference does not judge.
    pub delegated: Vec<DelegatedReport>,
    /// Agreement with the recorded verdicts that ship with the program, by side.
    pub verdicts: BTreeMap<String, AgreementCount>,
}

/// How a release of Kubernetes treats a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectRelease {
    /// The release.
    pub release: String,
    /// Whether it serves the version: `by default`, `when enabled`, or `not since` a release.
    pub served: String,
    /// Whether the strategy of the kind runs its declarative rules: `yes`, `no`, or `unknown` where it was not looked up.
    pub runs: String,
}

/// Numbers of rules by level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LevelCounts {
    /// In shadow.
    pub alpha: usize,
    /// Enforced, can be switched off.
    pub beta: usize,
    /// Enforced.
    pub stable: usize,
}

/// A rule that can reject something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectRule {
    /// Path pattern; empty for the object itself.
    pub path: String,
    /// The tag with its level.
    pub rule: String,
    /// The errors that it makes and a handwritten check makes too: its twin.
    pub twin: Vec<Check>,
    /// Cases in which both reported the same.
    pub agreed: u64,
    /// Cases in which only the handwritten side, or only the rule, reported it.
    pub disagreed: u64,
}

impl SubjectEntry {
    /// How many of the rules that can reject something have a twin.
    #[must_use]
    pub fn twins(&self) -> usize {
        self.rules.iter().filter(|rule| !rule.twin.is_empty()).count()
    }
}

impl SubjectList {
    /// How the newest release whose rules are modelled treats a subject.
    pub(super) fn newest<'e>(&self, entry: &'e SubjectEntry) -> Option<&'e SubjectRelease> {
        entry.releases.iter().find(|of| of.release == self.release)
    }
}
