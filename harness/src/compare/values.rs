//! Comparison of two objects, value by value.

use super::difference::{Difference, Direction, What};
use super::matched::{Same, paired};
use crate::cause::Cause;
use crate::object::{Arena, equal, from_value};
use crate::oracle::{Objects, is_zero};
use crate::path::Path;
use crate::schema::{Field, Kind, ListType, Schema, TypeId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What `null` and absence are to each other, and to what is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unset {
    /// Different, each with a cause of its own. What Go would write as the same is the same: an empty value under `omitempty`, and the zero
    /// value of what is no pointer. Values of one type are equal that Kubernetes takes for equal, and the items of lists are matched by the
    /// list type.
    #[default]
    #[serde(alias = "same")]
    Told,
    /// Different, as in a patch.
    Distinct,
    /// The same, and the same as what is empty: values of one type are equal that Kubernetes takes for equal, quantities by number
    /// and times by instant.
    Empty,
}

/// The types that paths are printed by, and the list types of a value and of the lists inside it, the outermost first.
#[derive(Clone, Copy)]
pub(super) struct Types<'s>(&'s Schema, TypeId, &'s [ListType]);

/// Returns every place at which two objects differ, only the topmost of each branch. They are sorted by name, so that the order
/// is the same when the objects are exchanged. A null that was sent and means nothing is no difference: a side may keep or drop it.
/// Where it is known what was sent, each difference has a cause.
pub(super) fn differences(
    reference: &Value,
    candidate: &Value,
    objects: &Objects<'_>,
    unset: Unset,
) -> Vec<Difference> {
    if reference == candidate {
        return Vec::new();
    }
    let given = objects.given();
    let mut walk = Walk { unset, objects, knows_given: given.is_some(), found: Vec::new() };
    let values = Values { one: Some(reference), other: Some(candidate), given: given.as_ref() };
    walk.values(values, Some(Types::of(objects)), &Path::ROOT);
    walk.found
}

struct Walk<'o> {
    unset: Unset,
    objects: &'o Objects<'o>,
    /// Whether it is known what was sent.
    knows_given: bool,
    found: Vec<Difference>,
}

/// What each side made of a value, and what was sent.
#[derive(Clone, Copy)]
struct Values<'v> {
    one: Option<&'v Value>,
    other: Option<&'v Value>,
    given: Option<&'v Value>,
}

impl<'v> Values<'v> {
    fn map(self, below: impl Fn(&'v Value) -> Option<&'v Value>) -> Self {
        let Self { one, other, given } = self;
        Self { one: one.and_then(&below), other: other.and_then(&below), given: given.and_then(&below) }
    }

    /// Why the sides differ, by what was sent.
    fn cause(self) -> Cause {
        let both = |holds: fn(&Value) -> bool| self.one.is_some_and(holds) && self.other.is_some_and(holds);
        match self.given {
            Some(given) if !is_zero(given) => Cause::ChangedByDefault,
            None if both(|value| !value.is_null()) => Cause::OtherDefault,
            Some(_) if both(|value| !is_zero(value)) => Cause::OtherDefault,
            None => Cause::NotDefaulted,
            Some(Value::Null) => Cause::DefaultsNull,
            Some(_) => Cause::DefaultsZero,
        }
    }
}

impl Walk<'_> {
    fn values(&mut self, values: Values<'_>, types: Option<Types<'_>>, path: &Path<'_>) {
        if values.one == values.other {
            return;
        }
        match (values.one, values.other) {
            (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
                self.members((ours, theirs), values, types, path)
            }
            (Some(Value::Array(ours)), Some(Value::Array(theirs))) => self.items((ours, theirs), values, types, path),
            (Some(ours), Some(theirs)) if self.alike(ours, theirs, types) => {}
            _ => self.differ(values, None, path),
        }
    }

    fn differ(&mut self, values: Values<'_>, cause: Option<Cause>, path: &Path<'_>) {
        let direction = match (values.one, values.other) {
            (Some(_), None) => Direction::Missing,
            (None, _) => Direction::Extra,
            (Some(_), Some(_)) => Direction::Differs,
        };
        let (reference, candidate) = (values.one.cloned(), values.other.cloned());
        let what = What::Value { path: path.to_field(), reference, candidate };
        let cause = cause.or_else(|| self.knows_given.then(|| values.cause()));
        self.found.push(Difference { cause, ..Difference::new(direction, what, Vec::new()) });
    }

    fn members(
        &mut self,
        (ours, theirs): (&Map<String, Value>, &Map<String, Value>),
        values: Values<'_>,
        types: Option<Types<'_>>,
        path: &Path<'_>,
    ) {
        for name in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
            // An element of a list that is null is there; a member is not.
            let keeps_null = matches!(self.unset, Unset::Distinct | Unset::Told);
            let set = |value: &&Value| keeps_null || !value.is_null();
            let given = values.given.and_then(|given| given.get(name));
            let inner = Values { one: ours.get(name).filter(set), other: theirs.get(name).filter(set), given };
            let below = types.map_or(Below::Member(None), |types| types.below(name));
            if self.unset == Unset::Told {
                self.told(inner, (types, name), below, path);
                continue;
            }
            let is_alike =
                |types| self.alike(inner.one.unwrap_or(&Value::Null), inner.other.unwrap_or(&Value::Null), types);
            match below {
                Below::Member(types) if is_alike(types) => {}
                Below::Member(types) => self.values(inner, types, &path.child(name)),
                Below::Entry(types) => self.values(inner, Some(types), &path.key(name)),
            }
        }
    }

    /// Compares what stands under a name of an object with types, telling null, empty and absent values apart, and lists by their type.
    fn told(
        &mut self,
        values: Values<'_>,
        (around, name): (Option<Types<'_>>, &str),
        below: Below<'_>,
        path: &Path<'_>,
    ) {
        let Values { one, other, given } = values;
        let is_unset = |value: Option<&Value>| value.is_none_or(Value::is_null);
        let (path, types, field) = match below {
            Below::Member(types) => (path.child(name), types, around.and_then(|of| of.field(name))),
            Below::Entry(types) => (path.key(name), Some(types), None),
        };
        match (one, other) {
            (Some(Value::Array(ours)), Some(Value::Array(theirs))) => {
                self.items((ours, theirs), values, types, &path);
            }
            (Some(_), Some(_)) if !is_unset(one) && !is_unset(other) => self.values(values, types, &path),
            _ if one == other => {}
            _ if is_unset(one) && is_unset(other) && given.is_some_and(|of| self.objects.is_void(of, &path)) => {}
            _ if is_unset(one) && is_unset(other) => self.differ(values, Some(Cause::NullOrAbsent), &path),
            _ => {
                let set = if is_unset(one) { other } else { one }.unwrap_or(&Value::Null);
                if !field.zip(types).is_some_and(|(field, types)| types.go_drops(field, set)) {
                    let cause = (is_empty(set) && field.is_some()).then_some(Cause::EmptyOrAbsent);
                    self.differ(values, cause, &path);
                }
            }
        }
    }

    fn items<'v>(
        &mut self,
        (ours, theirs): (&'v [Value], &'v [Value]),
        values: Values<'v>,
        types: Option<Types<'_>>,
        path: &Path<'_>,
    ) {
        if ours == theirs {
            return;
        }
        let element = types.and_then(Types::element);
        let given = values.given.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        // Of a list that was sent empty, or as null, all items are defaults over that.
        let unset = values.given.filter(|list| is_zero(list));
        let keys = match types.map_or(&ListType::Atomic, Types::list_type) {
            ListType::Set if self.unset == Unset::Told => Some(&[][..]),
            ListType::Map(keys) if self.unset == Unset::Told => Some(keys.as_slice()),
            ListType::Atomic if self.unset == Unset::Told && is_reordered(ours, theirs) => {
                self.differ(values, Some(Cause::Order), path);
                return;
            }
            _ => None,
        };
        let Some(keys) = keys else {
            for at in 0..ours.len().max(theirs.len()) {
                let item = values.map(|list| list.get(at));
                self.values(Values { given: item.given.or(unset), ..item }, element, &path.index(at));
            }
            return;
        };
        let is_alike = |one: &Value, other: &Value| self.alike(one, other, element);
        for Same { one, other, sent } in paired(ours, theirs, given, keys, &is_alike) {
            let at = one.or(other).unwrap_or_default();
            let item = |items: &'v [Value], at: Option<usize>| at.and_then(|at| items.get(at));
            let given = item(given, sent).or(unset);
            self.values(Values { one: item(ours, one), other: item(theirs, other), given }, element, &path.index(at));
        }
    }

    /// Whether two values that are not the same are equal as Kubernetes sees it.
    fn alike(&self, one: &Value, other: &Value, types: Option<Types<'_>>) -> bool {
        let asked = matches!(self.unset, Unset::Empty | Unset::Told) && one != other;
        types.filter(|_| asked).is_some_and(|types| types.takes_for_equal(one, other))
    }
}

/// Whether two lists have the same items in different orders.
fn is_reordered(ours: &[Value], theirs: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut texts: Vec<String> = items.iter().map(Value::to_string).collect();
        texts.sort_unstable();
        texts
    };
    ours.len() == theirs.len() && sorted(ours) == sorted(theirs)
}

/// Whether a list, map or text has nothing in it.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// A value without the members and map entries that are null.
fn without_null_members(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let set = members.iter().filter(|(_, value)| !value.is_null());
            set.map(|(name, value)| (name.clone(), without_null_members(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_null_members).collect(),
        _ => value.clone(),
    }
}

/// What a name in an object stands for.
enum Below<'s> {
    /// A field, of a type that may be unknown.
    Member(Option<Types<'s>>),
    /// The value under a map key.
    Entry(Types<'s>),
}

impl<'s> Types<'s> {
    /// The types of objects.
    pub(super) fn of(objects: &Objects<'s>) -> Self {
        Self(objects.schema, objects.root, &[])
    }

    /// The shape of the type, below names and pointers.
    fn shape(self) -> &'s Kind {
        self.0.pointed(self.1).1
    }

    /// The field with this JSON name of the struct that the type is.
    fn field(self, name: &str) -> Option<&'s Field> {
        let (mut fields, mut found) = (self.shape(), None);
        let Kind::Struct(of) = fields else { return None };
        for slot in of.member(name)?.slots.iter() {
            let Kind::Struct(of) = fields else { return None };
            let field = of.field(*slot)?;
            found = Some(field);
            fields = Self(self.0, field.ty, &[]).shape();
        }
        found
    }

    /// What tells the items of the list apart that the value is.
    fn list_type(self) -> &'s ListType {
        self.2.first().unwrap_or(&ListType::Atomic)
    }

    /// The type of what is inside a list or map.
    fn inside(self, ty: TypeId) -> Self {
        Self(self.0, ty, self.2.get(1..).unwrap_or_default())
    }

    /// The type of a member of the struct that the type is.
    fn member(self, name: &str, ty: TypeId) -> Self {
        let list_types = self.0.as_struct(self.1).map(|(owner, _)| self.0.list_types(owner, name));
        Self(self.0, ty, list_types.unwrap_or_default())
    }

    /// Whether Kubernetes takes two values of the type for equal.
    fn takes_for_equal(self, one: &Value, other: &Value) -> bool {
        let Self(schema, id, _) = self;
        let arena = Arena::new();
        // A member that is null is absent here: otherwise a map with nothing but nulls would equal an empty one, and not the absent one
        // that the empty one equals.
        let (one, other) = (without_null_members(one), without_null_members(other));
        let decoded = |value| from_value(schema, id, value, &arena);
        matches!((decoded(&one), decoded(&other)), (Ok(one), Ok(other)) if equal(&one, &other))
    }

    /// Whether the Go type of a field holds the value just as it holds none, or `omitempty` leaves it out.
    fn go_drops(self, field: &Field, value: &Value) -> bool {
        match self.0.native(self.1).1 {
            Kind::Pointer(_) => false,
            Kind::List(_) | Kind::Map { .. } | Kind::Bytes if !field.omit_empty => false,
            _ => self.takes_for_equal(value, &Value::Null),
        }
    }

    fn element(self) -> Option<Self> {
        match self.shape() {
            Kind::List(element) => Some(self.inside(*element)),
            _ => None,
        }
    }

    fn below(self, name: &str) -> Below<'s> {
        match self.shape() {
            Kind::Struct(fields) => Below::Member(fields.member(name).map(|member| self.member(name, member.ty))),
            Kind::Map { value, .. } => Below::Entry(self.inside(*value)),
            _ => Below::Member(None),
        }
    }
}
