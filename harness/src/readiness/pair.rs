//! Holds the evidence of a pair as a whole against the criteria: may one oracle take over from the other?

use super::against::{Disagreed, against};
use super::bound::upper_bound;
use super::criterion::{Criterion, of_answers, percent};
use super::policy::ReadinessPolicy;
use super::stand::Disagreement;
use super::verdict::Readiness;
use super::words::Words;
use crate::case::Operation;
use crate::evidence::PairEvidence;
use crate::text::{grouped, plural};

/// The verdict on a pair, with the criteria that it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct PairAssessment {
    /// The verdict.
    pub verdict: Readiness,
    /// Every criterion.
    pub criteria: Vec<Criterion>,
}

/// Assesses a pair as a whole: for validators without rules, and beside the verdicts on rules.
///
/// Ready is a pair whose oracles agreed often enough to accept and to reject on some operation, never disagreed, and said
/// nothing that could not be compared. `findings` are those of the pair, and how they stand; what is not among them blocks it.
#[must_use]
pub fn assess_pair(evidence: &PairEvidence, policy: &ReadinessPolicy, findings: &[Disagreement<'_>]) -> PairAssessment {
    let words = Words::of_pair(evidence.compared_by());
    let (mut criteria, mut decided) = (Vec::new(), Vec::new());
    let (mut accepts, mut rejects, mut bound) = (0, 0, 0.0_f64);
    for operation in Operation::ALL {
        let counts = &evidence.operation(operation).counts;
        if counts.cases == 0 {
            continue;
        }
        let steady = counts.panicked == 0;
        criteria.push(Criterion {
            name: "panics".to_owned(),
            operation: Some(operation),
            met: steady,
            blocking: true,
            found: format!("{} panicked on {operation}", plural(counts.panicked, "case")),
            remedy: if steady { String::new() } else { "fix the oracle that panics".to_owned() },
        });
        let disagreed = Disagreed { missing: counts.missing, extra: counts.extra, differs: counts.differs };
        let complete = evidence.operation(operation).beyond.is_complete();
        let against = against(operation, &disagreed, findings, complete, &words);
        criteria.extend(against.criteria);
        decided.extend(against.notes);
        accepts += counts.agreed_accept;
        rejects += counts.agreed_reject;
        // What is decided about is no part of what is estimated.
        let left_out = disagreed.all().saturating_sub(against.open);
        let compared = counts.compared.saturating_sub(counts.incomparable + left_out);
        bound = bound.max(upper_bound(against.open + counts.panicked, compared, policy.confidence));
    }
    let mut enough = |name: &str, met: bool, found: String, remedy: &str| {
        let remedy = if met { String::new() } else { remedy.to_owned() };
        criteria.push(Criterion { name: name.to_owned(), operation: None, met, blocking: false, found, remedy });
    };
    let accepted = format!("{} of {} agreed accepts", grouped(accepts), grouped(policy.min_accepts));
    enough("agreed accepts", accepts >= policy.min_accepts, accepted, "compare more valid objects");
    let rejected = format!("{} of {} agreed rejects", grouped(rejects), grouped(policy.min_rejects));
    enough("agreed rejects", rejects >= policy.min_rejects, rejected, "compare more objects that are rejected");
    let rate = format!("at most {} of cases may disagree ({} confidence)", percent(bound), percent(policy.confidence));
    enough("mismatch rate", accepts + rejects > 0 && bound <= policy.max_mismatch_rate, rate, "compare more cases");
    criteria.extend(of_answers(evidence.answers(), evidence.compared_by(), policy));
    let unmet = |blocking: bool| -> Vec<String> {
        let of = criteria.iter().filter(|criterion| !criterion.met && criterion.blocking == blocking);
        of.map(|criterion| criterion.found.clone()).collect()
    };
    let (mut against, lacking) = (unmet(true), unmet(false));
    // One cause may show in both directions.
    against.dedup();
    let verdict = if !against.is_empty() {
        Readiness::Blocked(against)
    } else if !lacking.is_empty() {
        Readiness::InsufficientEvidence(lacking)
    } else {
        let met = criteria.iter().filter(|criterion| !criterion.blocking).map(|of| of.found.clone());
        Readiness::Ready(met.chain(decided).collect())
    };
    PairAssessment { verdict, criteria }
}
