//! The conservation laws: every case and every comparison is counted exactly once.

use super::operation::OperationEvidence;
use super::subject::RuleName;
use crate::case::Operation;
use crate::compare::Direction;
use crate::subject::SubjectId;

/// Evidence whose counters do not add up: a fault of the harness, or a damaged file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("evidence of `{subject}` {operation}{rule} breaks the law `{law}`: {left} is not {right}")]
pub struct Unlawful {
    subject: String,
    operation: Operation,
    /// Empty, or with a leading space.
    rule: String,
    law: &'static str,
    left: u64,
    right: u64,
}

/// Checks every law of one operation.
pub(super) fn check_operation(
    subject: &SubjectId,
    operation: Operation,
    names: &[RuleName],
    evidence: &OperationEvidence,
) -> Result<(), Unlawful> {
    let equal = |rule: &str, law: &'static str, left: u64, right: u64| {
        if left == right {
            return Ok(());
        }
        Err(Unlawful { subject: subject.to_string(), operation, rule: rule.to_owned(), law, left, right })
    };
    let counts = &evidence.counts;
    let undecodable: u64 = evidence.undecodable.values().map(|reason| reason.count).sum();
    let skipped: u64 = evidence.skipped.values().map(|reason| reason.count).sum();
    equal("", "cases = compared + undecodable + skipped", counts.cases, counts.compared + undecodable + skipped)?;
    let outcomes = counts.agreed_accept + counts.agreed_reject + counts.missing + counts.extra + counts.panicked;
    equal("", "compared = agreed + missing + extra + panicked", counts.compared, outcomes)?;
    for (direction, errors) in [(Direction::Missing, counts.missing_errors), (Direction::Extra, counts.extra_errors)] {
        let of = evidence.signatures.iter().filter(|(signature, _)| signature.direction == direction);
        let kept: u64 = of.map(|(_, evidence)| evidence.errors).sum();
        let (law, beyond) = match direction {
            Direction::Missing => ("missing errors = errors of missing signatures + beyond", evidence.beyond.missing),
            Direction::Extra => ("extra errors = errors of extra signatures + beyond", evidence.beyond.extra),
        };
        equal("", law, errors, kept + beyond)?;
    }
    let errors = counts.missing_errors + counts.extra_errors;
    equal("", "mismatches are at least the errors reported alone", counts.mismatches.max(errors), counts.mismatches)?;
    let panics: u64 = evidence.panics.values().map(|panic| panic.count).sum();
    equal("", "panicked cases have one or two panics", panics.clamp(counts.panicked, 2 * counts.panicked), panics)?;
    let (given, named) = (evidence.rules.len(), names.len());
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    equal("", "rules counted = rules named", count(given), count(named))?;
    for (name, rule) in names.iter().zip(&evidence.rules) {
        let label = format!(" {} {}", name.path, name.rule);
        let of = &rule.counts;
        let outcomes = of.agreed_accept + of.agreed_reject + of.missing + of.extra + of.panicked;
        equal(&label, "compared = agreed + missing + extra + panicked", of.compared, outcomes)?;
        let all = of.compared + of.not_reached + rule.set_aside;
        equal(&label, "compared cases = compared + not reached + set aside", counts.compared, all)?;
        let shown = rule.classes.iter().copied().max().unwrap_or_default().max(rule.kept);
        let most = [
            ("a class is shown in at most the compared cases", shown, counts.compared),
            ("missing is at most the missing cases", of.missing, counts.missing),
            ("extra is at most the cases with findings", of.extra, counts.missing + counts.extra),
            ("panicked is at most the panicked cases", of.panicked, counts.panicked),
        ];
        for (law, part, whole) in most {
            equal(&label, law, part.min(whole), part)?;
        }
    }
    Ok(())
}
