//! What a report says of one pair.

use super::checks::ChecksReport;
use super::finding::FindingReport;
use super::notes::NoteReport;
use super::observed::ObservedReport;
use super::rule::{Check, RuleReport};
use super::standing::FindingStanding;
use crate::text::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use takeover_harness::compare::{ComparedBy, Matter};
use takeover_harness::evidence::AnswerCounts;
use takeover_harness::readiness::{Criterion, Readiness};
use takeover_harness::rule::Source;

/// One pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectReport {
    /// Version, kind and subresource, with the name of the pair after `#` if it has one: `apps/v1 Deployment#webhook`.
    pub subject: String,
    /// Whether the pair compares what the sides set: its rules are markers and laws, and its handwritten checks are defaults of code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaults: bool,
    /// Whether these are the defaults of the same types in a custom resource and in a built-in one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub semantics: bool,
    /// Whether the pair holds server-side apply to its laws: these are its rules, and there is no handwritten check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apply: bool,
    /// Why its rules show in no server of the newest modelled release; none where they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unshown: Option<String>,
    /// Whether the figures of the run as a whole leave it out, because others do show.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// How its answers were compared; none when that is the usual comparison, by the release that the report names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_by: Option<ComparedBy>,
    /// Whether a rule counts as reached where its field is set, because the candidate does not say which rules it reaches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reached_by_presence: bool,
    /// What was counted of the answers; none when every case was answered and every answer could be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswerCounts>,
    /// The verdict on the pair as a whole; none for a pair with rules, which have verdicts of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairVerdict>,
    /// What became of the cases.
    pub totals: Totals,
    /// Fields with rules, in the order of their paths.
    pub fields: Vec<FieldReport>,
    /// Handwritten checks that no rule covers, as far as the run saw them refuse something.
    pub not_migrated: Vec<NotMigrated>,
    /// The checks of the reference; none when its code lists none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<ChecksReport>,
    /// The checks of the reference as the run observed them, where nobody lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<ObservedReport>,
    /// Parts of the object that the reference does not judge.
    pub delegated: Vec<DelegatedReport>,
    /// Disagreements by signature.
    pub findings: Vec<FindingReport>,
    /// What is no disagreement, and worth a look: other words, an error twice, another order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteReport>,
}

/// The verdict on a pair as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairVerdict {
    /// May the candidate take over from the reference?
    pub verdict: Readiness,
    /// The criteria that the verdict rests on.
    pub criteria: Vec<Criterion>,
}

impl SubjectReport {
    /// What the sides are compared in.
    #[must_use]
    pub fn matter(&self) -> Matter {
        match self {
            Self { semantics: true, .. } => Matter::Semantics,
            Self { defaults: true, .. } => Matter::Defaults,
            Self { apply: true, .. } => Matter::Apply,
            Self { compared_by: Some(ComparedBy::Objects { .. }), .. } => Matter::Objects,
            _ => Matter::Errors,
        }
    }

    /// The findings that are attributed to a rule.
    pub fn findings_of(&self, rule: &RuleReport) -> impl Iterator<Item = &FindingReport> {
        self.findings.iter().filter(move |finding| finding.rules.iter().any(|of| rule.is(of)))
    }

    /// The findings that one brings along.
    pub fn brought_along_by(&self, finding: &FindingReport) -> impl Iterator<Item = &FindingReport> {
        let by = finding.number;
        self.findings.iter().filter(move |of| *of.standing() == FindingStanding::BroughtAlong { by })
    }

    /// Where the candidate says what a finding is about, or is to say it; of rules that are tags, where they are written, in the order of
    /// the report.
    pub fn sources_of<'r>(&'r self, finding: &'r FindingReport) -> impl Iterator<Item = &'r Source> {
        let rules = self.fields.iter().flat_map(|field| &field.rules).filter(|_| finding.places.is_empty());
        let of_rules = rules.filter(move |rule| finding.rules.iter().any(|of| rule.is(of)));
        finding.places.iter().chain(of_rules.filter_map(RuleReport::place))
    }
}

/// What became of the cases of a pair: `cases = compared + undecodable + skipped`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// All cases.
    pub cases: u64,
    /// Judged by both sides.
    pub compared: u64,
    /// Compared cases without an error that takes part in the comparison; handwritten checks that are not migrated may still
    /// have complained.
    pub agreed_accept: u64,
    /// Compared cases on which both sides report the same covered errors.
    pub agreed_reject: u64,
    /// Compared cases in which something was said that cannot be compared, and nothing else disagreed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub incomparable: u64,
    /// Compared cases with a finding.
    pub disagreed: u64,
    /// Cases in which an oracle panicked.
    pub panicked: u64,
    /// Cases whose object is not one of its type, by reason.
    pub undecodable: BTreeMap<String, u64>,
    /// Compared cases from whose objects unknown or repeated fields were dropped.
    #[serde(default)]
    pub with_dropped_fields: u64,
    /// Cases left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// What was said of the first case of a reason, where that is more than the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped_because: BTreeMap<String, String>,
    /// Compared cases about which a side was asked once more, to see whether it answers the same. Where the sides differ, they always are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asked_again: u64,
}

impl Totals {
    /// What was said of the first case that was left out for a reason; none where that is no more than the reason.
    pub(super) fn first_said(&self, reason: &str, quoted: fn(&str) -> String) -> Option<String> {
        self.skipped_because.get(reason).map(|first| format!("first: {}", quoted(first)))
    }

    /// Why cases were not compared, with their number: `12 the reference could not judge (first: no answer within 10s)`.
    pub(super) fn left_out(&self) -> impl Iterator<Item = (u64, String)> {
        let undecodable = self.undecodable.iter().map(|(reason, count)| (*count, shown(reason)));
        let skipped = self.skipped.iter().map(|(reason, count)| {
            let first = self.first_said(reason, shown).map_or_else(String::new, |first| format!(" ({first})"));
            (*count, shown(reason) + &first)
        });
        undecodable.chain(skipped)
    }
}

/// One field: as ready as its least ready rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldReport {
    /// Path pattern; empty for the object itself.
    pub field: String,
    /// The worst verdict of its rules.
    pub verdict: Readiness,
    /// Its rules in catalogue order.
    pub rules: Vec<RuleReport>,
}

/// A handwritten check that no rule covers, as seen in its errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotMigrated {
    /// API name of the error type.
    pub error_type: String,
    /// Path pattern.
    pub field: String,
    /// Origin.
    pub origin: String,
    /// Errors seen on create.
    pub create: u64,
    /// Errors seen on update.
    pub update: u64,
}

impl From<&NotMigrated> for Check {
    fn from(check: &NotMigrated) -> Self {
        Self { error_type: check.error_type.clone(), field: check.field.clone(), origin: check.origin.clone() }
    }
}

/// A part that the reference leaves unjudged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegatedReport {
    /// Path pattern.
    pub path: String,
    /// Why.
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
