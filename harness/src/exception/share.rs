//! How often findings occur, and in which classes.

use crate::case::Operation;
use crate::evidence::{PairEvidence, SignatureEvidence};
use crate::subject::PairId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How many times as large as recorded a share may be.
const MOST: f64 = 10.0;

/// Cases below which a share says nothing: a few more of very few are chance.
const FEWEST: u64 = 20;

/// A share of the compared cases. Printed with three significant digits: `0.0123`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

/// A number that is no share.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{0}` is not a share of the compared cases: use a number above 0, such as 0.0123")]
pub struct NotAShare(f64);

impl Share {
    /// The share that `cases` are of those that were compared, as it is printed.
    fn of(cases: u64, compared: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "three digits are kept")]
        let share = cases as f64 / compared.max(1) as f64;
        Self(format!("{share:.2e}").parse().unwrap_or(share))
    }
}

impl TryFrom<f64> for Share {
    type Error = NotAShare;

    fn try_from(share: f64) -> Result<Self, NotAShare> {
        if share.is_finite() && share > 0.0 { Ok(Self(share)) } else { Err(NotAShare(share)) }
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// How often findings occur, and of which classes the values in question are.
#[derive(Clone, Debug, Default)]
pub struct Occurrence {
    classes: BTreeSet<String>,
    /// Cases of the findings, and compared cases, of each pair and operation.
    cases: BTreeMap<(PairId, Operation), (u64, u64)>,
}

impl Occurrence {
    /// Adds a finding of a pair.
    pub fn add(&mut self, pair: &PairEvidence, operation: Operation, finding: &SignatureEvidence) {
        // The class is empty where nobody looked.
        self.classes.extend(finding.classes.keys().filter(|class| !class.is_empty()).cloned());
        let compared = pair.operation(operation).counts.compared;
        self.cases.entry((pair.pair().clone(), operation)).or_insert((0, compared)).0 += finding.cases;
    }

    /// The classes.
    #[must_use]
    pub fn classes(&self) -> &BTreeSet<String> {
        &self.classes
    }

    /// The share of the compared cases: the largest of all pairs and operations.
    #[must_use]
    pub fn share(&self) -> Share {
        self.largest(0).unwrap_or(Share::of(0, 1))
    }

    /// The share, if it is more than ten times the recorded one. Fewer than 20 cases of a pair and operation are no growth.
    pub(super) fn outgrown(&self, recorded: Share) -> Option<Share> {
        self.largest(FEWEST).filter(|share| share.0 > MOST * recorded.0)
    }

    fn largest(&self, fewest: u64) -> Option<Share> {
        let many = self.cases.values().filter(|(cases, _)| *cases >= fewest);
        many.map(|(cases, compared)| Share::of(*cases, *compared)).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Occurrence, Share};
    use crate::case::Operation;
    use crate::subject::SubjectId;

    /// So many cases of a finding, of those that were compared, with values of one class.
    pub(in crate::exception) fn occurrence(cases: u64, compared: u64) -> Occurrence {
        let key = (SubjectId::new("v1", "Web").into(), Operation::Update);
        Occurrence { cases: [(key, (cases, compared))].into(), classes: ["negative".to_owned()].into() }
    }

    #[test]
    fn a_share_is_printed_with_three_digits_and_read_again() {
        for (cases, compared, printed) in
            [(1, 3, "0.333"), (1, 1, "1"), (19, 1_234_567, "0.0000154"), (12_289, 50_000, "0.246")]
        {
            let share = occurrence(cases, compared).share();
            assert_eq!(share.to_string(), printed);
            assert_eq!(Share::try_from(printed.parse::<f64>().unwrap()), Ok(share));
        }
        for no in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Share::try_from(no).is_err(), "{no}");
        }
    }

    #[test]
    fn a_share_outgrows_its_record_tenfold_and_on_twenty_cases_only() {
        let recorded = Share::of(19, 50_000);
        for (cases, outgrown) in [(19, false), (189, false), (192, true), (12_289, true)] {
            assert_eq!(occurrence(cases, 50_000).outgrown(recorded).is_some(), outgrown, "{cases}");
        }
        assert_eq!(occurrence(19, 100).outgrown(recorded), None, "too few");
        assert!(occurrence(20, 100).outgrown(recorded).is_some());
    }
}
