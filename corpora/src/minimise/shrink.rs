//! The minimiser: greedy, deterministic, bounded by the number of questions it may ask.

use super::pair::{Edit, Pair, Side, Step};
use super::weight::{Print, Weight};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use takeover_harness::case::{Case, Payload};

/// How much work minimisation may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often the question is asked at most. Default 4,000: some hundred milliseconds for an object of usual size.
    pub calls: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { calls: 4_000 }
    }
}

/// Most cases on the way to the smallest that are kept.
const MOST_ON_THE_WAY: usize = 16;

/// Items of a list that are worth a look as a whole.
const LONG: usize = 4;

/// Why minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No smaller neighbour shows it any more.
    Smallest,
    /// The number of questions was used up; the case is the smallest found so far.
    OutOfCalls,
    /// The case as given does not show it (or is not JSON); it is handed back unchanged.
    NotShown,
}

/// What minimisation came to.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The smallest case found: same operation, options and provenance, objects as JSON trees.
    pub case: Case<'static>,
    /// How often the question was asked.
    pub calls: u32,
    /// Why it ended.
    pub ended: Ended,
    /// Up to sixteen cases on the way from the given one to the smallest, which is the last: each is smaller than the one before, and
    /// shows it.
    pub way: Vec<Case<'static>>,
}

/// Shrinks `case` as long as `shows` answers yes.
///
/// Object and old object shrink together: what can go from both at the same place goes from both, then from each alone.
/// Fields, entries and items are dropped, texts shortened, numbers moved to the boundary nearest to zero, and keys
/// shortened, again and again until nothing changes. `apiVersion` and `kind` at the root stay. The result always satisfies
/// `shows` (unless the case never did), is never larger than `case`, and depends on nothing but `case` and the answers.
pub fn minimise(case: &Case, limits: Limits, mut shows: impl FnMut(&Case) -> bool) -> Minimised {
    minimise_by(case, limits, |case| shows(case).then_some(0))
}

/// Does the same as [`minimise`], where `beside` says how much a case shows besides what it has to show, or nothing when it does not
/// show that: nothing is taken that shows more besides than the best so far, so that what has to be shown comes to stand alone.
pub fn minimise_by(case: &Case, limits: Limits, mut beside: impl FnMut(&Case) -> Option<u64>) -> Minimised {
    let unchanged = |calls| Minimised { case: case.clone().kept(), calls, ended: Ended::NotShown, way: Vec::new() };
    let tree = |payload: &Payload| payload.to_value().map(Arc::new);
    let Ok(object) = tree(&case.object) else { return unchanged(0) };
    let Ok(old) = case.old.as_ref().map(tree).transpose() else { return unchanged(0) };
    let pair = Pair { object, old };
    let mut search = Search {
        template: case,
        weight: weigh(&pair),
        best: pair.clone(),
        way: Vec::new(),
        refused: HashSet::new(),
        calls: 0,
        limit: limits.calls,
        beside: u64::MAX,
        shows: &mut beside,
    };
    match search.ask(&pair) {
        Some(beside) => search.beside = beside,
        None => return unchanged(search.calls),
    }
    loop {
        let before = search.weight;
        search.drop_parts();
        search.simplify_values();
        search.shorten_keys();
        if search.weight == before || search.exhausted() {
            break;
        }
    }
    let ended = if search.exhausted() { Ended::OutOfCalls } else { Ended::Smallest };
    let (case_of, calls) = (|pair: &Pair| with_objects(case, pair), search.calls);
    Minimised { case: case_of(&search.best), calls, ended, way: search.way.iter().map(case_of).collect() }
}

fn with_objects(case: &Case, pair: &Pair) -> Case<'static> {
    Case {
        operation: case.operation,
        object: Payload::Value(Arc::clone(&pair.object)),
        old: pair.old.clone().map(Payload::Value),
        options: case.options.clone(),
        provenance: case.provenance.clone(),
    }
}

fn print(pair: &Pair) -> u64 {
    let mut print = Print::default();
    std::iter::once(&pair.object).chain(&pair.old).for_each(|object| print.add(object));
    print.number()
}

fn weigh(pair: &Pair) -> Weight {
    let mut weight = Weight::default();
    weight.add(&pair.object);
    if let Some(old) = &pair.old {
        weight.add(old);
    }
    weight
}

/// Whether a place names what the object is, which stays for the reader.
fn is_identity(path: &[Step]) -> bool {
    matches!(path, [Step::Member(key)] if key == "apiVersion" || key == "kind")
}

struct Search<'c, F> {
    template: &'c Case<'c>,
    best: Pair,
    /// Best ones after the given one.
    way: Vec<Pair>,
    /// Prints of refused candidates. They stay refused: what a candidate may show besides only shrinks.
    refused: HashSet<u64>,
    weight: Weight,
    calls: u32,
    limit: u32,
    /// How much the best shows besides.
    beside: u64,
    shows: &'c mut F,
}

impl<F: FnMut(&Case) -> Option<u64>> Search<'_, F> {
    fn exhausted(&self) -> bool {
        self.calls >= self.limit
    }

    fn ask(&mut self, pair: &Pair) -> Option<u64> {
        if self.exhausted() {
            return None;
        }
        self.calls += 1;
        (self.shows)(&with_objects(self.template, pair))
    }

    /// Takes `pair` as the best when it is smaller, still shows it, and shows no more besides.
    fn accept(&mut self, pair: Pair) -> bool {
        let weight = weigh(&pair);
        if weight >= self.weight {
            return false;
        }
        let print = print(&pair);
        if self.refused.contains(&print) {
            return false;
        }
        let Some(beside) = self.ask(&pair).filter(|beside| *beside <= self.beside) else {
            self.refused.insert(print);
            return false;
        };
        if self.way.len() == MOST_ON_THE_WAY {
            // Every second one is enough; of large objects, not all can be kept.
            let mut keeps = false;
            self.way.retain(|_| {
                keeps = !keeps;
                !keeps
            });
        }
        self.way.push(pair.clone());
        (self.best, self.weight, self.beside) = (pair, weight, beside);
        true
    }

    fn try_edit(&mut self, side: Side, path: &[Step], edit: &Edit) -> bool {
        match self.best.edited(side, path, edit) {
            Some(pair) => self.accept(pair),
            None => false,
        }
    }

    /// On both objects together, else on each alone. Without an old object there is only the one.
    fn try_sides(&mut self, path: &[Step], edit: &Edit) -> bool {
        if self.best.old.is_none() {
            return self.try_edit(Side::Object, path, edit);
        }
        if self.try_edit(Side::Both, path, edit) {
            return true;
        }
        // The second is tried even when the first went: it may go as well.
        let object = self.try_edit(Side::Object, path, edit);
        self.try_edit(Side::Old, path, edit) || object
    }

    fn drop_parts(&mut self) {
        for path in self.best.places() {
            if self.exhausted() {
                return;
            }
            if is_identity(&path) {
                continue;
            }
            let Some(value) = self.best.at(&path) else { continue };
            let empty = match value {
                Value::Array(items) if !items.is_empty() => Some(Value::Array(Vec::new())),
                Value::Object(members) if !members.is_empty() => Some(Value::Object(serde_json::Map::new())),
                _ => None,
            };
            let items = value.as_array().map_or(0, Vec::len);
            if self.try_sides(&path, &Edit::Remove) {
                continue;
            }
            if let Some(empty) = empty
                && !self.try_sides(&path, &Edit::Put(empty))
            {
                self.thin_out(&path, items);
            }
        }
    }

    /// Cuts long lists by halves, quarters and so on; single items are left to their own places.
    fn thin_out(&mut self, path: &[Step], items: usize) {
        let mut count = items / 2;
        while count > 1 && !self.exhausted() {
            let mut from = self.best.at(path).and_then(Value::as_array).map_or(0, Vec::len);
            while from > 0 {
                from = from.saturating_sub(count);
                self.try_sides(path, &Edit::Cut { from, count });
            }
            count /= 2;
        }
        self.thin_items(path);
    }

    /// Takes a member from all items of a list that has to be long, rather than from one after the other.
    fn thin_items(&mut self, path: &[Step]) {
        let Some(Value::Array(items)) = self.best.at(path) else { return };
        if items.len() < LONG {
            return;
        }
        let keys: BTreeSet<String> =
            items.iter().filter_map(Value::as_object).flat_map(|item| item.keys().cloned()).collect();
        for key in keys {
            self.try_sides(path, &Edit::RemoveFromItems(key));
        }
    }

    fn simplify_values(&mut self) {
        for path in self.best.places() {
            if is_identity(&path) {
                continue;
            }
            for side in Side::ALL {
                if self.exhausted() {
                    return;
                }
                let mut values = self.best.on(side, &path);
                let Some(value) = values.next().cloned() else { continue };
                // Together only where both objects hold the same; a pair of equals must stay one.
                if side == Side::Both && values.next() != Some(&value) {
                    continue;
                }
                drop(values);
                match value {
                    Value::Bool(true) => {
                        self.try_edit(side, &path, &Edit::Put(Value::Bool(false)));
                    }
                    Value::Number(number) => self.simplify_number(side, &path, &number),
                    Value::String(text) => self.simplify_text(side, &path, text),
                    _ => {}
                }
            }
        }
    }

    fn simplify_number(&mut self, side: Side, path: &[Step], number: &serde_json::Number) {
        let put = |value: i64| Edit::Put(Value::from(value));
        if [0, 1, -1].into_iter().any(|value| self.try_edit(side, path, &put(value))) {
            return;
        }
        let Some(mut shown) = number.as_i64() else { return };
        // INVARIANT: `shown` shows it; `lost` is nearer to zero and did not when it was tried.
        let mut lost = 0_i64;
        loop {
            // Halfway without overflow; both have the same sign.
            let middle = lost + (shown - lost) / 2;
            if middle == lost || self.exhausted() {
                return;
            }
            if self.try_edit(side, path, &put(middle)) {
                shown = middle;
            } else {
                lost = middle;
            }
        }
    }

    fn simplify_text(&mut self, side: Side, path: &[Step], mut text: String) {
        loop {
            let found = shorter(&text).into_iter().find(|candidate| {
                // The same text elsewhere often has to stay the same text: a selector and the labels it selects.
                let everywhere = self.best.reworded(&text, candidate);
                self.accept(everywhere) || self.try_edit(side, path, &Edit::Put(Value::from(candidate.as_str())))
            });
            match found {
                Some(candidate) if !self.exhausted() => text = candidate,
                _ => return,
            }
        }
    }

    fn shorten_keys(&mut self) {
        for path in self.best.places() {
            let Some(Step::Member(key)) = path.last() else { continue };
            // Names of fields are identifiers and of use as they are; keys of maps are mostly not.
            if key.len() < 40 && key.chars().all(|c| c.is_ascii_alphanumeric()) {
                continue;
            }
            let mut key = key.clone();
            let mut path = path;
            loop {
                let found =
                    shorter(&key).into_iter().find(|candidate| self.try_sides(&path, &Edit::Rename(candidate.clone())));
                let Some(candidate) = found else { break };
                path.pop();
                path.push(Step::Member(candidate.clone()));
                key = candidate;
                if self.exhausted() {
                    return;
                }
            }
        }
    }
}

/// Plainer texts than `text`, the plainest first: nothing, `a`, without its first or last half, quarter, … character, and
/// with every letter and digit made `a`.
fn shorter(text: &str) -> Vec<String> {
    let mut candidates = vec![String::new(), "a".to_owned()];
    let count = text.chars().count();
    let mut cut = count / 2;
    while cut > 0 {
        candidates.push(text.chars().skip(cut).collect());
        candidates.push(text.chars().take(count - cut).collect());
        cut /= 2;
    }
    candidates.push(text.chars().map(|c| if c.is_alphanumeric() { 'a' } else { c }).collect());
    candidates.push(text.chars().map(|c| if c.is_ascii_alphanumeric() { 'a' } else { c }).collect());
    candidates.retain(|candidate| candidate != text);
    candidates
}
