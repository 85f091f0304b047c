//! Defaults of objects that say nothing: those that depend on no other field and on no other struct.

use super::rows::{Row, given, rows, rows_at};
use super::skeleton::{Lone, each_alone, skeleton};
use super::tried::Sent;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use takeover_harness::form::{Defaulter, Text};
use takeover_harness::object::{Arena, Node, Order, from_value, to_value};
use takeover_harness::path::{Path, Step};
use takeover_harness::schema::{Kind, Schema, TypeId};

/// What defaulting makes of the skeleton of an object, and of each of its structs with nothing beside it.
pub(super) struct Bare {
    /// The skeleton, after code and markers.
    pub(super) whole: Value,
    /// What code and markers set in it.
    pub(super) rows: Vec<Row>,
    /// The skeleton after code alone.
    by_code: Value,
    /// What code sets in the skeleton, by path.
    set: BTreeMap<String, Value>,
    /// What code sets otherwise, or not at all, where the struct around is alone.
    beside: BTreeMap<String, Option<Value>>,
    /// Structs alone in which code sets more than in the skeleton, and what.
    more: Vec<(Arc<Alone>, Vec<String>)>,
}

/// What code makes of a struct with nothing beside it.
struct Alone {
    /// An object with nothing else; `None` if nothing is set.
    after: Value,
    /// What is set in the struct, by path.
    set: BTreeMap<String, Value>,
}

impl Bare {
    fn of(known: &Skeletons, (schema, root): (&Schema, TypeId), skeleton: &Value) -> Option<Self> {
        let arena = Arena::new();
        let print = |node| to_value(schema, root, &node);
        let node = from_value(schema, root, skeleton, &arena).ok()?;
        let before = print(node);
        let code = known.code.as_deref();
        let types = (schema, root);
        let defaulted = match code {
            Some(code) => code.attempt(types, node, text(skeleton), &arena).ok()?.object,
            None => node,
        };
        let by_code = print(defaulted);
        let whole = match &known.markers {
            Some(markers) => print(markers.apply(schema, root, defaulted, &arena)),
            None => by_code.clone(),
        };
        let mut bare = Self {
            rows: set_in(&before, &whole, (schema, root)),
            set: by_path(set_in(&before, &by_code, (schema, root))),
            beside: BTreeMap::new(),
            more: Vec::new(),
            by_code,
            whole,
        };
        let Some(code) = code else { return Some(bare) };
        let mut found = Vec::new();
        each_alone(schema, root, skeleton, &mut |lone| {
            let path = lone.path.to_field();
            // The lock is given back before more is remembered.
            let remembered = lock(&known.structs).get(&lone.name).cloned();
            let alone = remembered.unwrap_or_else(|| {
                let alone = Alone::of(code, (schema, root), &lone).map(Arc::new);
                remember(&known.structs, lone.name, alone.clone(), STRUCTS);
                alone
            });
            found.push((path, alone));
        });
        let paths: HashSet<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        let alone: HashMap<&str, &Arc<Alone>> =
            found.iter().filter_map(|(path, alone)| Some((path.as_str(), alone.as_ref()?))).collect();
        for (field, value) in &bare.set {
            let Some(alone) = alone.get(around(&paths, field)) else { continue };
            if alone.set.get(field) != Some(value) {
                bare.beside.insert(field.clone(), alone.set.get(field).cloned());
            }
        }
        for (path, alone) in found.iter().filter_map(|(path, alone)| Some((path, alone.as_ref()?))) {
            bare.add(&paths, path, alone);
        }
        Some(bare)
    }

    /// Keeps what code sets in a struct alone, and not in the skeleton.
    fn add(&mut self, paths: &HashSet<&str>, path: &str, alone: &Arc<Alone>) {
        let is_more = |field: &&String| !self.set.contains_key(*field) && around(paths, field) == path;
        let more: Vec<String> = alone.set.keys().filter(is_more).cloned().collect();
        if !more.is_empty() {
            self.more.push((Arc::clone(alone), more));
        }
    }

    /// Whether code sets a value whatever else the object says.
    pub(super) fn confirms(&self, row: &Row) -> bool {
        self.set.get(&row.field) == Some(&row.value) && !self.beside.contains_key(&row.field)
    }

    /// What a default is elsewhere that code does not set whatever else the object says.
    pub(super) fn elsewhere(&self, row: &Row) -> String {
        let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), ToString::to_string);
        match (self.set.get(&row.field), self.beside.get(&row.field)) {
            (Some(value), Some(beside)) if *value == row.value => {
                format!("{} where no other struct is set", shown(beside.as_ref()))
            }
            (other, _) => format!("{} where no other field is set", shown(other)),
        }
    }

    /// What code sets in an object that says nothing else, or in a struct alone, and leaves out of `after`.
    /// A value that was sent, `sent` being the object as text, lacks no default because of others.
    pub(super) fn left_out(&self, after: &Value, sent: Option<&Value>, (schema, root): (&Schema, TypeId)) -> Vec<Row> {
        let left_out = |more: &Value| {
            let set = rows(after, more, schema, root).into_iter().filter(Row::is_set);
            set.filter(|row| row.value != Value::Object(Map::new())).collect::<Vec<_>>()
        };
        let mut found = left_out(&self.by_code);
        for (alone, fields) in &self.more {
            let is_new = |row: &Row| fields.contains(&row.field) && !found.iter().any(|of| of.field == row.field);
            let new: Vec<Row> = left_out(&alone.after).into_iter().filter(is_new).collect();
            found.extend(new);
        }
        found.retain(|row| !sent.is_some_and(|sent| says(sent, &row.field)));
        if !found.is_empty() {
            // A list or map that is given is no other field, but the value itself.
            let given_in = |object: &Value| given(object, schema, root);
            let mut given = given_in(after);
            given.extend(sent.into_iter().flat_map(given_in));
            found.retain(|row| !given.iter().any(|of| of.replaces(row)));
        }
        found
    }
}

impl Alone {
    fn of(code: &dyn Defaulter, (schema, root): (&Schema, TypeId), lone: &Lone<'_>) -> Option<Self> {
        let arena = Arena::new();
        let object = (lone.around)(lone.value.clone());
        let node = from_value(schema, root, &object, &arena).ok()?;
        let defaulted = code.attempt((schema, root), node, text(&object), &arena).ok()?.object;
        let [before, after] = [node, defaulted].map(|object| {
            let (_, node) = at(schema, root, object, lone.path).unwrap_or((lone.ty, Node::Unset));
            to_value(schema, lone.ty, &node)
        });
        let set = by_path(rows_at(&before, &after, (schema, lone.ty), lone.path).into_iter().filter(Row::is_set));
        let after = if set.is_empty() { Value::Null } else { (lone.around)(after) };
        Some(Self { after, set })
    }
}

/// The value at a path, and its type.
fn at<'a>(schema: &Schema, root: TypeId, object: Node<'a>, path: &Path<'_>) -> Option<(TypeId, Node<'a>)> {
    let Some((parent, step)) = path.split_last() else { return Some((root, object)) };
    let (ty, node) = at(schema, root, object, parent)?;
    match (step, schema.pointed(ty).1) {
        (Step::Field(name), Kind::Struct(fields)) => {
            let member = fields.member(name)?;
            Some((member.ty, node.member(&member.slots)))
        }
        (Step::Index(index), Kind::List(element)) => Some((*element, *node.items().get(index)?)),
        (Step::Key(key), Kind::Map { value, .. }) => Some((*value, node.entry(key)?)),
        _ => None,
    }
}

pub(super) fn set_in(before: &Value, after: &Value, (schema, root): (&Schema, TypeId)) -> Vec<Row> {
    rows(before, after, schema, root).into_iter().filter(Row::is_set).collect()
}

/// An object as it is.
fn text(object: &Value) -> Text<'_> {
    Text { object: Some(object), order: Order::Same }
}

/// Whether an object as text says something of the value at a printed path: there, or by what it has in place of something around.
fn says(object: &Value, field: &str) -> bool {
    let (mut value, mut rest) = (object, field);
    while !rest.is_empty() {
        let within = rest.strip_prefix('.').unwrap_or(rest);
        let (step, after) = match within.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            Some(split) => split,
            None => within.split_at(within.find(['.', '[']).unwrap_or(within.len())),
        };
        let inner = match value {
            Value::Object(members) => members.get(step),
            Value::Array(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)),
            _ => return true,
        };
        match inner {
            Some(inner) => (value, rest) = (inner, after),
            None => return value.is_array(),
        }
    }
    true
}

fn by_path(rows: impl IntoIterator<Item = Row>) -> BTreeMap<String, Value> {
    rows.into_iter().map(|row| (row.field, row.value)).collect()
}

/// The longest of the paths that leads to a field.
fn around<'f>(paths: &HashSet<&str>, field: &'f str) -> &'f str {
    let ends = field.char_indices().rev().filter(|(_, character)| matches!(character, '.' | '['));
    ends.filter_map(|(end, _)| field.get(..end)).find(|path| paths.contains(path)).unwrap_or_default()
}

/// Structs that were defaulted alone, by their names.
type Structs = Mutex<HashMap<String, Option<Arc<Alone>>>>;

/// What was defaulted before: most objects of a kind have one of a few skeletons, and all have the same structs.
pub(super) struct Skeletons {
    code: Option<Arc<dyn Defaulter>>,
    markers: Option<Arc<dyn Defaulter>>,
    known: Mutex<HashMap<String, Option<Arc<Bare>>>>,
    structs: Structs,
}

/// How many skeletons are remembered.
const SKELETONS: usize = 2048;
/// How many structs are, which are small.
const STRUCTS: usize = 16_384;

fn lock<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember<T>(known: &Mutex<HashMap<String, T>>, name: String, value: T, most: usize) {
    let mut known = lock(known);
    if known.len() >= most {
        known.clear();
    }
    known.insert(name, value);
}

impl Skeletons {
    /// Remembers nothing yet of what code and markers set.
    pub(super) fn of(code: Option<Arc<dyn Defaulter>>, markers: Option<Arc<dyn Defaulter>>) -> Self {
        Self { code, markers, known: Mutex::default(), structs: Structs::default() }
    }

    /// An object before and after the defaults of code and markers, as it is printed; `None` if it cannot be decoded, or is refused.
    pub(super) fn defaulted(&self, (schema, root): (&Schema, TypeId), object: &Value) -> Option<(Value, Value)> {
        let arena = Arena::new();
        let node = from_value(schema, root, object, &arena).ok()?;
        let apply = |by: Option<&Arc<dyn Defaulter>>, node| match by {
            Some(by) => Some(by.attempt((schema, root), node, Text::default(), &arena).ok()?.object),
            None => Some(node),
        };
        let after = apply(self.markers.as_ref(), apply(self.code.as_ref(), node)?)?;
        Some((to_value(schema, root, &node), to_value(schema, root, &after)))
    }

    /// What defaulting makes of the skeleton of an object; none if it cannot be decoded, or is refused.
    pub(super) fn bare(&self, sent: &Sent<'_>) -> Option<Arc<Bare>> {
        let types = (sent.schema, sent.root);
        let skeleton = skeleton(sent.schema, sent.root, sent.given.unwrap_or(sent.before));
        let text = skeleton.to_string();
        let known = lock(&self.known).get(&text).cloned();
        known.unwrap_or_else(|| {
            let bare = Bare::of(self, types, &skeleton).map(Arc::new);
            remember(&self.known, text, bare.clone(), SKELETONS);
            bare
        })
    }
}
