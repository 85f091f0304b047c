//! Comparison of two objects, value by value.

use super::difference::{Difference, Direction, What};
use crate::object::{Arena, equal, from_value};
use crate::oracle::Objects;
use crate::path::Path;
use crate::schema::{Kind, Schema, TypeId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What `null` and absence are to each other, and to what is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unset {
    /// The same, as for Go types.
    #[default]
    Same,
    /// Different, as in a patch.
    Distinct,
    /// The same, and the same as what is empty: values of one type are equal that Kubernetes takes for equal, quantities by number
    /// and times by instant.
    Empty,
}

/// The types that paths are printed by.
#[derive(Clone, Copy)]
pub(super) struct Types<'s>(&'s Schema, TypeId);

/// Returns every place at which two objects differ, only the topmost of each branch. They are sorted by name, so that the order
/// is the same when the objects are exchanged.
pub(super) fn differences(reference: &Value, candidate: &Value, types: Types<'_>, unset: Unset) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut walk = Walk { unset, found: &mut found };
    walk.values(Some(reference), Some(candidate), Some(types), &Path::ROOT);
    found
}

struct Walk<'f> {
    unset: Unset,
    found: &'f mut Vec<Difference>,
}

impl Walk<'_> {
    fn values(&mut self, one: Option<&Value>, other: Option<&Value>, types: Option<Types<'_>>, path: &Path<'_>) {
        if one == other {
            return;
        }
        match (one, other) {
            (Some(Value::Object(ours)), Some(Value::Object(theirs))) => self.members(ours, theirs, types, path),
            (Some(Value::Array(ours)), Some(Value::Array(theirs))) => {
                let element = types.and_then(Types::element);
                for at in 0..ours.len().max(theirs.len()) {
                    self.values(ours.get(at), theirs.get(at), element, &path.index(at));
                }
            }
            (Some(ours), Some(theirs)) if self.alike(ours, theirs, types) => {}
            _ => {
                let direction = match (one, other) {
                    (Some(_), None) => Direction::Missing,
                    (None, _) => Direction::Extra,
                    (Some(_), Some(_)) => Direction::Differs,
                };
                let (reference, candidate) = (one.cloned(), other.cloned());
                let what = What::Value { path: path.to_field(), reference, candidate };
                self.found.push(Difference::new(direction, what, Vec::new()));
            }
        }
    }

    fn members(
        &mut self,
        ours: &Map<String, Value>,
        theirs: &Map<String, Value>,
        types: Option<Types<'_>>,
        path: &Path<'_>,
    ) {
        for name in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
            // An element of a list that is null is there; a member is not.
            let set = |value: &&Value| self.unset == Unset::Distinct || !value.is_null();
            let (one, other) = (ours.get(name).filter(set), theirs.get(name).filter(set));
            match types.map_or(Below::Member(None), |types| types.below(name)) {
                Below::Member(types)
                    if self.alike(one.unwrap_or(&Value::Null), other.unwrap_or(&Value::Null), types) => {}
                Below::Member(types) => self.values(one, other, types, &path.child(name)),
                Below::Entry(types) => self.values(one, other, Some(types), &path.key(name)),
            }
        }
    }

    /// Whether two values that are not the same are equal as Kubernetes sees it.
    fn alike(&self, one: &Value, other: &Value, types: Option<Types<'_>>) -> bool {
        let asked = self.unset == Unset::Empty && one != other;
        let Some(Types(schema, id)) = types.filter(|_| asked) else { return false };
        let arena = Arena::new();
        // A member that is null is absent here, as it is in `members`: otherwise a map with nothing but nulls would equal an empty one,
        // and not the absent one that the empty one equals.
        let (one, other) = (without_null_members(one), without_null_members(other));
        let decoded = |value| from_value(schema, id, value, &arena);
        matches!((decoded(&one), decoded(&other)), (Ok(one), Ok(other)) if equal(&one, &other))
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
        Self(objects.schema, objects.root)
    }

    /// The shape of the type, below names and pointers.
    fn shape(self) -> &'s Kind {
        let Self(schema, mut id) = self;
        // As many as there are types, should pointers go in a circle.
        for _ in 0..schema.len() {
            match schema.native(id).1 {
                Kind::Pointer(target) => id = *target,
                shape => return shape,
            }
        }
        &Kind::Any
    }

    fn element(self) -> Option<Self> {
        match self.shape() {
            Kind::List(element) => Some(Self(self.0, *element)),
            _ => None,
        }
    }

    fn below(self, name: &str) -> Below<'s> {
        match self.shape() {
            Kind::Struct(fields) => Below::Member(fields.member(name).map(|member| Self(self.0, member.ty))),
            Kind::Map { value, .. } => Below::Entry(Self(self.0, *value)),
            _ => Below::Member(None),
        }
    }
}
