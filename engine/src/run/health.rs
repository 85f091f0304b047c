//! Says in one line what a generator made and how it was judged.

use takeover_corpora::generate::Health;
use takeover_harness::evidence::{Evidence, OperationEvidence};
use takeover_harness::pair::Pair;
use takeover_harness::text::percent_of;

/// The line of a pair: what was generated for it, how much of all that was judged is valid and how much does not decode, and how
/// many of its rules judged a value.
pub(super) fn line(health: &Health, pair: &Pair, evidence: &Evidence) -> String {
    let operations = pair.operations();
    let generated = format!("generated {}: {}", pair.id, health.summary(&pair.rules, operations));
    let Some(judged) = evidence.pair(&pair.id) else { return generated };
    let of = |count: fn(&OperationEvidence) -> u64| -> u64 {
        operations.iter().map(|operation| count(judged.operation(*operation))).sum()
    };
    let cases = of(|of| of.counts.cases);
    let valid = of(|of| of.counts.agreed_accept);
    let undecodable = of(|of| of.undecodable.values().map(|reason| reason.count).sum());
    let reached = pair
        .rules
        .iter()
        .filter(|rule| operations.iter().any(|operation| judged.rule(*operation, rule.id).compared > 0));
    format!(
        "{generated}; {:.0} % valid, {:.1} % undecodable; {} of {} rules reached",
        percent_of(valid, cases),
        percent_of(undecodable, cases),
        reached.count(),
        pair.rules.len()
    )
}
