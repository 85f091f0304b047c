//! The part of a program in which one rule has a say.

use super::site::{RulePlace, holds, places, sites, targets};
use crate::eval::program::{Block, BlockId, Call, Cohort, FieldPlan, Program};
use takeover_harness::rule::RuleId;

/// What of a block is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Nothing,
    /// What leads to the rule.
    Way,
    Whole,
}

/// The program without what reports the same whatever the rule does.
///
/// Left are the rule, the way to it, the rules on that way that can stop it, and everything at its place and below when the
/// rule itself stops or says how elements are told apart. The sound rule and a mutant of it differ in the answers of this part as
/// they differ in those of the whole, to which other rules add the same errors on both sides.
pub(super) fn restricted(program: &Program, rule: RuleId) -> Program {
    let wide = sites(program, rule).iter().any(|site| site.stops() || site.check.identifies());
    let extents = extents(program, rule, wide);
    let restriction = Restriction { rule, wide, extents };
    let blocks = program.blocks.iter().zip(&restriction.extents).map(|(block, extent)| match extent {
        Extent::Nothing => Block::default(),
        Extent::Way => restriction.block(block),
        Extent::Whole => block.clone(),
    });
    Program { blocks: blocks.collect() }
}

fn extents(program: &Program, rule: RuleId, wide: bool) -> Vec<Extent> {
    let mut extents = vec![Extent::Nothing; program.blocks.len()];
    let below: Vec<Vec<BlockId>> =
        places_by_block(program).map(|places| places.into_iter().flat_map(RulePlace::targets).collect()).collect();
    // Backwards from the rule to the root.
    let holding = places_by_block(program).map(|places| places.into_iter().any(|place| place.holds(rule)));
    let mut work: Vec<usize> = holding.enumerate().filter(|(_, holds)| *holds).map(|(id, _)| id).collect();
    while let Some(id) = work.pop() {
        let Some(extent @ Extent::Nothing) = extents.get_mut(id) else { continue };
        *extent = Extent::Way;
        let leads = |blocks: &Vec<BlockId>| blocks.iter().any(|block| block.0 as usize == id);
        work.extend(below.iter().enumerate().filter(|(_, blocks)| leads(blocks)).map(|(above, _)| above));
    }
    // Forwards from the place of a rule that has a say in everything below.
    let mut work: Vec<BlockId> = Vec::new();
    if wide {
        for place in places(program).filter(|place| place.holds(rule)) {
            match place {
                RulePlace::Block(id, _) => work.push(id),
                RulePlace::Field(_) => work.extend(place.targets()),
            }
        }
    }
    while let Some(id) = work.pop() {
        let Some(extent) = extents.get_mut(id.0 as usize).filter(|extent| **extent != Extent::Whole) else { continue };
        *extent = Extent::Whole;
        work.extend(below.get(id.0 as usize).into_iter().flatten());
    }
    extents
}

fn places_by_block(program: &Program) -> impl Iterator<Item = Vec<RulePlace<'_>>> {
    program.blocks.iter().zip(0..).map(|(block, id)| RulePlace::of_block(BlockId(id), block).collect())
}

struct Restriction {
    rule: RuleId,
    wide: bool,
    extents: Vec<Extent>,
}

impl Restriction {
    fn block(&self, block: &Block) -> Block {
        let fields = block.fields.iter().filter(|field| self.keeps_field(field));
        Block {
            rules: self.cohorts(&block.rules),
            iterations: self.calls(&block.iterations),
            fields: fields.map(|field| self.field(field)).collect(),
        }
    }

    fn keeps_field(&self, field: &FieldPlan) -> bool {
        let place = RulePlace::Field(field);
        place.holds(self.rule) || place.targets().iter().any(|block| self.keeps(*block))
    }

    fn field(&self, field: &FieldPlan) -> FieldPlan {
        if self.wide && RulePlace::Field(field).holds(self.rule) {
            return field.clone();
        }
        FieldPlan {
            slot: field.slot,
            pointer: field.pointer,
            name: field.name.clone(),
            ratchets: field.ratchets,
            rules: self.cohorts(&field.rules),
            block: field.block.filter(|block| self.keeps(*block)),
            iterations: self.calls(&field.iterations),
        }
    }

    fn cohorts(&self, cohorts: &[Cohort]) -> Box<[Cohort]> {
        let left = |cohort: &Cohort| {
            let holds = cohort.first.iter().chain(&cohort.rest).any(|call| self.keeps_call(call));
            (holds || cohort.default).then(|| Cohort {
                default: cohort.default,
                // All that can stop the rule.
                first: cohort.first.clone(),
                rest: self.calls(&cohort.rest),
            })
        };
        cohorts.iter().filter_map(left).collect()
    }

    fn calls(&self, calls: &[Call]) -> Box<[Call]> {
        calls.iter().filter(|call| self.keeps_call(call)).cloned().collect()
    }

    fn keeps_call(&self, call: &Call) -> bool {
        let mut below = Vec::new();
        targets(call, &mut below);
        holds(call, self.rule) || below.iter().any(|block| self.keeps(*block))
    }

    fn keeps(&self, block: BlockId) -> bool {
        self.extents.get(block.0 as usize).is_some_and(|extent| *extent != Extent::Nothing)
    }
}
