//! Makes the report of what is decided.

use super::decide::Promotion;
use super::lines::{At, Line};
use super::step::Step;
use super::twins::Deletable;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::rule::Source;
use takeover_reports::promote::{
    ExcusedFinding, FORMAT_VERSION, IdleLine, MovedLine, PromotionReport, StayingLine, TwinCheck,
};

/// The report of a promotion.
pub fn report(
    lines: &BTreeMap<At, Line>,
    promotion: &Promotion<'_>,
    checks: &BTreeSet<Deletable>,
    step: Step,
    patch: String,
) -> PromotionReport {
    let source = |at: &At| Source { file: at.0.clone(), line: at.1 };
    let rule = |at: &At| lines.get(at).map_or_else(String::new, |line| line.chain.clone());
    let before = |at: &At| lines.get(at).map_or_else(String::new, |line| line.text.clone());
    let exceptions = |at: &At| {
        let findings = promotion.exceptions.get(at).into_iter().flat_map(BTreeMap::values);
        findings.filter_map(|finding| ExcusedFinding::of(finding)).collect()
    };
    let moved = promotion.moved.iter().map(|(at, after)| MovedLine {
        at: source(at),
        rule: rule(at),
        before: before(at),
        after: after.clone(),
        exceptions: exceptions(at),
    });
    let stay = promotion.stay.iter().map(|(at, because)| StayingLine {
        at: source(at),
        rule: rule(at),
        because: because.clone(),
        exceptions: exceptions(at),
    });
    let idle = promotion.idle.iter().map(|at| IdleLine { at: source(at), rule: rule(at) });
    let checks = checks.iter().map(|of| TwinCheck {
        check: of.check.clone(),
        deletable: of.needed.is_none(),
        needed_by: of.needed.clone(),
    });
    PromotionReport {
        format_version: FORMAT_VERSION,
        from: step.from(),
        to: step.to(),
        moved: moved.collect(),
        stay: stay.collect(),
        idle: idle.collect(),
        checks: checks.collect(),
        unjudged: promotion.unjudged,
        patch,
    }
}
