//! From what an expression tells apart to values that the schema accepts.

use super::super::example::{example, list_of};
use super::super::texts;
use super::parts::composed;
use super::wanted::Wanted;
use crate::structural::{Additional, Checks, ListType, SchemaType, Structural};
use crate::validate::{accepts, admits, kept_format};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_harness::rule::any_text;

/// Schemas inside schemas.
const DEPTH: usize = 8;
/// Values of one place, at the top and below: of samples, and where all are wanted.
const MOST: [usize; 3] = [160, 24, 12];
/// Lists and elements of a list whose elements a rule compares.
const MOST_OF_PAIRS: [usize; 2] = [640, 64];
const MOST_OF_ALL: [usize; 3] = [4_096, 256, 64];
/// The same where values are looked for that reveal mistakes.
const MOST_OF_MORE: [usize; 3] = [1_200, 96, 24];
/// Elements that are combined in every pair.
const MOST_PAIRED: usize = 12;
/// Most elements that are tried in pairs, for rules that compare elements.
const MOST_HELD: usize = 32;
/// Sizes of texts and lists.
const LONGEST: i64 = 5_000;
const LARGEST: i64 = 70;
/// Values of an enum that are tried.
const MOST_ALLOWED: usize = 16;
/// Values that a key of an element may get, and keys of a map that are tried together.
const MOST_KEYS: usize = 8;
/// Literals of the expression that are tried where nothing else is known.
const MOST_LITERALS: usize = 6;

/// A value, and what a sample says of it: the parts that the expression speaks of. `None` is an absent value; below the top it is null in
/// the sample, so that what is required around is grown and this is not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Made {
    pub(super) full: Option<Value>,
    pub(super) shown: Option<Value>,
}

impl Made {
    fn of(value: Value) -> Self {
        Self { full: Some(value.clone()), shown: Some(value) }
    }

    const ABSENT: Self = Self { full: None, shown: None };
}

/// Makes values.
pub(super) struct Maker<'m> {
    literals: &'m [Value],
    /// Values of one place, at the top and below.
    most: [usize; 3],
    /// Which values of a place are of use.
    fits: fn(&Structural, &Value) -> bool,
    /// Whether something was left out that an expression may tell apart: too many values, or values that nobody knows to make.
    partial: Cell<bool>,
}

/// The schema of what a whole object has without saying so.
fn metadata() -> Arc<Structural> {
    let text = || Arc::new(Structural { ty: Some(SchemaType::String), ..Structural::default() });
    let properties = ["name", "generateName"].map(|name| (name.to_owned(), text())).into();
    Arc::new(Structural { ty: Some(SchemaType::Object), properties, ..Structural::default() })
}

impl<'m> Maker<'m> {
    /// Makes samples.
    pub(super) fn new(literals: &'m [Value]) -> Self {
        Self { literals, most: MOST, fits: accepts, partial: Cell::new(false) }
    }

    /// Makes more samples than are kept: also such that break constraints which keep no rule from being judged.
    pub(super) fn of_more(literals: &'m [Value]) -> Self {
        Self { most: MOST_OF_MORE, fits: admits, ..Self::new(literals) }
    }

    /// Makes all values that an expression may tell apart, as far as they are not too many; of each place those that fit its schema.
    pub(super) fn of_all(literals: &'m [Value], fits: fn(&Structural, &Value) -> bool) -> Self {
        Self { most: MOST_OF_ALL, fits, ..Self::new(literals) }
    }

    /// Whether something was left out that an expression may tell apart.
    pub(super) fn is_partial(&self) -> bool {
        self.partial.get()
    }

    fn note_partial(&self, partial: bool) {
        self.partial.set(self.partial.get() || partial);
    }

    /// Different values of a node, the most ordinary first.
    pub(super) fn values(&self, node: &Structural, wanted: &Wanted, whole: bool, depth: usize) -> Vec<Made> {
        let mut most = self.most.get(depth).or(self.most.last()).copied().unwrap_or_default();
        if wanted.paired && self.most != MOST_OF_ALL {
            most = most.max(MOST_OF_PAIRS.get(depth).copied().unwrap_or(most));
        }
        self.note_partial(depth > DEPTH || node.nullable || node.int_or_string || node.ty.is_none());
        if depth > DEPTH {
            return vec![Made::of(example(node, 0))];
        }
        let mut made = match node.ty {
            Some(SchemaType::Object) if !node.properties.is_empty() || whole || node.embedded => {
                self.objects(node, wanted, whole || node.embedded, depth, most)
            }
            Some(SchemaType::Object) if !wanted.members.is_empty() || wanted.each.is_some() || wanted.key.is_some() => {
                self.maps(node, wanted, depth, most)
            }
            Some(SchemaType::Array) => self.lists(node, wanted, depth, most),
            _ => self.scalars(node, wanted),
        };
        self.note_partial(made.len() > most);
        made.truncate(most);
        made
    }

    fn scalars(&self, node: &Structural, wanted: &Wanted) -> Vec<Made> {
        let checks = &node.checks;
        let allowed = &checks.enumeration;
        self.note_partial(
            checks.multiple_of.is_some()
                || allowed.len() > MOST_ALLOWED
                || node.ty == Some(SchemaType::Object) && !wanted.sizes.is_empty(),
        );
        let mut all = vec![example(node, 0)];
        let mut values: Vec<Value> = wanted.values.clone();
        values.extend(composed(wanted).into_iter().map(Value::from));
        if values.is_empty() {
            values.extend(self.literals.iter().take(MOST_LITERALS).cloned());
        }
        match node.ty {
            Some(SchemaType::Boolean) => values.extend([Value::Bool(false), Value::Bool(true)]),
            Some(SchemaType::Number) => {
                let floats = values.iter().filter_map(Value::as_f64).map(Value::from).collect();
                values = floats;
            }
            Some(SchemaType::Object) => {
                values = wanted.sizes.iter().filter_map(|size| self.map_of(node, *size)).collect();
                values.push(Value::Object(Map::new()));
            }
            _ => {}
        }
        if matches!(node.ty, Some(SchemaType::String) | None) {
            let sized =
                wanted.sizes.iter().filter(|size| **size <= LONGEST).filter_map(|size| usize::try_from(*size).ok());
            for size in sized {
                let of_size = i64::try_from(size).ok();
                let sized = Checks { min_length: of_size, max_length: of_size, ..node.checks.clone() };
                values.push(Value::from(texts::keeping(&sized, "a".repeat(size))));
                values.push(Value::from("a".repeat(size)));
            }
            if wanted.values.is_empty() && allowed.is_empty() && node.checks.pattern.is_none() {
                values.push(Value::from(""));
            }
        }
        let of_format = kept_format(node).map(texts::more_of_format).unwrap_or_default();
        values.extend(of_format.iter().map(|text| Value::from(*text)));
        // A value of the enum that the expression speaks of is among those already.
        values.extend(allowed.iter().take(MOST_ALLOWED).cloned());
        values.push(example(node, 1));
        for value in values {
            let fits = allowed.is_empty() || allowed.contains(&value);
            if fits && !all.contains(&value) && (self.fits)(node, &value) {
                all.push(value);
            }
        }
        self.note_partial(allowed.is_empty() && wanted.sizes.iter().any(|size| lacks_size(node, &all, *size, wanted)));
        all.into_iter().map(Made::of).collect()
    }

    fn map_of(&self, node: &Structural, size: i64) -> Option<Value> {
        let size = usize::try_from(size.min(LARGEST)).ok()?;
        super::super::example::map_of(node, size)
    }

    fn objects(&self, node: &Structural, wanted: &Wanted, whole: bool, depth: usize, most: usize) -> Vec<Made> {
        let Value::Object(base) = example(node, 0) else { return vec![Made::of(example(node, 0))] };
        let of_metadata = metadata();
        let anything = Arc::new(Structural { ty: Some(SchemaType::String), ..Structural::default() });
        let known = |name: &str| {
            if whole && name == "metadata" {
                return Some(&of_metadata);
            }
            let known = node.member(name);
            known.or_else(|| (whole && matches!(name, "kind" | "apiVersion")).then_some(&anything))
        };
        let members: Vec<(&String, Vec<Made>)> = wanted
            .members
            .iter()
            .filter_map(|(name, wanted)| {
                let schema = known(name)?;
                let mut values = self.values(schema, wanted, false, depth + 1);
                let required = node.checks.required.contains(name) || whole && name == "metadata";
                // A default is set where the value is absent.
                let defaulted = schema.default.is_some() && !schema.nullable;
                if !required && !defaulted {
                    values.insert(1.min(values.len()), Made::ABSENT);
                }
                Some((name, values))
            })
            .collect();
        let build = |choice: &dyn Fn(usize) -> usize| {
            let (mut full, mut shown) = (base.clone(), Map::new());
            for (at, (name, values)) in members.iter().enumerate() {
                let Some(made) = values.get(choice(at)) else { continue };
                match &made.full {
                    Some(value) => drop(full.insert((*name).clone(), value.clone())),
                    None => drop(full.remove(*name)),
                }
                match &made.shown {
                    Some(value) => drop(shown.insert((*name).clone(), value.clone())),
                    None if depth > 0 => drop(shown.insert((*name).clone(), Value::Null)),
                    None => {}
                }
            }
            Made { full: Some(Value::Object(full)), shown: Some(Value::Object(shown)) }
        };
        let counts: Vec<usize> = members.iter().map(|(_, values)| values.len()).collect();
        let product = counts.iter().try_fold(1_usize, |product, count| product.checked_mul(*count));
        self.note_partial(product.is_none_or(|product| product > most));
        let mut all: Vec<Made> = Vec::new();
        for choice in choices(&counts, most) {
            let made = build(&|at| choice.get(at).copied().unwrap_or_default());
            if !all.contains(&made) {
                all.push(made);
            }
        }
        all
    }

    fn lists(&self, node: &Structural, wanted: &Wanted, depth: usize, most: usize) -> Vec<Made> {
        let list = |elements: &[&Made]| {
            let of = |part: fn(&Made) -> &Option<Value>| -> Value {
                elements.iter().map(|made| part(made).clone().unwrap_or_default()).collect()
            };
            Made { full: Some(of(|made| &made.full)), shown: Some(of(|made| &made.shown)) }
        };
        let mut all = Vec::new();
        let none = Wanted::default();
        let (least, longest) = (node.checks.min_items.unwrap_or_default(), node.checks.max_items.unwrap_or(i64::MAX));
        self.note_partial(wanted.sizes.iter().any(|size| *size > LARGEST && *size <= longest));
        self.note_partial(wanted.each.is_some() && (least > 1 || !wanted.sizes.is_empty()));
        if let Some(items) = &node.items {
            let elements = self.values(items, wanted.each.as_deref().unwrap_or(&none), false, depth + 1);
            if let Some(first) = elements.first() {
                all.push(list(&[first]));
                all.push(list(&[]));
                all.extend(elements.iter().skip(1).map(|one| list(&[one])));
                if wanted.each.is_some() && self.most == MOST_OF_ALL {
                    self.note_partial(elements.len() > MOST_PAIRED);
                    let few = || elements.iter().take(MOST_PAIRED);
                    all.extend(few().flat_map(|one| few().map(move |other| (one, other))).map(|(a, b)| list(&[a, b])));
                } else if wanted.each.is_some() {
                    all.push(list(&[first, first]));
                    for one in elements.iter().skip(1).take(8) {
                        all.push(list(&[first, one]));
                    }
                    for pair in elements.windows(2).skip(1).take(6) {
                        let [one, other] = pair else { continue };
                        all.push(list(&[one, other]));
                        all.push(list(&[one, one]));
                    }
                    for size in wanted.sizes.iter().filter_map(|size| usize::try_from(*size).ok()) {
                        let sizes = (2..=8).contains(&size).then_some(size);
                        all.extend(
                            sizes
                                .into_iter()
                                .flat_map(|size| elements.iter().take(8).map(move |one| vec![one; size]))
                                .map(|elements| list(&elements)),
                        );
                    }
                    if let [first, second, third, ..] = elements.as_slice() {
                        all.push(list(&[first, second, third]));
                        all.push(list(&[second, first, second]));
                    }
                    if wanted.paired {
                        // Those that differ least from ordinary ones first.
                        let few = elements.len().min(MOST_HELD);
                        let mut pairs: Vec<(&Made, &Made)> = Vec::new();
                        for sum in 1..2 * few {
                            let of_sum = (sum.saturating_sub(few - 1)..=sum / 2).map(|at| (at, sum - at));
                            pairs.extend(of_sum.filter_map(|(at, other)| elements.get(at).zip(elements.get(other))));
                        }
                        all.extend(pairs.into_iter().map(|(one, other)| list(&[one, other])));
                    }
                }
            }
        } else {
            all.push(list(&[]));
        }
        let sizes = wanted.sizes.iter().filter(|size| **size <= LARGEST).filter_map(|size| usize::try_from(*size).ok());
        all.extend(sizes.map(|size| Made::of(list_of(node, size))));
        let keeps = |made: &Made| {
            let count = made.full.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            node.checks.max_items.is_none_or(|most| count <= most)
                && node.checks.min_items.is_none_or(|least| count >= least)
        };
        all.retain(keeps);
        all = all.into_iter().flat_map(|made| [apart(node, &made), Some(made)]).flatten().collect();
        self.note_partial(all.len() > most);
        all.truncate(most);
        if all.is_empty() {
            all.push(Made::of(example(node, 0)));
        }
        all
    }

    fn maps(&self, node: &Structural, wanted: &Wanted, depth: usize, most: usize) -> Vec<Made> {
        self.note_partial(true);
        let none = Wanted::default();
        let text = Structural { ty: Some(SchemaType::String), ..Structural::default() };
        let schema = match &node.additional {
            Some(Additional::Schema(schema)) => schema.as_ref(),
            _ => &text,
        };
        let values = self.values(schema, wanted.each.as_deref().unwrap_or(&none), false, depth + 1);
        let map = |entries: &[(&str, &Made)]| {
            let of = |part: fn(&Made) -> &Option<Value>| {
                let entries = entries.iter().filter_map(|(key, made)| Some(((*key).to_owned(), part(made).clone()?)));
                Value::Object(entries.collect())
            };
            Made { full: Some(of(|made| &made.full)), shown: Some(of(|made| &made.shown)) }
        };
        let Some(first) = values.first() else { return vec![Made::of(example(node, 0))] };
        let mut all = vec![map(&[("a0", first)]), map(&[])];
        let of_key = wanted.key.as_deref().filter(|key| !key.is_empty());
        // All keys that the expression itself names, together.
        let named = of_key.into_iter().flat_map(|wanted| &wanted.values).filter(|key| self.literals.contains(key));
        let named = named.filter_map(Value::as_str);
        let named: BTreeSet<&str> = named.chain(wanted.members.keys().map(String::as_str)).take(MOST_KEYS).collect();
        if named.len() > 1 {
            all.push(map(&named.iter().map(|key| (*key, first)).collect::<Vec<_>>()));
        }
        let keys = of_key.map(|wanted| self.scalars(&text, wanted)).unwrap_or_default();
        for key in keys.iter().filter_map(|made| made.full.as_ref().and_then(Value::as_str)) {
            all.push(map(&[(key, first)]));
            all.push(map(&[("a0", first), (key, first)]));
        }
        if keys.is_empty() {
            all.extend(
                self.literals.iter().filter_map(Value::as_str).take(MOST_LITERALS).map(|key| map(&[(key, first)])),
            );
        }
        for (key, wanted) in &wanted.members {
            for value in self.values(schema, wanted, false, depth + 1) {
                all.push(map(&[(key, &value)]));
                all.push(map(&[("a0", first), (key, &value)]));
            }
        }
        all.extend(values.iter().skip(1).map(|value| map(&[("a0", value)])));
        all.extend(values.iter().skip(1).map(|value| map(&[("a0", first), ("a1", value)])));
        for size in &wanted.sizes {
            if let Ok(size) = usize::try_from(*size.min(&LARGEST)) {
                let keys: Vec<String> = (0..size).map(|at| format!("a{at}")).collect();
                all.push(map(&keys.iter().map(|key| (key.as_str(), first)).collect::<Vec<_>>()));
            }
        }
        all.push(map(&[(&any_text(0), first)]));
        all.truncate(most);
        all
    }
}

/// A list like this one, whose elements have different keys; `None` if they do already, and where none are known.
fn apart(node: &Structural, list: &Made) -> Option<Made> {
    let (ListType::Map, Some(items)) = (node.list_type, &node.items) else { return None };
    let mut list = list.clone();
    let (full, shown) = (list.full.as_mut()?.as_array_mut()?, list.shown.as_mut()?.as_array_mut()?);
    let keys = |element: &Value| -> Vec<Value> {
        node.list_map_keys.iter().map(|key| element.get(key).cloned().unwrap_or_default()).collect()
    };
    let mut seen: Vec<Vec<Value>> = Vec::new();
    let mut changed = false;
    for (full, shown) in full.iter_mut().zip(shown) {
        let known = keys(full);
        if seen.contains(&known) {
            let others = node.list_map_keys.iter().enumerate().rev().flat_map(|(at, key)| {
                let schema = items.properties.get(key);
                (0..MOST_KEYS).filter_map(move |index| Some((at, key, example(schema?, index))))
            });
            let (_, key, value) = others.into_iter().find(|(at, _, value)| {
                let mut other = known.clone();
                if let Some(known) = other.get_mut(*at) {
                    known.clone_from(value);
                }
                !seen.contains(&other)
            })?;
            for element in [&mut *full, shown] {
                element.as_object_mut()?.insert(key.clone(), value.clone());
            }
            changed = true;
        }
        seen.push(keys(full));
    }
    changed.then_some(list)
}

/// Whether there may be a text of a size that none of these values has, which an expression tells apart.
fn lacks_size(node: &Structural, values: &[Value], size: i64, wanted: &Wanted) -> bool {
    let checks = &node.checks;
    if size <= 0 || checks.max_length.is_some_and(|most| size > most) {
        return false;
    }
    let has = |fits: &dyn Fn(i64) -> bool| {
        let sizes = values.iter().filter_map(|value| i64::try_from(value.as_str()?.chars().count()).ok());
        sizes.into_iter().any(fits)
    };
    if kept_format(node).is_some_and(|format| size < texts::least_of_format(format)) {
        return false;
    }
    // Beyond the greatest size all are the same.
    let greatest = wanted.sizes.iter().all(|other| *other <= size);
    let known = has(&|known| known == size || greatest && known > size);
    !known && (size > LONGEST || checks.pattern.is_some() || checks.format.is_some())
}

/// Which value each member has: all combinations if there are no more than `most`; else each value with ordinary and with absent
/// others, then mixtures.
fn choices(counts: &[usize], most: usize) -> Vec<Vec<usize>> {
    let product =
        counts.iter().try_fold(1_usize, |product, count| product.checked_mul(*count)).filter(|all| *all <= most);
    let mut all = vec![vec![0; counts.len()]];
    if let Some(product) = product {
        // The first members change fastest.
        for number in 1..product {
            let mut rest = number;
            all.push(
                counts
                    .iter()
                    .map(|count| {
                        let digit = rest % (*count).max(1);
                        rest /= (*count).max(1);
                        digit
                    })
                    .collect(),
            );
        }
        return all;
    }
    // Absence is second where it can be.
    let absent: Vec<usize> = counts.iter().map(|count| usize::from(*count > 1)).collect();
    all.push(absent.clone());
    let longest = counts.iter().copied().max().unwrap_or_default();
    for value in 0..longest {
        for (at, count) in counts.iter().enumerate().filter(|(_, count)| value < **count) {
            let _ = count;
            for others in [&absent, &vec![0; counts.len()]] {
                let mut choice = others.clone();
                if let Some(one) = choice.get_mut(at) {
                    *one = value;
                }
                all.push(choice);
            }
        }
        if all.len() >= most / 2 {
            break;
        }
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    while all.len() < most {
        let mut next = |count: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or_default() % count.max(1)
        };
        let choice =
            counts.iter().map(|count| if next(3) == 0 { next(*count) } else { next((*count).min(2)) }).collect();
        all.push(choice);
    }
    all
}
