//! The report model. Its JSON form is the machine-readable report: fields are only ever added within a format version.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use takeover_harness::readiness::{Criterion, Next, RuleCounts, Verdict};

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 1;

/// A run, as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// [`FORMAT_VERSION`] of the writer.
    pub format_version: u32,
    /// Seed of the generated cases.
    pub seed: u64,
    /// The matching algorithm: `1.35`, `1.36` or `1.37`.
    pub semantics: String,
    /// Parts of the run that are not in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<String>,
    /// One entry a subject, those of a kind together.
    pub subjects: Vec<SubjectReport>,
}

/// One subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectReport {
    /// Version, kind and subresource.
    pub subject: String,
    /// What became of the cases.
    pub totals: Totals,
    /// Fields with rules, in the order of their paths.
    pub fields: Vec<FieldReport>,
    /// Handwritten checks that no rule covers.
    pub not_migrated: Vec<NotMigrated>,
    /// Parts that the reference leaves unjudged.
    pub delegated: Vec<DelegatedReport>,
    /// Disagreements by signature.
    pub findings: Vec<FindingReport>,
}

/// What became of the cases of a subject: `cases = compared + undecodable + skipped`.
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
}

/// One field: as ready as its least ready rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldReport {
    /// Path pattern; empty for the object itself.
    pub field: String,
    /// The worst verdict of its rules.
    pub verdict: Verdict,
    /// Its rules in catalogue order.
    pub rules: Vec<RuleReport>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleReport {
    /// The tag with its level: `alpha minimum=0`.
    pub rule: String,
    /// File and line of the tag.
    pub source: Option<String>,
    /// Counts on create.
    pub create: RuleCounts,
    /// Counts on update.
    pub update: RuleCounts,
    /// May it take over?
    pub verdict: Verdict,
    /// The criteria that the verdict rests on.
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    /// Largest share of disagreeing cases that the evidence does not rule out, at the confidence of the policy.
    #[serde(default = "all")]
    pub upper_bound: f64,
    /// What the evidence allows the rule to become.
    pub next: Option<Next>,
    /// The classes of values that it tells apart, and how often each was shown.
    #[serde(default)]
    pub classes: Vec<ClassReport>,
    /// The classes that no object can show, with the reason.
    #[serde(default)]
    pub unreachable: Vec<Reasoned>,
    /// Updates that keep a value which breaks the rule.
    #[serde(default)]
    pub kept: u64,
    /// The faults that were planted in it and its handwritten twin.
    #[serde(default)]
    pub controls: ControlsReport,
}

fn all() -> f64 {
    1.0
}

/// A class of values of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassReport {
    /// Name: `below`, `on`, `unset`.
    pub class: String,
    /// Whether a value of the class breaks the rule.
    pub breaks: bool,
    /// How often a create showed it.
    pub create: u64,
    /// How often an update showed it as a new value.
    pub update: u64,
}

/// The planted faults of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlsReport {
    /// Faults that a case can tell from the rule.
    pub telling: u64,
    /// Those that the cases exposed.
    pub exposed: u64,
    /// Those that no case exposed; faults of the handwritten side begin with `reference`.
    pub survivors: Vec<String>,
    /// Faults that nobody can tell from the rule, with the reason.
    pub equivalent: Vec<Reasoned>,
}

/// A name with a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoned {
    /// What.
    pub name: String,
    /// Why.
    pub reason: String,
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

/// A part that the reference leaves unjudged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegatedReport {
    /// Path pattern.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// All disagreements of one signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// Number in the run, from 1; names its files.
    pub number: usize,
    /// Operation, direction, type, path pattern and origin; for a panic, which oracle.
    pub signature: String,
    /// In how many cases.
    pub count: u64,
    /// Number of the finding that it always occurs together with: one cause shows as several signatures. Its own number for the
    /// first of such a cluster.
    #[serde(default)]
    pub cluster: usize,
    /// The rule it is attributed to.
    pub rule: Option<String>,
    /// Where the first case came from.
    pub first: String,
    /// Lines of YAML of the minimal object.
    pub minimal_lines: Option<usize>,
    /// The file with the minimal case and both error lists.
    pub file: Option<String>,
    /// The command that shows it again.
    pub reproduce: Option<String>,
}
