//! Where the checks of a rule stand in a program.

use crate::declarative::eval::Check;
use crate::declarative::plan::program::{Block, BlockId, Call, Cohort, FieldPlan, Op, Program};
use std::sync::Arc;
use takeover_harness::rule::RuleId;

/// A check of a rule and what is around it.
pub(super) struct Site<'p> {
    /// The calls on the way, outermost first; the last one runs the check.
    pub(super) calls: Vec<&'p Call>,
    /// The check.
    pub(super) check: &'p Arc<dyn Check>,
    /// Rules that stop together with it.
    pub(super) cohort: &'p Cohort,
    /// The place of the outermost call.
    pub(super) place: Place<'p>,
}

/// A type or a field with rules.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    Block(BlockId, &'p Block),
    Field(&'p FieldPlan),
}

impl<'p> Place<'p> {
    pub(super) fn cohorts(self) -> &'p [Cohort] {
        match self {
            Self::Block(_, block) => &block.rules,
            Self::Field(field) => &field.rules,
        }
    }

    pub(super) fn iterations(self) -> &'p [Call] {
        match self {
            Self::Block(_, block) => &block.iterations,
            Self::Field(field) => &field.iterations,
        }
    }
}

impl Site<'_> {
    /// Whether its errors go nowhere.
    pub(super) fn is_silent(&self) -> bool {
        self.calls.iter().any(|call| call.silent)
    }

    /// Whether its failure keeps other rules from running.
    pub(super) fn stops(&self) -> bool {
        self.calls.first().is_some_and(|call| call.short_circuit)
    }

    /// Whether a rule that it keeps from running can fail on an unset value.
    pub(super) fn stops_judges_of_unset(&self, program: &Program) -> bool {
        let place = self.cohort.default.then_some(self.place);
        let stopped = self.stopped().any(|call| fails_unset(program, call));
        stopped
            || match place {
                Some(Place::Field(FieldPlan { block: Some(block), pointer, .. })) => {
                    *pointer || block_fails_unset(program, *block)
                }
                Some(Place::Block(_, block)) => !block.fields.is_empty(),
                _ => false,
            }
    }

    /// Whether there is anything that it keeps from running.
    pub(super) fn stops_something(&self) -> bool {
        let goes_on = match self.place {
            Place::Block(_, block) => !block.iterations.is_empty() || !block.fields.is_empty(),
            Place::Field(field) => !field.iterations.is_empty() || field.block.is_some(),
        };
        self.stopped().next().is_some() || (self.cohort.default && goes_on)
    }

    /// The rules of the place that do not run when it fails.
    fn stopped(&self) -> impl Iterator<Item = &Call> {
        let others = self.place.cohorts().iter().filter(|cohort| self.cohort.default && !cohort.default);
        self.cohort.rest.iter().chain(others.flat_map(|cohort| cohort.first.iter().chain(&cohort.rest)))
    }

    /// Whether a rule before it fails and stops it whenever the value is one that an update left as it was.
    pub(super) fn is_shielded(&self) -> bool {
        let shield = |call: &Call| match &call.op {
            Op::Check { check, .. } => check.update_only() && check.judges_unchanged(),
            _ => false,
        };
        !self.stops() && self.place.cohorts().iter().any(|cohort| cohort.default && cohort.first.iter().any(shield))
    }

    /// Whether an update can skip it.
    pub(super) fn is_ratcheted(&self) -> bool {
        let wrapped = self.calls.iter().any(|call| {
            matches!(
                call.op,
                Op::Subfield { .. }
                    | Op::Item { .. }
                    | Op::EachItem { .. }
                    | Op::EachEntry(_)
                    | Op::EachKey(_)
                    | Op::Mode(_)
            )
        });
        wrapped || !matches!(self.place, Place::Block(BlockId(0), _))
    }
}

/// Whether a rule can fail on an unset value. Wrong answers on the side of yes do no harm.
fn fails_unset(program: &Program, call: &Call) -> bool {
    match &call.op {
        Op::Check { check, .. } => check.fails_unset(),
        Op::EachItem { .. } | Op::EachEntry(_) | Op::EachKey(_) | Op::Item { .. } => false,
        Op::IfOption { inner, .. } => fails_unset(program, inner),
        Op::Block(block) => block_fails_unset(program, *block),
        Op::Subfield { .. } | Op::Mode(_) => true,
    }
}

fn block_fails_unset(program: &Program, id: BlockId) -> bool {
    let Some(block) = program.blocks.get(id.0 as usize) else { return false };
    let mut calls = block.rules.iter().flat_map(|cohort| cohort.first.iter().chain(&cohort.rest));
    !block.fields.is_empty() || calls.any(|call| !call.silent && fails_unset(program, call))
}

/// Every check of the rule, in the order of the program.
pub(super) fn sites(program: &Program, rule: RuleId) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    for (block, id) in program.blocks.iter().zip(0..) {
        let places = block.fields.iter().map(Place::Field);
        for place in std::iter::once(Place::Block(BlockId(id), block)).chain(places) {
            for cohort in place.cohorts() {
                for call in cohort.first.iter().chain(&cohort.rest) {
                    let mut found = Vec::new();
                    descend(call, rule, &mut Vec::new(), &mut found);
                    sites.extend(found.into_iter().map(|(calls, check)| Site { calls, check, cohort, place }));
                }
            }
        }
    }
    sites
}

type Found<'p> = (Vec<&'p Call>, &'p Arc<dyn Check>);

fn descend<'p>(call: &'p Call, rule: RuleId, way: &mut Vec<&'p Call>, found: &mut Vec<Found<'p>>) {
    way.push(call);
    match &call.op {
        Op::Check { check, rule: Some(of), .. } if *of == rule => found.push((way.clone(), check)),
        Op::Check { .. } | Op::Block(_) => {}
        Op::EachEntry(inner)
        | Op::EachKey(inner)
        | Op::EachItem { inner, .. }
        | Op::Subfield { inner, .. }
        | Op::Item { inner, .. }
        | Op::IfOption { inner, .. } => descend(inner, rule, way, found),
        Op::Mode(mode) => {
            for call in mode.modes.values().flatten().chain([&mode.otherwise]) {
                descend(call, rule, way, found);
            }
        }
    }
    way.pop();
}

/// Whether a call runs a check of the rule, itself or further in.
pub(super) fn holds(call: &Call, rule: RuleId) -> bool {
    let mut found = Vec::new();
    descend(call, rule, &mut Vec::new(), &mut found);
    !found.is_empty()
}
