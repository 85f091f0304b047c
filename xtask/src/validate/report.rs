//! The result of a validation. Its JSON form is described in `docs/validate.md`: fields are only ever added within a format
//! version.

use crate::exit_code::Exit;
use serde::Serialize;
use std::collections::BTreeMap;
use takeover_corpora::requests::Skip;
use takeover_engine::target::Target;
use takeover_harness::authority::Policy;
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::error::FieldError;
use takeover_harness::rule::Rule;
use takeover_harness::subject::{Delegated, Side};

/// Everything that was validated.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    format_version: u32,
    /// Policy and gates.
    pub(super) authority: Policy,
    /// Validated objects, in the order of the inputs.
    pub(super) objects: Vec<Object>,
    /// What could not be validated.
    pub(super) problems: Vec<Problem>,
    /// What judged each subject.
    pub(super) subjects: BTreeMap<String, SubjectNote>,
    /// The known kinds, when one was not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) known_kinds: Vec<String>,
    pub(super) totals: Totals,
    /// Recorded requests that there was nothing to validate of, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) skipped: BTreeMap<String, u64>,
}

/// How many objects came out how.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Totals {
    pub(super) objects: usize,
    pub(super) valid: usize,
    pub(super) invalid: usize,
    pub(super) undecodable: usize,
    pub(super) problems: usize,
}

/// What judged a subject.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubjectNote {
    /// Whether there is a handwritten side.
    pub(super) reference: bool,
    /// Number of declarative rules.
    pub(super) rules: usize,
    /// Parts that the handwritten side leaves unjudged.
    pub(super) unjudged: Vec<Delegated>,
}

/// One object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Object {
    /// Where it came from.
    pub(super) source: Provenance,
    /// Version, kind and subresource, or Go type.
    pub(super) subject: String,
    /// Kind.
    pub(super) kind: String,
    /// Its name; empty when it has none.
    pub(super) name: String,
    /// Its namespace; empty when it has none.
    pub(super) namespace: String,
    pub(super) operation: Operation,
    pub(super) result: Outcome,
    /// Why it is undecodable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undecodable: Option<Undecoded>,
    /// The errors of both sides, the handwritten first.
    pub(super) errors: Vec<Complaint>,
}

/// How an object came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Outcome {
    Valid,
    Invalid,
    Undecodable,
}

/// Why an object is none of its type.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Undecoded {
    /// Whether it is the old object that does not decode.
    pub(super) old_object: bool,
    pub(super) field: String,
    pub(super) reason: String,
    pub(super) detail: String,
}

/// One error of one side.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Complaint {
    pub(super) side: Side,
    /// The error as Kubernetes prints it.
    pub(super) message: String,
    #[serde(flatten)]
    pub(super) error: FieldError,
    /// For the declarative side, the rule that made it; for the handwritten side, the rules that say they report the same.
    pub(super) rules: Vec<RuleNote>,
    /// Whether the user gets it under the policy.
    pub(super) enforced: bool,
    pub(super) standing: Standing,
    /// Whether it makes the object invalid: it is enforced, or no handwritten side judges the field, whose verdict an enforced
    /// error would be.
    pub(super) decisive: bool,
}

/// Why the user gets an error or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Standing {
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
}

/// A rule.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleNote {
    /// Path of the value under test.
    pub(super) path: String,
    /// The tag chain without lifecycle wrapper.
    pub(super) chain: String,
    /// `alpha`, `beta` or `standard`.
    pub(super) level: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    /// File and line of the tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
}

impl From<&Rule> for RuleNote {
    fn from(rule: &Rule) -> Self {
        Self {
            path: rule.path.clone(),
            chain: rule.chain.clone(),
            level: rule.stability.map_or("standard".to_owned(), |level| level.to_string()),
            since: rule.since.clone(),
            source: rule.source.clone(),
        }
    }
}

/// Something that could not be validated.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Problem {
    pub(super) kind: ProblemKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u64>,
    pub(super) message: String,
}

/// Sorts of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ProblemKind {
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
}

impl Problem {
    pub(super) fn at(kind: ProblemKind, provenance: &Provenance, message: String) -> Self {
        match provenance {
            Provenance::File { path, line, .. } | Provenance::Request { path, line, .. } => {
                Self { kind, file: Some(path.clone()), line: Some(*line), message }
            }
            other => Self { kind, file: Some(other.to_string()), line: None, message },
        }
    }

    pub(super) fn without_place(kind: ProblemKind, message: String) -> Self {
        Self { kind, file: None, line: None, message }
    }
}

impl Report {
    pub(super) fn new(authority: Policy) -> Self {
        Self {
            format_version: 1,
            authority,
            objects: Vec::new(),
            problems: Vec::new(),
            subjects: BTreeMap::new(),
            known_kinds: Vec::new(),
            totals: Totals::default(),
            skipped: BTreeMap::new(),
        }
    }

    /// Notes what judges a subject.
    pub(super) fn describe(&mut self, target: &Target) {
        self.subjects.entry(target.name.clone()).or_insert_with(|| SubjectNote {
            reference: target.reference().is_some(),
            rules: target.rules.len(),
            unjudged: target.delegated.clone(),
        });
    }

    /// Counts a request that there is nothing to validate of.
    pub(super) fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip.to_string()).or_default() += 1;
    }

    pub(super) fn add(&mut self, object: Object) {
        self.totals.objects += 1;
        match object.result {
            Outcome::Valid => self.totals.valid += 1,
            Outcome::Invalid => self.totals.invalid += 1,
            Outcome::Undecodable => self.totals.undecodable += 1,
        }
        self.objects.push(object);
    }

    pub(super) fn finish(&mut self) {
        self.totals.problems = self.problems.len();
    }

    /// How the command ends. Nothing validated is told from wrong usage: only inputs without known objects are the former.
    pub fn exit(&self) -> Exit {
        let nothing = |problem: &Problem| matches!(problem.kind, ProblemKind::NothingFound | ProblemKind::UnknownKind);
        if self.objects.is_empty() && self.problems.iter().all(nothing) {
            Exit::NothingCompared
        } else if !self.problems.is_empty() {
            Exit::Usage
        } else if self.totals.valid < self.totals.objects {
            Exit::Findings
        } else {
            Exit::Ready
        }
    }
}
