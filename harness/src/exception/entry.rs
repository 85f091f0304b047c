//! One exception.

use crate::compare::Signature;
use crate::rule::RuleRef;
use crate::subject::{PairId, SubjectId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The version that stands for every version of its group, in the subject of an exception: `autoscaling/*`, or `*` in the core
/// group.
const ANY_VERSION: &str = "*";

/// An exception as people name it: by its place in the file, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExceptionId(pub usize);

/// A finding that is excused until a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exception {
    /// What is excused. The version of its subject may be `*`.
    pub signature: Signature,
    /// The rules that the finding is laid to, all of them: `spec.replicas minimum=0`. None, when it is laid to none.
    pub rules: BTreeSet<RuleRef>,
    /// How many signatures it stands for; 1 unless the version is `*`.
    pub signatures: usize,
    /// Why the two sides may differ.
    pub reason: String,
    /// Who sees to it.
    pub owner: String,
    /// Where it is discussed.
    pub issue: String,
    /// The last day on which it excuses anything.
    pub expires: Date,
    /// Line of the file that it was read from.
    pub line: usize,
}

impl Exception {
    /// Whether its subject is any version of a kind.
    #[must_use]
    pub fn is_open(&self) -> bool {
        group_if_open(&self.signature.pair.subject).is_some()
    }

    /// Whether it is about the pair.
    #[must_use]
    pub fn concerns(&self, pair: &PairId) -> bool {
        let (own, subject) = (&self.signature.pair.subject, &pair.subject);
        if self.signature.pair.name != pair.name || own.kind != subject.kind || own.subresource != subject.subresource {
            return false;
        }
        match group_if_open(own) {
            Some(group) => group == group_of(subject),
            None => own.api_version == subject.api_version,
        }
    }

    /// Whether it is about a finding of this signature, laid to these rules.
    #[must_use]
    pub fn covers(&self, signature: &Signature, rules: &BTreeSet<RuleRef>) -> bool {
        self.concerns(&signature.pair) && self.signature.is_like(signature) && self.rules == *rules
    }

    /// Whether it could be about a finding that another one is about, too.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let subjects = self.concerns(&other.signature.pair) || other.concerns(&self.signature.pair);
        subjects && self.signature.is_like(&other.signature) && self.rules == other.rules
    }

    /// Whether it excuses nothing any more on this day.
    #[must_use]
    pub fn is_expired(&self, today: Date) -> bool {
        today > self.expires
    }
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
    use super::Exception;
    use crate::rule::RuleRef;
    use jiff::civil::date;
    use std::collections::BTreeSet;

    fn exception(signature: &str, rules: &[&str]) -> Exception {
        Exception {
            signature: signature.parse().unwrap(),
            rules: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
            signatures: 1,
            reason: "r".into(),
            owner: "o".into(),
            issue: "i".into(),
            expires: date(2027, 1, 31),
            line: 1,
        }
    }

    #[test]
    fn nothing_but_the_version_can_be_left_open() {
        let rules = BTreeSet::from(["spec.replicas minimum=0".parse().unwrap()]);
        let finding = "apps/v1 Web update missing FieldValueInvalid spec.replicas minimum";
        for (excused, covered) in [
            (finding, true),
            ("apps/* Web update missing FieldValueInvalid spec.replicas minimum", true),
            ("* Web update missing FieldValueInvalid spec.replicas minimum", false),
            ("*/* Web update missing FieldValueInvalid spec.replicas minimum", false),
            ("apps/v2 Web update missing FieldValueInvalid spec.replicas minimum", false),
            ("apps/v1 Web#other update missing FieldValueInvalid spec.replicas minimum", false),
            ("apps/v1 Web/scale update missing FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web create missing FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update extra FieldValueInvalid spec.replicas minimum", false),
            ("apps/* Web update missing FieldValueRequired spec.replicas minimum", false),
            ("apps/* Web update missing FieldValueInvalid spec.* minimum", false),
            ("apps/* Web update missing FieldValueInvalid spec.replicas *", false),
        ] {
            let covers = exception(excused, &["spec.replicas minimum=0"]).covers(&finding.parse().unwrap(), &rules);
            assert_eq!(covers, covered, "{excused}");
        }
    }

    #[test]
    fn a_finding_that_is_laid_to_other_rules_is_another_one() {
        let finding = "v1 Web update missing FieldValueInvalid spec.replicas minimum";
        let rules = |names: &[&str]| -> BTreeSet<RuleRef> { names.iter().map(|name| name.parse().unwrap()).collect() };
        let excused = exception(finding, &["spec.replicas minimum=0"]);
        let signature = finding.parse().unwrap();
        assert!(!excused.covers(&signature, &rules(&["spec.replicas minimum=1"])));
        assert!(!excused.covers(&signature, &rules(&["spec.replicas minimum=0", "spec.replicas minimum=1"])));
        assert!(!excused.covers(&signature, &rules(&[])));
    }

    #[test]
    fn an_exception_holds_through_its_last_day() {
        let excused = exception("v1 Web update missing FieldValueInvalid spec.replicas minimum", &[]);
        assert!(!excused.is_expired(date(2027, 1, 31)));
        assert!(excused.is_expired(date(2027, 2, 1)));
    }
}
