//! A case being made, and how a class stands in it.

use super::case::Planted;
use super::choices::Choices;
use super::deviate::many;
use super::grow::Soil;
use super::mode::Mode;
use super::planting::{Planting, Target};
use super::rules::{At, CEL, RulePlace};
use super::site::{Step, get};
use takeover_harness::object::Tree;
use takeover_harness::rule::{Rule, Sample};

/// Lengthens a text to the length of a sample that has only the letter `a`, and keeps its start, which other rules may ask for. `None` if
/// it is not shorter.
fn lengthened(sample: &str, shorter: &str) -> Option<String> {
    let missing = sample.len().checked_sub(shorter.chars().count()).filter(|missing| *missing > 0)?;
    let is_of_one_letter = sample.bytes().all(|letter| letter == b'a');
    (is_of_one_letter && !shorter.is_empty()).then(|| format!("{shorter}{}", "a".repeat(missing)))
}

/// A case being made.
pub(super) struct Draft<'a> {
    pub(super) object: Tree<'a>,
    pub(super) old: Option<Tree<'a>>,
    pub(super) planted: Vec<Planted>,
    pub(super) deviations: u32,
    pub(super) unchanged: bool,
    pub(super) note: String,
}

impl<'a> Draft<'a> {
    /// Plants the class of `planting` at `site`, a concrete place of `place`, where `rule` stands. It is noted as a class of the rule if
    /// that is `listed`, which means under test. With `lengthens`, what is there may become the beginning of a long text.
    pub(super) fn plant(
        &mut self,
        soil: &Soil<'a>,
        (planting, listed, lengthens): (&Planting, bool, bool),
        rule: &'a Rule,
        place: &RulePlace,
        site: &[Step<'a>],
        choices: &mut Choices<'_, '_>,
    ) {
        let Some(boundary) = rule.boundaries.get(planting.class) else { return };
        let value_of = |class: usize, current: Option<&Tree<'a>>| match &rule.boundaries.get(class)?.sample {
            Sample::Absent => None,
            Sample::Value(sample) if rule.tag == CEL => soil.fit_inside(place, sample, current),
            Sample::Value(sample) => soil.fit(place, Some(sample), current),
            Sample::Beside(sample) => Some(soil.fit_object(place, sample, current)),
        };
        let current = get(&self.object, site).copied();
        let mut planted = value_of(planting.class, current.as_ref());
        if let (true, Some(Tree::Array(items)), Some(Tree::Array(longer))) = (planting.extends, &planted, &current) {
            let longer = longer.iter().skip(items.len());
            planted = Some(soil.list(items.iter().chain(longer).copied()));
        }
        if let (true, Some(Tree::String(planted)), Some(Tree::String(shorter))) = (lengthens, &mut planted, &current)
            && let Some(longer) = lengthened(planted, shorter)
            && choices.chance(1, 2)
        {
            *planted = soil.arena.alloc_str(&longer);
        }
        // What the other side of an update holds, where what was there would make no difference.
        let other = |choices: &mut Choices<'_, '_>| {
            if planting.other.is_none() && current != planted {
                return current;
            }
            let apart = |class: &usize| value_of(*class, current.as_ref()) != planted;
            let different = (0..rule.boundaries.len()).filter(apart);
            let class = planting.other.or_else(|| {
                different.min_by_key(|class| rule.boundaries.get(*class).is_none_or(|boundary| boundary.breaks))
            });
            match class {
                Some(class) => value_of(class, current.as_ref()),
                None if planted.is_some() => None,
                None => Some(soil.grow(place.ty, At::NOWHERE, "", 4, choices)),
            }
        };
        match (planting.mode, &mut self.old) {
            (Mode::Kept | Mode::KeptBeside, Some(old)) => {
                soil.put(old, site, planted);
                soil.put(&mut self.object, site, planted);
            }
            (Mode::Mended, Some(old)) => {
                let new = other(choices);
                soil.put(&mut self.object, site, new);
                soil.put(old, site, planted);
            }
            (Mode::Appeared, Some(old)) if site.len() > 1 => {
                let parents = place.guard.unwrap_or_else(|| 1 + choices.below(site.len() - 1));
                soil.put(old, site.get(..parents).unwrap_or(site), None);
                soil.put(&mut self.object, site, planted);
            }
            (Mode::Reordered, Some(old)) if planted.as_ref().is_some_and(|list| list.as_array().is_some()) => {
                let mut planted = planted;
                planted.as_mut().into_iter().for_each(|list| soil.vary(place, list, choices));
                let items = planted.as_ref().and_then(Tree::as_array).unwrap_or_default();
                let before = Some(soil.list(items.iter().rev().copied()));
                soil.put(old, site, before);
                soil.put(&mut self.object, site, planted);
            }
            (_, Some(old)) => {
                let before = other(choices);
                soil.put(old, site, before);
                soil.put(&mut self.object, site, planted);
            }
            (_, None) => soil.put(&mut self.object, site, planted),
        }
        self.unchanged &= matches!(planting.mode, Mode::Kept | Mode::KeptBeside);
        separate(&mut self.note);
        for part in [rule.path.as_str(), " ", rule.chain.as_str(), ": ", boundary.class.as_str()] {
            self.note.push_str(part);
        }
        if planting.mode != Mode::Created {
            self.note.push_str(" (");
            self.note.push_str(planting.mode.name());
            self.note.push(')');
        }
        if planting.behind {
            self.note.push_str(" (behind another item)");
        }
        // A default is set before the rule is asked.
        let breaks = boundary.breaks && !rule.after_default;
        if listed {
            self.planted.push(Planted { rule: rule.id, class: planting.class, mode: planting.mode, breaks });
        } else {
            self.deviations += 1;
        }
    }

    /// Repeats an item on the way to `site`, up to and over limits of how many items there may be.
    pub(super) fn crowd(&mut self, soil: &Soil<'a>, target: Target, site: &[Step<'a>], choices: &mut Choices<'_, '_>) {
        let items: Vec<(usize, usize)> = (0..)
            .zip(site)
            .filter_map(|(depth, step)| if let Step::Item(item) = step { Some((depth, *item)) } else { None })
            .collect();
        let Some((depth, item)) = choices.pick(&items) else { return };
        let count = many(choices);
        let list = site.get(..*depth).unwrap_or_default();
        let repeat = |object: &mut Tree<'a>| {
            let Some(items) = get(object, list).and_then(Tree::as_array) else { return };
            let Some(repeated) = items.get(*item) else { return };
            let mut items = Tree::to_change(items, soil.arena);
            items.resize(count.max(items.len()), *repeated);
            soil.put(object, list, Some(items.into()));
        };
        if target != Target::Old {
            repeat(&mut self.object);
        }
        if target != Target::New {
            self.old.iter_mut().for_each(repeat);
        }
        separate(&mut self.note);
        self.note.push_str("many items around");
        self.deviations += 1;
        self.unchanged &= target == Target::Both;
    }
}

/// Goes on to the next thing in a note.
pub(super) fn separate(note: &mut String) {
    if !note.is_empty() {
        note.push_str("; ");
    }
}
