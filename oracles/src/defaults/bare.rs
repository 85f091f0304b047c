//! Defaults of objects that say nothing: those that depend on no other field and on no other struct.

use super::rows::{Row, rows};
use super::skeleton::{alone, skeleton};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, from_value, to_value};
use takeover_harness::oracle::Objects;
use takeover_harness::schema::{Schema, TypeId};

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
    /// Structs alone, after code, in which it sets more than in the skeleton.
    more: Vec<(Value, Vec<String>)>,
}

impl Bare {
    fn of(
        code: &dyn Defaulter,
        markers: Option<&dyn Defaulter>,
        (schema, root): (&Schema, TypeId),
        skeleton: &Value,
    ) -> Option<Self> {
        let arena = Arena::new();
        let print = |node| to_value(schema, root, &node);
        let node = from_value(schema, root, skeleton, &arena).ok()?;
        let before = print(node);
        let defaulted = code.apply(schema, root, node, &arena);
        let by_code = print(defaulted);
        let whole = match markers {
            Some(markers) => print(markers.apply(schema, root, defaulted, &arena)),
            None => by_code.clone(),
        };
        let is_set = |before: &Value, after: &Value| -> Vec<Row> {
            rows(before, after, schema, root).into_iter().filter(Row::is_set).collect()
        };
        let mut bare = Self {
            rows: is_set(&before, &whole),
            set: is_set(&before, &by_code).into_iter().map(|row| (row.field, row.value)).collect(),
            beside: BTreeMap::new(),
            more: Vec::new(),
            by_code,
            whole,
        };
        let structs = alone(schema, root, skeleton);
        let paths: Vec<&str> = structs.iter().map(|(path, _)| path.as_str()).collect();
        for (path, object) in structs.iter().filter(|(_, object)| object != skeleton) {
            let Ok(node) = from_value(schema, root, object, &arena) else { continue };
            let before = print(node);
            let after = print(code.apply(schema, root, node, &arena));
            let of_struct = is_set(&before, &after).into_iter().filter(|row| around(&paths, &row.field) == path);
            bare.compare(&paths, path, after.clone(), of_struct.map(|row| (row.field, row.value)).collect());
        }
        Some(bare)
    }

    /// Compares what code sets in a struct alone with what it sets in the skeleton.
    fn compare(&mut self, paths: &[&str], path: &str, after: Value, alone: BTreeMap<String, Value>) {
        for (field, value) in self.set.iter().filter(|(field, _)| around(paths, field) == path) {
            if alone.get(field) != Some(value) {
                self.beside.insert(field.clone(), alone.get(field).cloned());
            }
        }
        let more: Vec<String> = alone.into_keys().filter(|field| !self.set.contains_key(field)).collect();
        if !more.is_empty() {
            self.more.push((after, more));
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
    pub(super) fn left_out(&self, after: &Value, (schema, root): (&Schema, TypeId)) -> Vec<Row> {
        let left_out = |more: &Value| {
            let set = rows(after, more, schema, root).into_iter().filter(Row::is_set);
            set.filter(|row| row.value != Value::Object(Map::new())).collect::<Vec<_>>()
        };
        let mut found = left_out(&self.by_code);
        for (object, fields) in &self.more {
            let is_new = |row: &Row| fields.contains(&row.field) && !found.iter().any(|of| of.field == row.field);
            let new: Vec<Row> = left_out(object).into_iter().filter(is_new).collect();
            found.extend(new);
        }
        found
    }
}

/// The longest of the paths that leads to a field.
fn around<'p>(paths: &[&'p str], field: &str) -> &'p str {
    let leads = |path: &&&str| {
        path.is_empty() || field.strip_prefix(**path).is_some_and(|rest| rest.starts_with('.') || rest.starts_with('['))
    };
    paths.iter().filter(leads).max_by_key(|path| path.len()).copied().unwrap_or_default()
}

/// The skeletons that were defaulted: most objects of a kind have one of a few.
#[derive(Default)]
pub(super) struct Skeletons(Mutex<HashMap<String, Option<Arc<Bare>>>>);

/// How many skeletons are remembered.
const REMEMBERED: usize = 512;

impl Skeletons {
    /// What defaulting makes of the skeleton of the new object of a request; none if it cannot be decoded.
    pub(super) fn bare(
        &self,
        code: &dyn Defaulter,
        markers: Option<&dyn Defaulter>,
        objects: &Objects<'_>,
    ) -> Option<Arc<Bare>> {
        let Objects { schema, root, new, .. } = *objects;
        let skeleton = skeleton(schema, root, &to_value(schema, root, &new));
        let text = skeleton.to_string();
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bare) = known().get(&text) {
            return bare.clone();
        }
        let bare = Bare::of(code, markers, (schema, root), &skeleton).map(Arc::new);
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(text, bare.clone());
        bare
    }
}
