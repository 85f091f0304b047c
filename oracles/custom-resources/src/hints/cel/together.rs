//! Values of a rule that the other rules of its node leave alone: an error that another rule reports in the same place hides its own.

use super::super::example::example;
use super::samples::OfRule;
use super::values::Made;
use crate::structural::Structural;
use serde_json::{Map, Value};

/// Rules of one object that are kept together.
const MOST_JOINED: usize = 64;
/// Mixtures of values that are tried at one node.
const MOST_TRIED: usize = 20_000;

/// Changes the values of each rule, as far as it says nothing of them, until they keep the other rules.
pub(in super::super) fn mend(rules: &mut [OfRule]) {
    let mut left = MOST_TRIED;
    for at in 0..rules.len().min(MOST_JOINED) {
        let Some(rule) = rules.get_mut(at) else { continue };
        let mut classes = std::mem::take(&mut rule.classes);
        for (breaks, made) in &mut classes {
            if let Some(mended) = mended(rules, at, (*breaks, made), &mut left) {
                *made = mended;
            }
        }
        if let Some(rule) = rules.get_mut(at) {
            rule.classes = classes;
        }
    }
}

/// The value with parts of values that keep other rules, so that it keeps more of them; `None` if it stays as it is.
fn mended(rules: &[OfRule], own: usize, (breaks, made): (bool, &Made), left: &mut usize) -> Option<Made> {
    let kept = |at: usize| rules.get(at).and_then(|rule| rule.kept.as_ref());
    let broken = |value: &Value| -> Vec<usize> {
        (0..rules.len()).filter(|at| *at != own && kept(*at).is_some_and(|kept| !kept.holds(value))).collect()
    };
    let mut best = made.clone();
    let mut bad = broken(best.full.as_ref()?);
    let before = bad.len();
    let mut next = 0;
    while let Some(rule) = bad.get(next).copied() {
        let mixtures = kept(rule).into_iter().flat_map(|kept| &kept.values).filter_map(|below| over(below, &best));
        let found = mixtures.take(*left).find_map(|mixture| {
            *left = left.saturating_sub(1);
            let value = mixture.full.as_ref()?;
            let same = kept(own).is_none_or(|kept| kept.holds(value) != breaks);
            let other = same.then(|| broken(value)).filter(|other| other.len() < bad.len())?;
            Some((mixture, other))
        });
        match found {
            Some((mixture, other)) => (best, bad, next) = (mixture, other, 0),
            None => next += 1,
        }
    }
    (bad.len() < before).then_some(best)
}

/// The value `above`, with the parts that only `below` speaks of.
fn over(below: &Made, above: &Made) -> Option<Made> {
    let mut made = above.clone();
    let added = add(
        (below.full.as_ref()?.as_object()?, below.shown.as_ref()?.as_object()?),
        (made.full.as_mut()?.as_object_mut()?, made.shown.as_mut()?.as_object_mut()?),
        0,
    );
    added.then_some(made)
}

/// Schemas inside schemas.
const DEPTH: usize = 8;

fn add(
    (from, said): (&Map<String, Value>, &Map<String, Value>),
    (full, shown): (&mut Map<String, Value>, &mut Map<String, Value>),
    depth: usize,
) -> bool {
    let mut added = false;
    for (name, of_sample) in said {
        match shown.get_mut(name) {
            None => {
                match from.get(name) {
                    Some(value) => drop(full.insert(name.clone(), value.clone())),
                    None => drop(full.remove(name)),
                }
                shown.insert(name.clone(), of_sample.clone());
                added = true;
            }
            Some(Value::Object(shown)) if depth < DEPTH => {
                let parts = (from.get(name).and_then(Value::as_object), of_sample.as_object());
                if let ((Some(from), Some(said)), Some(Value::Object(full))) = (parts, full.get_mut(name)) {
                    added |= add((from, said), (full, shown), depth + 1);
                }
            }
            Some(_) => {}
        }
    }
    added
}

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
            rules.iter().filter_map(|rule| rule.kept.as_ref()).all(|kept| kept.holds(&value))
        };
        if holds(&full, before) {
            continue;
        }
        let Some(kept) = before.last().and_then(|rule| rule.kept.as_ref()).map(|kept| &kept.values) else { continue };
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
        let Some(kept) = rule.kept.as_ref().map(|kept| &kept.values) else { continue };
        let part = |key: String| {
            let value = shown.get(&key).or_else(|| full.get(&key))?.clone();
            Some((key, value))
        };
        let sample = Value::Object(keys(kept).into_iter().filter_map(part).collect());
        rule.classes.retain(|(breaks, made)| *breaks || made.shown.as_ref() != Some(&sample));
        rule.classes.insert(0, (false, Made { full: None, shown: Some(sample) }));
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
