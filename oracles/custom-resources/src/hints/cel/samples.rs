//! Values that one rule tells apart, as many as are worth a sample.

use super::reading::read;
use super::values::{Made, Maker};
use crate::coerce::set_defaults;
use crate::rules::{NodeLanguage, Old, Outcome, Program};
use crate::structural::{CelRule, SchemaType, Structural};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_cel::cost::limits;
use takeover_cel::mistakes::mistakes;
use takeover_cel::syntax::{Kind, parse};
use takeover_harness::rule::{Boundary, Sample};

/// Samples of a rule that judges values, and of one that judges changes: of those each is tried with each.
const MOST: usize = 24;
/// Most samples of a rule that judges lists; the first `MOST_ORDINARY` are kept whatever they show.
const MOST_OF_LISTS: usize = 48;
const MOST_ORDINARY: usize = 12;
/// Most mistakes in a rule that samples of lists should reveal.
const MOST_MISTAKES: usize = 64;
/// Most rules of one list whose samples are tried with each other.
const MOST_TOGETHER: usize = 64;
const MOST_OF_CHANGES: usize = 8;

/// What a rule tells apart.
pub(in super::super) struct OfRule {
    /// Values, each with whether it breaks the rule.
    pub(super) classes: Vec<(bool, Made)>,
    /// Whether it judges updates only.
    pub(in super::super) update_only: bool,
    /// The rule, with values that keep it; `None` when it judges updates only.
    pub(super) kept: Option<Kept>,
}

/// A rule of values, with values that keep it.
pub(super) struct Kept {
    program: Arc<dyn Program>,
    /// Whether its old value is optional.
    optional: bool,
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
        Self { classes: Vec::new(), update_only, kept: None }
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

/// Values of a rule that are tried beside other rules.
const MOST_KEPT: usize = 40;

/// Whether a rule judges updates only: it speaks of the old value, and needs it.
pub(crate) fn uses_old(rule: &CelRule) -> bool {
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
    let mut made = Maker::new(&read.literals).values(node, &read.wanted, whole, 0);
    made.iter_mut().filter_map(|made| made.full.as_mut()).for_each(|value| set_defaults(node, value));
    let update_only = program.uses_old() && rule.optional_old_self != Some(true);
    if update_only {
        return Some(OfRule { classes: of_changes(&*program, made), update_only, kept: None });
    }
    let optional = rule.optional_old_self == Some(true);
    let old = || if optional { Old::Optional(None) } else { Old::Unbound };
    let kept = made.iter().filter(|made| made.full.as_ref().is_some_and(|value| ran(&*program, value, old()).0));
    let values = kept.take(MOST_KEPT).cloned().collect();
    let kept = Kept { program: Arc::clone(&program), optional, values };
    let most = if node.ty == Some(SchemaType::Array) { usize::MAX } else { MOST };
    Some(OfRule { classes: of_values(&*program, rule, made, most), update_only, kept: Some(kept) })
}

/// What a rule says of a value before and after others.
type Row = Vec<(bool, u64)>;

fn ran(program: &dyn Program, value: &Value, old: Old<'_>) -> (bool, u64) {
    let ran = program.run(value, old, limits::PER_CALL);
    (ran.outcome == Outcome::Holds, ran.cost)
}

/// Values by what the rule says and what that costs, which tells the ways through the expression apart.
fn of_values(program: &dyn Program, rule: &CelRule, made: Vec<Made>, most: usize) -> Vec<(bool, Made)> {
    let mut groups: BTreeMap<(bool, u64), Vec<(usize, Made)>> = BTreeMap::new();
    for (at, made) in made.into_iter().enumerate() {
        let Some(value) = made.full.as_ref().filter(|value| !value.is_null()) else { continue };
        let old = if rule.optional_old_self == Some(true) { Old::Optional(None) } else { Old::Unbound };
        groups.entry(ran(program, value, old)).or_default().push((at, made));
    }
    let mut chosen: Vec<(usize, bool, Made)> = Vec::new();
    let mut groups: Vec<(bool, std::vec::IntoIter<(usize, Made)>)> =
        groups.into_iter().map(|((holds, _), made)| (holds, made.into_iter())).collect();
    while chosen.len() < most {
        let before = chosen.len();
        for (holds, group) in &mut groups {
            if let (true, Some((at, made))) = (chosen.len() < most, group.next()) {
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
    chosen.into_iter().map(|(_, holds, made)| (!holds, made)).collect()
}

/// Values that may be old or new. A new one breaks the rule if it does so after any other as the old one.
fn of_changes(program: &dyn Program, made: Vec<Made>) -> Vec<(bool, Made)> {
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
    let mut classes: Vec<(bool, Made)> = chosen.into_iter().map(|(breaks, made, _)| (breaks, made)).collect();
    // Where every change breaks the rule, one value is what was there.
    if let (true, Some((breaks, _))) = (classes.iter().all(|(breaks, _)| *breaks), classes.first_mut()) {
        *breaks = false;
    }
    classes
}

/// Keeps for each rule of a list its first samples, and those that reveal a mistake in the rule that no other sample reveals. Samples that
/// break another rule of the list come last: its error, in the same place, hides the error of the rule itself.
pub(in super::super) fn choose(language: &NodeLanguage, stated: &[CelRule], rules: &mut [OfRule]) {
    for (own, rule) in stated.iter().enumerate() {
        let Some(of) = rules.get_mut(own) else { continue };
        let mut classes = std::mem::take(&mut of.classes);
        let kept = |at: usize| rules.get(at).and_then(|rule| rule.kept.as_ref());
        let breaks_another = |made: &Made| {
            let full = made.full.as_ref();
            full.is_some_and(|value| {
                (0..rules.len().min(MOST_TOGETHER))
                    .any(|at| at != own && kept(at).is_some_and(|kept| !kept.holds(value)))
            })
        };
        let (alone, beside): (Vec<_>, Vec<_>) = classes.drain(..).partition(|(_, made)| !breaks_another(made));
        let shows = match kept(own) {
            Some(kept) if own < MOST_TOGETHER && alone.len() > MOST_ORDINARY => {
                shows_a_mistake(language, rule, kept.optional, &alone)
            }
            _ => Vec::new(),
        };
        let mut alone: Vec<(usize, (bool, Made))> = alone.into_iter().enumerate().collect();
        alone.sort_by_key(|(at, _)| *at >= MOST_ORDINARY && !shows.contains(at));
        classes.extend(alone.into_iter().map(|(_, class)| class).chain(beside).take(MOST_OF_LISTS));
        if let Some(of) = rules.get_mut(own) {
            of.classes = classes;
        }
    }
}

/// Which of these values reveal a small mistake in the rule that no earlier value reveals.
fn shows_a_mistake(language: &NodeLanguage, rule: &CelRule, optional: bool, classes: &[(bool, Made)]) -> Vec<usize> {
    let mistaken = mistakes(&rule.rule).into_iter().take(MOST_MISTAKES).filter_map(|(_, text)| {
        let stated = CelRule { rule: text, message_expression: None, ..rule.clone() };
        Some(Kept { program: language.compile(&stated).ok()?, optional, values: Vec::new() })
    });
    let mut left: Vec<Kept> = mistaken.collect();
    let mut shows = Vec::new();
    for (at, (breaks, made)) in classes.iter().enumerate() {
        let Some(value) = &made.full else { continue };
        let before = left.len();
        left.retain(|mistaken| mistaken.holds(value) != *breaks);
        if left.len() < before {
            shows.push(at);
        }
    }
    shows
}

fn class(breaks: bool, made: Made) -> Boundary {
    let sample = made.shown.unwrap_or_default();
    let shown: String = sample.to_string().chars().take(80).collect();
    Boundary { class: shown, breaks, sample: Sample::Value(sample), options: Vec::new() }
}
