//! Whether the defaults of a schema validate, and hold nothing that would be pruned.

use super::props::Props;
use super::structural;
use crate::coerce::{coerce_value, has_unpruned_defaults, prune_value};
use crate::crd::structural_of;
use crate::rules::{Bounds, Compiler, RuleTree};
use crate::structural::{Additional, Structural};
use crate::validate::{embedded_errors, keyword_errors};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use takeover_harness::error::FieldError;
use takeover_harness::path::{Path, Step};

/// What a server makes of unknown fields in defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownFields {
    /// It refuses them.
    Refused,
    /// It does not look for them.
    Accepted,
}

impl UnknownFields {
    /// In an update: a server does not look for them if a default of the old manifest has some. Anything else that is wrong with a default
    /// is refused, however long it was there.
    pub(super) fn in_update_of(old: &Value) -> Self {
        let versions = old.pointer("/spec/versions").and_then(Value::as_array);
        let schemas = versions.into_iter().flatten().filter_map(|version| version.pointer("/schema/openAPIV3Schema"));
        let is_structural = |schema: &Value| {
            let schema = Props::new(schema);
            schema.unsupported().is_none() && structural::check(schema, &Path::ROOT).is_empty()
        };
        let is_unpruned = |schema: &Value| has_unpruned_defaults(&structural_of(schema, "").0);
        match schemas.filter(|schema| is_structural(schema)).any(is_unpruned) {
            true => Self::Accepted,
            false => Self::Refused,
        }
    }
}

/// What is wrong with the defaults of a schema on its spine; those below `additionalProperties` are not looked at, as by a server.
/// `schema` and `structural` are the same schema.
pub(super) fn check(
    schema: &Value,
    structural: &Structural,
    unknown: UnknownFields,
    path: &Path<'_>,
) -> Vec<FieldError> {
    if !Props::new(schema).any(&|schema| schema.get("default").is_some()) {
        return Vec::new();
    }
    let root = Arc::new(whole(structural));
    let walk = Walk { whole: &root, metadata: false, steps: Vec::new() };
    let mut found = Found { unknown, errors: Vec::new(), bounds: Bounds::default(), stopped: false };
    node(schema, &root, walk, path, &mut found);
    found.errors
}

/// What was found, and what CEL rules may still cost.
struct Found {
    unknown: UnknownFields,
    errors: Vec<FieldError>,
    bounds: Bounds,
    stopped: bool,
}

impl Found {
    /// Holds a default against the rules of its node: as a value that was there before, and as one that was not.
    fn rules(&mut self, schema: &Value, structural: &Arc<Structural>, default: &Value, path: &Path<'_>) {
        if structural.cel_rules() == 0 {
            return;
        }
        let Ok(mut compiler) = Compiler::new(schema, structural.embedded) else { return };
        let Some(tree) = RuleTree::compile(structural, &mut compiler) else { return };
        let mut costs = Vec::new();
        for old in [Some(default), None] {
            let found = tree.judge_at(default, old, path, self.bounds);
            costs.push(found.cost);
            // That it did not change excuses no default.
            let all: Vec<_> = found.errors.into_iter().chain(found.ratcheted).map(|found| found.error).collect();
            let fails = !all.is_empty();
            self.errors.extend(all);
            if fails {
                break;
            }
        }
        match costs.into_iter().collect::<Option<Vec<u64>>>() {
            Some(costs) => self.bounds.per_object -= costs.into_iter().max().unwrap_or_default(),
            None => self.stopped = true,
        }
    }
}

/// The schema of a whole object, as defaults are held against it.
fn whole(structural: &Structural) -> Structural {
    Structural { embedded: true, ..plain(structural) }
}

/// The schema that a server holds defaults against: the structural one names no type for an int-or-string, so that its junctors alone check
/// it. Any other default of it is accepted, although no object with it is.
fn plain(structural: &Structural) -> Structural {
    let below = |schema: &Arc<Structural>| Arc::new(plain(schema));
    Structural {
        int_or_string: false,
        items: structural.items.as_ref().map(below),
        properties: structural.properties.iter().map(|(name, schema)| (name.clone(), below(schema))).collect(),
        additional: structural.additional.as_ref().map(|additional| match additional {
            Additional::Schema(schema) => Additional::Schema(below(schema)),
            other => other.clone(),
        }),
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

fn node<'w>(schema: &Value, structural: &'w Arc<Structural>, walk: Walk<'w>, path: &Path<'_>, found: &mut Found) {
    if found.stopped {
        return;
    }
    let walk = match structural.embedded {
        true => Walk { whole: structural, metadata: false, steps: Vec::new() },
        false => walk,
    };
    if let Some(default) = &structural.default {
        let path = path.child("default");
        let sound = match walk.metadata {
            true => inside_metadata(structural, default, &walk, &path, &mut found.errors),
            false => is_sound_default(structural, default, found.unknown, &path, &mut found.errors),
        };
        if sound {
            found.rules(schema, structural, default, &path);
        }
    }
    let below = |name: &str| schema.get(name).unwrap_or(&Value::Null);
    if let Some(items) = &structural.items {
        let mut steps = walk.steps.clone();
        steps.push(Step::Index(0));
        node(below("items"), items, Walk { steps, ..walk.clone() }, &path.child("items"), found);
    }
    let properties = path.child("properties");
    for (name, property) in &structural.properties {
        let mut steps = walk.steps.clone();
        steps.push(Step::Field(name));
        let of_whole = structural.embedded && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
        let walk = Walk { steps, metadata: walk.metadata || of_whole, ..walk.clone() };
        let schema = below("properties").get(name).unwrap_or(&Value::Null);
        node(schema, property, walk, &properties.key(name), found);
    }
}

/// Whether a server creates a CRD with this default at a node that it looks at, as far as the schema of the node tells.
pub(crate) fn is_accepted_default(structural: &Structural, default: &Value) -> bool {
    is_sound_default(&plain(structural), default, UnknownFields::Accepted, &Path::ROOT, &mut Vec::new())
}

/// Whether a default is as its node has it, but for CEL rules, which look at no other.
pub(crate) fn is_sound_default(
    structural: &Structural,
    default: &Value,
    unknown: UnknownFields,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) -> bool {
    let mut pruned = default.clone();
    prune_value(structural, &mut pruned);
    if unknown == UnknownFields::Refused && pruned != *default {
        errors.push(FieldError::invalid(path, default.clone(), "must not have unknown fields"));
    }
    let mut coerced = default.clone();
    if let Err(error) = coerce_value(structural, &mut coerced, path) {
        errors.push(error);
        return false;
    }
    let mut found = embedded_errors(structural, &coerced, path);
    if found.is_empty() {
        found = keyword_errors(structural, &coerced, &path.to_field());
    }
    let sound = found.is_empty();
    errors.extend(found);
    sound
}

/// A default of version, kind or metadata is judged in an object that is empty otherwise.
fn inside_metadata(
    structural: &Structural,
    default: &Value,
    walk: &Walk<'_>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) -> bool {
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
        let found = keyword_errors(structural, default, &path.to_field());
        let sound = found.is_empty();
        errors.extend(found);
        return sound;
    }
    let mut said: Vec<String> = found.iter().map(ToString::to_string).collect();
    said.dedup();
    let said = if said.len() == 1 { said.concat() } else { format!("[{}]", said.join(", ")) };
    errors.push(FieldError::invalid(path, default.clone(), format!("must result in valid metadata: {said}")));
    false
}
