//! Values that one rule tells apart, as many as are worth a sample.

use super::compared::pairs;
use super::larger::with_one_more;
use super::reading::{Read, read, reads_old};
use super::values::{Made, Maker};
use crate::coerce::set_defaults;
use crate::rules::{NodeLanguage, Old, Outcome, Program};
use crate::structural::{CelRule, SchemaType, Structural};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use takeover_cel::cost::limits;
use takeover_cel::syntax::parse;
use takeover_harness::rule::{Boundary, Sample, any_text_number};

/// Samples of a rule that judges changes: each is tried with each.
const MOST_OF_CHANGES: usize = 8;

/// How many samples get an extra entry, and how many samples to try for that.
const MOST_LARGER: usize = 4;
const MOST_TO_ENLARGE: usize = 24;

/// What a rule tells apart.
pub(in super::super) struct OfRule {
    /// Values, each with whether it breaks the rule.
    pub(super) classes: Vec<(bool, Made)>,
    /// Whether it judges updates only.
    pub(in super::super) update_only: bool,
    /// Whether it judges creates too, and may say something else where there is an old value.
    pub(in super::super) reads_old: bool,
    /// The rule, with values that keep it; `None` when it judges updates only.
    pub(super) kept: Option<Kept>,
    /// How more values are made.
    pub(super) search: Option<Search>,
    /// Pairs of values that the rule compares, and maps with an extra entry. They are kept beside the chosen values.
    compared: Vec<(bool, Made)>,
}

/// What a rule tells apart, to make more values.
pub(super) struct Search {
    read: Read,
    whole: bool,
}

impl Search {
    /// More values, each with whether it breaks the rule.
    pub(super) fn more(&self, node: &Structural, kept: &Kept) -> Vec<(bool, Made)> {
        let mut made = Maker::of_more(&self.read.literals).values(node, &self.read.wanted, self.whole, 0);
        made.iter_mut().filter_map(|made| made.full.as_mut()).for_each(|value| set_defaults(node, value));
        let said = |made: Made| Some((!kept.holds(made.full.as_ref().filter(|value| !value.is_null())?), made));
        made.into_iter().filter_map(said).collect()
    }
}

/// A rule of values, with values that keep it.
pub(super) struct Kept {
    pub(super) program: Arc<dyn Program>,
    /// Whether its old value is optional.
    pub(super) optional: bool,
    /// Values that keep it.
    pub(super) values: Vec<Made>,
}

impl Kept {
    /// Whether a new value keeps the rule.
    pub(super) fn holds(&self, value: &Value) -> bool {
        let old = if self.optional { Old::Optional(None) } else { Old::Unbound };
        ran(&*self.program, value, old).0
    }
}

impl OfRule {
    /// A rule without known values.
    pub(in super::super) fn unknown(update_only: bool) -> Self {
        let (classes, compared) = (Vec::new(), Vec::new());
        Self { classes, update_only, reads_old: false, kept: None, search: None, compared }
    }

    /// Adds the pairs of values that the rule compares, and maps with an extra entry, to its classes.
    pub(in super::super) fn with_compared(&mut self) {
        let compared = std::mem::take(&mut self.compared);
        let new: Vec<(bool, Made)> = compared.into_iter().filter(|class| !self.classes.contains(class)).collect();
        self.classes.extend(new);
    }

    /// The classes of values.
    pub(in super::super) fn boundaries(self) -> Vec<Boundary> {
        let mut all: Vec<Boundary> = Vec::new();
        for (breaks, made) in self.classes {
            let class = class(breaks, made);
            if !all.iter().any(|known| known.breaks == breaks && known.sample == class.sample) {
                all.push(class);
            }
        }
        all
    }
}

/// Other rules of a value that are read for one of them.
const MOST_BESIDE: usize = 8;
/// Values of a rule that are tried beside other rules.
const MOST_KEPT: usize = 40;

/// Whether a rule judges updates only: it speaks of the old value, and needs it.
pub(crate) fn uses_old(rule: &CelRule) -> bool {
    parse(&rule.rule).is_ok_and(|ast| reads_old(&ast)) && rule.optional_old_self != Some(true)
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
    let mut read = read(&ast);
    if is_scalar(node) {
        // Values that meet what another rule of the same value asks for, too.
        let others = node.rules.iter().filter(|other| other.rule != rule.rule).take(MOST_BESIDE);
        let others = others.filter_map(|other| Some(super::reading::read(&parse(&other.rule).ok()?)));
        others.for_each(|other| read.wanted.join(other.wanted));
    }
    let mut made = Maker::new(&read.literals).values(node, &read.wanted, whole, 0);
    made.iter_mut().filter_map(|made| made.full.as_mut()).for_each(|value| set_defaults(node, value));
    let update_only = program.uses_old() && rule.optional_old_self != Some(true);
    if update_only {
        let classes = of_changes(&*program, made);
        let compared = Vec::new();
        return Some(OfRule { classes, update_only, reads_old: false, kept: None, search: None, compared });
    }
    let optional = rule.optional_old_self == Some(true);
    let old = || if optional { Old::Optional(None) } else { Old::Unbound };
    let kept = made.iter().filter(|made| made.full.as_ref().is_some_and(|value| ran(&*program, value, old()).0));
    let values = kept.take(MOST_KEPT).cloned().collect();
    let kept = Kept { program: Arc::clone(&program), optional, values };
    let keys: Vec<&str> = read.literals.iter().filter_map(Value::as_str).collect();
    let paired = pairs(node, &read.compared, &made, &keys);
    let paired = paired.into_iter().map(|made| (!made.full.as_ref().is_some_and(|value| kept.holds(value)), made));
    let mut compared: Vec<(bool, Made)> = paired.collect();
    let mut larger: Vec<Made> = Vec::new();
    for made in kept.values.iter().take(MOST_TO_ENLARGE) {
        let made = with_one_more(node, made, &|value| kept.holds(value)).filter(|made| !larger.contains(made));
        larger.extend(made);
        if larger.len() >= MOST_LARGER {
            break;
        }
    }
    compared.extend(larger.into_iter().map(|made| (!made.full.as_ref().is_some_and(|value| kept.holds(value)), made)));
    let search = Some(Search { read, whole });
    let reads_old = reads_old(&ast);
    // Pairs are made of the first ones.
    let mut classes = if reads_old { of_old_and_new(&*program, &made) } else { Vec::new() };
    classes.extend(of_values(&*program, rule, made));
    Some(OfRule { classes, update_only, reads_old, kept: Some(kept), search, compared })
}

/// Whether values of a node have no parts.
fn is_scalar(node: &Structural) -> bool {
    !matches!(node.ty, Some(SchemaType::Array | SchemaType::Object) | None)
}

/// What a rule says of a value before and after others.
type Row = Vec<(bool, u64)>;

fn ran(program: &dyn Program, value: &Value, old: Old<'_>) -> (bool, u64) {
    let ran = program.run(value, old, limits::PER_CALL);
    (ran.outcome == Outcome::Holds, ran.cost)
}

/// Values by what the rule says and what that costs, which tells the ways through the expression apart.
fn of_values(program: &dyn Program, rule: &CelRule, made: Vec<Made>) -> Vec<(bool, Made)> {
    let mut groups: BTreeMap<(bool, u64), Vec<(usize, Made)>> = BTreeMap::new();
    for (at, made) in made.into_iter().enumerate() {
        let Some(value) = made.full.as_ref().filter(|value| !value.is_null()) else { continue };
        let old = if rule.optional_old_self == Some(true) { Old::Optional(None) } else { Old::Unbound };
        groups.entry(ran(program, value, old)).or_default().push((at, made));
    }
    let mut chosen: Vec<(usize, bool, Made)> = Vec::new();
    let mut groups: Vec<(bool, std::vec::IntoIter<(usize, Made)>)> =
        groups.into_iter().map(|((holds, _), made)| (holds, made.into_iter())).collect();
    loop {
        let before = chosen.len();
        for (holds, group) in &mut groups {
            chosen.extend(group.next().map(|(at, made)| (at, *holds, made)));
        }
        if chosen.len() == before {
            break;
        }
    }
    // The most ordinary value comes first, then one of each way through the expression.
    if let Some(first) = chosen.iter().enumerate().min_by_key(|(_, (at, ..))| *at).map(|(index, _)| index) {
        chosen.get_mut(..=first).unwrap_or_default().rotate_right(1);
    }
    chosen.into_iter().map(|(_, holds, made)| (!holds, made)).collect()
}

/// Values that may be old or new. A new one breaks the rule if it does so after any other as the old one.
fn of_changes(program: &dyn Program, made: Vec<Made>) -> Vec<(bool, Made)> {
    let made: Vec<Made> =
        made.into_iter().filter(|made| made.full.as_ref().is_some_and(|value| !value.is_null())).collect();
    let pool: Vec<&Made> = made.iter().take(3 * MOST_OF_CHANGES).collect();
    let row = |made: &Made| row(program, made, &pool, Old::Value);
    let breaks = |row: &Row| row.iter().take(pool.len()).any(|(holds, _)| !holds);
    let mut classes = most_unlike(&pool, row, breaks);
    // Where every change breaks the rule, one value is what was there.
    if let (true, Some((breaks, _))) = (classes.iter().all(|(breaks, _)| *breaks), classes.first_mut()) {
        *breaks = false;
    }
    classes
}

/// Values that may be old or new, of a rule that judges creates too. They break it if they do so in a create.
fn of_old_and_new(program: &dyn Program, made: &[Made]) -> Vec<(bool, Made)> {
    let there = |made: &&Made| made.full.as_ref().is_some_and(|value| !value.is_null());
    let pool: Vec<&Made> = made.iter().filter(there).take(3 * MOST_OF_CHANGES).collect();
    let row = |made: &Made| {
        let created = made.full.as_ref().map(|value| ran(program, value, Old::Optional(None)));
        let changed = row(program, made, &pool, |old| Old::Optional(Some(old)));
        created.into_iter().chain(changed).collect()
    };
    most_unlike(&pool, row, |row: &Row| row.first().is_some_and(|(holds, _)| !holds))
}

/// What the rule says of a value after each of the pool, and of each of the pool after it.
fn row<'v>(program: &dyn Program, made: &'v Made, pool: &[&'v Made], old: impl Fn(&'v Value) -> Old<'v>) -> Row {
    let Some(value) = &made.full else { return Vec::new() };
    let pool = || pool.iter().filter_map(|made| made.full.as_ref());
    let after = pool().map(|before| ran(program, value, old(before)));
    let before = pool().map(|new| ran(program, new, old(value)));
    after.chain(before).collect()
}

/// Values of the pool, those first that the rule tells from all before them.
fn most_unlike(pool: &[&Made], row: impl Fn(&Made) -> Row, breaks: impl Fn(&Row) -> bool) -> Vec<(bool, Made)> {
    let mut chosen: Vec<(bool, Made, Row)> = Vec::new();
    let mut rest = Vec::new();
    for made in pool {
        let row = row(made);
        let breaks = breaks(&row);
        let kept = if chosen.iter().any(|(.., known)| *known == row) { &mut rest } else { &mut chosen };
        kept.push((breaks, (*made).clone(), row));
    }
    chosen.extend(rest);
    chosen.truncate(MOST_OF_CHANGES);
    chosen.into_iter().map(|(breaks, made, _)| (breaks, made)).collect()
}

fn class(breaks: bool, made: Made) -> Boundary {
    let mut sample = made.shown.unwrap_or_default();
    let mut texts = BTreeSet::new();
    gather_keys(&sample, &mut texts);
    if let (true, Value::String(text)) = (breaks, &sample)
        && any_text_number(text).is_some()
    {
        texts.insert(text.clone());
    }
    rename(&mut sample, &texts);
    let shown: String = sample.to_string().chars().take(80).collect();
    Boundary { class: shown, breaks, sample: Sample::Value(sample), options: Vec::new() }
}

/// Collects keys that are placeholders for any text.
fn gather_keys(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            texts.extend(members.keys().filter(|key| any_text_number(key).is_some()).cloned());
            members.values().for_each(|member| gather_keys(member, texts));
        }
        Value::Array(items) => items.iter().for_each(|item| gather_keys(item, texts)),
        _ => {}
    }
}

/// Replaces placeholders by ordinary texts. The generator may put any text in place of a placeholder: a value would then differ from its
/// key, or no longer break the rule.
fn rename(value: &mut Value, texts: &BTreeSet<String>) {
    let ordinary =
        |text: &str| texts.contains(text).then(|| text.replace(|char: char| !char.is_ascii_alphanumeric(), ""));
    match value {
        Value::Object(members) if !texts.is_empty() => {
            let old = std::mem::take(members);
            members.extend(old.into_iter().map(|(key, mut member)| {
                rename(&mut member, texts);
                (ordinary(&key).unwrap_or(key), member)
            }));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, texts)),
        Value::String(text) => {
            if let Some(ordinary) = ordinary(text) {
                *text = ordinary;
            }
        }
        _ => {}
    }
}
