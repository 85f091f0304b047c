//! The result of a validation. Its JSON form is described in `docs/validate.md`: fields are only ever added within a format
//! version.

use crate::run::{CaseDifference, Level};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use takeover_harness::authority::AuthorityPolicy;
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::error::FieldError;
use takeover_harness::pair::Delegated;
use takeover_harness::rule::{Rule, RuleRef, Source};
use takeover_harness::side::Side;

/// Everything that was validated.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationReport {
    /// Version of the JSON form.
    pub format_version: u32,
    /// Policy and gates.
    pub authority: AuthorityPolicy,
    /// Validated objects, in the order of the inputs.
    pub objects: Vec<ValidatedObject>,
    /// What could not be validated.
    pub problems: Vec<Problem>,
    /// What judged each subject.
    pub subjects: BTreeMap<String, JudgedBy>,
    /// The known kinds, when one was not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_kinds: Vec<String>,
    /// How many objects came out how.
    pub totals: ValidationTotals,
    /// Recorded requests that there was nothing to validate of, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
    /// Errors of all objects.
    #[serde(skip)]
    errors: usize,
}

/// Most errors of one object in a report.
const MOST_ERRORS_OF_AN_OBJECT: usize = 1_000;

/// Most errors in a report.
const MOST_ERRORS: usize = 100_000;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many objects came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationTotals {
    /// Objects that were validated.
    pub objects: usize,
    /// Objects without an error that counts.
    pub valid: usize,
    /// Objects with one.
    pub invalid: usize,
    /// Objects that are not one of their type.
    pub undecodable: usize,
    /// Things that could not be validated.
    pub problems: usize,
}

/// What judged a subject.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedBy {
    /// Whether there is a handwritten side.
    pub reference: bool,
    /// Whether it was judged by a CRD alone, as an API server judges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crd: bool,
    /// Number of declarative rules.
    pub rules: usize,
    /// Parts that the handwritten side leaves unjudged.
    pub unjudged: Vec<Delegated>,
}

/// One object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedObject {
    /// Where it came from.
    pub source: Provenance,
    /// Version, kind and subresource, or Go type.
    pub subject: String,
    /// Kind.
    pub kind: String,
    /// Its name; empty when it has none.
    pub name: String,
    /// Its namespace; empty when it has none.
    pub namespace: String,
    /// Whether it is created or replaces another.
    pub operation: Operation,
    /// How it came out.
    pub result: Validity,
    /// Why it is undecodable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecodable: Option<Undecoded>,
    /// The errors of both sides, the handwritten first.
    pub errors: Vec<Complaint>,
    /// Errors that are not among them, because they are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors_left_out: u64,
    /// Values that differ between the objects that the two sides of a pair make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<CaseDifference>,
    /// What a server warns the user of, where it is judged by its CRD: unknown fields, which are dropped, and rules that do not hold on
    /// values that did not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How an object came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Validity {
    /// No error counts.
    Valid,
    /// An error counts.
    Invalid,
    /// It is not one of its type.
    Undecodable,
}

/// Why an object is none of its type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Undecoded {
    /// Whether it is the old object that does not decode.
    pub old_object: bool,
    /// Path of the value at fault.
    pub field: String,
    /// Sort of fault.
    pub reason: String,
    /// The fault itself.
    pub detail: String,
}

/// One error of one side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Complaint {
    /// Which side says so.
    pub side: Side,
    /// The error as Kubernetes prints it.
    pub message: String,
    /// The error in parts.
    #[serde(flatten)]
    pub error: FieldError,
    /// For the declarative side, the rule that made it; for the handwritten side, the rules that say they report the same.
    pub rules: Vec<RuleNote>,
    /// Whether the user gets it under the policy.
    pub enforced: bool,
    /// Why it is enforced, or not.
    pub standing: Enforcement,
    /// Whether it makes the object invalid: it is enforced, or no handwritten side judges the field, whose verdict an enforced
    /// error would be.
    pub decisive: bool,
    /// How the value relates to the stored object, and why only this side reports the error; none where both do, or nobody found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// Why the user gets an error or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Enforcement {
    /// The user gets it.
    Enforced,
    /// The rule is alpha.
    AlphaRule,
    /// The rule is beta, and the gate for beta rules is off.
    BetaGateOff,
    /// Declarative rules run in the shadow of handwritten checks.
    TakeoverGateOff,
    /// Declarative rules do not run.
    DeclarativeGateOff,
    /// A declarative error takes the place of this handwritten one.
    GivesWay,
    /// The handwritten side said the same before.
    Repeated,
    /// It comes from the reference of a described pair, which decides.
    Decides,
    /// It comes from the candidate of a described pair, which decides nothing yet.
    DecidesNothing,
    /// It comes from a CRD that judges alone.
    Served,
}

impl Enforcement {
    /// Whether reference and candidate are whatever the user described, rather than handwritten checks and declarative rules.
    pub(super) fn is_of_a_described_pair(self) -> bool {
        matches!(self, Self::Decides | Self::DecidesNothing)
    }
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleNote {
    /// Which rule.
    #[serde(flatten)]
    pub rule: RuleRef,
    /// `alpha`, `beta` or `stable`.
    pub level: Level,
    /// The release since which it stands at that level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// File and line of the tag.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub source: Option<Source>,
}

impl From<&Rule> for RuleNote {
    fn from(rule: &Rule) -> Self {
        Self {
            rule: RuleRef { path: rule.path.clone(), chain: rule.chain.clone() },
            level: rule.stability.into(),
            since: rule.since.clone(),
            source: rule.source.clone(),
        }
    }
}

/// `file:line`; the form of this version has it as a text.
fn as_text<S: Serializer>(source: &Option<Source>, serializer: S) -> Result<S::Ok, S::Error> {
    match source {
        Some(source) => serializer.collect_str(source),
        None => serializer.serialize_none(),
    }
}

/// Something that could not be validated.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Sort of problem.
    pub kind: ProblemKind,
    /// The file it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// Sorts of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProblemKind {
    /// A file or document cannot be read.
    Unreadable,
    /// No object in any of the inputs.
    NothingFound,
    /// Flags and objects do not go together.
    Usage,
    /// No types are known for the kind.
    UnknownKind,
    /// Whoever judges failed.
    Failed,
    /// The kind is known, and nothing judges its objects.
    NothingJudges,
}

impl Problem {
    /// A problem with what came from there.
    #[must_use]
    pub fn at(kind: ProblemKind, provenance: &Provenance, message: String) -> Self {
        match provenance {
            Provenance::File { path, line, .. } | Provenance::Request { path, line, .. } => {
                Self { kind, file: Some(path.clone()), line: Some(*line), message }
            }
            other => Self { kind, file: Some(other.to_string()), line: None, message },
        }
    }

    /// A problem with no place in a file.
    #[must_use]
    pub fn without_place(kind: ProblemKind, message: String) -> Self {
        Self { kind, file: None, line: None, message }
    }
}

impl ValidationReport {
    /// Nothing yet, for this policy.
    #[must_use]
    pub fn new(authority: AuthorityPolicy) -> Self {
        Self {
            format_version: 1,
            authority,
            objects: Vec::new(),
            problems: Vec::new(),
            subjects: BTreeMap::new(),
            known_kinds: Vec::new(),
            totals: ValidationTotals::default(),
            skipped: BTreeMap::new(),
            errors: 0,
        }
    }

    /// Adds an object and counts it. Its errors beyond those that a report holds are counted alone.
    pub fn add(&mut self, mut object: ValidatedObject) {
        let room = MOST_ERRORS.saturating_sub(self.errors).min(MOST_ERRORS_OF_AN_OBJECT);
        object.errors_left_out += object.errors.len().saturating_sub(room) as u64;
        object.errors.truncate(room);
        object.errors.shrink_to_fit();
        self.errors += object.errors.len();
        self.totals.objects += 1;
        match object.result {
            Validity::Valid => self.totals.valid += 1,
            Validity::Invalid => self.totals.invalid += 1,
            Validity::Undecodable => self.totals.undecodable += 1,
        }
        self.objects.push(object);
    }

    /// Counts the problems, once all are there.
    pub fn finish(&mut self) {
        self.totals.problems = self.problems.len();
    }
}
