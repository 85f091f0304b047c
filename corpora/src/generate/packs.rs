//! Cases that show several classes at once, in places apart, so that a long first round shows each of them early.

use super::knowledge::Knowledge;
use super::mode::Mode;
use super::planting::Planting;
use super::rules::{CEL, RulePlace};

/// Most classes that one case shows.
const MOST_TOGETHER: usize = 6;

/// Cases to which classes are added at a time.
const MOST_OPEN: usize = 24;

/// A case to which classes are added.
struct Pack<'k> {
    number: usize,
    slots: Vec<(u32, u32)>,
    places: Vec<&'k RulePlace>,
    mode: Mode,
    blocks: bool,
}

/// Puts classes together that stand in places apart, in the same mode, as far as they do not keep each other from being seen. A class that
/// fits to no other is left out.
///
/// A server evaluates CEL rules only where the schema accepts the object: what breaks the schema goes with its like.
pub(super) fn packs(
    knowledge: &Knowledge,
    shows: impl Iterator<Item = ((u32, u32), Planting)>,
) -> Vec<Vec<(u32, u32)>> {
    let mut open: Vec<Pack<'_>> = Vec::new();
    let mut packs: Vec<Pack<'_>> = Vec::new();
    for (number, (slot, planting)) in shows.enumerate() {
        let (Some(rule), Some(Some(place))) = (knowledge.rules.get(planting.rule), knowledge.places.get(planting.rule))
        else {
            continue;
        };
        let Some(boundary) = rule.boundaries.get(planting.class) else { continue };
        if !rule.options.is_empty() || !boundary.options.is_empty() {
            continue;
        }
        let blocks = boundary.breaks && rule.tag != CEL;
        let fits = |pack: &Pack<'_>| {
            (pack.mode, pack.blocks) == (planting.mode, blocks)
                && pack.places.iter().all(|other| are_apart(other, place))
        };
        match open.iter().position(fits) {
            Some(at) => {
                let Some(pack) = open.get_mut(at) else { continue };
                pack.slots.push(slot);
                pack.places.push(place);
                if pack.slots.len() == MOST_TOGETHER {
                    packs.push(open.remove(at));
                }
            }
            None => {
                if open.len() == MOST_OPEN {
                    packs.push(open.remove(0));
                }
                open.push(Pack { number, slots: vec![slot], places: vec![place], mode: planting.mode, blocks });
            }
        }
    }
    packs.extend(open);
    // In the order of what they begin with, whenever they were filled.
    packs.sort_by_key(|pack| pack.number);
    packs.into_iter().map(|pack| pack.slots).filter(|slots| slots.len() > 1).collect()
}

/// Whether neither of two places stands in the other.
fn are_apart(one: &RulePlace, other: &RulePlace) -> bool {
    !one.segments.starts_with(&other.segments) && !other.segments.starts_with(&one.segments)
}
