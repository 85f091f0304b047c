//! Concrete places in objects: finding one for a path pattern, and setting what is there.

use super::choices::Choices;
use super::grow::Soil;
use super::rules::{At, RulePlace, Segment};
use serde_json::{Map, Value};
use takeover_harness::object::{ArenaVec, NewMembers, Tree};
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
    Key(&'g str),
    Item(usize),
}

impl<'g> Step<'g> {
    fn key(&self) -> Option<&'g str> {
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

impl<'s> Soil<'s> {
    /// The concrete place of `place` in `object`; what is missing on the way is grown, and where there is a choice of items
    /// one is chosen.
    pub(super) fn locate(
        &self,
        object: &mut Tree<'s>,
        Start { root, behind }: Start,
        place: &'s RulePlace,
        choices: &mut Choices<'_, '_>,
    ) -> Vec<Step<'s>> {
        let mut site = Vec::with_capacity(place.segments.len());
        let (mut ty, mut at, mut name): (TypeId, At, &str) = (root, self.rules.root(), "");
        // What stands at the site so far.
        let mut here = *object;
        for (index, segment) in place.segments.iter().enumerate() {
            let (id, kind) = self.schema.pointed(ty);
            let last = index + 1 == place.segments.len();
            match (segment, kind) {
                (Segment::Member(member), _) => {
                    let Some(inner) = self.layout.member(self.schema, id, member) else { return site };
                    name = member;
                    at = self.rules.member(at, member);
                    if last {
                        if here.as_object().is_none() {
                            self.put(object, &site, Some(Tree::EMPTY));
                        }
                        site.push(Step::Member(member));
                        return site;
                    }
                    site.push(Step::Member(member));
                    here = match here.get(member) {
                        Some(known) if !known.is_null() => *known,
                        _ => self.set(object, &site, self.grow(inner, at, name, index + 1, &mut choices.fork(name))),
                    };
                    ty = inner;
                }
                (Segment::Each, Kind::List(inner)) => {
                    at = self.rules.each(at);
                    let mut items = here.as_array().unwrap_or_default();
                    if items.is_empty() || behind && items.len() < 2 {
                        let mut more = Tree::to_change(items, self.arena);
                        if more.is_empty() {
                            more.push(self.grow(*inner, at, name, index + 1, choices));
                        }
                        if behind && more.len() < 2 {
                            more.push(self.grow_apart(*inner, at, &more, choices));
                        }
                        items = self.set(object, &site, more.into()).as_array().unwrap_or_default();
                    }
                    let chosen = if behind { items.len() - 1 } else { choices.below(items.len()) };
                    site.push(Step::Item(chosen));
                    here = items.get(chosen).copied().unwrap_or_default();
                    ty = *inner;
                }
                (Segment::Each, Kind::Map { value: inner, .. }) => {
                    at = self.rules.each(at);
                    let mut entries = here.as_object().unwrap_or_default();
                    if entries.is_empty() {
                        let entry = self.entry("a", self.grow(*inner, at, name, index + 1, choices));
                        entries = self.set(object, &site, entry).as_object().unwrap_or_default();
                    }
                    let Some((key, value)) = entries.nth(choices.below(entries.len())) else { return site };
                    site.push(Step::Key(key));
                    here = *value;
                    ty = *inner;
                }
                (Segment::Each, _) => return site,
            }
            if *segment == Segment::Each && !last && here.is_null() {
                here = self.set(object, &site, self.grow(ty, at, name, index + 1, choices));
            }
        }
        site
    }

    /// Puts `new` at `site`, and returns it.
    fn set(&self, object: &mut Tree<'s>, site: &[Step<'s>], new: Tree<'s>) -> Tree<'s> {
        self.put(object, site, Some(new));
        new
    }

    /// An item that differs from those there are in what mostly names it, if that can be: a copy of the first under another name.
    fn grow_apart(&self, item: TypeId, at: At, items: &[Tree<'s>], choices: &mut Choices<'_, '_>) -> Tree<'s> {
        let (id, _) = self.schema.pointed(item);
        let mut other = items.first().copied().unwrap_or_default();
        let names =
            self.layout.members(id).iter().filter(|member| matches!(self.schema.pointed(member.ty).1, Kind::Text));
        for name in names.map(|member| &*member.name).filter(|name| matches!(*name, "name" | "key" | "uid" | "request"))
        {
            if let Some(text) = other.get(name).and_then(Tree::as_str) {
                let text = Tree::text(&format!("{text}2"), self.arena);
                other.change(name, self.arena, |value| *value = text);
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
    pub(super) fn fit(
        &self,
        place: &RulePlace,
        sample: Option<&'s Value>,
        current: Option<&Tree<'s>>,
    ) -> Option<Tree<'s>> {
        let sample = sample?;
        Some(match (self.schema.pointed(place.ty).1, sample, current) {
            (_, Value::Object(sample), current) => self.fit_object(place, sample, current),
            (Kind::List(item), Value::Array(items), _) => {
                let at = self.rules.each(self.rules.find(&place.segments));
                self.list(self.items(*item, at, items, &place.members, SAMPLE_DEPTH))
            }
            // A sample of a key is planted as one more entry, a sample of an item as one more item.
            (Kind::Map { value, .. }, Value::String(key), current) => {
                let mut members = current.and_then(Tree::as_object).unwrap_or_default().to_change(self.arena);
                let mut none = arbitrary::Unstructured::new(&[]);
                let at = self.rules.each(self.rules.find(&place.segments));
                members.insert(key, self.grow(*value, at, "", SAMPLE_DEPTH, &mut Choices::new(&mut none)));
                Tree::from(members)
            }
            (Kind::List(_), sample, current) if !sample.is_null() => {
                self.one_more(current, Tree::of(sample, self.arena))
            }
            (Kind::Text, Value::String(text), _) => self.lawful(self.rules.find(&place.segments), text),
            _ => Tree::of(sample, self.arena),
        })
    }

    /// As [`Soil::fit`], for a sample that is an object.
    pub(super) fn fit_object(
        &self,
        place: &RulePlace,
        sample: &'s Map<String, Value>,
        current: Option<&Tree<'s>>,
    ) -> Tree<'s> {
        let at = || self.rules.find(&place.segments);
        match (self.schema.pointed(place.ty).1, current) {
            // A sample of a struct decides about the members that samples of its rule speak of; the others stay, so that
            // they do not break rules of their own.
            (Kind::Struct(_), Some(Tree::Object(current))) => {
                let mut members = current.to_change(self.arena);
                members.retain(|key, _| !place.members.iter().any(|spoken| **spoken == *key));
                members.extend(self.members(place.ty, at(), sample, SAMPLE_DEPTH));
                Tree::from(members)
            }
            (Kind::Struct(_), None) => self.complete_object(place.ty, at(), sample, &place.members, SAMPLE_DEPTH),
            (Kind::Map { .. }, _) => self.complete_object(place.ty, at(), sample, &[], SAMPLE_DEPTH),
            (Kind::List(_), current) => self.one_more(current, Tree::of_members(sample, self.arena)),
            _ => Tree::of_members(sample, self.arena),
        }
    }

    /// A list with one more item.
    fn one_more(&self, list: Option<&Tree<'s>>, item: Tree<'s>) -> Tree<'s> {
        let items = list.and_then(Tree::as_array).unwrap_or_default();
        self.list(items.iter().copied().chain([item]))
    }

    /// As [`Soil::fit`], for samples that set single members of nested structs: the other members keep their values.
    pub(super) fn fit_inside(
        &self,
        place: &RulePlace,
        sample: &'s Value,
        current: Option<&Tree<'s>>,
    ) -> Option<Tree<'s>> {
        let (Kind::Struct(_), Value::Object(sample), Some(Tree::Object(current))) =
            (self.schema.pointed(place.ty).1, sample, current)
        else {
            return self.fit(place, Some(sample), current);
        };
        let mut current = current.to_change(self.arena);
        current.retain(|key, _| sample.contains_key(key) || !place.members.iter().any(|spoken| **spoken == *key));
        Some(self.merged(place.ty, self.rules.find(&place.segments), sample, current, SAMPLE_DEPTH))
    }

    /// The members of a struct with those of a sample in their place; what is null there is absent.
    fn merged(
        &self,
        ty: TypeId,
        at: At,
        sample: &'s Map<String, Value>,
        mut members: NewMembers<'s>,
        depth: usize,
    ) -> Tree<'s> {
        let id = self.schema.pointed(ty).0;
        for (key, value) in sample {
            let Some(inner) = self.layout.member(self.schema, id, key) else {
                members.insert(key, Tree::of(value, self.arena));
                continue;
            };
            let at = self.rules.member(at, key);
            let new = match (self.schema.pointed(inner).1, value, members.remove(key)) {
                (_, Value::Null, _) => continue,
                (Kind::Struct(_), Value::Object(sample), Some(Tree::Object(known))) => {
                    self.merged(inner, at, sample, known.to_change(self.arena), depth + 1)
                }
                (Kind::List(item), Value::Array(samples), Some(Tree::Array(known))) => {
                    self.merged_items(*item, self.rules.each(at), samples, known, depth + 1)
                }
                _ => self.complete(inner, at, value, &[], depth),
            };
            members.insert(key, new);
        }
        Tree::from(members)
    }

    /// The items of a sample. A struct keeps the other members of the item that it replaces.
    fn merged_items(&self, item: TypeId, at: At, samples: &'s [Value], known: &[Tree<'s>], depth: usize) -> Tree<'s> {
        let mut items: Vec<Tree<'s>> = self.items(item, at, samples, &[], depth).collect();
        for ((new, sample), known) in items.iter_mut().zip(samples).zip(known) {
            if let (Kind::Struct(_), Value::Object(sample), Tree::Object(known)) =
                (self.schema.pointed(item).1, sample, known)
            {
                *new = self.merged(item, at, sample, known.to_change(self.arena), depth);
            }
        }
        self.list(items)
    }

    /// Makes the first item of a list at `place` differ from the last, if they are alike, so that the order of the list matters.
    pub(super) fn vary(&self, place: &RulePlace, list: &mut Tree<'s>, choices: &mut Choices<'_, '_>) {
        let Kind::List(item) = self.schema.pointed(place.ty).1 else { return };
        let Some([first, .., last]) = list.as_array() else { return };
        let at = self.rules.each(self.rules.find(&place.segments));
        let mut other = *first;
        for _ in 0..MOST_TRIES {
            if other != *last {
                break;
            }
            other = self.grow(*item, at, "", SAMPLE_DEPTH, choices);
        }
        list.change_item(0, self.arena, |first| *first = other);
    }

    /// A sample of type `ty` with all that it does not speak of grown, so that it breaks no rules of its own.
    pub(super) fn complete(
        &self,
        ty: TypeId,
        at: At,
        sample: &'s Value,
        spoken: &[Box<str>],
        depth: usize,
    ) -> Tree<'s> {
        match (self.schema.pointed(ty).1, sample) {
            (_, Value::Object(sample)) => self.complete_object(ty, at, sample, spoken, depth),
            (Kind::List(item), Value::Array(items)) => {
                self.list(self.items(*item, self.rules.each(at), items, spoken, depth + 1))
            }
            (Kind::Text, Value::String(text)) => self.lawful(at, text),
            _ => Tree::of(sample, self.arena),
        }
    }

    /// As [`Soil::complete`], for a sample that is an object.
    fn complete_object(
        &self,
        ty: TypeId,
        at: At,
        sample: &'s Map<String, Value>,
        spoken: &[Box<str>],
        depth: usize,
    ) -> Tree<'s> {
        match self.schema.pointed(ty).1 {
            Kind::Struct(_) => {
                let mut none = arbitrary::Unstructured::new(&[]);
                let grown = self.grow(ty, at, "", depth, &mut Choices::new(&mut none));
                let mut members = grown.as_object().unwrap_or_default().to_change(self.arena);
                members.retain(|key, _| !spoken.iter().any(|spoken| **spoken == *key));
                members.extend(self.members(ty, at, sample, depth + 1));
                // What a sample says to be null is absent, although it might have been grown.
                members.retain(|_, value| !value.is_null());
                members.into()
            }
            Kind::Map { value, .. } => {
                let values = self.items(*value, self.rules.each(at), sample.values(), spoken, depth + 1);
                let mut members = NewMembers::new(self.arena);
                members.extend(sample.keys().map(String::as_str).zip(values));
                members.into()
            }
            _ => Tree::of_members(sample, self.arena),
        }
    }

    /// A text of a sample; one that stands for any is one that the rules of the place allow.
    fn lawful(&self, at: At, text: &'s str) -> Tree<'s> {
        let allowed = |number: usize| {
            let mut distinct: Vec<&'s Value> = Vec::new();
            for value in self.rules.valid(at).filter(|value| value.as_str().is_some_and(|text| !text.is_empty())) {
                if !distinct.contains(&value) {
                    distinct.push(value);
                }
            }
            distinct.get(number).copied()
        };
        any_text_number(text).and_then(allowed).map_or(Tree::String(text), |value| Tree::of(value, self.arena))
    }

    /// The items of a sample, complete; empty ones, of which there may be many, are all alike.
    fn items(
        &self,
        item: TypeId,
        at: At,
        items: impl IntoIterator<Item = &'s Value>,
        spoken: &[Box<str>],
        depth: usize,
    ) -> impl Iterator<Item = Tree<'s>> {
        let mut items = items.into_iter().peekable();
        let like = items.peek().copied().filter(|first| first.as_object().is_some_and(Map::is_empty));
        let first = like.map(|first| self.complete(item, at, first, spoken, depth));
        items.map(move |value| match &first {
            Some(first) if Some(value) == like => *first,
            _ => self.complete(item, at, value, spoken, depth),
        })
    }

    /// The members of a sample, complete.
    pub(super) fn members<'m>(
        &'m self,
        ty: TypeId,
        at: At,
        sample: &'s Map<String, Value>,
        depth: usize,
    ) -> impl Iterator<Item = (&'s str, Tree<'s>)> + 'm {
        let id = self.schema.pointed(ty).0;
        sample.iter().map(move |(key, value)| {
            let complete = self
                .layout
                .member(self.schema, id, key)
                .map(|inner| self.complete(inner, self.rules.member(at, key), value, &[], depth));
            (key.as_str(), complete.unwrap_or_else(|| Tree::of(value, self.arena)))
        })
    }
}

/// The value at `site`.
pub(super) fn get<'o, 'a>(object: &'o Tree<'a>, site: &[Step<'_>]) -> Option<&'o Tree<'a>> {
    site.iter().try_fold(object, |value, step| match step {
        Step::Item(index) => value.as_array()?.get(*index),
        step => value.get(step.key()?),
    })
}

impl<'s> Soil<'s> {
    /// Puts `new` at `site`, or takes away what is there. Parents that are absent are made.
    pub(super) fn put(&self, object: &mut Tree<'s>, site: &[Step<'s>], new: Option<Tree<'s>>) {
        let Some((step, below)) = site.split_first() else {
            if let Some(new) = new {
                *object = new;
            }
            return;
        };
        if let Step::Item(index) = step {
            let mut items = self.items_of(object);
            match new {
                None if below.is_empty() => {
                    if *index < items.len() {
                        items.remove(*index);
                    }
                }
                new => {
                    if items.len() <= *index {
                        items.push(Tree::Null);
                    }
                    let last = items.len() - 1;
                    if let Some(item) = items.get_mut((*index).min(last)) {
                        self.put(item, below, new);
                    }
                }
            }
            *object = items.into();
            return;
        }
        let name = step.key().unwrap_or_default();
        let known = object.as_object();
        let mut members = known.unwrap_or_default().to_change(self.arena);
        match new {
            None if below.is_empty() => {
                if known.is_none() {
                    return;
                }
                members.remove(name);
            }
            new => {
                if let Some(member) = members.slot(name) {
                    self.put(member, below, new);
                }
            }
        }
        *object = members.into();
    }

    /// The items of `value`, to be changed; none if it is no list.
    pub(super) fn items_of(&self, value: &Tree<'s>) -> ArenaVec<'s, Tree<'s>> {
        Tree::to_change(value.as_array().unwrap_or_default(), self.arena)
    }
}
