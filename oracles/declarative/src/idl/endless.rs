//! Defaults that contain themselves: what they set takes the same default again, without end.

use super::diagnostic::IdlFault;
use super::finish::default_text;
use super::graph::Graph;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use takeover_harness::schema::{Kind, Presence, Struct, TypeId};

/// Where a default stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// At a field, by its struct and slot.
    Field(TypeId, usize),
    /// At the type of list items or map values.
    Items(TypeId),
}

/// A value with its number, which tells it from all others of a default; none for what is unset.
type Numbered<'v> = Option<(usize, &'v Value)>;

/// Structs in structs that are looked at for values that are not zero.
const DEEPEST: usize = 64;

const MESSAGE: &str = "default contains itself: what it sets takes the same default again, without end";

impl Graph<'_> {
    /// Reports defaults that contain themselves, and takes them away: defaulting would not end.
    pub(super) fn break_endless_defaults(&mut self) {
        let places = self.places_of_defaults();
        let number: HashMap<Place, usize> = places.iter().copied().zip(0..).collect();
        let of = |place: &Place| -> Vec<usize> {
            let inside = self.set_inside(*place);
            inside.iter().filter_map(|place| number.get(place).copied()).collect()
        };
        let inside: Vec<Vec<usize>> = places.iter().map(of).collect();
        let endless = in_circles(&inside);
        let mut fields: HashMap<TypeId, Vec<(usize, ())>> = HashMap::new();
        for (place, _) in places.iter().zip(&endless).filter(|(_, endless)| **endless) {
            match *place {
                Place::Field(owner, slot) => {
                    self.report_field(owner, slot);
                    fields.entry(owner).or_default().push((slot, ()));
                }
                Place::Items(ty) => {
                    self.report_items(ty);
                    self.infos.iter_mut().skip(ty.0 as usize).take(1).for_each(|info| info.item_default = None);
                }
            }
        }
        for (owner, slots) in fields {
            self.change_fields(owner, slots, |field, ()| field.default = None);
        }
    }

    /// The places of defaults that have members or items, in the order of types and fields.
    fn places_of_defaults(&self) -> Vec<Place> {
        let holds = |default: &Value| default.is_object() || default.is_array();
        let mut places = Vec::new();
        for (id, ty) in self.schema.iter() {
            if let Kind::Struct(structure) = &ty.kind {
                let fields = structure.fields.iter().enumerate();
                let defaulted = fields.filter(|(_, field)| field.default.as_ref().is_some_and(holds));
                places.extend(defaulted.map(|(slot, _)| Place::Field(id, slot)));
            }
            let info = self.infos.get(id.0 as usize);
            if info.and_then(|info| info.item_default.as_ref()).is_some_and(holds) {
                places.push(Place::Items(id));
            }
        }
        places
    }

    /// The places of the defaults that are set inside a default.
    fn set_inside(&self, place: Place) -> Vec<Place> {
        let (default, ty) = match place {
            Place::Field(owner, slot) => {
                let Kind::Struct(structure) = self.schema.kind(owner) else { return Vec::new() };
                let Some(field) = structure.fields.get(slot) else { return Vec::new() };
                (field.default.as_ref(), field.ty)
            }
            Place::Items(ty) => (self.item_default(ty), ty),
        };
        let Some(default) = default else { return Vec::new() };
        let mut walk =
            Walk { open: vec![(Some((0, default)), ty)], numbers: 1, seen: HashSet::new(), found: Vec::new() };
        while let Some((value, ty)) = walk.open.pop() {
            self.look_into(value, ty, &mut walk);
        }
        walk.found
    }

    fn look_into<'v>(&self, value: Numbered<'v>, ty: TypeId, walk: &mut Walk<'v>) {
        let (id, kind) = self.schema.native(ty);
        match (kind, value) {
            (Kind::Pointer(inner), Some(_)) => walk.open.push((value, *inner)),
            (Kind::Struct(structure), _) if walk.seen.insert((id, value.map(|(number, _)| number))) => {
                for (slot, field) in structure.fields.iter().enumerate() {
                    match (field.presence, self.schema.native(field.ty).1) {
                        (Presence::Hidden, _) => {}
                        // A nil embedded pointer stays nil.
                        (Presence::Inlined, Kind::Pointer(inner)) => {
                            if value.is_some_and(|(_, value)| self.sets_any(value, *inner)) {
                                walk.open.push((value, *inner));
                            }
                        }
                        (Presence::Inlined, _) => walk.open.push((value, field.ty)),
                        (Presence::Named, kind) => {
                            let given = value.and_then(|(_, value)| member(value, &field.json_name));
                            let is_struct = matches!(kind, Kind::Struct(_));
                            let is_unset = given.is_none_or(|given| is_struct && self.may_be_unset(given, field.ty, 0));
                            if is_unset && field.default.is_some() {
                                walk.found.push(Place::Field(id, slot));
                            } else if given.is_some() || is_struct {
                                walk.enter(given, field.ty);
                            }
                        }
                    }
                }
            }
            (Kind::List(item), Some((_, Value::Array(items)))) => {
                items.iter().for_each(|value| self.look_into_item(value, *item, walk));
            }
            (Kind::Map { value: item, .. }, Some((_, Value::Object(entries)))) => {
                entries.values().for_each(|value| self.look_into_item(value, *item, walk));
            }
            _ => {}
        }
    }

    /// Whether a struct that is no pointer may be decoded as if it were not given: all that it sets is zero, or no member of it.
    fn may_be_unset(&self, given: &Value, ty: TypeId, depth: usize) -> bool {
        match given {
            Value::Null | Value::Bool(false) => true,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            Value::Object(members) => {
                let Some((_, structure)) = self.schema.as_struct(ty).filter(|_| depth < DEEPEST) else {
                    return false;
                };
                let is_pointer = |ty: TypeId| matches!(self.schema.native(ty).1, Kind::Pointer(_));
                members.iter().all(|(name, value)| {
                    let is_zero = |ty: TypeId| !is_pointer(ty) && self.may_be_unset(value, ty, depth + 1);
                    value.is_null() || self.type_of(structure, name, 0).is_none_or(is_zero)
                })
            }
            _ => false,
        }
    }

    /// Whether a value sets a member of an embedded struct.
    fn sets_any(&self, value: &Value, ty: TypeId) -> bool {
        let (Some(members), Some((_, structure))) = (value.as_object(), self.schema.as_struct(ty)) else {
            return false;
        };
        members.iter().any(|(name, value)| !value.is_null() && self.type_of(structure, name, 0).is_some())
    }

    /// The type of a member, direct or through embedded structs.
    fn type_of(&self, structure: &Struct, name: &str, depth: usize) -> Option<TypeId> {
        let direct = structure
            .fields
            .iter()
            .find(|field| field.presence == Presence::Named && field.json_name.eq_ignore_ascii_case(name));
        let embedded = || {
            let mut inner =
                structure.fields.iter().filter(|field| field.presence == Presence::Inlined && depth < DEEPEST);
            inner.find_map(|field| self.type_of(self.schema.as_struct(field.ty)?.1, name, depth + 1))
        };
        direct.map(|field| field.ty).or_else(embedded)
    }

    fn look_into_item<'v>(&self, value: &'v Value, ty: TypeId, walk: &mut Walk<'v>) {
        match value {
            Value::Null if self.item_default(ty).is_some() => walk.found.push(Place::Items(ty)),
            Value::Null => walk.enter(None, ty),
            _ => walk.enter(Some(value), ty),
        }
    }

    fn item_default(&self, ty: TypeId) -> Option<&Value> {
        self.infos.get(ty.0 as usize)?.item_default.as_ref()
    }

    fn report_field(&mut self, owner: TypeId, slot: usize) {
        let name = match self.schema.kind(owner) {
            Kind::Struct(structure) => structure.fields.get(slot).map(|field| field.json_name.to_string()),
            _ => None,
        };
        let Some(field) = self.infos.get(owner.0 as usize).and_then(|info| info.fields.get(slot)) else { return };
        let marker = field.tags.iter().find_map(|tag| Some((tag.position.clone(), default_text(tag)?.len())));
        // Without a marker, the default is that of the type.
        let (position, len) = match marker {
            Some((position, len)) => (position, "+default=".len() + len),
            None => (field.position.clone(), 1),
        };
        let message = format!("`{}`: {MESSAGE}", name.unwrap_or_default());
        self.fault_at(&position, len, IdlFault::Default, &message);
    }

    /// Reports the default of a type of items, at the first type with a name on the way to its values.
    fn report_items(&mut self, mut ty: TypeId) {
        for _ in 0..self.infos.len() {
            let Some(info) = self.infos.get(ty.0 as usize) else { return };
            if info.position.is_some() {
                let message = format!("`{}`: {MESSAGE}", info.go_name);
                return self.fault_at_type(ty, IdlFault::Default, &message);
            }
            ty = match self.schema.kind(ty) {
                Kind::Named(inner) | Kind::Pointer(inner) => *inner,
                _ => return,
            };
        }
    }
}

/// What is looked into, and the defaults that were found.
struct Walk<'v> {
    open: Vec<(Numbered<'v>, TypeId)>,
    numbers: usize,
    /// Structs that were looked into, by type and the number of the value: embedded pointers may lead back to them.
    seen: HashSet<(TypeId, Option<usize>)>,
    found: Vec<Place>,
}

impl<'v> Walk<'v> {
    fn enter(&mut self, value: Option<&'v Value>, ty: TypeId) {
        let numbered = value.map(|value| (self.numbers, value));
        self.numbers += 1;
        self.open.push((numbered, ty));
    }
}

/// A member that is set, as Go's decoder finds it.
fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let members = value.as_object()?;
    let alike = || members.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    members.get(name).or_else(alike).filter(|value| !value.is_null())
}

/// Which nodes of a graph are in a circle, or between two of them.
fn in_circles(next: &[Vec<usize>]) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (at, targets) in next.iter().enumerate() {
        for target in targets {
            before.iter_mut().skip(*target).take(1).for_each(|before| before.push(at));
        }
    }
    let lead_on = without_ends(next, &before);
    let are_led_to = without_ends(&before, next);
    lead_on.iter().zip(&are_led_to).map(|(one, other)| *one && *other).collect()
}

/// The nodes that remain if all that lead to no other are taken away, again and again.
fn without_ends(next: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<bool> {
    let mut left: Vec<usize> = next.iter().map(Vec::len).collect();
    let mut ends: Vec<usize> = (0..next.len()).filter(|at| left.get(*at) == Some(&0)).collect();
    while let Some(end) = ends.pop() {
        for source in before.get(end).into_iter().flatten() {
            if let Some(left) = left.get_mut(*source) {
                *left -= 1;
                if *left == 0 {
                    ends.push(*source);
                }
            }
        }
    }
    left.into_iter().map(|left| left > 0).collect()
}
