//! Criteria, and the words in which they say what was found.

use super::policy::ReadinessPolicy;
use crate::case::Operation;
use crate::compare::ComparedBy;
use crate::evidence::AnswerCounts;
use crate::side::Side;
use serde::{Deserialize, Serialize};

/// Most names that a reason lists.
const MOST_NAMED: usize = 4;

/// A criterion and how the rule fares by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Criterion {
    /// Name of the criterion: `agreed rejects`.
    pub name: String,
    /// The operation that it is about; none for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Whether it is met.
    pub met: bool,
    /// Whether a rule that does not meet it is blocked, rather than short of evidence.
    pub blocking: bool,
    /// What was found.
    pub found: String,
    /// What would change it; empty when it is met.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// Returns the criteria on the answers of a pair: that the oracles give answers, and that these can be compared. A criterion is
/// left out if no answer failed or all could be compared.
pub(super) fn of_answers(
    answers: AnswerCounts,
    compared_by: Option<ComparedBy>,
    policy: &ReadinessPolicy,
) -> Vec<Criterion> {
    let mut criteria = Vec::new();
    let mut add = |name: &str, met: bool, found: String, remedy: &str| {
        let remedy = if met { String::new() } else { remedy.to_owned() };
        criteria.push(Criterion { name: name.to_owned(), operation: None, met, blocking: false, found, remedy });
    };
    for side in Side::ALL {
        if let Some(found) = answers.failed(side) {
            let met = *answers.failures.of(side) as f64 <= policy.max_failures * answers.asked as f64;
            add("answers", met, found, "make the oracle answer; the skipped cases say why it did not");
        }
        if let Some(found) = answers.uncompared(side, compared_by) {
            let (compared, left) = (*answers.comparable.of(side), *answers.incomparable.of(side));
            let met = left as f64 <= policy.max_failures * (compared + left) as f64;
            add("comparable", met, found, "compare what both sides report: by field, or by decision");
        }
    }
    criteria
}

pub(super) fn named(names: &[impl AsRef<str>]) -> String {
    let mut list: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{}`", name.as_ref())).collect();
    if names.len() > MOST_NAMED {
        list.push(format!("{} more", names.len() - MOST_NAMED));
    }
    list.join(", ")
}

/// A share for people: three digits that count, never rounded to nothing.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent >= 100.0 || percent <= 0.0 { 0 } else { (2.0 - percent.log10().floor()).min(9.0) as usize };
    let text = format!("{percent:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}
