//! The report model. Its JSON form is the machine-readable report: fields are only ever added within a format version.

use crate::run::exceptions::{ExceptionEntry, ExceptionReport};
use crate::text::shortened;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use takeover_harness::compare::Signature;
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::judge::Panic;
use takeover_harness::readiness::{Criterion, Next, Policy, RuleCounts, Verdict};

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 1;

/// A run, as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// [`FORMAT_VERSION`] of the writer.
    pub format_version: u32,
    /// Seed of the generated cases.
    pub seed: u64,
    /// The matching algorithm: `1.35`, `1.36` or `1.37`.
    pub semantics: String,
    /// Parts of the run that are not in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<String>,
    /// What of it was seen beside live traffic; none when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub production: Option<Production>,
    /// How much evidence a rule needed; none in reports of programs that did not say so yet.
    #[serde(default)]
    pub policy: Option<Policy>,
    /// Inputs that belong to no subject.
    #[serde(default)]
    pub outside: Vec<Outside>,
    /// The exceptions of the project, in the order of their file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<ExceptionEntry>,
    /// One entry a subject, those of a kind together.
    pub subjects: Vec<SubjectReport>,
    /// Lines at the end of the text for people: what else there is to say when the run ends. No other form has them.
    #[serde(skip)]
    pub notes: String,
}

impl RunReport {
    /// The findings of every subject.
    pub fn findings(&self) -> impl Iterator<Item = &FindingReport> {
        self.subjects.iter().flat_map(|subject| &subject.findings)
    }

    /// Marks what was seen beside live traffic: how much, and the report of that alone.
    pub fn mark_production(&mut self, production: Production, seen: &[SubjectReport]) {
        self.production = Some(production);
        for subject in &mut self.subjects {
            let alone = seen.iter().find(|seen| seen.subject == subject.subject);
            for field in &mut subject.fields {
                let alone = alone.and_then(|alone| alone.fields.iter().find(|seen| seen.field == field.field));
                for (number, rule) in field.rules.iter_mut().enumerate() {
                    // Rules of a field are in the same order in every report of the subject.
                    let alone = alone.and_then(|alone| alone.rules.get(number));
                    let mut counts = RuleCounts::default();
                    for part in alone.iter().flat_map(|alone| [&alone.create, &alone.update]) {
                        counts.merge(part);
                    }
                    rule.production = Some(counts);
                }
            }
        }
    }

    /// The exceptions that somebody has to do something about: stale and expired ones.
    pub fn due_exceptions(&self) -> impl Iterator<Item = &ExceptionEntry> {
        self.exceptions.iter().filter(|exception| exception.state.is_due())
    }
}

/// How much was compared beside live traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Production {
    /// Days (UTC) on which something was compared.
    pub days: u64,
    /// Servers that compared something.
    pub replicas: u64,
    /// Comparisons.
    pub comparisons: u64,
}

impl fmt::Display for Production {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { days, replicas, comparisons } = *self;
        let s = |number: u64| if number == 1 { "" } else { "s" };
        write!(f, "seen in production: {days} day{}, {replicas} replica{}, ", s(days), s(replicas))?;
        match comparisons {
            0..1_000_000 => write!(f, "{comparisons} comparison{}", s(comparisons)),
            // Cut off, so that it never says more than there was.
            _ => write!(f, "{}.{} M comparisons", comparisons / 1_000_000, comparisons / 100_000 % 10),
        }
    }
}

/// Inputs of one sort that no subject judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outside {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Where the first came from.
    pub first: String,
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

impl SubjectReport {
    /// The findings that are laid to a rule of one of its fields.
    pub fn laid_to<'s>(&'s self, field: &str, rule: &RuleReport) -> impl Iterator<Item = &'s FindingReport> + use<'s> {
        let name = format!("{field} {}", rule.rule);
        self.findings.iter().filter(move |finding| finding.is_laid_to(&name))
    }
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
    /// Its level, and since when.
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// The sorts of errors that it can make; empty for a rule that only steers, such as `optional`.
    #[serde(default)]
    pub reports: Vec<Check>,
    /// Whether a handwritten check reports the same.
    #[serde(default)]
    pub twin: Twin,
    /// File and line of the tag.
    pub source: Option<String>,
    /// Counts on create.
    pub create: RuleCounts,
    /// Counts on update.
    pub update: RuleCounts,
    /// What of both was seen beside live traffic; none where nothing was compared there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub production: Option<RuleCounts>,
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

/// Where a rule stands in its life.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// Its level.
    pub level: Level,
    /// The release since which it stands there, as its wrapper says.
    pub since: Option<String>,
}

/// Lifecycle level of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// In shadow.
    Alpha,
    /// Enforced, can be switched off.
    Beta,
    /// Enforced.
    #[default]
    Stable,
}

impl Level {
    /// The level as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        }
    }
}

/// Whether a rule has a twin: a handwritten check that reports the same type, path and origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Twin {
    /// Both sides reported the same in at least one case.
    Seen,
    /// They never did: the rule may be new, or was never exercised.
    #[default]
    Unseen,
    /// The rule makes no error that could have one.
    NotNeeded,
}

/// A sort of error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// API name of the error type.
    pub error_type: String,
    /// Path pattern.
    pub field: String,
    /// Origin; may be empty.
    pub origin: String,
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
    /// Faults that no case of this run could expose, with the reason: the endpoint drops the field, or findings cover them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Reasoned>,
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
    /// The smallest case that shows it, and what both sides say of it.
    #[serde(default)]
    pub case: Option<FindingCase>,
    /// The exception that excuses it, or did until it expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionReport>,
}

impl FindingReport {
    /// Whether the finding is laid to the rule with this path and label, such as `spec.replicas alpha minimum=0`.
    #[must_use]
    pub fn is_laid_to(&self, rule: &str) -> bool {
        // The names of rules hold commas themselves.
        let Some(all) = &self.rule else { return false };
        all.match_indices(rule).any(|(start, _)| {
            let before = all.get(..start).is_some_and(|before| before.is_empty() || before.ends_with(", "));
            let after = all.get(start + rule.len()..);
            before && after.is_some_and(|after| after.is_empty() || after.starts_with(", "))
        })
    }
}

/// The smallest case of a finding, and what both sides say of it. Texts of more than [`FindingCase::LONGEST_TEXT`] characters are
/// cut and say how long they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingCase {
    /// The signature in parts; none for a panic.
    pub signature: Option<Signature>,
    /// The case as the loader reads it: a document of kind `Case`.
    pub minimal: Value,
    /// What the handwritten side reports.
    pub reference: Vec<FieldError>,
    /// What the declarative side reports.
    pub candidate: Vec<FieldError>,
    /// Oracles that panicked.
    pub panics: Vec<Panic>,
}

impl FindingCase {
    /// Longest text of a case that a report keeps whole, in characters.
    pub const LONGEST_TEXT: usize = 4096;

    /// The case with long texts cut.
    #[must_use]
    pub fn cut(&self) -> Self {
        let text = |text: &str| shortened(text, Self::LONGEST_TEXT).into_owned();
        let errors = |errors: &[FieldError]| {
            errors
                .iter()
                .map(|error| FieldError {
                    field: text(&error.field),
                    origin: text(&error.origin).into(),
                    detail: text(&error.detail).into(),
                    bad_value: serde_json::from_value(cut(error.bad_value.to_json())).unwrap_or(BadValue::Null),
                    ..error.clone()
                })
                .collect()
        };
        Self {
            signature: self.signature.clone(),
            minimal: cut(self.minimal.clone()),
            reference: errors(&self.reference),
            candidate: errors(&self.candidate),
            panics: self
                .panics
                .iter()
                .map(|panic| Panic { message: text(&panic.message), place: text(&panic.place) })
                .collect(),
        }
    }
}

fn cut(value: Value) -> Value {
    let text = |text: String| match shortened(&text, FindingCase::LONGEST_TEXT) {
        Cow::Borrowed(_) => text,
        Cow::Owned(short) => short,
    };
    match value {
        Value::String(string) => Value::String(text(string)),
        Value::Array(items) => Value::Array(items.into_iter().map(cut).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (text(name), cut(value))).collect())
        }
        plain => plain,
    }
}

impl FindingReport {
    /// Whether an exception excuses it that has not expired.
    #[must_use]
    pub fn is_excused(&self) -> bool {
        self.exception.as_ref().is_some_and(|exception| !exception.expired)
    }
}

#[cfg(test)]
mod tests {
    use super::Production;

    #[test]
    fn production_is_told_in_a_line_that_never_says_more_than_was_seen() {
        for (days, replicas, comparisons, said) in [
            (1, 1, 1, "1 day, 1 replica, 1 comparison"),
            (2, 2, 999_999, "2 days, 2 replicas, 999999 comparisons"),
            (14, 3, 2_199_999, "14 days, 3 replicas, 2.1 M comparisons"),
            (90, 3, 12_000_000, "90 days, 3 replicas, 12.0 M comparisons"),
        ] {
            assert_eq!(Production { days, replicas, comparisons }.to_string(), format!("seen in production: {said}"));
        }
    }
}
