//! What holds of every object that is applied.

use super::differences::{Difference, differences};
use crate::apply::BuiltinType;
use crate::registry::Registry;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use takeover_apply::configuration::{Configuration, Configurations, Root};
use takeover_apply::extract::extract;
use takeover_apply::fields::FieldSet;
use takeover_apply::managed::{FieldManager, ObjectType, Refusal, Request};
use takeover_apply::schema::{ListKind, Schema, TypeId};
use takeover_harness::schema as go;

/// A law of apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// An object goes into an apply configuration and back without loss.
    RoundTrip,
    /// Extracting what was just applied gives what was applied.
    Extract,
    /// Applying the same again changes nothing.
    Twice,
    /// Creating an object by apply and by create gives the same object.
    Create,
    /// Changing an object by apply and by update gives the same object.
    Update,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RoundTrip => "lost in an apply configuration",
            Self::Extract => "extracted otherwise than applied",
            Self::Twice => "changed by applying the same again",
            Self::Create => "created otherwise by apply",
            Self::Update => "updated otherwise by apply",
        })
    }
}

/// A broken law.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// The law.
    pub law: Law,
    /// Where.
    pub field: String,
    /// What is there, in words.
    pub detail: String,
}

/// The laws of a built-in kind.
pub struct Laws {
    kind: BuiltinType,
    types: Arc<go::Schema>,
    root: go::TypeId,
    configurations: Configurations,
}

const MANAGER: &str = "applier";
const NOW: &str = "2026-01-01T00:00:01Z";
const LATER: &str = "2026-01-01T00:00:02Z";

impl Laws {
    /// The laws of a kind of a main resource; `None` if the types do not declare it.
    #[must_use]
    pub fn of(registry: &Registry, api_version: &str, kind: &str) -> Option<Self> {
        let root = registry.root(api_version, kind)?;
        let types = Arc::clone(registry.schema());
        let read = Root { api_version: api_version.into(), kind: kind.into(), types: &types, ty: root, merging: None };
        let configurations = Configurations::read(&[read]);
        Some(Self { kind: BuiltinType::of(registry, api_version, kind)?, root, configurations, types })
    }

    /// The laws that a change breaks: from `old`, or from nothing, to `new`. An object that does not decode breaks no law.
    #[must_use]
    pub fn broken(&self, old: Option<&Value>, new: &Value) -> Vec<Broken> {
        let mut broken = Vec::new();
        let Ok(new) = self.kind.held(without_server_fields(new)) else { return broken };
        let Some(configuration) = self.configuration(&new, &mut broken) else { return broken };
        self.extracts(&new, &mut broken);
        // A request that has no result breaks no law.
        let _ = match old {
            None => self.creates(&new, &configuration, &mut broken),
            Some(old) => self.updates(old, &new, &configuration, &mut broken),
        };
        broken
    }

    fn of_kind(&self) -> Option<&Configuration> {
        self.configurations.of_kind(self.kind.api_version(), self.kind.kind())
    }

    /// The configuration that sets what an object has, which must give the object again.
    fn configuration(&self, object: &Value, broken: &mut Vec<Broken>) -> Option<Value> {
        let configuration = match self.configurations.take(self.of_kind()?, object) {
            Ok(configuration) => configuration,
            Err(misfit) => {
                broken.push(Broken { law: Law::RoundTrip, field: misfit.field, detail: misfit.fault });
                return None;
            }
        };
        match self.kind.held(configuration.clone()) {
            Ok(back) => self.compare(Law::RoundTrip, object, &back, broken),
            Err(error) => broken.push(Broken { law: Law::RoundTrip, field: String::new(), detail: error }),
        }
        Some(configuration)
    }

    /// Applies what has its defaults already: what defaulting adds to a list or struct that is one piece is extracted, too.
    fn extracts(&self, new: &Value, broken: &mut Vec<Broken>) {
        let Ok(defaulted) = self.kind.defaulted(new.clone()) else { return };
        let Some(configuration) = self.of_kind().and_then(|of| self.configurations.take(of, &defaulted).ok()) else {
            return;
        };
        let Ok(live) = self.apply(None, &configuration, NOW) else { return };
        match self.apply(Some(&live), &configuration, LATER) {
            Ok(again) => self.compare(Law::Twice, &live, &again, broken),
            Err(refusal) => broken.push(refused(Law::Twice, &refusal)),
        }
        let (schema, root) = self.kind.schema();
        let owned = owned(schema, root, &without_nobodys(&configuration)).unwrap_or_else(|| Value::Object(Map::new()));
        match extract(schema, root, &live, MANAGER, "") {
            Ok(found) => {
                let found = found.unwrap_or_else(|| Value::Object(Map::new()));
                self.compare(Law::Extract, &owned, &found, broken);
            }
            Err(error) => broken.push(Broken { law: Law::Extract, field: String::new(), detail: error.to_string() }),
        }
    }

    fn creates(&self, new: &Value, configuration: &Value, broken: &mut Vec<Broken>) -> Option<()> {
        let updated = self.update(None, &self.kind.defaulted(new.clone()).ok()?).ok()?;
        self.outcome(Law::Create, updated, self.apply(None, configuration, NOW), broken)
    }

    fn updates(&self, old: &Value, new: &Value, configuration: &Value, broken: &mut Vec<Broken>) -> Option<()> {
        let old = self.kind.held(without_server_fields(old)).ok()?;
        let before = self.configurations.take(self.of_kind()?, &old).ok()?;
        let live = self.apply(None, &before, NOW).ok()?;
        let stored = self.update(None, &self.kind.defaulted(old).ok()?).ok()?;
        let updated = self.update(Some(&stored), &self.kind.defaulted(new.clone()).ok()?).ok()?;
        self.outcome(Law::Update, updated, self.apply(Some(&live), configuration, LATER), broken)
    }

    fn outcome(
        &self,
        law: Law,
        updated: Value,
        applied: Result<Value, Refusal>,
        broken: &mut Vec<Broken>,
    ) -> Option<()> {
        let applied = match applied {
            Ok(applied) => without_server_fields(&applied),
            Err(refusal) => {
                broken.push(refused(law, &refusal));
                return None;
            }
        };
        let updated = without_server_fields(&updated);
        self.compare(law, &updated, &applied, broken);
        Some(())
    }

    fn compare(&self, law: Law, wanted: &Value, found: &Value, broken: &mut Vec<Broken>) {
        let differences = differences(&self.types, self.root, wanted, found);
        broken.extend(differences.into_iter().map(|Difference { field, first, second }| {
            let shown = |value: Option<Value>| value.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
            let detail = format!("must be {}, is {}", shown(first), shown(second));
            Broken { law, field, detail }
        }));
    }

    fn apply(&self, live: Option<&Value>, configuration: &Value, now: &str) -> Result<Value, Refusal> {
        let request = Request { manager: MANAGER, subresource: "", now, reset: &FieldSet::new() };
        FieldManager::new(&self.kind).apply(live, configuration, request, false)
    }

    fn update(&self, live: Option<&Value>, object: &Value) -> Result<Value, Refusal> {
        let request = Request { manager: MANAGER, subresource: "", now: NOW, reset: &FieldSet::new() };
        FieldManager::new(&self.kind).update(live, object, request)
    }
}

fn refused(law: Law, refusal: &Refusal) -> Broken {
    let text = refusal.to_string();
    // A text names the field behind the kind: `failed to create typed patch object (…): .spec.ports: duplicate entries …`.
    let path = text.split(": ").find_map(|part| part.strip_prefix('.'));
    Broken { law, field: path.unwrap_or_default().to_owned(), detail: format!("apply is rejected: {text}") }
}

/// Without what says who owns what, and what only servers write.
fn without_server_fields(object: &Value) -> Value {
    without(object, &["managedFields", "selfLink"])
}

/// Without the fields of metadata that nobody owns, nor version and kind.
fn without_nobodys(object: &Value) -> Value {
    let mut object = without(
        object,
        &[
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        ],
    );
    if let Some(members) = object.as_object_mut() {
        members.retain(|name, value| match name.as_str() {
            "apiVersion" | "kind" => false,
            "metadata" => value.as_object().is_none_or(|metadata| !metadata.is_empty()),
            _ => true,
        });
    }
    object
}

fn without(object: &Value, of_metadata: &[&str]) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        of_metadata.iter().for_each(|name| {
            metadata.remove(*name);
        });
    }
    object
}

/// What an applier of the value owns: an empty list that merges item by item has nothing to own, nor has what holds only that.
fn owned(schema: &Schema, ty: TypeId, value: &Value) -> Option<Value> {
    let atom = schema.atom(ty);
    match (value, &atom.map, &atom.list) {
        (Value::Object(members), Some(map), _) if !map.atomic && !members.is_empty() => {
            let kept = members.iter().filter_map(|(name, member)| {
                let is_declared = map.fields.contains_key(name);
                let kept = owned(schema, map.member(name)?, member);
                // A key of a map is owned, whatever it holds.
                let kept = if is_declared { kept? } else { kept.unwrap_or_else(|| emptied(member)) };
                Some((name.clone(), kept))
            });
            let kept: Map<String, Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        (Value::Array(items), _, Some(list)) if list.kind != ListKind::Atomic => {
            let kept = items.iter().map(|item| owned(schema, list.item, item).unwrap_or_else(|| emptied(item)));
            let kept: Vec<Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        _ => Some(value.clone()),
    }
}

fn emptied(value: &Value) -> Value {
    match value {
        Value::Object(_) => Value::Object(Map::new()),
        Value::Array(_) => Value::Array(Vec::new()),
        other => other.clone(),
    }
}
