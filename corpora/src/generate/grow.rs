//! Values grown from the type graph: as small as the rules and the conventions of API types allow.

use super::choices::Choices;
use super::layout::Layout;
use super::pools::{Pools, number, well_known};
use super::rules::{At, RuleTree};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::object::{Arena, NewMembers, Tree};
use takeover_harness::rule::any_text_number;
use takeover_harness::schema::{Kind, Schema, TypeId, WellKnown};

/// Depth below which only required members are grown, and twice which nothing is.
const DEEP: usize = 8;

/// One in so many members without a rule is set.
const RARELY: usize = 24;

/// Grown lists of structs are no longer than this, whatever samples there are.
const MOST_ITEMS: usize = 8;

/// What growing needs to know.
pub(super) struct Soil<'s> {
    /// Where values are made.
    pub(super) arena: &'s Arena,
    pub(super) schema: &'s Schema,
    pub(super) layout: &'s Layout,
    pub(super) rules: &'s RuleTree,
    pub(super) pools: &'s Pools,
    /// Whether to set members without a rule often.
    pub(super) sets_any: bool,
}

impl<'s> Soil<'s> {
    /// A value of type `ty` for a member called `name`, at the place `at` of the rules.
    pub(super) fn grow(&self, ty: TypeId, at: At, name: &str, depth: usize, choices: &mut Choices<'_, '_>) -> Tree<'s> {
        let (id, kind) = self.schema.pointed(ty);
        match kind {
            Kind::Struct(_) => return self.grow_struct(id, at, depth, choices),
            Kind::List(item) => {
                let each = self.rules.each(at);
                if depth > 2 * DEEP {
                    return Tree::Array(&[]);
                }
                if depth <= DEEP
                    && let Some(sample @ Value::Array(items)) = self.sample(at, choices)
                    && (1..=MOST_ITEMS).contains(&items.len())
                {
                    return self.complete(ty, at, sample, &[], depth);
                }
                return self.list([self.grow(*item, each, name, depth + 1, &mut choices.fork("item"))]);
            }
            Kind::Map { value, .. } => {
                if depth <= DEEP
                    && let Some(sample @ Value::Object(entries)) = self.sample(at, choices)
                    && (1..=MOST_ITEMS).contains(&entries.len())
                {
                    return self.complete(ty, at, sample, &[], depth);
                }
                let key = self.rules.key(at).unwrap_or_else(|| self.pools.key(name, choices));
                let grown = self.grow(*value, self.rules.each(at), name, depth + 1, &mut choices.fork("entry"));
                return self.entry(key, grown);
            }
            _ => {}
        }
        if let Some(sample) = self.sample(at, choices)
            && sample.as_str().and_then(any_text_number).is_none()
        {
            return Tree::of(sample, self.arena);
        }
        match kind {
            Kind::Bool => Tree::Bool(choices.chance(1, 4)),
            Kind::Int { .. } => number(1 + choices.below(3) as u64),
            Kind::Float { .. } => Tree::from(0.5),
            Kind::Text => Tree::from(self.pools.text(name, choices)),
            Kind::Bytes => Tree::from("YQ=="),
            Kind::WellKnown(WellKnown::Raw) => Tree::EMPTY,
            Kind::WellKnown(WellKnown::IntOrString) => number(1_u64),
            Kind::WellKnown(known) => Tree::from(well_known(*known).first().copied().unwrap_or_default()),
            Kind::Any | Kind::Unresolved => Tree::EMPTY,
            _ => Tree::Null,
        }
    }

    /// A text.
    pub(super) fn text(&self, text: &str) -> Tree<'s> {
        Tree::text(text, self.arena)
    }

    /// An array.
    pub(super) fn list(&self, items: impl IntoIterator<Item = Tree<'s>>) -> Tree<'s> {
        Tree::list(items, self.arena)
    }

    /// An object with one entry.
    pub(super) fn entry(&self, key: &'s str, value: Tree<'s>) -> Tree<'s> {
        let mut members = NewMembers::new(self.arena);
        members.insert(key, value);
        members.into()
    }

    /// A sample that keeps the rule at the place, mostly the first.
    fn sample(&self, at: At, choices: &mut Choices<'_, '_>) -> Option<&'s Value> {
        let count = self.rules.valid(at).count();
        if count == 0 {
            return None;
        }
        let index = if choices.chance(1, 4) { choices.below(count) } else { 0 };
        self.rules.valid(at).nth(index)
    }

    fn grow_struct(&self, id: TypeId, at: At, depth: usize, choices: &mut Choices<'_, '_>) -> Tree<'s> {
        let members = self.layout.members(id);
        if depth > 2 * DEEP {
            return Tree::EMPTY;
        }
        let mut object = NewMembers::new(self.arena);
        let has = |name: &str| members.iter().any(|member| *member.name == *name);
        let metadata = has("generateName") && has("ownerReferences");
        // Deeper structs get fewer members, so that the object stays small.
        let one_in = match (self.sets_any && !metadata, depth) {
            (false, _) | (_, 0) => RARELY,
            (true, 1) => (members.len() / 8).max(3),
            (true, _) => members.len().clamp(6, RARELY),
        };
        for member in members {
            let below = self.rules.member(at, &member.name);
            let mut choices = choices.fork(&member.name);
            // The parts that make an object: nothing is to be seen in one without metadata and spec.
            let part = depth == 0 && matches!(&*member.name, "metadata" | "spec")
                || metadata && *member.name == *"name"
                || member.always && depth < DEEP;
            let wanted = if self.rules.forbidden(below) {
                false
            } else if part || self.rules.required(below) {
                true
            } else if self.rules.any(below) {
                depth < DEEP && choices.chance(1, 2)
            } else {
                depth < DEEP / 2 && choices.chance(1, one_in)
            };
            if wanted {
                object.insert(&member.name, self.grow(member.ty, below, &member.name, depth + 1, &mut choices));
            }
        }
        // What the samples of a rule on the whole struct speak of (unions, modes) is theirs to decide, unless another such
        // rule has decided it.
        let mut decided: BTreeMap<&str, Option<&Value>> = BTreeMap::new();
        for samples in self.rules.valid_by_rule(at) {
            let samples: Vec<&'s Map<String, Value>> = samples.into_iter().filter_map(Value::as_object).collect();
            let spoken: BTreeSet<&str> = samples.iter().flat_map(|sample| sample.keys().map(String::as_str)).collect();
            let fits = |sample: &&Map<String, Value>| {
                spoken.iter().all(|key| decided.get(key).is_none_or(|value| *value == sample.get(*key)))
            };
            let fitting: Vec<&'s Map<String, Value>> = samples.iter().copied().filter(fits).collect();
            let index = if choices.chance(1, 4) { choices.below(fitting.len()) } else { 0 };
            let Some(sample) = fitting.get(index) else { continue };
            object.retain(|key, _| !spoken.contains(key));
            object.extend(self.members(id, at, sample, depth + 1));
            decided.extend(spoken.into_iter().map(|key| (key, sample.get(key))));
        }
        Tree::from(object)
    }
}
