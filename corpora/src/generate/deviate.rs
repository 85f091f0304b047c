//! Deviations along the types: something in the object becomes something else, valid or not.

use super::choices::Choices;
use super::grow::Soil;
use super::layout::Member;
use super::pools::{huge_text, number, odd_int, odd_number_in, odd_text, well_known};
use super::rules::{At, RulePlace, Segment, join};
use super::site::{Step, get};
use super::type_classes::is_scalar;
use takeover_harness::object::{ArenaVec, NewMembers, Tree};
use takeover_harness::rule::in_another_case;
use takeover_harness::schema::{Kind, Schema, TypeId, WellKnown};

/// A value on the way down, with what is known of its place.
#[derive(Clone, Copy)]
struct Here<'h> {
    ty: TypeId,
    at: At,
    name: &'h str,
    depth: usize,
}

/// Makes deviations, and seldom below quiet places.
pub(super) struct Deviator<'d> {
    pub(super) soil: Soil<'d>,
    pub(super) quiet: &'d [String],
    /// See [`GeneratorSettings::looks_further`](super::settings::GeneratorSettings::looks_further): members may take the value of another
    /// member; `apiVersion` and `kind` keep theirs.
    pub(super) looks_further: bool,
    /// Whether null may be added to lists. External validators get decoded objects, which have empty items in place of null ones; servers
    /// refuse them in custom resources.
    pub(super) has_null_items: bool,
    /// See [`GeneratorSettings::tries_null`](super::settings::GeneratorSettings::tries_null): scalars in lists and maps may become null.
    pub(super) tries_null: bool,
}

impl<'d> Deviator<'d> {
    /// Changes one thing in `object`, of type `root`, and notes in `note` where and what.
    pub(super) fn deviate(
        &self,
        object: &mut Tree<'d>,
        root: TypeId,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
    ) {
        let from = note.len();
        let here = Here { ty: root, at: self.soil.rules.root(), name: "", depth: 0 };
        let what = self.step(object, here, choices, note, from);
        note.push_str(": ");
        note.push_str(what);
    }

    /// Changes the value at `site`, a concrete place of `place`, and notes in `note` where and what.
    pub(super) fn deviate_at(
        &self,
        object: &mut Tree<'d>,
        place: &RulePlace,
        site: &[Step<'d>],
        choices: &mut Choices<'_, '_>,
        note: &mut String,
    ) {
        let from = note.len();
        note.push_str(&join(&place.segments));
        let at = self.soil.rules.find(&place.segments);
        let name = place.segments.iter().rev().find_map(|segment| match segment {
            Segment::Member(name) => Some(&**name),
            Segment::Each => None,
        });
        let here = Here { ty: place.ty, at, name: name.unwrap_or_default(), depth: site.len() };
        let removed = !site.is_empty() && choices.chance(1, 4);
        let what = match get(object, site).copied() {
            Some(_) if removed => {
                self.soil.put(object, site, None);
                "removed"
            }
            Some(mut value) => {
                let what = self.step(&mut value, here, choices, note, from);
                self.soil.put(object, site, Some(value));
                what
            }
            None => {
                let grown = self.soil.grow(here.ty, at, here.name, here.depth, choices);
                self.soil.put(object, site, Some(grown));
                "set"
            }
        };
        note.push_str(": ");
        note.push_str(what);
    }

    fn step(
        &self,
        value: &mut Tree<'d>,
        here: Here<'_>,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
        from: usize,
    ) -> &'static str {
        let (id, kind) = self.soil.schema.pointed(here.ty);
        // Now and then a value is replaced by one of another JSON type, which does not decode.
        if here.depth > 0 && choices.chance(1, 128) {
            *value = if value.as_str().is_some() { number(7_u64) } else { Tree::from("seven") };
            return "another JSON type";
        }
        match kind {
            Kind::Struct(_) if let Some(members) = value.as_object() => {
                let mut members = members.to_change(self.soil.arena);
                let what = self.in_struct(&mut members, Here { ty: id, ..here }, choices, note, from);
                *value = members.into();
                what
            }
            Kind::List(item) if value.as_array().is_some() => {
                let mut items = self.soil.items_of(value);
                let what = self.in_list(&mut items, Here { ty: *item, ..here }, choices, note, from);
                *value = items.into();
                what
            }
            Kind::Map { value: entry, .. } if let Some(entries) = value.as_object() => {
                let mut entries = entries.to_change(self.soil.arena);
                let what = self.in_map(&mut entries, Here { ty: *entry, ..here }, choices, note, from);
                *value = entries.into();
                what
            }
            Kind::Bool if let Tree::Bool(on) = value => {
                *on = !*on;
                "flipped"
            }
            Kind::Int { bits, signed } if matches!(value, Tree::Number(_)) => {
                *value = odd_int(value.as_i64().unwrap_or_default(), *bits, *signed, choices);
                "another number"
            }
            Kind::Float { .. } => {
                *value = choices.pick(&[0.0, -1.0, 0.5, 1e9, 1e300]).map_or(Tree::Null, |float| Tree::from(*float));
                "another number"
            }
            Kind::Text if value.as_str().is_some() => {
                let text = value.as_str().unwrap_or_default();
                let has_number = || self.looks_further && text.contains(|char: char| char.is_ascii_digit());
                *value = if choices.chance(1, 4) {
                    Tree::from(self.soil.pools.text(here.name, choices))
                } else if has_number() && choices.chance(1, 4) {
                    self.soil.text(&odd_number_in(text, choices))
                } else if self.looks_further && choices.chance(1, 8) {
                    self.soil.text(&in_another_case(text))
                } else {
                    self.soil.text(&odd_text(text, choices))
                };
                "another text"
            }
            Kind::Bytes => {
                let texts = ["", "YQ==", "AAECAw==", "LS0tLS1CRUdJTg=="];
                *value =
                    Tree::from(if choices.chance(1, 16) { "?" } else { choices.pick(&texts).copied().unwrap_or("") });
                "other bytes"
            }
            Kind::WellKnown(WellKnown::IntOrString) if choices.chance(1, 2) => {
                *value = odd_int(value.as_i64().unwrap_or(1), 32, true, choices);
                "another number"
            }
            Kind::WellKnown(known) if *known != WellKnown::Raw => {
                let malformed = choices.chance(1, 16);
                let text = if malformed { "?" } else { choices.pick(well_known(*known)).copied().unwrap_or_default() };
                *value = Tree::from(text);
                "another value"
            }
            _ => {
                *value = self.soil.grow(here.ty, here.at, here.name, here.depth + 1, choices);
                "grown anew"
            }
        }
    }

    fn in_struct(
        &self,
        object: &mut NewMembers<'d>,
        here: Here<'_>,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
        from: usize,
    ) -> &'static str {
        let members = self.soil.layout.members(here.ty);
        if choices.chance(1, 200) {
            object.insert("unknownField", Tree::Bool(true));
            return "unknown field";
        }
        if here.depth > 0 && choices.chance(1, 24) {
            object.clear();
            return "emptied";
        }
        if object.is_empty() || choices.chance(1, 6) {
            let mut pick = || choices.pick(members).filter(|member| !is_identity(here.depth, &member.name));
            let Some(member) = pick().or_else(&mut pick).or_else(&mut pick) else { return "nothing" };
            let at = self.soil.rules.member(here.at, &member.name);
            append(note, from, &member.name);
            let fresh = !object.contains_key(&member.name);
            object.insert(&member.name, self.soil.grow(member.ty, at, &member.name, here.depth + 1, choices));
            // What is usually absent is seen to be wrong only when it is set and then deviates.
            if choices.chance(1, 2)
                && let Some(value) = object.get_mut(&member.name)
            {
                let here = Here { ty: member.ty, at, name: &member.name, depth: here.depth + 1 };
                return self.step(value, here, choices, note, from);
            }
            return if fresh { "set" } else { "grown anew" };
        }
        if self.looks_further
            && choices.chance(1, 4)
            && let Some(name) = copy((self.soil.schema, self.soil.layout.members(here.ty)), object, choices)
        {
            append(note, from, name);
            return "as another field";
        }
        let chosen = self.choose(object, here.depth, choices, note, from);
        let Some((key, _)) = object.nth(chosen) else { return "nothing" };
        // With another kind, a request would reach other validators.
        if self.looks_further && is_identity(here.depth, key) {
            return "nothing";
        }
        let inner = members.iter().find(|member| *member.name == *key);
        append(note, from, key);
        // Whole parts of the object go less often than what is in them.
        if choices.chance(1, if here.depth == 0 { 28 } else { 7 }) {
            return match choices.below(8) {
                0 => {
                    object.insert(key, Tree::Null);
                    "null"
                }
                1 | 2 => {
                    if let Some(member) = object.get_mut(key) {
                        empty(member);
                    }
                    "emptied"
                }
                _ => {
                    object.remove(key);
                    "removed"
                }
            };
        }
        let Some(inner) = inner else { return "nothing" };
        let here = Here {
            ty: inner.ty,
            at: self.soil.rules.member(here.at, &inner.name),
            name: &inner.name,
            depth: here.depth + 1,
        };
        match object.nth_mut(chosen) {
            Some((_, member)) => self.step(member, here, choices, note, from),
            None => "nothing",
        }
    }

    /// Chooses a member to go into; one that leads to a quiet place mostly gives way to another.
    fn choose(
        &self,
        object: &NewMembers<'_>,
        depth: usize,
        choices: &mut Choices<'_, '_>,
        note: &str,
        from: usize,
    ) -> usize {
        let mut chosen = choices.below(object.len());
        let place = note.get(from..).unwrap_or_default();
        for _ in 0..6 {
            let Some((key, _)) = object.nth(chosen) else { break };
            let rarity = if is_identity(depth, key) {
                256
            } else if self.quiet.iter().any(|quiet| match place {
                "" => **quiet == *key,
                _ => quiet.strip_prefix(place).and_then(|below| below.strip_prefix('.')) == Some(key),
            }) {
                8
            } else {
                1
            };
            if choices.chance(1, rarity) {
                break;
            }
            chosen = choices.below(object.len());
        }
        chosen
    }

    fn in_list(
        &self,
        items: &mut ArenaVec<'d, Tree<'d>>,
        here: Here<'_>,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
        from: usize,
    ) -> &'static str {
        let at = self.soil.rules.each(here.at);
        let chosen = choices.below(items.len());
        match choices.below(12) {
            0 => {
                items.push(self.soil.grow(here.ty, at, here.name, here.depth + 1, choices));
                "item added"
            }
            1 if chosen < items.len() => {
                items.remove(chosen);
                "item removed"
            }
            2 => {
                if let Some(item) = items.get(chosen).copied() {
                    items.push(item);
                }
                "item duplicated"
            }
            3 => {
                items.reverse();
                "items reversed"
            }
            4 => {
                items.clear();
                "items removed"
            }
            5 if self.has_null_items && choices.chance(1, 4) => {
                items.push(Tree::Null);
                "null item added"
            }
            5 if chosen < items.len() && self.may_be_null(here.ty, note, from) => {
                if let Some(item) = items.get_mut(chosen) {
                    *item = Tree::Null;
                }
                "null item"
            }
            6 if choices.chance(1, 2) => {
                let count = many(choices);
                if let Some(item) = items.first().copied() {
                    items.resize(count, item);
                }
                "many items"
            }
            _ => match items.get_mut(chosen) {
                Some(item) => {
                    note.push_str("[*]");
                    self.step(item, Here { at, depth: here.depth + 1, ..here }, choices, note, from)
                }
                None => {
                    items.push(self.soil.grow(here.ty, at, here.name, here.depth + 1, choices));
                    "item added"
                }
            },
        }
    }

    /// Whether null is tried as an element of this type of the list or map at the place that `note` names.
    fn may_be_null(&self, ty: TypeId, note: &str, from: usize) -> bool {
        let is_metadata = || note.get(from..).is_some_and(|place| place.starts_with("metadata."));
        self.tries_null && is_scalar(self.soil.schema, ty) && !is_metadata()
    }

    fn in_map(
        &self,
        entries: &mut NewMembers<'d>,
        here: Here<'_>,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
        from: usize,
    ) -> &'static str {
        let at = self.soil.rules.each(here.at);
        let chosen = choices.below(entries.len());
        let key = entries.nth(chosen).map(|(key, _)| key);
        match (choices.below(10), key) {
            (0, _) => {
                let key = self.soil.pools.key(here.name, choices);
                entries.insert(key, self.soil.grow(here.ty, at, here.name, here.depth + 1, choices));
                "entry added"
            }
            (1 | 2, Some(key)) => {
                entries.remove(key);
                "entry removed"
            }
            (3, _) => {
                entries.clear();
                "entries removed"
            }
            (4 | 5, Some(key)) => {
                let grown = entries.remove(key).unwrap_or_default();
                entries.insert(self.soil.arena.alloc_str(&odd_text(key, choices)), grown);
                "another key"
            }
            (6, _) => {
                let key = self.soil.arena.alloc_str(&odd_text("a", choices));
                entries.insert(key, self.soil.grow(here.ty, at, here.name, here.depth + 1, choices));
                "odd key added"
            }
            (7, Some(key)) if choices.chance(1, 12) => {
                if let Some(Tree::String(text)) = entries.get_mut(key) {
                    *text = self.soil.arena.alloc_str(&huge_text(choices));
                }
                "huge value"
            }
            (8, Some(key)) if self.may_be_null(here.ty, note, from) => {
                entries.insert(key, Tree::Null);
                "null value"
            }
            (_, Some(key)) => match entries.get_mut(key) {
                Some(entry) => {
                    note.push_str("[*]");
                    self.step(entry, Here { at, depth: here.depth + 1, ..here }, choices, note, from)
                }
                None => "nothing",
            },
            (_, None) => {
                entries.insert("a", self.soil.grow(here.ty, at, here.name, here.depth + 1, choices));
                "entry added"
            }
        }
    }
}

/// A number of items around a limit of how many there may be.
pub(super) fn many(choices: &mut Choices<'_, '_>) -> usize {
    choices.pick(&[8, 9, 16, 17, 32, 33, 64, 65, 100, 101, 128, 129]).copied().unwrap_or(0)
}

/// What the object says it is: anything else is another kind of object and of no use.
fn is_identity(depth: usize, name: &str) -> bool {
    depth == 0 && (name == "apiVersion" || name == "kind")
}

/// Gives a member the value of another one of its sort, and says which; `None` if there are no two of one sort.
fn copy<'m>(
    (schema, members): (&Schema, &'m [Member]),
    object: &mut NewMembers<'m>,
    choices: &mut Choices<'_, '_>,
) -> Option<&'m str> {
    let sort = |member: &Member| std::mem::discriminant(schema.pointed(member.ty).1);
    let from = choices.pick(members).filter(|member| object.contains_key(&member.name))?;
    let is_other = |other: &&Member| sort(other) == sort(from) && other.name != from.name;
    let others: Vec<&'m Member> = members.iter().filter(is_other).collect();
    let to = choices.pick(&others)?;
    let value = *object.get(&from.name)?;
    object.insert(&to.name, value);
    Some(&to.name)
}

fn append(note: &mut String, from: usize, name: &str) {
    if note.len() > from {
        note.push('.');
    }
    note.push_str(name);
}

/// The zero value of the same JSON type.
fn empty(value: &mut Tree<'_>) {
    *value = match value {
        Tree::Null => Tree::Null,
        Tree::Bool(_) => Tree::Bool(false),
        Tree::Number(_) => number(0_u64),
        Tree::String(_) => Tree::from(""),
        Tree::Array(_) => Tree::Array(&[]),
        Tree::Object(_) => Tree::EMPTY,
    };
}
