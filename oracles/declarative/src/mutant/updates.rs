//! What updates can show at a place: old values, and modified ones.

use super::site::{RulePlace, Site, inner, loses_old};
use crate::eval::program::{BlockId, Call, Cohort, FieldPlan, Op, Program};
use std::collections::BTreeSet;

/// The blocks whose values can have an old value: no list on the way there leaves open which elements are the same.
pub(super) fn blocks_with_old(program: &Program) -> BTreeSet<BlockId> {
    let mut known = BTreeSet::new();
    let mut work = vec![BlockId(0)];
    while let Some(id) = work.pop() {
        let Some(block) = program.blocks.get(id.0 as usize).filter(|_| known.insert(id)) else { continue };
        for place in RulePlace::of_block(id, block) {
            if let RulePlace::Field(FieldPlan { block: Some(block), .. }) = place {
                work.push(*block);
            }
            place.calls().for_each(|call| targets_with_old(call, &mut work));
        }
    }
    known
}

fn targets_with_old(call: &Call, found: &mut Vec<BlockId>) {
    match &call.op {
        Op::Block(block) => found.push(*block),
        op if loses_old(op) => {}
        op => inner(op).for_each(|call| targets_with_old(call, found)),
    }
}

/// The blocks in which an update can put one set value for another: no rule on every way there stops all that do.
pub(super) fn blocks_modified(program: &Program) -> BTreeSet<BlockId> {
    let mut known = BTreeSet::new();
    let mut work = vec![BlockId(0)];
    while let Some(id) = work.pop() {
        let Some(block) = program.blocks.get(id.0 as usize).filter(|_| known.insert(id)) else { continue };
        let open = RulePlace::of_block(id, block).filter(|place| !place_freezes(*place));
        open.for_each(|place| work.extend(place.targets()));
    }
    known
}

/// Whether every update that puts one set value for another at the site is stopped before, `modified` being the blocks in which
/// one can.
pub(super) fn is_frozen(site: &Site<'_>, modified: &BTreeSet<BlockId>) -> bool {
    // Those that stop a place all run.
    !modified.contains(&site.block) || (place_freezes(site.place) && !site.stops())
}

/// Whether a place is skipped when it is unchanged, and a rule stops it when it is modified.
fn place_freezes(place: RulePlace<'_>) -> bool {
    matches!(place, RulePlace::Field(FieldPlan { ratchets: true, .. })) && place.cohorts().iter().any(freezes)
}

fn freezes(cohort: &Cohort) -> bool {
    let refuses = |call: &Call| match &call.op {
        Op::Check { check, .. } => !call.silent && check.refuses_modification(),
        _ => false,
    };
    cohort.default && cohort.first.iter().any(refuses)
}
