//! Where the checks of a rule stand in a program.

use crate::eval::Check;
use crate::eval::program::{Block, BlockId, Call, Cohort, Correlation, FieldPlan, Op, Program};
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_harness::rule::RuleId;
use takeover_harness::schema::Slot;

/// A check of a rule and what is around it.
pub(super) struct Site<'p> {
    /// The rule.
    rule: RuleId,
    /// The block of the place.
    pub(super) block: BlockId,
    /// The calls on the way, outermost first; the last one runs the check.
    pub(super) calls: Vec<&'p Call>,
    /// The check.
    pub(super) check: &'p Arc<dyn Check>,
    /// Rules that stop together with it.
    pub(super) cohort: &'p Cohort,
    /// The place of the outermost call.
    pub(super) place: RulePlace<'p>,
}

/// A type or a field with rules.
#[derive(Clone, Copy)]
pub(super) enum RulePlace<'p> {
    Block(BlockId, &'p Block),
    Field(&'p FieldPlan),
}

impl<'p> RulePlace<'p> {
    /// A type and its fields.
    pub(super) fn of_block(id: BlockId, block: &'p Block) -> impl Iterator<Item = Self> {
        std::iter::once(Self::Block(id, block)).chain(block.fields.iter().map(Self::Field))
    }

    /// Everything that runs there, but for the type of a field.
    pub(super) fn calls(self) -> impl Iterator<Item = &'p Call> {
        let rules = self.cohorts().iter().flat_map(|cohort| cohort.first.iter().chain(&cohort.rest));
        rules.chain(self.iterations())
    }

    /// Whether a check of the rule runs there.
    pub(super) fn holds(self, rule: RuleId) -> bool {
        self.calls().any(|call| holds(call, rule))
    }

    /// The blocks that it enters.
    pub(super) fn targets(self) -> Vec<BlockId> {
        let mut found = Vec::new();
        if let Self::Field(FieldPlan { block: Some(block), .. }) = self {
            found.push(*block);
        }
        self.calls().for_each(|call| targets(call, &mut found));
        found
    }

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
        let nil = matches!(self.place, RulePlace::Field(FieldPlan { pointer: true, .. }));
        self.stopped().any(|call| fails_unset(program, call, nil))
            || match self.place {
                _ if !self.cohort.default => false,
                RulePlace::Field(FieldPlan { block: Some(block), .. }) => block_fails_unset(program, *block, nil),
                RulePlace::Field(_) => false,
                RulePlace::Block(_, block) => !block.fields.is_empty(),
            }
    }

    /// Whether its place can have an old value, `blocks` being those that can.
    pub(super) fn place_has_old(&self, blocks: &BTreeSet<BlockId>) -> bool {
        blocks.contains(&self.block)
    }

    /// Whether its value can have an old value, `blocks` being those that can.
    pub(super) fn has_old(&self, blocks: &BTreeSet<BlockId>) -> bool {
        self.place_has_old(blocks) && !self.calls.iter().any(|call| loses_old(&call.op))
    }

    /// Whether an unset value gets to it: no rule that refuses such values stops it before. Wrong answers on the side of yes
    /// do no harm.
    pub(super) fn sees_unset(&self, program: &Program) -> bool {
        if self.stops() {
            return true;
        }
        let (mut way, mut pointer) =
            (Vec::new(), matches!(self.place, RulePlace::Field(FieldPlan { pointer: true, .. })));
        let Some((_, wrappers)) = self.calls.split_last() else { return true };
        for wrapper in wrappers {
            match &wrapper.op {
                Op::Subfield { slot, pointer: nilable, .. } => {
                    way.push(Step::Member(*slot));
                    pointer = *nilable;
                }
                Op::IfOption { option, enabled, .. } => way.push(Step::Option(option, *enabled)),
                _ => return true,
            }
        }
        let first = self.place.cohorts().iter().filter(|cohort| cohort.default || std::ptr::eq(*cohort, self.cohort));
        if !pointer && first.flat_map(|cohort| &cohort.first).any(|call| refuses_unset(call, &way)) {
            return false;
        }
        match self.place {
            RulePlace::Block(id, _) if self.calls.len() == 1 && id != BlockId(0) => {
                places(program).any(|place| match place {
                    RulePlace::Field(field) if field.block == Some(id) => {
                        let mut first =
                            field.rules.iter().filter(|cohort| cohort.default).flat_map(|cohort| &cohort.first);
                        field.pointer || !first.any(|call| refuses_unset(call, &[]))
                    }
                    place => place.targets().contains(&id),
                })
            }
            _ => true,
        }
    }

    /// Whether there is anything that it keeps from running.
    pub(super) fn stops_something(&self) -> bool {
        let goes_on = match self.place {
            RulePlace::Block(_, block) => !block.iterations.is_empty() || !block.fields.is_empty(),
            RulePlace::Field(field) => !field.iterations.is_empty() || field.block.is_some(),
        };
        self.stopped().next().is_some() || (self.cohort.default && goes_on)
    }

    /// Whether another rule that can fail on a set value stops what it stops, and would keep it from running if it stopped nothing.
    pub(super) fn has_rivals_on_set(&self) -> bool {
        self.rivals().any(fails_set)
    }

    /// The same for unset values.
    pub(super) fn has_rivals_on_unset(&self, program: &Program) -> bool {
        let nil = matches!(self.place, RulePlace::Field(FieldPlan { pointer: true, .. }));
        self.rivals().any(|call| fails_unset(program, call, nil))
    }

    fn rivals(&self) -> impl Iterator<Item = &Call> {
        self.cohort.first.iter().filter(|call| !holds(call, self.rule) && !self.excludes(call))
    }

    /// The rules of the place that do not run when it fails.
    fn stopped(&self) -> impl Iterator<Item = &Call> {
        let others = self.place.cohorts().iter().filter(|cohort| self.cohort.default && !cohort.default);
        let all = self.cohort.rest.iter().chain(others.flat_map(|cohort| cohort.first.iter().chain(&cohort.rest)));
        all.filter(|call| !self.excludes(call))
    }

    /// Whether an option alone decides if the check runs, and in its other state another rule reports the same wherever the check
    /// would.
    pub(super) fn is_repeated_in_the_other_state(&self) -> bool {
        let [switched, _] = self.calls.as_slice() else { return false };
        let Op::IfOption { option, enabled, inner } = &switched.op else { return false };
        let level = switched.level.or(inner.level);
        let repeats = |call: &Call| match &call.op {
            Op::IfOption { option: other, enabled: when, inner } if other == option && when != enabled => {
                let loud = !call.silent && !inner.silent && call.level.or(inner.level) == level;
                loud && matches!(&inner.op, Op::Check { check, .. } if check.repeats(self.check.as_ref()))
            }
            _ => false,
        };
        // What stops others and what is stopped do not run together.
        let together = [&self.cohort.first, &self.cohort.rest];
        let together = together.into_iter().find(|calls| calls.iter().any(|call| std::ptr::eq(call, *switched)));
        together.is_some_and(|calls| calls.iter().any(repeats))
    }

    /// Whether an option lets either of them run, never both.
    fn excludes(&self, call: &Call) -> bool {
        let Op::IfOption { option, enabled, .. } = &call.op else { return false };
        self.calls.iter().any(|own| match &own.op {
            Op::IfOption { option: other, enabled: when, .. } => other == option && when != enabled,
            _ => false,
        })
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
        wrapped || !matches!(self.place, RulePlace::Block(BlockId(0), _))
    }
}

/// Whether a rule can fail on an unset value, which is nil or zero. Wrong answers on the side of yes do no harm.
fn fails_unset(program: &Program, call: &Call, nil: bool) -> bool {
    match &call.op {
        Op::Check { check, .. } => check.fails_unset() && (!nil || check.judges_nil()),
        Op::EachItem { .. } | Op::EachEntry(_) | Op::EachKey(_) | Op::Item { .. } => false,
        Op::IfOption { inner, .. } => fails_unset(program, inner, nil),
        Op::Block(block) => block_fails_unset(program, *block, nil),
        Op::Subfield { .. } | Op::Mode(_) => true,
    }
}

/// Whether a rule can fail on a value that is set. Wrong answers on the side of yes do no harm.
fn fails_set(call: &Call) -> bool {
    match &call.op {
        Op::Check { check, .. } => check.fails_set(),
        Op::IfOption { inner, .. } => fails_set(inner),
        _ => true,
    }
}

fn block_fails_unset(program: &Program, id: BlockId, nil: bool) -> bool {
    let Some(block) = program.blocks.get(id.0 as usize) else { return false };
    let mut calls = block.rules.iter().flat_map(|cohort| cohort.first.iter().chain(&cohort.rest));
    !block.fields.is_empty() || calls.any(|call| !call.silent && fails_unset(program, call, nil))
}

/// A wrapper on the way to a check.
#[derive(Clone, Copy)]
enum Step<'p> {
    Member(Slot),
    Option(&'p str, bool),
}

/// Whether a call refuses an unset value at the end of the way, whenever the way is gone.
fn refuses_unset(call: &Call, way: &[Step<'_>]) -> bool {
    match (&call.op, way) {
        (Op::Subfield { slot, inner, .. }, [Step::Member(member), rest @ ..]) => {
            slot == member && refuses_unset(inner, rest)
        }
        (Op::IfOption { option, enabled, inner }, [Step::Option(name, when), rest @ ..])
            if **option == **name && enabled == when =>
        {
            refuses_unset(inner, rest)
        }
        // What does not depend on the option runs in this state too.
        (_, [Step::Option(..), rest @ ..]) => refuses_unset(call, rest),
        (Op::Check { check, .. }, []) => check.refuses_unset(),
        _ => false,
    }
}

/// Every place of a program, in order.
pub(super) fn places(program: &Program) -> impl Iterator<Item = RulePlace<'_>> {
    program.blocks.iter().zip(0..).flat_map(|(block, id)| RulePlace::of_block(BlockId(id), block))
}

/// Every check of the rule, in the order of the program.
pub(super) fn sites(program: &Program, rule: RuleId) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    for (block, id) in program.blocks.iter().zip(0..).map(|(block, id)| (block, BlockId(id))) {
        for place in RulePlace::of_block(id, block) {
            for cohort in place.cohorts() {
                for call in cohort.first.iter().chain(&cohort.rest) {
                    let mut found = Vec::new();
                    descend(call, rule, &mut Vec::new(), &mut found);
                    let site = |(calls, check)| Site { rule, block: id, calls, check, cohort, place };
                    sites.extend(found.into_iter().map(site));
                }
            }
        }
    }
    sites
}

type Found<'p> = (Vec<&'p Call>, &'p Arc<dyn Check>);

fn descend<'p>(call: &'p Call, rule: RuleId, way: &mut Vec<&'p Call>, found: &mut Vec<Found<'p>>) {
    if !holds(call, rule) {
        return;
    }
    way.push(call);
    match &call.op {
        Op::Check { check, .. } => found.push((way.clone(), check)),
        op => inner(op).for_each(|call| descend(call, rule, way, found)),
    }
    way.pop();
}

/// Whether a call runs a check of the rule, itself or further in.
pub(super) fn holds(call: &Call, rule: RuleId) -> bool {
    match &call.op {
        Op::Check { rule: of, .. } => *of == Some(rule),
        op => inner(op).any(|call| holds(call, rule)),
    }
}

/// Adds the blocks that a call enters.
pub(super) fn targets(call: &Call, found: &mut Vec<BlockId>) {
    match &call.op {
        Op::Block(block) => found.push(*block),
        op => inner(op).for_each(|call| targets(call, found)),
    }
}

/// Whether what a wrapper calls never sees an old value: elements of a set are skipped where there is one.
pub(super) fn loses_old(op: &Op) -> bool {
    matches!(op, Op::EachKey(_) | Op::EachItem { correlation: Correlation::None | Correlation::Equal, .. })
}

/// The calls that a wrapper makes.
pub(super) fn inner(op: &Op) -> impl Iterator<Item = &Call> {
    let (one, modes) = match op {
        Op::Check { .. } | Op::Block(_) => (None, None),
        Op::EachEntry(inner)
        | Op::EachKey(inner)
        | Op::EachItem { inner, .. }
        | Op::Subfield { inner, .. }
        | Op::Item { inner, .. }
        | Op::IfOption { inner, .. } => (Some(inner.as_ref()), None),
        Op::Mode(mode) => (Some(&mode.otherwise), Some(&mode.modes)),
    };
    modes.into_iter().flat_map(|modes| modes.values().flatten()).chain(one)
}
