//! How laws come to be broken, where servers are known to: told from what defaulting makes of a configuration, and from who owns what.

use super::builtin_type::BuiltinType;
use super::objects::{rename, unmanaged, without_empty};
use super::parts::{Granular, granular, key, key_element};
use crate::defaults::{Row, rows};
use serde_json::{Map, Value};
use takeover_apply::extract::as_typed;
use takeover_apply::fields::{Element, FieldSet, Path};
use takeover_apply::managed::{Conflicts, ManagedFields, ObjectType as _};
use takeover_apply::schema::{Schema, TypeId};
use takeover_apply::typed::{extract_with_keys, field_set};
use takeover_harness::compare::Cause;

/// Who owns what an object had before anybody owned anything.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// What is known to become of values, and how.
#[derive(Default)]
pub(super) struct Known {
    rows: Vec<(Row, Cause)>,
    /// The configuration, as Go holds it.
    held: Value,
}

impl Known {
    /// How a value came to be what it is.
    pub(super) fn cause(&self, row: &Row) -> Option<Cause> {
        let known = self.rows.iter().find(|(known, _)| known == row).map(|(_, cause)| *cause);
        known.or_else(|| self.is_in_filled_struct(row).then_some(Cause::FilledStruct))
    }

    /// Whether it is a field of others in a struct that was applied empty, with the name of a field that was applied beside the struct:
    /// servers look for the fields around the struct once more inside it.
    fn is_in_filled_struct(&self, row: &Row) -> bool {
        let is_beside = |of: &Row| {
            let inside = row.field.strip_prefix(of.field.as_str()).and_then(|rest| rest.strip_prefix('.'));
            let name = inside.and_then(|inside| inside.split(['.', '[']).next());
            let around = of.field.rsplit_once('.').map_or("", |(around, _)| around);
            name.is_some_and(|name| at(&self.held, around).is_some_and(|around| around.get(name).is_some()))
        };
        row.is_set() && self.rows.iter().any(|(known, cause)| *cause == Cause::FilledStruct && is_beside(known))
    }

    fn add(&mut self, rows: Vec<Row>, cause: impl Fn(&Row) -> Cause) {
        self.rows.extend(rows.into_iter().map(|row| (row.clone(), cause(&row))));
    }
}

/// What extraction is known to make of a `sent` configuration, which Go holds as `held`: it has the defaults in atomic lists and maps,
/// lacks what defaulting removes, and lacks structs that belong to nobody: empty ones that have fields of others in the `live` object,
/// defaults among them, and those that have nothing but empty lists.
pub(super) fn of_extraction(kind: &BuiltinType, live: &Value, sent: &Value, held: &Value, extracted: &Value) -> Known {
    let mut known = Known { rows: Vec::new(), held: held.clone() };
    let ((schema, root), (types, ty)) = (kind.schema(), kind.types());
    let applied = &as_typed(schema, root, sent.clone());
    let Ok(defaulted) = kind.defaulted(applied.clone()) else { return known };
    let compared = |expected: Value| {
        kind.held(expected).map(|expected| rows(held, &without_empty(expected), types, ty)).unwrap_or_default()
    };
    known.add(compared(without_filled(schema, root, applied, live)), |_| Cause::FilledStruct);
    if let Some(owned) = without_unowned(schema, root, sent, Some(sent), Some(extracted)) {
        known.add(compared(as_typed(schema, root, owned)), |_| Cause::UnownedStruct);
    }
    known.add(compared(with_pieces_of(schema, root, applied, &defaulted)), |row| {
        if row.is_set() { Cause::AtomicDefault } else { Cause::ChangedByDefault }
    });
    known
}

/// What stands at a field such as `spec.volumes[0]`, if no key of a map leads there.
fn at<'v>(value: &'v Value, field: &str) -> Option<&'v Value> {
    field.split(['.', '[']).filter(|step| !step.is_empty()).try_fold(value, |value, step| {
        match step.strip_suffix(']') {
            Some(index) => value.get(index.parse::<usize>().ok()?),
            None => value.get(step),
        }
    })
}

/// What nobody owns: an apply of structs with nothing but empty lists removes them with what the same manager no longer applies.
pub(super) struct Unowned {
    /// The object with these structs, without them.
    pub(super) rest: Value,
    rows: Vec<Row>,
}

impl Unowned {
    /// What an object lacks of the `whole` one only because nobody owns it, if it lacks anything so.
    pub(super) fn of(kind: &BuiltinType, sent: &Value, whole: &Value, lacking: &Value) -> Option<Self> {
        let ((schema, root), (types, ty)) = (kind.schema(), kind.types());
        let rest = without_unowned(schema, root, whole, Some(sent), Some(lacking))?;
        let (all, others) = (rows(whole, lacking, types, ty), rows(&rest, lacking, types, ty));
        let is_explained = rest != *whole && others.iter().all(|row| all.contains(row));
        let rows = all.into_iter().filter(|row| !others.contains(row)).collect();
        is_explained.then_some(Self { rest, rows })
    }

    /// Whether a field is among it, or below it.
    pub(super) fn has(&self, field: &str) -> bool {
        let is_below =
            |of: &str| field.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        self.rows.iter().any(|row| is_below(&row.field))
    }
}

/// A configuration without the empty structs that have members in the object.
fn without_filled(schema: &Schema, ty: TypeId, applied: &Value, made: &Value) -> Value {
    let is_filled = |applied: &Value, made: &Value| {
        applied.as_object().is_some_and(Map::is_empty) && made.as_object().is_some_and(|made| !made.is_empty())
    };
    walked(schema, ty, applied, made, &|ty, applied, made| match made {
        Some(made) if is_filled(applied, made) && granular(schema, ty, applied).is_some() => Walked::Gone,
        Some(made) if granular(schema, ty, applied).is_some() => Walked::Inside(made),
        _ => Walked::Kept,
    })
}

/// A value without the structs that are sent with nothing but empty lists, and that another value lacks.
fn without_unowned(
    schema: &Schema,
    ty: TypeId,
    value: &Value,
    sent: Option<&Value>,
    lacking: Option<&Value>,
) -> Option<Value> {
    let Some(sent) = sent else { return Some(value.clone()) };
    if sent.is_object() && lacking.is_none() && is_unowned(schema, ty, sent) {
        return None;
    }
    Some(match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) => {
            let of = |(name, value): (&String, &Value)| {
                let (ty, lacking) = (map.member(name).unwrap_or(Schema::UNTYPED), lacking.and_then(|of| of.get(name)));
                Some((name.clone(), without_unowned(schema, ty, value, sent.get(name), lacking)?))
            };
            Value::Object(members.iter().filter_map(of).collect())
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(items)) => {
            let of = |item: &Value| {
                let wanted = key(schema, list, keys, item);
                let is_same = |other: &&Value| key(schema, list, keys, other) == wanted;
                let [sent, lacking] =
                    [Some(sent), lacking].map(|list| list.and_then(Value::as_array)?.iter().find(is_same));
                without_unowned(schema, list.item, item, sent, lacking)
            };
            Value::Array(items.iter().filter_map(of).collect())
        }
        _ => value.clone(),
    })
}

/// Whether who applies a value owns nothing in it: items of lists have owners, lists have none. Names that no type declares are owned.
fn is_unowned(schema: &Schema, ty: TypeId, value: &Value) -> bool {
    match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) => {
            let is_unowned = |(name, value): (&String, &Value)| {
                map.fields.get(name).is_some_and(|field| is_unowned(schema, field.ty, value))
            };
            !members.is_empty() && members.iter().all(is_unowned)
        }
        (Some(Granular::Set | Granular::Keyed(..)), Value::Array(items)) => items.is_empty(),
        _ => false,
    }
}

/// A configuration whose atomic lists and maps, and other single values, are as defaulting makes them.
fn with_pieces_of(schema: &Schema, ty: TypeId, applied: &Value, made: &Value) -> Value {
    walked(schema, ty, applied, made, &|ty, applied, made| match (made, granular(schema, ty, applied)) {
        // Go leaves out what is empty.
        (None, _) if is_empty(applied) => Walked::Kept,
        (None, _) => Walked::Gone,
        (Some(made), Some(Granular::Map(_) | Granular::Keyed(..))) => Walked::Inside(made),
        (Some(_), Some(Granular::Set)) => Walked::Kept,
        (Some(made), None) => Walked::Replaced(made),
    })
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// What becomes of a part.
enum Walked<'v> {
    Kept,
    Gone,
    Replaced(&'v Value),
    Inside(&'v Value),
}

/// A value, its parts side by side with those of another one, as `call` has it.
fn walked<'v>(
    schema: &Schema,
    ty: TypeId,
    value: &Value,
    made: &'v Value,
    call: &dyn Fn(TypeId, &Value, Option<&'v Value>) -> Walked<'v>,
) -> Value {
    let part = |ty: TypeId, value: &Value, made: Option<&'v Value>| match call(ty, value, made) {
        Walked::Kept => Some(value.clone()),
        Walked::Gone => None,
        Walked::Replaced(made) => Some(made.clone()),
        Walked::Inside(made) => Some(walked(schema, ty, value, made, call)),
    };
    match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) => {
            let of = |(name, value): (&String, &Value)| {
                let ty = map.member(name).unwrap_or(Schema::UNTYPED);
                Some((name.clone(), part(ty, value, made.get(name))?))
            };
            Value::Object(members.iter().filter_map(of).collect())
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(items)) => {
            let of = |item: &Value| {
                let wanted = key(schema, list, keys, item);
                let is_same = |other: &&Value| key(schema, list, keys, other) == wanted;
                part(list.item, item, made.as_array()?.iter().find(is_same))
            };
            Value::Array(items.iter().filter_map(of).collect())
        }
        _ => value.clone(),
    }
}

/// What is known of an object that changes when the same is applied again.
pub(super) struct Repetition {
    /// Whether nobody owned anything before.
    had_no_manager: bool,
    /// Whether nothing changes but nulls to empty lists, and times.
    fills_nulls: bool,
    /// What nobody owns and is there again, if nothing else changes but times.
    unowned: Option<Unowned>,
}

impl Repetition {
    pub(super) fn of(kind: &BuiltinType, sent: &Value, live: &Value, again: &Value) -> Self {
        let [before, after] = [live, again].map(|object| ManagedFields::of(object).unwrap_or_default().fields);
        let had_no_manager = before.is_empty() && after.keys().all(|owner| owner.name == BEFORE_FIRST_APPLY);
        let [one, other] = [live, again].map(|object| unmanaged(object.clone()));
        let is_alike = one != other && without_empty(one.clone()) == without_empty(other.clone());
        let keeps_owners = had_no_manager || before == after;
        let unowned = Unowned::of(kind, sent, &other, &one);
        let unowned =
            unowned.filter(|unowned| keeps_owners && without_empty(unowned.rest.clone()) == without_empty(one));
        Self { had_no_manager, fills_nulls: is_alike && keeps_owners, unowned }
    }

    /// How a value came to change.
    pub(super) fn cause(&self, row: &Row) -> Option<Cause> {
        let is_of_managers = row.field.starts_with("metadata.managedFields");
        if is_of_managers && self.had_no_manager {
            return Some(Cause::BeforeFirstApply);
        }
        if self.unowned.as_ref().is_some_and(|unowned| is_of_managers || unowned.has(&row.field)) {
            return Some(Cause::UnownedStruct);
        }
        self.fills_nulls.then_some(Cause::EmptiedList)
    }
}

/// How an apply comes to be refused, if that is known.
pub(super) fn of_conflicts(conflicts: &Conflicts) -> Option<Cause> {
    let is_of_nobody = conflicts.0.iter().all(|conflict| conflict.owner.name == BEFORE_FIRST_APPLY);
    is_of_nobody.then_some(Cause::BeforeFirstApply)
}

/// How a field that nobody changes comes to be a conflict with an owner, if that is known: only defaulting takes away what somebody owns.
pub(super) fn of_conflict((schema, root): (&Schema, TypeId), live: &Value, owner: &str, path: &Path) -> Option<Cause> {
    if owner == BEFORE_FIRST_APPLY {
        return Some(Cause::BeforeFirstApply);
    }
    (!field_set(schema, root, live).has(&path.0)).then_some(Cause::ChangedByDefault)
}

/// What an apply would have made if every default were set anew: what somebody owns or has applied, with defaults. `applied` is the
/// configuration that the object was made of before.
pub(super) fn defaulted_anew(kind: &BuiltinType, made: &Value, applied: &Value) -> Option<Value> {
    let (schema, root) = kind.schema();
    let owned = ManagedFields::of(made).ok()?.fields;
    let mut set: FieldSet = field_set(schema, root, applied);
    let owned = owned.iter().filter(|(owner, _)| owner.name != BEFORE_FIRST_APPLY);
    owned.for_each(|(_, owned)| set.extend(&owned.set));
    // A struct that is in the set beside its fields would be extracted as an empty one, and one with fields of others alone not at all.
    let set = set.leaves();
    let mut anew = match extract_with_keys(schema, root, &emptied(schema, root, made, &set), &set) {
        Value::Null => Value::Object(Map::new()),
        anew => anew,
    };
    if let Some(members) = anew.as_object_mut() {
        for name in ["apiVersion", "kind"] {
            members.extend(made.get(name).map(|value| (name.to_owned(), value.clone())));
        }
    }
    rename(&mut anew, made);
    kind.defaulted(unmanaged(anew)).ok()
}

/// An object whose structs are empty that are in the set without fields of their own.
fn emptied(schema: &Schema, ty: TypeId, value: &Value, set: &FieldSet) -> Value {
    let part = |ty: TypeId, step: &Element, value: &Value| {
        let is_struct = || matches!(granular(schema, ty, value), Some(Granular::Map(_)));
        match set.below(step).filter(|below| !below.is_empty()) {
            Some(below) => emptied(schema, ty, value, below),
            None if set.has(std::slice::from_ref(step)) && is_struct() => Value::Object(Map::new()),
            None => value.clone(),
        }
    };
    match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) => {
            let of = |(name, value): (&String, &Value)| {
                let ty = map.member(name).unwrap_or(Schema::UNTYPED);
                (name.clone(), part(ty, &Element::field(name), value))
            };
            Value::Object(members.iter().map(of).collect())
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(items)) => {
            let of = |item: &Value| {
                let step = key_element(keys, key(schema, list, keys, item));
                // What an item is found by stays.
                if set.below(&step).is_some() { part(list.item, &step, item) } else { item.clone() }
            };
            Value::Array(items.iter().map(of).collect())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::at;
    use serde_json::json;

    #[test]
    fn fields_are_found_through_lists() {
        let value = json!({"spec": {"volumes": [{"name": "a", "configMap": {}}]}});
        assert_eq!(at(&value, "spec.volumes[0].name"), Some(&json!("a")));
        assert_eq!(at(&value, ""), Some(&value));
        assert_eq!(at(&value, "spec.volumes[1]"), None);
        assert_eq!(at(&value, "spec.labels[a.b/c]"), None);
    }
}
