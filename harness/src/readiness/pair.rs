//! Holds the evidence of a pair as a whole against the criteria: may one oracle take over from the other?

use super::bound::upper_bound;
use super::criterion::{Alone, Criterion, of_answers, percent};
use super::policy::ReadinessPolicy;
use super::verdict::Readiness;
use crate::case::Operation;
use crate::evidence::PairEvidence;
use crate::text::plural;

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
/// nothing that could not be compared. On the operations in `excused`, exceptions excuse every finding: these do not block it.
#[must_use]
pub fn assess_pair(evidence: &PairEvidence, policy: &ReadinessPolicy, excused: &[Operation]) -> PairAssessment {
    let Alone { missing, extra } = Alone::of_pair(evidence.compared_by());
    let mut criteria = Vec::new();
    let (mut accepts, mut rejects, mut bound) = (0, 0, 0.0_f64);
    for operation in Operation::ALL {
        let counts = &evidence.operation(operation).counts;
        if counts.cases == 0 {
            continue;
        }
        let excused = excused.contains(&operation);
        let mut against = |name: &str, count: u64, excused: bool, what: &str, remedy: &str| {
            let met = count == 0 || excused;
            let said = if excused && count > 0 { ", excused" } else { "" };
            criteria.push(Criterion {
                name: name.to_owned(),
                operation: Some(operation),
                met,
                blocking: true,
                found: format!("{} {what} on {operation}{said}", plural(count, "case")),
                remedy: if met { String::new() } else { remedy.to_owned() },
            });
        };
        against("panics", counts.panicked, false, "panicked", "mend the oracle that panics");
        against("missing", counts.missing, excused, missing.found, missing.remedy);
        against("extra", counts.extra, excused, extra.found, extra.remedy);
        if counts.differs > 0 {
            against("differs", counts.differs, excused, "with different values", "make both sides set the same value");
        }
        accepts += counts.agreed_accept;
        rejects += counts.agreed_reject;
        // Excused findings are no part of what is estimated.
        let (findings, left_out) = if excused { (0, counts.disagreed()) } else { (counts.disagreed(), 0) };
        let compared = counts.compared.saturating_sub(counts.incomparable + left_out);
        bound = bound.max(upper_bound(findings + counts.panicked, compared, policy.confidence));
    }
    let mut enough = |name: &str, met: bool, found: String, remedy: &str| {
        let remedy = if met { String::new() } else { remedy.to_owned() };
        criteria.push(Criterion { name: name.to_owned(), operation: None, met, blocking: false, found, remedy });
    };
    let accepted = format!("{accepts} of {} agreed accepts", policy.min_accepts);
    enough("agreed accepts", accepts >= policy.min_accepts, accepted, "compare more valid objects");
    let rejected = format!("{rejects} of {} agreed rejects", policy.min_rejects);
    enough("agreed rejects", rejects >= policy.min_rejects, rejected, "compare more objects that are refused");
    let rate = format!("at most {} of cases disagree ({} sure)", percent(bound), percent(policy.confidence));
    enough("mismatch rate", accepts + rejects > 0 && bound <= policy.max_mismatch_rate, rate, "compare more cases");
    criteria.extend(of_answers(evidence.answers(), evidence.compared_by(), policy));
    let unmet = |blocking: bool| -> Vec<String> {
        let of = criteria.iter().filter(|criterion| !criterion.met && criterion.blocking == blocking);
        of.map(|criterion| criterion.found.clone()).collect()
    };
    let (against, lacking) = (unmet(true), unmet(false));
    let verdict = if !against.is_empty() {
        Readiness::Blocked(against)
    } else if !lacking.is_empty() {
        Readiness::InsufficientEvidence(lacking)
    } else {
        Readiness::Ready(criteria.iter().filter(|criterion| !criterion.blocking).map(|of| of.found.clone()).collect())
    };
    PairAssessment { verdict, criteria }
}
