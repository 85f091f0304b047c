//! Values that one rule tells apart, as many as are worth a sample.

use super::super::example::example;
use super::reading::read;
use super::values::{Made, Maker};
use crate::rules::{NodeLanguage, Old, Outcome, Program};
use crate::structural::{CelRule, Structural};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
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
    /// The rule, with values that keep it; `None` when it judges updates only.
    pub(super) kept: Option<(Arc<dyn Program>, bool, Vec<Made>)>,
}

impl OfRule {
    /// A rule without known values.
    pub(in super::super) fn unknown(update_only: bool) -> Self {
        Self { boundaries: Vec::new(), update_only, kept: None }
    }
}

/// Values of a rule that are tried beside other rules.
const MOST_KEPT: usize = 40;

/// Rules of one object that are kept together.
const MOST_JOINED: usize = 64;

/// Puts a value before the others of each rule of an object that keeps all of them, as far as one is found: what is grown is to break none.
pub(in super::super) fn join(node: &Structural, rules: &mut [OfRule]) {
    let Value::Object(mut full) = example(node, 0) else { return };
    let count = rules.len().min(MOST_JOINED);
    let rules = rules.get_mut(..count).unwrap_or_default();
    let mut shown: Map<String, Value> = Map::new();
    for at in 0..rules.len() {
        let before = rules.get(..=at).unwrap_or_default();
        let holds = |value: &Map<String, Value>, rules: &[OfRule]| {
            let value = Value::Object(value.clone());
            rules.iter().filter_map(|rule| rule.kept.as_ref()).all(|(program, optional, _)| {
                let old = if *optional { Old::Optional(None) } else { Old::Unbound };
                ran(&**program, &value, old).0
            })
        };
        if holds(&full, before) {
            continue;
        }
        let Some((_, _, kept)) = before.last().and_then(|rule| rule.kept.as_ref()) else { continue };
        let spoken = keys(kept);
        let found = kept.iter().find_map(|made| {
            let (Some(Value::Object(of_rule)), Some(Value::Object(sample))) = (&made.full, &made.shown) else {
                return None;
            };
            let mut both = full.clone();
            for key in &spoken {
                match of_rule.get(key) {
                    Some(value) => drop(both.insert(key.clone(), value.clone())),
                    None => drop(both.remove(key)),
                }
            }
            holds(&both, before).then(|| (both, sample.clone()))
        });
        if let Some((both, sample)) = found {
            full = both;
            spoken.iter().for_each(|key| drop(shown.remove(key)));
            shown.extend(sample);
        }
    }
    for rule in rules {
        let Some((_, _, kept)) = &rule.kept else { continue };
        let part = |key: String| {
            let value = shown.get(&key).or_else(|| full.get(&key))?.clone();
            Some((key, value))
        };
        let sample = Value::Object(keys(kept).into_iter().filter_map(part).collect());
        rule.boundaries.retain(|class| class.breaks || class.sample != Sample::Value(sample.clone()));
        rule.boundaries.insert(0, class(false, Made { full: None, shown: Some(sample) }));
    }
}

/// The members that values speak of.
fn keys(kept: &[Made]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for made in kept {
        for key in made.shown.as_ref().and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
    }
    keys
}

/// Whether a rule judges updates only: it speaks of the old value, and needs it.
pub(in super::super) fn uses_old(rule: &CelRule) -> bool {
    let speaks = parse(&rule.rule).is_ok_and(|ast| {
        ast.nodes().iter().any(|node| matches!(&node.kind, Kind::Ident(name) if &**name == "oldSelf"))
    });
    speaks && rule.optional_old_self != Some(true)
}

/// What a rule at a node tells apart; `None` when it does not compile.
pub(in super::super) fn of_rule(
    language: &NodeLanguage,
    node: &Structural,
    rule: &CelRule,
    whole: bool,
) -> Option<OfRule> {
    let program = language.compile(rule).ok()?;
    let ast = parse(&rule.rule).ok()?;
    let read = read(&ast);
    let made = Maker::new(&read.literals).values(node, &read.wanted, whole, 0);
    let update_only = program.uses_old() && rule.optional_old_self != Some(true);
    if update_only {
        return Some(OfRule { boundaries: of_changes(&*program, made), update_only, kept: None });
    }
    let optional = rule.optional_old_self == Some(true);
    let old = || if optional { Old::Optional(None) } else { Old::Unbound };
    let kept = made.iter().filter(|made| made.full.as_ref().is_some_and(|value| ran(&*program, value, old()).0));
    let kept = (Arc::clone(&program), optional, kept.take(MOST_KEPT).cloned().collect());
    Some(OfRule { boundaries: of_values(&*program, rule, made), update_only, kept: Some(kept) })
}

/// What a rule says of a value before and after others.
type Row = Vec<(bool, u64)>;

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
    // The most ordinary value comes first, then one of each way through the expression.
    if let Some(first) = chosen.iter().enumerate().min_by_key(|(_, (at, ..))| *at).map(|(index, _)| index) {
        chosen.get_mut(..=first).unwrap_or_default().rotate_right(1);
    }
    chosen.into_iter().map(|(_, holds, made)| class(!holds, made)).collect()
}

/// Values that may be old or new. A new one breaks the rule if it does so after any other as the old one.
fn of_changes(program: &dyn Program, made: Vec<Made>) -> Vec<Boundary> {
    let made: Vec<Made> =
        made.into_iter().filter(|made| made.full.as_ref().is_some_and(|value| !value.is_null())).collect();
    let pool: Vec<&Made> = made.iter().take(3 * MOST_OF_CHANGES).collect();
    let row = |made: &Made| -> Row {
        let Some(value) = &made.full else { return Vec::new() };
        let olds = pool.iter().filter_map(|old| old.full.as_ref());
        let olds: Vec<&Value> = olds.collect();
        let after = olds.iter().map(|old| ran(program, value, Old::Value(old)));
        let before = olds.iter().map(|new| ran(program, new, Old::Value(value)));
        after.chain(before).collect()
    };
    let mut chosen: Vec<(bool, Made, Row)> = Vec::new();
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
