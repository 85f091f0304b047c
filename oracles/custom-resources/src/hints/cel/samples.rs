//! Values that one rule tells apart, as many as are worth a sample.

use super::reading::read;
use super::values::{Made, Maker};
use crate::rules::{NodeLanguage, Old, Outcome, Program};
use crate::structural::{CelRule, Structural};
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_cel::cost::limits;
use takeover_cel::syntax::{Kind, parse};
use takeover_harness::rule::{Boundary, Sample};

/// Samples of a rule that judges values, and of one that judges changes: of those each is tried with each.
const MOST: usize = 24;
const MOST_OF_CHANGES: usize = 8;

/// What a rule tells apart.
pub(in super::super) struct OfRule {
    /// Classes of values.
    pub(in super::super) boundaries: Vec<Boundary>,
    /// Whether it judges updates only.
    pub(in super::super) update_only: bool,
}

/// Whether a rule judges updates only: it speaks of the old value, and needs it.
pub(in super::super) fn uses_old(rule: &CelRule) -> bool {
    let speaks = parse(&rule.rule).is_ok_and(|ast| {
        ast.nodes().iter().any(|node| matches!(&node.kind, Kind::Ident(name) if &**name == "oldSelf"))
    });
    speaks && rule.optional_old_self != Some(true)
}

/// What a rule at a node tells apart; none where it does not compile.
pub(in super::super) fn of_rule(
    language: &NodeLanguage,
    node: &Structural,
    rule: &CelRule,
    whole: bool,
) -> Option<OfRule> {
    let program = language.compile(rule).ok()?;
    let ast = parse(&rule.rule).ok()?;
    let read = read(&ast);
    let made = Maker { literals: &read.literals }.values(node, &read.wanted, whole, 0);
    let update_only = program.uses_old() && rule.optional_old_self != Some(true);
    let boundaries = if update_only { of_changes(&*program, made) } else { of_values(&*program, rule, made) };
    Some(OfRule { boundaries, update_only })
}

fn ran(program: &dyn Program, value: &Value, old: Old<'_>) -> (bool, u64) {
    let ran = program.run(value, old, limits::PER_CALL);
    (ran.outcome == Outcome::Holds, ran.cost)
}

/// Values by what the rule says and what that costs, which tells the ways through the expression apart.
fn of_values(program: &dyn Program, rule: &CelRule, made: Vec<Made>) -> Vec<Boundary> {
    let mut groups: BTreeMap<(bool, u64), Vec<(usize, Made)>> = BTreeMap::new();
    for (at, made) in made.into_iter().enumerate() {
        let Some(value) = made.full.as_ref().filter(|value| !value.is_null()) else { continue };
        let old = if rule.optional_old_self == Some(true) { Old::Optional(None) } else { Old::Unbound };
        groups.entry(ran(program, value, old)).or_default().push((at, made));
    }
    let mut chosen: Vec<(usize, bool, Made)> = Vec::new();
    let mut groups: Vec<(bool, std::vec::IntoIter<(usize, Made)>)> =
        groups.into_iter().map(|((holds, _), made)| (holds, made.into_iter())).collect();
    while chosen.len() < MOST {
        let before = chosen.len();
        for (holds, group) in &mut groups {
            if let (true, Some((at, made))) = (chosen.len() < MOST, group.next()) {
                chosen.push((at, *holds, made));
            }
        }
        if chosen.len() == before {
            break;
        }
    }
    // In the order in which they were made, the most ordinary first.
    chosen.sort_by_key(|(at, ..)| *at);
    chosen.into_iter().map(|(_, holds, made)| class(!holds, made)).collect()
}

/// Values each of which may be the old or the new one. One breaks the rule that does so after another one.
fn of_changes(program: &dyn Program, made: Vec<Made>) -> Vec<Boundary> {
    let made: Vec<Made> =
        made.into_iter().filter(|made| made.full.as_ref().is_some_and(|value| !value.is_null())).collect();
    let pool: Vec<&Made> = made.iter().take(3 * MOST_OF_CHANGES).collect();
    let row = |made: &Made| -> Vec<(bool, u64)> {
        let Some(value) = &made.full else { return Vec::new() };
        let olds = pool.iter().filter_map(|old| old.full.as_ref());
        let olds: Vec<&Value> = olds.collect();
        let after = olds.iter().map(|old| ran(program, value, Old::Value(old)));
        let before = olds.iter().map(|new| ran(program, new, Old::Value(value)));
        after.chain(before).collect()
    };
    let mut chosen: Vec<(bool, Made, Vec<(bool, u64)>)> = Vec::new();
    let mut rest = Vec::new();
    for made in &pool {
        let row = row(made);
        let breaks = row.iter().take(pool.len()).any(|(holds, _)| !holds);
        match chosen.iter().any(|(.., known)| *known == row) {
            false => chosen.push((breaks, (*made).clone(), row)),
            true => rest.push((breaks, (*made).clone(), row)),
        }
    }
    chosen.extend(rest);
    chosen.truncate(MOST_OF_CHANGES);
    let mut classes: Vec<Boundary> = chosen.into_iter().map(|(breaks, made, _)| class(breaks, made)).collect();
    // Where every change breaks the rule, one value is what was there.
    if let (true, Some(first)) = (classes.iter().all(|class| class.breaks), classes.first_mut()) {
        first.breaks = false;
    }
    classes
}

fn class(breaks: bool, made: Made) -> Boundary {
    let sample = made.shown.unwrap_or_default();
    let shown: String = sample.to_string().chars().take(80).collect();
    Boundary { class: shown, breaks, sample: Sample::Value(sample), options: Vec::new() }
}
