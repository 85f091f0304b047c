//! Concrete places in objects: finding one for a path pattern, and setting what is there.

use super::choices::Choices;
use super::grow::Soil;
use super::rules::{At, RulePlace, Segment};
use serde_json::{Map, Value};
use std::sync::Arc;
use takeover_harness::object::{Members, Tree};
use takeover_harness::rule::any_text_number;
use takeover_harness::schema::{Kind, TypeId};

/// Depth from which samples are completed: there is room for what is required below.
const SAMPLE_DEPTH: usize = 2;

/// How often an item is grown anew to differ from another.
const MOST_TRIES: usize = 8;

/// One concrete step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step<'g> {
    Member(&'g str),
    Key(Arc<str>),
    Item(usize),
}

impl Step<'_> {
    fn key(&self) -> Option<&str> {
        match self {
            Step::Member(name) => Some(name),
            Step::Key(key) => Some(key),
            Step::Item(_) => None,
        }
    }
}

/// Where a place is looked for.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// The type of the object.
    pub(super) root: TypeId,
    /// Look into the last item of lists, and have another before it.
    pub(super) behind: bool,
}

impl Soil<'_> {
    /// The concrete place of `place` in `object`; what is missing on the way is grown, and where there is a choice of items
    /// one is chosen.
    pub(super) fn locate<'g>(
        &self,
        object: &mut Tree,
        Start { root, behind }: Start,
        place: &'g RulePlace,
        choices: &mut Choices<'_, '_>,
    ) -> Vec<Step<'g>> {
        // What lies on the way is not copied unless something is missing.
        let mut site = Vec::with_capacity(place.segments.len());
        let (mut ty, mut at, mut name): (TypeId, At, &str) = (root, self.rules.root(), "");
        // What stands at the site so far.
        let mut here = Some(&*object);
        for (index, segment) in place.segments.iter().enumerate() {
            let (id, kind) = self.schema.pointed(ty);
            let last = index + 1 == place.segments.len();
            match segment {
                Segment::Member(member) => {
                    let Some(inner) = self.layout.member(self.schema, id, member) else { return site };
                    name = member;
                    at = self.rules.member(at, member);
                    let members = here.and_then(Tree::as_object);
                    if last {
                        if members.is_none() {
                            get_mut(object, &site).and_then(as_object);
                        }
                        site.push(Step::Member(member));
                        return site;
                    }
                    here = members.and_then(|members| members.get(member)).filter(|member| !member.is_null());
                    if here.is_some() {
                        site.push(Step::Member(member));
                    } else {
                        if let Some(members) = get_mut(object, &site).and_then(as_object) {
                            members.insert(&**member, self.grow(inner, at, name, index + 1, &mut choices.fork(name)));
                        }
                        site.push(Step::Member(member));
                        here = get(object, &site);
                    }
                    ty = inner;
                }
                Segment::Each => {
                    at = self.rules.each(at);
                    match kind {
                        Kind::List(inner) => {
                            let mut count = here.and_then(Tree::as_array).map_or(0, Vec::len);
                            if count == 0 || behind && count < 2 {
                                let Some(items) = get_mut(object, &site).and_then(as_array) else { return site };
                                if items.is_empty() {
                                    items.push(self.grow(*inner, at, name, index + 1, choices));
                                }
                                if behind && items.len() < 2 {
                                    let other = self.grow_apart(*inner, at, items, choices);
                                    items.push(other);
                                }
                                count = items.len();
                                here = get(object, &site);
                            }
                            let chosen = if behind { count - 1 } else { choices.below(count) };
                            site.push(Step::Item(chosen));
                            here = here.and_then(Tree::as_array).and_then(|items| items.get(chosen));
                            ty = *inner;
                        }
                        Kind::Map { value: inner, .. } => {
                            if here.and_then(Tree::as_object).is_none_or(Members::is_empty) {
                                let Some(members) = get_mut(object, &site).and_then(as_object) else { return site };
                                members.insert("a", self.grow(*inner, at, name, index + 1, choices));
                                here = get(object, &site);
                            }
                            let Some(members) = here.and_then(Tree::as_object) else { return site };
                            let Some((key, value)) = members.nth(choices.below(members.len())) else { return site };
                            site.push(Step::Key(Arc::clone(key)));
                            here = Some(value);
                            ty = *inner;
                        }
                        _ => return site,
                    }
                    if !last && here.is_some_and(Tree::is_null) {
                        if let Some(value) = get_mut(object, &site) {
                            *value = self.grow(ty, at, name, index + 1, choices);
                        }
                        here = get(object, &site);
                    }
                }
            }
        }
        site
    }

    /// An item that differs from those there are in what mostly names it, if that can be: a copy of the first under another name.
    fn grow_apart(&self, item: TypeId, at: At, items: &[Tree], choices: &mut Choices<'_, '_>) -> Tree {
        let (id, _) = self.schema.pointed(item);
        let mut other = items.first().cloned().unwrap_or_default();
        let names =
            self.layout.members(id).iter().filter(|member| matches!(self.schema.pointed(member.ty).1, Kind::Text));
        for name in names.map(|member| &*member.name).filter(|name| matches!(*name, "name" | "key" | "uid" | "request"))
        {
            if let Some(Tree::String(text)) = other.get_mut(name) {
                *text = format!("{text}2").into();
                return other;
            }
        }
        for number in 0..MOST_TRIES {
            other = self.grow(item, at, "", SAMPLE_DEPTH, &mut choices.fork(&format!("item {number}")));
            if !items.contains(&other) {
                break;
            }
        }
        other
    }

    /// The value to put for a sample of `place` where now `current` is; none takes it away.
    pub(super) fn fit(&self, place: &RulePlace, sample: Option<&Value>, current: Option<&Tree>) -> Option<Tree> {
        let sample = sample?;
        Some(match (self.schema.pointed(place.ty).1, sample, current) {
            // A sample of a struct decides about the members that samples of its rule speak of; the others stay, so that
            // they do not break rules of their own.
            (Kind::Struct(_), Value::Object(sample), Some(Tree::Object(current))) => {
                let mut members = Members::clone(current);
                members.retain(|key, _| !place.members.iter().any(|spoken| **spoken == *key));
                members.extend(self.members(place.ty, self.rules.find(&place.segments), sample, SAMPLE_DEPTH));
                Tree::from(members)
            }
            (Kind::List(item), Value::Array(items), _) => {
                let at = self.rules.each(self.rules.find(&place.segments));
                Tree::from(self.items(*item, at, items, &place.members, SAMPLE_DEPTH))
            }
            (Kind::Map { .. }, Value::Object(_), _) => {
                self.complete(place.ty, self.rules.find(&place.segments), sample, &[], SAMPLE_DEPTH)
            }
            // A sample of a key is planted as one more entry, a sample of an item as one more item.
            (Kind::Map { value, .. }, Value::String(key), current) => {
                let mut members = current.and_then(Tree::as_object).cloned().unwrap_or_default();
                let mut none = arbitrary::Unstructured::new(&[]);
                let at = self.rules.each(self.rules.find(&place.segments));
                members.insert(key.as_str(), self.grow(*value, at, "", SAMPLE_DEPTH, &mut Choices::new(&mut none)));
                Tree::from(members)
            }
            (Kind::List(_), sample, current) if !sample.is_array() && !sample.is_null() => {
                let mut items = current.and_then(Tree::as_array).cloned().unwrap_or_default();
                items.push(Tree::from(sample));
                Tree::from(items)
            }
            (Kind::Text, Value::String(text), _) => self.lawful(self.rules.find(&place.segments), text),
            (Kind::Struct(_), Value::Object(_), None) => {
                self.complete(place.ty, self.rules.find(&place.segments), sample, &place.members, SAMPLE_DEPTH)
            }
            _ => Tree::from(sample),
        })
    }

    /// As [`Soil::fit`], for samples that set single members of nested structs: the other members keep their values.
    pub(super) fn fit_inside(&self, place: &RulePlace, sample: &Value, current: Option<&Tree>) -> Option<Tree> {
        let (Kind::Struct(_), Value::Object(sample), Some(Tree::Object(current))) =
            (self.schema.pointed(place.ty).1, sample, current)
        else {
            return self.fit(place, Some(sample), current);
        };
        let mut current = Members::clone(current);
        current.retain(|key, _| sample.contains_key(key) || !place.members.iter().any(|spoken| **spoken == *key));
        Some(self.merged(place.ty, self.rules.find(&place.segments), sample, current, SAMPLE_DEPTH))
    }

    /// The members of a struct with those of a sample in their place; what is null there is absent.
    fn merged(&self, ty: TypeId, at: At, sample: &Map<String, Value>, mut members: Members, depth: usize) -> Tree {
        let id = self.schema.pointed(ty).0;
        for (key, value) in sample {
            let Some(inner) = self.layout.member(self.schema, id, key) else {
                members.insert(key.as_str(), Tree::from(value));
                continue;
            };
            let at = self.rules.member(at, key);
            let new = match (self.schema.pointed(inner).1, value, members.remove(key)) {
                (_, Value::Null, _) => continue,
                (Kind::Struct(_), Value::Object(sample), Some(Tree::Object(known))) => {
                    self.merged(inner, at, sample, Arc::unwrap_or_clone(known), depth + 1)
                }
                (Kind::List(item), Value::Array(samples), Some(Tree::Array(known))) => {
                    self.merged_items(*item, self.rules.each(at), samples, &known, depth + 1)
                }
                _ => self.complete(inner, at, value, &[], depth),
            };
            members.insert(key.as_str(), new);
        }
        Tree::from(members)
    }

    /// The items of a sample. A struct keeps the other members of the item that it replaces.
    fn merged_items(&self, item: TypeId, at: At, samples: &[Value], known: &[Tree], depth: usize) -> Tree {
        let mut items = self.items(item, at, samples, &[], depth);
        for ((new, sample), known) in items.iter_mut().zip(samples).zip(known) {
            if let (Kind::Struct(_), Value::Object(sample), Tree::Object(known)) =
                (self.schema.pointed(item).1, sample, known)
            {
                *new = self.merged(item, at, sample, Members::clone(known), depth);
            }
        }
        Tree::from(items)
    }

    /// Makes the first item of a list at `place` differ from the last, if they are alike, so that the order of the list matters.
    pub(super) fn vary(&self, place: &RulePlace, list: &mut Tree, choices: &mut Choices<'_, '_>) {
        let Kind::List(item) = self.schema.pointed(place.ty).1 else { return };
        let Some([first, .., last]) = list.as_array_mut().map(Vec::as_mut_slice) else { return };
        let at = self.rules.each(self.rules.find(&place.segments));
        for _ in 0..MOST_TRIES {
            if first != last {
                return;
            }
            *first = self.grow(*item, at, "", SAMPLE_DEPTH, choices);
        }
    }

    /// A sample of type `ty` with all that it does not speak of grown, so that it breaks no rules of its own.
    pub(super) fn complete(&self, ty: TypeId, at: At, sample: &Value, spoken: &[Box<str>], depth: usize) -> Tree {
        match (self.schema.pointed(ty).1, sample) {
            (Kind::Struct(_), Value::Object(sample)) => {
                let mut none = arbitrary::Unstructured::new(&[]);
                let mut grown = self.grow(ty, at, "", depth, &mut Choices::new(&mut none));
                let Some(members) = as_object(&mut grown) else { return grown };
                members.retain(|key, _| !spoken.iter().any(|spoken| **spoken == *key));
                members.extend(self.members(ty, at, sample, depth + 1));
                // What a sample says to be null is absent, although it might have been grown.
                members.retain(|_, value| !value.is_null());
                grown
            }
            (Kind::List(item), Value::Array(items)) => {
                Tree::from(self.items(*item, self.rules.each(at), items, spoken, depth + 1))
            }
            (Kind::Map { value, .. }, Value::Object(entries)) => {
                let values = self.items(*value, self.rules.each(at), entries.values(), spoken, depth + 1);
                entries.keys().map(|key| Arc::from(key.as_str())).zip(values).collect::<Members>().into()
            }
            (Kind::Text, Value::String(text)) => self.lawful(at, text),
            _ => Tree::from(sample),
        }
    }

    /// A text of a sample; one that stands for any is one that the rules of the place allow.
    fn lawful(&self, at: At, text: &str) -> Tree {
        let allowed = |number: usize| {
            let mut distinct: Vec<&Value> = Vec::new();
            for value in self.rules.valid(at).filter(|value| value.as_str().is_some_and(|text| !text.is_empty())) {
                if !distinct.contains(&value) {
                    distinct.push(value);
                }
            }
            distinct.get(number).copied()
        };
        any_text_number(text).and_then(allowed).map_or_else(|| Tree::from(text), Tree::from)
    }

    /// The items of a sample, complete; empty ones, of which there may be many, are all alike.
    fn items<'s>(
        &self,
        item: TypeId,
        at: At,
        items: impl IntoIterator<Item = &'s Value>,
        spoken: &[Box<str>],
        depth: usize,
    ) -> Vec<Tree> {
        let mut items = items.into_iter().peekable();
        let like = items.peek().copied().filter(|first| first.as_object().is_some_and(Map::is_empty));
        let first = like.map(|first| self.complete(item, at, first, spoken, depth));
        let each = items.map(|value| match &first {
            Some(first) if Some(value) == like => first.clone(),
            _ => self.complete(item, at, value, spoken, depth),
        });
        each.collect()
    }

    /// The members of a sample, complete.
    pub(super) fn members<'m>(
        &'m self,
        ty: TypeId,
        at: At,
        sample: &'m Map<String, Value>,
        depth: usize,
    ) -> impl Iterator<Item = (Arc<str>, Tree)> + 'm {
        let id = self.schema.pointed(ty).0;
        sample.iter().map(move |(key, value)| {
            let complete = self
                .layout
                .member(self.schema, id, key)
                .map(|inner| self.complete(inner, self.rules.member(at, key), value, &[], depth));
            (Arc::from(key.as_str()), complete.unwrap_or_else(|| Tree::from(value)))
        })
    }
}

/// The value at `site`.
pub(super) fn get<'v>(object: &'v Tree, site: &[Step<'_>]) -> Option<&'v Tree> {
    site.iter().try_fold(object, |value, step| match step {
        Step::Item(index) => value.as_array()?.get(*index),
        step => value.as_object()?.get(step.key()?),
    })
}

/// The value at `site`, to change it.
pub(super) fn get_mut<'v>(object: &'v mut Tree, site: &[Step<'_>]) -> Option<&'v mut Tree> {
    site.iter().try_fold(object, |value, step| match step {
        Step::Item(index) => value.as_array_mut()?.get_mut(*index),
        step => value.as_object_mut()?.get_mut(step.key()?),
    })
}

/// Puts `new` at `site`, or takes away what is there. Parents that are absent are made.
pub(super) fn put(object: &mut Tree, site: &[Step<'_>], new: Option<Tree>) {
    let Some((last, parents)) = site.split_last() else {
        if let Some(new) = new {
            *object = new;
        }
        return;
    };
    let mut value = object;
    for step in parents {
        value = match step {
            Step::Item(index) => {
                let Some(items) = as_array(value) else { return };
                if items.len() <= *index {
                    items.push(Tree::Null);
                }
                let index = (*index).min(items.len() - 1);
                let Some(next) = items.get_mut(index) else { return };
                next
            }
            step => {
                let Some(members) = as_object(value) else { return };
                let name = step.key().unwrap_or_default();
                if !members.contains_key(name) {
                    members.insert(name, Tree::Null);
                }
                let Some(next) = members.get_mut(name) else { return };
                next
            }
        };
    }
    match (last, new) {
        (Step::Item(index), Some(new)) => {
            let Some(items) = as_array(value) else { return };
            match items.get_mut(*index) {
                Some(item) => *item = new,
                None => items.push(new),
            }
        }
        (Step::Item(index), None) => {
            let Some(items) = as_array(value) else { return };
            if *index < items.len() {
                items.remove(*index);
            }
        }
        (step, Some(new)) => {
            let Some(members) = as_object(value) else { return };
            members.insert(step.key().unwrap_or_default(), new);
        }
        (step, None) => {
            if let Some(members) = value.as_object_mut() {
                members.remove(step.key().unwrap_or_default());
            }
        }
    }
}

/// The members of `value`, which becomes an object if it is none.
pub(super) fn as_object(value: &mut Tree) -> Option<&mut Members> {
    if value.as_object().is_none() {
        *value = Tree::from(Members::new());
    }
    value.as_object_mut()
}

/// The items of `value`, which becomes a list if it is none.
pub(super) fn as_array(value: &mut Tree) -> Option<&mut Vec<Tree>> {
    if value.as_array().is_none() {
        *value = Tree::from(Vec::new());
    }
    value.as_array_mut()
}
