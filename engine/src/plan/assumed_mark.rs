//! `--assume-covered`: what a run would say if the errors of a handwritten check were marked as covered by a declarative rule.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use takeover_harness::compare::ComparedBy;
use takeover_harness::error::ErrorType;
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::text::nearest;

/// The errors that are taken as marked: those of this type at this path pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AssumedMark {
    field: String,
    error_type: ErrorType,
    /// The origin that they are given where they have none; may be empty.
    origin: String,
}

/// A text that names no errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a field and an error type, such as `spec.replicas FieldValueInvalid`")]
pub struct NotAMark(String);

impl FromStr for AssumedMark {
    type Err = NotAMark;

    fn from_str(text: &str) -> Result<Self, NotAMark> {
        let mut words = text.split_whitespace();
        let (Some(field), Some(name), origin, None) = (words.next(), words.next(), words.next(), words.next()) else {
            return Err(NotAMark(text.to_owned()));
        };
        let known = ErrorType::ALL.into_iter().find(|known| known.api_name() == name);
        let error_type = known.ok_or_else(|| NotAMark(text.to_owned()))?;
        Ok(Self { field: pattern(field), error_type, origin: origin.unwrap_or_default().to_owned() })
    }
}

impl fmt::Display for AssumedMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.error_type.api_name())?;
        if self.origin.is_empty() { Ok(()) } else { write!(f, " {}", self.origin) }
    }
}

impl TryFrom<String> for AssumedMark {
    type Error = NotAMark;

    fn try_from(text: String) -> Result<Self, NotAMark> {
        text.parse()
    }
}

impl From<AssumedMark> for String {
    fn from(mark: AssumedMark) -> Self {
        mark.to_string()
    }
}

/// Marks what the reference of a pair reports.
pub(super) fn in_pair(mut pair: Pair, marks: &[AssumedMark]) -> Pair {
    if !marks.is_empty() {
        pair.reference = Box::new(Marking { inner: pair.reference, marks: marks.to_vec() });
    }
    pair
}

/// Checks that marks count in every pair, and that each is one of a check of some pair: a misspelt one would change nothing, and
/// nobody would notice.
///
/// # Errors
/// Returns an error when a pair is compared without marks, and when no check of `pairs` is meant, which says what may be; never where a
/// reference does not list its checks.
pub(crate) fn check_marks(marks: &[AssumedMark], pairs: &[Pair]) -> anyhow::Result<()> {
    let has_marks =
        |pair: &&Pair| matches!(pair.comparator.name(), ComparedBy::Kubernetes { .. } | ComparedBy::Verbatim);
    if let Some(pair) = pairs.iter().find(|pair| !marks.is_empty() && !has_marks(pair)) {
        anyhow::bail!(
            "--assume-covered: `{}` is not compared by marks, so an assumed mark would change nothing; compare it by `kubernetes` or leave the flag out",
            pair.id
        );
    }
    if pairs.iter().any(|pair| pair.checks.is_empty()) {
        return Ok(());
    }
    let known = || pairs.iter().flat_map(|pair| &pair.checks).map(|check| &check.error);
    for mark in marks {
        if known().any(|error| error.error_type == mark.error_type && error.field == mark.field) {
            continue;
        }
        let same_field = known().find(|error| error.field == mark.field).map(|error| error.field.as_str());
        let near = same_field.or_else(|| nearest(&mark.field, known().map(|error| error.field.as_str())));
        let types: BTreeSet<&str> = known()
            .filter(|error| Some(error.field.as_str()) == near)
            .map(|error| error.error_type.api_name())
            .collect();
        let meant = near
            .map(|field| format!(": did you mean `{field} {}`?", types.into_iter().collect::<Vec<_>>().join("` or `")));
        anyhow::bail!("--assume-covered: no handwritten check reports `{mark}`{}", meant.unwrap_or_default());
    }
    Ok(())
}

/// An oracle whose errors are marked.
struct Marking {
    inner: Box<dyn Oracle>,
    marks: Vec<AssumedMark>,
}

impl Marking {
    fn mark(&self, answer: &mut Answer) {
        for error in answer.errors.as_mut_slice() {
            let place = pattern(&error.field);
            let Some(mark) = self.marks.iter().find(|mark| mark.error_type == error.error_type && mark.field == place)
            else {
                continue;
            };
            error.covered_by_declarative = true;
            if error.origin.is_empty() {
                error.origin = mark.origin.clone().into();
            }
        }
    }
}

impl Oracle for Marking {
    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let answered = self.inner.answer(question, view, answer);
        self.mark(answer);
        answered
    }

    fn forget(&self) -> bool {
        self.inner.forget()
    }
}

#[cfg(test)]
mod tests {
    use super::{AssumedMark, check_marks};
    use crate::plan::JudgingPlan;
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::compare::Comparator;

    #[test]
    fn a_mark_that_no_check_has_is_refused_with_the_one_that_was_probably_meant() {
        let plan = JudgingPlan::default();
        let catalogue = plan.catalogue().unwrap();
        let pair = catalogue.pair(&"v1 ReplicationController".parse().unwrap()).unwrap();
        let checked = |text: &str| {
            check_marks(&[text.parse().unwrap()], std::slice::from_ref(&pair)).map_err(|error| error.to_string())
        };
        assert_eq!(checked("metadata.name FieldValueInvalid"), Ok(()));
        for (mark, meant) in [
            ("metadata.nme FieldValueInvalid", "did you mean `metadata.name Field"),
            ("spec.replicas FieldValueTooLong", "did you mean `spec.replicas FieldValue"),
            ("nothing.like.it FieldValueInvalid", "reports `nothing.like.it FieldValueInvalid`"),
        ] {
            let refused = checked(mark).unwrap_err();
            assert!(refused.contains(meant), "{refused}");
        }
    }

    #[test]
    fn marks_are_refused_where_the_comparison_has_none() {
        let plan = JudgingPlan::default();
        let mut pair = plan.catalogue().unwrap().pair(&"v1 ReplicationController".parse().unwrap()).unwrap();
        let marks = ["metadata.name FieldValueInvalid".parse().unwrap()];
        for comparator in [Comparator::Decision, Comparator::Fields { origin: true }] {
            pair.comparator = comparator;
            let refused = check_marks(&marks, std::slice::from_ref(&pair)).unwrap_err().to_string();
            assert!(refused.contains("`v1 ReplicationController` is not compared by marks"), "{refused}");
            assert!(check_marks(&[], std::slice::from_ref(&pair)).is_ok());
        }
    }

    #[test]
    fn a_mark_is_a_field_a_type_and_maybe_an_origin() {
        for text in ["spec.replicas FieldValueInvalid", "spec.ports[*].name FieldValueInvalid format=k8s-short-name"] {
            assert_eq!(text.parse::<AssumedMark>().unwrap().to_string(), text);
        }
        assert_eq!(
            "spec.ports[3].name FieldValueRequired".parse::<AssumedMark>().unwrap().to_string(),
            "spec.ports[*].name FieldValueRequired"
        );
        for text in ["", "spec.replicas", "spec.replicas Invalid", "a FieldValueInvalid b c"] {
            assert!(text.parse::<AssumedMark>().unwrap_err().to_string().contains("is not a field"), "{text}");
        }
    }
}
