//! One finding of a run, with its smallest case.

use super::exceptions::ExceptionReport;
use super::rule::{Check, LevelledRule};
use super::standing::FindingStanding;
use crate::text::{shortened, shown};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::compare::{
    Cause, ComparedBy, Difference, DifferenceKind, Direction, Matter, Relation, Signature, What,
};
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::judge::{ObservedCheck, Panic};
use takeover_harness::path::pattern;
use takeover_harness::readiness::decision;
use takeover_harness::rule::Source;

/// All disagreements of one signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// Number in the run, from 1; names its files.
    pub number: usize,
    /// Pair, operation, direction, what differs, path pattern and origin; for a panic, which oracle.
    pub signature: String,
    /// In how many cases.
    pub count: u64,
    /// Why the sides differ; none for a panic, and where nobody looked for the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How the value relates to the stored object; none for a panic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// In how many of the cases the outcome changes for the user; in the others, only the words.
    #[serde(default)]
    pub deciding: u64,
    /// What the sides were compared in.
    #[serde(default, skip_serializing_if = "Matter::is_of_errors")]
    pub matter: Matter,
    /// In how many cases the value is of each sort: `unset`, `text`, …
    #[serde(default)]
    pub classes: BTreeMap<String, u64>,
    /// The errors of the silent side that stop it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped_by: Vec<Check>,
    /// How it stands.
    #[serde(default)]
    pub standing: FindingStanding,
    /// What the cause means here, in a sentence; empty when one side simply reports what the other does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// What would make the difference go; empty for a panic.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
    /// The flag of `soak` that shows what the run would say if the error of the handwritten check were marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<String>,
    /// What the schema of a CRD could say to make the difference go; empty where that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggestion: String,
    /// The rules that it is attributed to, in catalogue order.
    pub rules: Vec<LevelledRule>,
    /// Where a CRD says what differs, or is to say it: in what it was generated from, if that is known, then in its manifest. Empty for
    /// other candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Source>,
    /// Where the first case came from.
    pub first: String,
    /// Lines of YAML of the minimal object.
    pub minimal_lines: Option<usize>,
    /// The file with the minimal case and what both sides say of it.
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
    /// How it stands.
    #[must_use]
    pub fn standing(&self) -> &FindingStanding {
        if self.is_excused() { &FindingStanding::Excused } else { &self.standing }
    }

    /// Whether the run fails for it: neither an exception, the policy nor another finding accounts for it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.standing().fails_the_run()
    }

    /// Whether another finding brings it along.
    #[must_use]
    pub fn is_brought_along(&self) -> bool {
        matches!(self.standing(), FindingStanding::BroughtAlong { .. })
    }

    /// What forms say below a finding: the cause with what to do, and how it stands; each printable and of bounded length.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        let advice = self.cause.is_some().then(|| shown(&self.advice()));
        advice.into_iter().chain(self.standing().said().map(|said| shown(&said)))
    }

    /// Says who or what accounts for it, so that no run fails for it; none when a run does.
    pub(crate) fn decided(&self) -> Option<String> {
        let excuse = self.exception.as_ref().filter(|exception| !exception.expired).map(ExceptionReport::said);
        let decided = || self.standing().said().filter(|_| !self.is_open()).map(|said| shown(&said));
        excuse.or_else(decided)
    }

    /// The signature in parts; none for a panic.
    #[must_use]
    pub fn parts(&self) -> Option<Signature> {
        let of_case = self.case.as_ref().and_then(|case| case.signature.clone());
        of_case.or_else(|| self.signature.parse().ok())
    }

    /// Says what the cause means, whether the user notices, and what to do; empty for a panic.
    #[must_use]
    pub fn advice(&self) -> String {
        let Some(cause) = self.cause else { return self.remedy.clone() };
        let why = if self.why.is_empty() { String::new() } else { format!(": {}", self.why) };
        let trial = self.trial.as_ref().map_or_else(String::new, |flag| format!("; try it with `{flag}`"));
        let suggested = match self.suggestion.as_str() {
            "" => String::new(),
            line => format!("; suggest: {line}"),
        };
        format!("{cause}{why}; {}; {}{trial}{suggested}", decision(self.matter, self.count, self.deciding), self.remedy)
    }

    /// Whether both sides refuse the value, only in other words: neither lacks a check.
    pub(super) fn is_refused_otherwise(&self) -> bool {
        matches!(self.cause, Some(Cause::OtherType | Cause::OtherPlace))
    }

    /// The shapes of the messages of the candidate's errors in its smallest case.
    pub(super) fn candidate_says(&self) -> BTreeSet<String> {
        let Some(of) = self.parts() else { return BTreeSet::new() };
        let errors = self.case.iter().flat_map(|case| &case.candidate).map(ObservedCheck::of);
        let is_it = |error: &ObservedCheck| error.is_of(&of.path, &of.kind);
        errors.filter(is_it).map(|error| error.message).collect()
    }

    /// Whether an exception excuses it that has not expired.
    #[must_use]
    pub fn is_excused(&self) -> bool {
        self.exception.as_ref().is_some_and(|exception| !exception.expired)
    }

    /// The rules that it is attributed to, in one line; none without any.
    #[must_use]
    pub fn attribution(&self) -> Option<String> {
        let rules: Vec<String> = self.rules.iter().map(ToString::to_string).collect();
        (!rules.is_empty()).then(|| rules.join(", "))
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
    /// How the answers were compared; none for the usual comparison, by the release of Kubernetes that the report names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_by: Option<ComparedBy>,
    /// The errors that the reference reports.
    pub reference: Vec<FieldError>,
    /// The errors that the candidate reports.
    pub candidate: Vec<FieldError>,
    /// The decisions and values that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<CaseDifference>,
    /// Oracles that panicked.
    pub panics: Vec<Panic>,
}

/// A decision or a value on which the two sides differ in a case. Differing errors are in the two lists of errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "camelCase")]
pub enum CaseDifference {
    /// Only one side accepts the object.
    Decision {
        /// Missing when the reference rejects it, extra when the candidate does.
        direction: Direction,
        /// The field that the reason names; empty where it names none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        field: String,
        /// Why that side rejects it.
        reason: String,
        /// The reason without its values; empty where none is known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        shape: String,
    },
    /// A value of the objects that the two sides make.
    Value {
        /// Which side sets it, or that both do.
        direction: Direction,
        /// Where, printed as the field of an error.
        path: String,
        /// What the reference has there; none when it is unset.
        #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
        reference: Option<Value>,
        /// What the candidate has there; none when it is unset.
        #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
        candidate: Option<Value>,
    },
}

impl CaseDifference {
    /// Returns the difference; none if it is one of errors.
    #[must_use]
    pub fn of(difference: &Difference) -> Option<Self> {
        let direction = difference.direction;
        match &difference.what {
            What::Error(_) => None,
            What::Decision { field, reason, shape } => Some(Self::Decision {
                direction,
                field: if field == "<nil>" { String::new() } else { field.clone() },
                reason: reason.clone(),
                shape: shape.clone(),
            }),
            What::Value { path, reference, candidate } => Some(Self::Value {
                direction,
                path: path.clone(),
                reference: reference.clone(),
                candidate: candidate.clone(),
            }),
        }
    }

    /// Whether findings with this signature are about it.
    #[must_use]
    pub fn is_of(&self, signature: &Signature) -> bool {
        match self {
            Self::Decision { direction, field, shape, .. } => {
                matches!(&signature.kind, DifferenceKind::Decision { shape: of } if shape.is_empty() || of == shape)
                    && signature.direction == *direction
                    && (field.is_empty() || signature.path == pattern(field))
            }
            Self::Value { direction, path, .. } => {
                signature.kind == DifferenceKind::Value
                    && signature.direction == *direction
                    && signature.path == pattern(path)
            }
        }
    }

    fn cut(&self) -> Self {
        match self.clone() {
            Self::Decision { direction, field, reason, shape } => {
                Self::Decision { direction, field: cut_text(field), reason: cut_text(reason), shape }
            }
            Self::Value { direction, path, reference, candidate } => Self::Value {
                direction,
                path: cut_text(path),
                reference: reference.map(cut),
                candidate: candidate.map(cut),
            },
        }
    }
}

/// Reads a value that is present; `null` counts as a value.
fn set<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
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
            compared_by: self.compared_by,
            minimal: cut(self.minimal.clone()),
            reference: errors(&self.reference),
            candidate: errors(&self.candidate),
            differences: self.differences.iter().map(CaseDifference::cut).collect(),
            panics: self
                .panics
                .iter()
                .map(|panic| Panic { message: text(&panic.message), place: text(&panic.place) })
                .collect(),
        }
    }
}

fn cut_text(text: String) -> String {
    match shortened(&text, FindingCase::LONGEST_TEXT) {
        Cow::Borrowed(_) => text,
        Cow::Owned(short) => short,
    }
}

fn cut(value: Value) -> Value {
    match value {
        Value::String(string) => Value::String(cut_text(string)),
        Value::Array(items) => Value::Array(items.into_iter().map(cut).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (cut_text(name), cut(value))).collect())
        }
        plain => plain,
    }
}
