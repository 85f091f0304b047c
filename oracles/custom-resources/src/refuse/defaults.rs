//! Whether the defaults of a schema validate, and hold nothing that would be pruned.

use super::props::Props;
use crate::coerce::{coerce_value, prune_value};
use crate::structural::Structural;
use crate::validate::{embedded_errors, keyword_errors};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use takeover_harness::error::FieldError;
use takeover_harness::path::{Path, Step};

/// What is wrong with the defaults of a schema on its spine; those below `additionalProperties` are not looked at, as by a server.
/// `schema` and `structural` are the same schema.
pub(super) fn check(schema: Props<'_>, structural: &Arc<Structural>, path: &Path<'_>) -> Vec<FieldError> {
    if !schema.any(&|schema| schema.get("default").is_some()) {
        return Vec::new();
    }
    let mut errors = Vec::new();
    let root = whole(structural);
    let walk = Walk { whole: &root, metadata: false, steps: Vec::new() };
    node(&root, walk, path, &mut errors);
    errors
}

/// The schema of a whole object, which defaults are held against as it is: an integer or a text is checked by its junctors alone.
fn whole(structural: &Structural) -> Structural {
    Structural { embedded: true, ..plain(structural) }
}

fn plain(structural: &Structural) -> Structural {
    let below = |schema: &Arc<Structural>| Arc::new(plain(schema));
    Structural {
        int_or_string: false,
        items: structural.items.as_ref().map(below),
        properties: structural.properties.iter().map(|(name, schema)| (name.clone(), below(schema))).collect(),
        additional: structural.additional.clone(),
        ..structural.clone()
    }
}

/// Where a walk over a schema is.
#[derive(Clone)]
struct Walk<'w> {
    /// The nearest whole object around.
    whole: &'w Structural,
    /// Whether the node is part of its version, kind or metadata.
    metadata: bool,
    /// The way from there.
    steps: Vec<Step<'w>>,
}

fn node<'w>(structural: &'w Structural, walk: Walk<'w>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let walk = match structural.embedded {
        true => Walk { whole: structural, metadata: false, steps: Vec::new() },
        false => walk,
    };
    if let Some(default) = &structural.default {
        let path = path.child("default");
        match walk.metadata {
            true => inside_metadata(structural, default, &walk, &path, errors),
            false => value(structural, default, &path, errors),
        }
    }
    if let Some(items) = &structural.items {
        let mut steps = walk.steps.clone();
        steps.push(Step::Index(0));
        node(items, Walk { steps, ..walk.clone() }, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &structural.properties {
        let mut steps = walk.steps.clone();
        steps.push(Step::Field(name));
        let of_whole = structural.embedded && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
        let walk = Walk { steps, metadata: walk.metadata || of_whole, ..walk.clone() };
        node(property, walk, &properties.key(name), errors);
    }
}

fn value(structural: &Structural, default: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut pruned = default.clone();
    prune_value(structural, &mut pruned);
    if pruned != *default {
        errors.push(FieldError::invalid(path, default.clone(), "must not have unknown fields"));
    }
    let mut coerced = default.clone();
    if let Err(error) = coerce_value(structural, &mut coerced, path) {
        errors.push(error);
        return;
    }
    let found = embedded_errors(structural, &coerced, path);
    match found.is_empty() {
        true => errors.extend(keyword_errors(structural, &coerced, &path.to_field())),
        false => errors.extend(found),
    }
}

/// A default of version, kind or metadata is judged in an object that is empty otherwise.
fn inside_metadata(
    structural: &Structural,
    default: &Value,
    walk: &Walk<'_>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let mut object = walk.steps.iter().rev().fold(default.clone(), |inner, step| match step {
        Step::Index(_) => json!([inner]),
        Step::Field(name) | Step::Key(name) => Value::Object(Map::from_iter([((*name).to_owned(), inner)])),
    });
    if let Some(members) = object.as_object_mut() {
        for (name, value) in [("apiVersion", "validation/v1"), ("kind", "Validation")] {
            members.entry(name).or_insert_with(|| Value::from(value));
        }
    }
    let found = match coerce_value(walk.whole, &mut object, &Path::ROOT) {
        Err(error) => vec![error],
        Ok(()) => embedded_errors(walk.whole, &object, &Path::ROOT),
    };
    if found.is_empty() {
        errors.extend(keyword_errors(structural, default, &path.to_field()));
        return;
    }
    let mut said: Vec<String> = found.iter().map(ToString::to_string).collect();
    said.dedup();
    let said = if said.len() == 1 { said.concat() } else { format!("[{}]", said.join(", ")) };
    errors.push(FieldError::invalid(path, default.clone(), format!("must result in valid metadata: {said}")));
}
