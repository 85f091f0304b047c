//! The conservation laws: every case and every comparison is counted exactly once.

use super::operation::OperationEvidence;
use super::rule_name::RuleName;
use crate::case::Operation;
use crate::compare::Direction;
use crate::subject::PairId;

/// Evidence whose counters do not add up: a fault of the harness, or a damaged file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("evidence of `{pair}`{operation}{rule} breaks the law `{law}`: {left} is not {right}")]
pub struct Unlawful {
    pair: String,
    /// Empty, or with a leading space.
    operation: String,
    /// Empty, or with a leading space.
    rule: String,
    law: &'static str,
    left: u64,
    right: u64,
}

/// Checks that each case that panicked has one or two panics: on itself, or on a variant of it, which may be of the other operation.
pub(super) fn check_panics(pair: &PairId, operations: [&OperationEvidence; 2]) -> Result<(), Unlawful> {
    let cases: u64 = operations.iter().map(|of| of.counts.panicked).sum();
    let panics: u64 = operations.iter().flat_map(|of| of.panics.values()).map(|panic| panic.count).sum();
    let right = panics.clamp(cases, 2 * cases);
    if panics == right {
        return Ok(());
    }
    let law = "panicked cases have one or two panics";
    Err(Unlawful { pair: pair.to_string(), operation: String::new(), rule: String::new(), law, left: panics, right })
}

/// Checks every law of one operation.
pub(super) fn check_operation(
    pair: &PairId,
    operation: Operation,
    names: &[RuleName],
    evidence: &OperationEvidence,
) -> Result<(), Unlawful> {
    let equal = |rule: &str, law: &'static str, left: u64, right: u64| {
        if left == right {
            return Ok(());
        }
        let operation = format!(" {operation}");
        Err(Unlawful { pair: pair.to_string(), operation, rule: rule.to_owned(), law, left, right })
    };
    let counts = &evidence.counts;
    let undecodable: u64 = evidence.undecodable.values().map(|reason| reason.count).sum();
    let skipped: u64 = evidence.skipped.values().map(|reason| reason.count).sum();
    equal("", "cases = compared + undecodable + skipped", counts.cases, counts.compared + undecodable + skipped)?;
    let agreed = counts.agreed_accept + counts.agreed_reject;
    let outcomes = agreed + counts.incomparable + counts.disagreed() + counts.panicked;
    equal("", "compared = agreed + incomparable + disagreed + panicked", counts.compared, outcomes)?;
    for direction in Direction::ALL {
        let of = evidence.signatures.iter().filter(|(signature, _)| signature.direction == direction);
        let kept: u64 = of.map(|(_, evidence)| evidence.errors).sum();
        let law = match direction {
            Direction::Missing => "missing errors = errors of missing signatures + beyond",
            Direction::Extra => "extra errors = errors of extra signatures + beyond",
            Direction::Differs => "differing values = values of differing signatures + beyond",
        };
        equal("", law, counts.differences(direction), kept + evidence.beyond.differences(direction))?;
    }
    let errors = Direction::ALL.map(|direction| counts.differences(direction)).iter().sum::<u64>();
    equal("", "mismatches are at least the differences", counts.mismatches.max(errors), counts.mismatches)?;
    let failures = evidence.failures.reference.max(evidence.failures.candidate);
    equal("", "failures of an oracle are at most the skipped cases", failures.min(skipped), failures)?;
    let (given, named) = (evidence.rules.len(), names.len());
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    equal("", "rules counted = rules named", count(given), count(named))?;
    for (name, rule) in names.iter().zip(&evidence.rules) {
        let label = format!(" {} {}", name.rule.path, name.label());
        let of = &rule.counts;
        let outcomes = of.agreed_accept + of.agreed_reject + of.disagreed() + of.panicked;
        equal(&label, "compared = agreed + disagreed + panicked", of.compared, outcomes)?;
        let all = of.compared + of.not_reached + rule.set_aside;
        equal(&label, "compared cases = compared + not reached + set aside", counts.compared, all)?;
        let shown = rule.classes.iter().copied().max().unwrap_or_default().max(rule.kept);
        let most = [
            ("a class is shown in at most the compared cases", shown, counts.compared),
            ("missing is at most the missing cases", of.missing, counts.missing),
            ("differs is at most the cases without agreement", of.differs, counts.missing + counts.differs),
            ("extra is at most the cases with differences", of.extra, counts.disagreed()),
            ("panicked is at most the panicked cases", of.panicked, counts.panicked),
        ];
        for (law, part, whole) in most {
            equal(&label, law, part.min(whole), part)?;
        }
    }
    Ok(())
}
