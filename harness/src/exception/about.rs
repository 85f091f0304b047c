//! What an exception excuses.

use super::fields::FieldPattern;
use crate::case::Operation;
use crate::compare::{Cause, Direction, Relation, Signature};
use crate::rule::RuleRef;
use crate::subject::{PairId, SubjectId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// The version that stands for every version of its group, in the subject of an exception: `autoscaling/*`, or `*` in the core
/// group.
const ANY_VERSION: &str = "*";

/// What an exception excuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum About {
    /// The findings of one signature.
    Finding(FindingEntry),
    /// Every finding with one cause in some fields.
    Cause(CauseEntry),
}

/// The findings of one signature that are attributed to the same rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingEntry {
    /// What is excused. The version of its subject may be `*`.
    pub signature: Signature,
    /// The rules that the finding is attributed to, all of them: `spec.replicas minimum=0`. None, when it is attributed to none.
    pub rules: BTreeSet<RuleRef>,
    /// How many signatures it stands for; 1 unless the version is `*`.
    pub signatures: usize,
}

/// Every finding with one cause in some fields, whatever rules it is attributed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CauseEntry {
    /// The cause.
    pub cause: Cause,
    /// The pair. The version of its subject may be `*`.
    pub pair: PairId,
    /// The fields.
    pub fields: FieldPattern,
    /// Under which operation; any, if none.
    pub operation: Option<Operation>,
    /// How the value relates to the stored object; in any way, if none.
    pub relation: Option<Relation>,
    /// Which side is alone; either, if none.
    pub direction: Option<Direction>,
}

impl About {
    /// The pair; the version of its subject may be `*`.
    #[must_use]
    pub fn pair(&self) -> &PairId {
        match self {
            Self::Finding(entry) => &entry.signature.pair,
            Self::Cause(entry) => &entry.pair,
        }
    }

    /// Under which operation; any, if none.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        match self {
            Self::Finding(entry) => Some(entry.signature.operation),
            Self::Cause(entry) => entry.operation,
        }
    }

    /// Which side is alone; either, if none.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        match self {
            Self::Finding(entry) => Some(entry.signature.direction),
            Self::Cause(entry) => entry.direction,
        }
    }

    /// The rules that its findings have to be attributed to; none if that does not matter, or if they are attributed to none.
    pub fn rules(&self) -> impl Iterator<Item = &RuleRef> {
        let rules = match self {
            Self::Finding(entry) => Some(&entry.rules),
            Self::Cause(_) => None,
        };
        rules.into_iter().flatten()
    }

    /// How many findings it has to be about; any number but none, if none.
    #[must_use]
    pub fn signatures(&self) -> Option<usize> {
        match self {
            Self::Finding(entry) => Some(entry.signatures),
            Self::Cause(_) => None,
        }
    }

    /// Whether its subject is any version of a kind.
    #[must_use]
    pub fn is_open(&self) -> bool {
        group_if_open(&self.pair().subject).is_some()
    }

    /// Whether it is about the pair.
    #[must_use]
    pub fn concerns(&self, pair: &PairId) -> bool {
        let (own, subject) = (&self.pair().subject, &pair.subject);
        if self.pair().name != pair.name || own.kind != subject.kind || own.subresource != subject.subresource {
            return false;
        }
        match group_if_open(own) {
            Some(group) => group == group_of(subject),
            None => own.api_version == subject.api_version,
        }
    }

    /// Whether it is about a finding of this signature, attributed to these rules.
    #[must_use]
    pub fn covers(&self, signature: &Signature, rules: impl FnOnce() -> BTreeSet<RuleRef>) -> bool {
        self.concerns(&signature.pair)
            && match self {
                Self::Finding(entry) => entry.signature.is_like(signature) && entry.rules == rules(),
                Self::Cause(entry) => entry.is_about(signature),
            }
    }

    /// Whether it could be about a finding that another one is about, too.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let subjects = self.concerns(other.pair()) || other.concerns(self.pair());
        subjects
            && match (self, other) {
                (Self::Finding(one), Self::Finding(other)) => {
                    one.signature.is_like(&other.signature) && one.rules == other.rules
                }
                (Self::Finding(one), Self::Cause(other)) | (Self::Cause(other), Self::Finding(one)) => {
                    other.is_about(&one.signature)
                }
                (Self::Cause(one), Self::Cause(other)) => one.overlaps(other),
            }
    }
}

impl CauseEntry {
    fn is_about(&self, signature: &Signature) -> bool {
        signature.cause == Some(self.cause)
            && self.operation.is_none_or(|operation| operation == signature.operation)
            && self.relation.is_none_or(|relation| relation == signature.relation)
            && self.direction.is_none_or(|direction| direction == signature.direction)
            && self.fields.covers(&signature.path)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.cause == other.cause
            && meet(self.operation, other.operation)
            && meet(self.relation, other.relation)
            && meet(self.direction, other.direction)
            && self.fields.overlaps(&other.fields)
    }
}

fn meet<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Prints a signature as it is, and a pattern as `apps/* Web ratchets in spec.** (update, missing)`.
impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CauseEntry { cause, pair, fields, operation, relation, direction } = match self {
            Self::Finding(entry) => return entry.signature.fmt(f),
            Self::Cause(entry) => entry,
        };
        write!(f, "{pair} {cause} in {fields}")?;
        let only = [
            operation.map(|operation| operation.to_string()),
            relation.map(|relation| relation.to_string()),
            direction.map(|direction| direction.to_string()),
        ];
        let only: Vec<String> = only.into_iter().flatten().collect();
        if only.is_empty() { Ok(()) } else { write!(f, " ({})", only.join(", ")) }
    }
}

/// The same pair with its version left open.
#[must_use]
pub fn any_version(pair: &PairId) -> PairId {
    let subject = &pair.subject;
    let open = match subject.api_version.rsplit_once('/') {
        Some((group, _)) => format!("{group}/{ANY_VERSION}"),
        None => ANY_VERSION.to_owned(),
    };
    PairId { subject: SubjectId { api_version: open, ..subject.clone() }, name: pair.name.clone() }
}

/// The group of a subject whose version is left open; empty for the core group.
fn group_if_open(subject: &SubjectId) -> Option<&str> {
    match subject.api_version.rsplit_once('/') {
        Some((group, ANY_VERSION)) => Some(group),
        None if subject.api_version == ANY_VERSION => Some(""),
        _ => None,
    }
}

fn group_of(subject: &SubjectId) -> &str {
    subject.api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::{About, CauseEntry, FindingEntry};
    use crate::case::Operation;
    use crate::compare::{Cause, Direction, Relation, Signature};
    use crate::rule::RuleRef;
    use std::collections::BTreeSet;

    fn rules(names: &[&str]) -> BTreeSet<RuleRef> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn finding(signature: &str, names: &[&str]) -> About {
        About::Finding(FindingEntry { signature: signature.parse().unwrap(), rules: rules(names), signatures: 1 })
    }

    fn pattern(subject: &str, fields: &str) -> CauseEntry {
        let like: Signature = format!("{subject} update kept missing ratchets FieldValueInvalid a -").parse().unwrap();
        CauseEntry {
            cause: Cause::Ratchets,
            pair: like.pair,
            fields: fields.parse().unwrap(),
            operation: None,
            relation: None,
            direction: None,
        }
    }

    #[test]
    fn nothing_but_the_version_can_be_left_open() {
        let own = rules(&["spec.replicas minimum=0"]);
        let found = "apps/v1 Web update kept missing ratchets FieldValueInvalid spec.replicas minimum";
        for (excused, covered) in [
            (found, true),
            ("apps/* Web update kept missing ratchets FieldValueInvalid spec.replicas minimum", true),
            ("* Web update kept missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("*/* Web update kept missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/v2 Web update kept missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/v1 Web#other update kept missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/v1 Web/scale update kept missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web create kept missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update changed missing ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update kept extra ratchets FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update kept missing reports-less FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update kept missing - FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update kept missing ratchets FieldValueRequired spec.replicas minimum", false),
            ("apps/* Web update kept missing ratchets FieldValueInvalid spec.* minimum", false),
            ("apps/* Web update kept missing ratchets FieldValueInvalid spec.replicas *", false),
        ] {
            let about = finding(excused, &["spec.replicas minimum=0"]);
            assert_eq!(about.covers(&found.parse().unwrap(), || own.clone()), covered, "{excused}");
        }
    }

    #[test]
    fn a_finding_that_is_laid_to_other_rules_is_another_one() {
        let found = "v1 Web update kept missing ratchets FieldValueInvalid spec.replicas minimum";
        let about = finding(found, &["spec.replicas minimum=0"]);
        let signature = found.parse().unwrap();
        assert!(!about.covers(&signature, || rules(&["spec.replicas minimum=1"])));
        assert!(!about.covers(&signature, || rules(&["spec.replicas minimum=0", "spec.replicas minimum=1"])));
        assert!(!about.covers(&signature, || rules(&[])));
    }

    #[test]
    fn a_pattern_is_about_one_cause_in_its_fields_whatever_the_rule() {
        let found = "apps/v1 Web update kept missing ratchets FieldValueInvalid spec.replicas minimum";
        let of = |subject: &str, fields: &str| pattern(subject, fields);
        for (entry, covered) in [
            (of("apps/* Web", "spec.**"), true),
            (of("apps/v1 Web", "**"), true),
            (of("apps/v1 Web", "status.**"), false),
            (of("apps/v2 Web", "spec.**"), false),
            (of("apps/* Web/scale", "spec.**"), false),
            (CauseEntry { cause: Cause::ReportsLess, ..of("apps/* Web", "spec.**") }, false),
            (CauseEntry { operation: Some(Operation::Update), ..of("apps/* Web", "spec.**") }, true),
            (CauseEntry { operation: Some(Operation::Create), ..of("apps/* Web", "spec.**") }, false),
            (CauseEntry { relation: Some(Relation::New), ..of("apps/* Web", "spec.**") }, false),
            (CauseEntry { direction: Some(Direction::Extra), ..of("apps/* Web", "spec.**") }, false),
        ] {
            let about = About::Cause(entry);
            assert_eq!(about.covers(&found.parse().unwrap(), || rules(&["a b"])), covered, "{about}");
            let other = finding(found, &["spec.replicas minimum=0"]);
            assert_eq!((about.overlaps(&other), other.overlaps(&about)), (covered, covered), "{about}");
        }
    }

    #[test]
    fn patterns_overlap_where_a_finding_could_be_of_both() {
        let own = CauseEntry { direction: Some(Direction::Missing), ..pattern("apps/* Web", "spec.**") };
        for (other, overlaps) in [
            (pattern("apps/v1 Web", "**.replicas"), true),
            (pattern("apps/v1 Web", "status.**"), false),
            (CauseEntry { cause: Cause::Stopped, ..own.clone() }, false),
            (CauseEntry { direction: Some(Direction::Extra), ..own.clone() }, false),
            (CauseEntry { operation: Some(Operation::Create), ..own.clone() }, true),
            (pattern("apps/v1 Web/scale", "spec.**"), false),
        ] {
            let (own, other) = (About::Cause(own.clone()), About::Cause(other));
            assert_eq!((own.overlaps(&other), other.overlaps(&own)), (overlaps, overlaps), "{other}");
        }
    }

    #[test]
    fn a_pattern_is_printed_with_what_it_leaves_out() {
        let entry = pattern("apps/* Web", "spec.**");
        assert_eq!(About::Cause(entry.clone()).to_string(), "apps/* Web ratchets in spec.**");
        let entry = CauseEntry { operation: Some(Operation::Update), relation: Some(Relation::Kept), ..entry };
        assert_eq!(About::Cause(entry).to_string(), "apps/* Web ratchets in spec.** (update, kept)");
    }
}
