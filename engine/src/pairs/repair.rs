//! Mends objects by the errors that a validator has against them.

use super::message::worth_trying;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::Sample;
use takeover_harness::schema::{Kind, Presence, Schema, TypeId, WellKnown};
use takeover_harness::subject::SubjectId;

/// Texts that are tried one after the other where a text is refused: names, versions, numbers, addresses, times.
const TEXTS: [&str; 16] = [
    "a",
    "a.b",
    "a.b/c",
    "v1",
    "1",
    "10m",
    "10.0.0.1",
    "10.0.0.0/8",
    "https://a.b/c",
    "0 0 * * *",
    "UTC",
    "2026-01-01T00:00:00Z",
    "a=b",
    "{}",
    "True",
    "a@b.c",
];

/// Most such values to try for one field.
const MOST_KEPT: usize = 20;

/// How deep a value that is put in may be.
const DEEPEST: usize = 8;

/// The object that is mended first.
pub(super) fn first_draft(subject: &SubjectId) -> Value {
    json!({
        "apiVersion": subject.api_version,
        "kind": subject.kind,
        "metadata": {"name": "probe", "namespace": "default"},
    })
}

/// Mends objects of one type. Remembers what was tried, so that it never goes in a circle.
pub(super) struct Repair<'s> {
    schema: &'s Schema,
    root: TypeId,
    /// Values that satisfy a rule on a field, by path pattern.
    kept: BTreeMap<&'s str, Vec<&'s Value>>,
    /// How often the error of a type on a field was mended.
    tried: BTreeMap<(String, ErrorType), usize>,
}

impl<'s> Repair<'s> {
    /// Mends objects of a pair, with what its rules say of their fields.
    pub(super) fn of(pair: &'s Pair) -> Self {
        let mut kept: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for rule in &pair.baseline {
            let values = rule.boundaries.iter().filter(|class| !class.breaks).filter_map(|class| match &class.sample {
                Sample::Value(value) => Some(value),
                Sample::Absent | Sample::Beside(_) => None,
            });
            kept.entry(&rule.path).or_default().extend(values);
        }
        kept.values_mut().for_each(|values| values.truncate(MOST_KEPT));
        Self { schema: &pair.form.schema, root: pair.form.root, kept, tried: BTreeMap::new() }
    }

    /// Changes the object so that the error may go. Returns false when nothing is left to try.
    pub(super) fn mend(&mut self, object: &mut Value, error: &FieldError) -> bool {
        let Some(steps) = steps(&error.field) else { return false };
        let field = pattern(&error.field);
        let named = worth_trying(error.error_type, &error.detail);
        let limit = named.iter().find_map(|(limit, _)| *limit);
        let values: Vec<&String> = named.iter().flat_map(|(_, values)| values).collect();
        // Try first what the error itself names.
        let takes_another = limit.is_none() && asks_for_another_value(error.error_type);
        let of_rules = self.kept.get(field.as_str()).filter(|_| takes_another).map_or(&[][..], Vec::as_slice);
        let tried = self.tried.entry((field, error.error_type)).or_default();
        let attempt = *tried;
        *tried += 1;
        if let Some(value) = attempt.checked_sub(values.len()).and_then(|attempt| of_rules.get(attempt)) {
            return apply(object, &steps, Change::Merge((*value).clone()));
        }
        let attempt = if attempt < values.len() { attempt } else { attempt - of_rules.len() };
        if attempt > TEXTS.len() + 2 {
            return false;
        }
        let Some(ty) = type_at(self.schema, self.root, &steps) else { return false };
        let change = match error.error_type {
            ErrorType::Forbidden | ErrorType::Duplicate => Change::Remove,
            ErrorType::TooMany | ErrorType::TooLong => Change::Shorten(limit.unwrap_or(1)),
            ErrorType::NotSupported => match values.get(attempt) {
                Some(value) => Change::Set((*value).as_str().into()),
                None => Change::Remove,
            },
            ErrorType::Required | ErrorType::TooFew | ErrorType::TooShort => match attempt {
                0 => Change::Set(sample(self.schema, ty, 0, 0)),
                again => Change::Set(sample(self.schema, ty, again, 0)),
            },
            _ => match (limit, attempt) {
                (Some(limit), _) if is_number(self.schema, ty) => Change::Set(limit.into()),
                (None, again) if again < values.len() => {
                    Change::Set(values.get(again).map_or(Value::Null, |value| value.as_str().into()))
                }
                (_, last) if last >= TEXTS.len() => Change::Remove,
                (_, again) => Change::Set(sample(self.schema, ty, again, 0)),
            },
        };
        apply(object, &steps, change)
    }
}

/// What is done to a value.
enum Change {
    Set(Value),
    /// Sets a value, but adds entries to a map that is there.
    Merge(Value),
    Remove,
    Shorten(i64),
}

/// Whether another value could clear the error.
fn asks_for_another_value(error_type: ErrorType) -> bool {
    matches!(error_type, ErrorType::Required | ErrorType::Invalid | ErrorType::NotSupported)
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    /// A position in a list or the key of a map.
    Below(String),
}

/// The steps of a path such as `spec.ports[2].name` or `metadata.labels[a.b/c]`; none of what is no path.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (key, after) = inside.split_once(']')?;
            steps.push(Step::Below(key.to_owned()));
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, after) = rest.split_at_checked(end)?;
            steps.push(Step::Member(name.to_owned()));
            rest = after.strip_prefix('.').unwrap_or(after);
        }
    }
    (!steps.is_empty() && path != "<nil>").then_some(steps)
}

fn type_at(schema: &Schema, root: TypeId, steps: &[Step]) -> Option<TypeId> {
    steps.iter().try_fold(root, |ty, step| match step {
        Step::Member(name) => schema.below(ty, Some(name)),
        Step::Below(_) => schema.below(ty, None),
    })
}

fn is_number(schema: &Schema, ty: TypeId) -> bool {
    matches!(schema.pointed(ty).1, Kind::Int { .. } | Kind::Float { .. } | Kind::WellKnown(WellKnown::IntOrString))
}

/// A value of a type: the least that is no zero value. `attempt` chooses among several.
pub(super) fn sample(schema: &Schema, ty: TypeId, attempt: usize, depth: usize) -> Value {
    let text = || TEXTS.get(attempt % TEXTS.len()).copied().unwrap_or("a");
    match schema.pointed(ty).1 {
        Kind::Bool => attempt.is_multiple_of(2).into(),
        Kind::Int { .. } | Kind::Float { .. } => (attempt + 1).into(),
        Kind::Bytes => "YQ==".into(),
        Kind::List(element) if depth < DEEPEST => json!([sample(schema, *element, attempt, depth + 1)]),
        Kind::Map { value, .. } if depth < DEEPEST => json!({"a": sample(schema, *value, attempt, depth + 1)}),
        Kind::List(_) => json!([]),
        // What a struct needs is for the next errors to say.
        Kind::Struct(members) if attempt > 0 && depth < 2 => {
            let named = members.fields.iter().filter(|field| field.presence == Presence::Named);
            let plain = named.filter(|field| {
                let is_text = |ty| matches!(schema.pointed(ty).1, Kind::Text);
                match schema.pointed(field.ty).1 {
                    Kind::Struct(_) | Kind::List(_) => false,
                    Kind::Map { value, .. } => is_text(*value),
                    _ => true,
                }
            });
            let all: Map<String, Value> = plain
                .map(|field| (field.json_name.to_string(), sample(schema, field.ty, attempt - 1, depth + 1)))
                .collect();
            all.into()
        }
        Kind::Struct(_) | Kind::Map { .. } => json!({}),
        Kind::WellKnown(WellKnown::Time) => "2026-01-01T00:00:00Z".into(),
        Kind::WellKnown(WellKnown::MicroTime) => "2026-01-01T00:00:00.000000Z".into(),
        Kind::WellKnown(WellKnown::Duration) => "1m0s".into(),
        Kind::WellKnown(WellKnown::Quantity) => (attempt + 1).to_string().into(),
        Kind::WellKnown(WellKnown::IntOrString) => (attempt + 1).into(),
        Kind::WellKnown(WellKnown::Raw) => json!({}),
        _ => text().into(),
    }
}

/// Does the change at the place, which is made when it is not there. Returns false when the object has no such place.
fn apply(object: &mut Value, steps: &[Step], change: Change) -> bool {
    let Some((last, before)) = steps.split_last() else { return false };
    let mut at = object;
    for (position, step) in before.iter().enumerate() {
        let next_is_below = matches!(steps.get(position + 1), Some(Step::Below(key)) if key.parse::<usize>().is_ok());
        let Some(below) = enter(at, step, next_is_below) else { return false };
        at = below;
    }
    match (change, last) {
        (Change::Remove, step) => remove(at, step),
        (Change::Set(value), step) => match enter(at, step, false) {
            Some(place) => {
                *place = value;
                true
            }
            None => false,
        },
        (Change::Merge(value), step) => match (enter(at, step, false), value) {
            (Some(Value::Object(entries)), Value::Object(more)) => {
                entries.extend(more);
                true
            }
            (Some(place), value) => {
                *place = value;
                true
            }
            (None, _) => false,
        },
        (Change::Shorten(limit), step) => {
            let limit = usize::try_from(limit).unwrap_or_default();
            match enter(at, step, false) {
                Some(Value::String(text)) => {
                    *text = text.chars().take(limit).collect();
                    true
                }
                Some(Value::Array(items)) => {
                    items.truncate(limit);
                    true
                }
                Some(Value::Object(members)) => {
                    *members = std::mem::take(members).into_iter().take(limit).collect();
                    true
                }
                _ => false,
            }
        }
    }
}

/// The value behind a step; it is made when it is not there.
fn enter<'v>(at: &'v mut Value, step: &Step, as_list: bool) -> Option<&'v mut Value> {
    let empty = || if as_list { json!([]) } else { json!({}) };
    if at.is_null() {
        *at = json!({});
    }
    match (step, at) {
        (Step::Member(name) | Step::Below(name), Value::Object(members)) => {
            let below = members.entry(name.as_str()).or_insert_with(empty);
            if below.is_null() {
                *below = empty();
            }
            Some(below)
        }
        (Step::Below(index), Value::Array(items)) => {
            let index: usize = index.parse().ok()?;
            if index == items.len() {
                items.push(json!({}));
            }
            items.get_mut(index)
        }
        _ => None,
    }
}

fn remove(at: &mut Value, step: &Step) -> bool {
    match (step, at) {
        (Step::Member(name) | Step::Below(name), Value::Object(members)) => members.remove(name).is_some(),
        (Step::Below(index), Value::Array(items)) => match index.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Repair, Step, apply, steps};
    use serde_json::json;
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::error::FieldError;
    use takeover_harness::path::Path;
    use takeover_harness::rule::{Boundary, Rule, RuleId, Sample};
    use takeover_harness::subject::SubjectId;
    use takeover_oracles::registry::Registry;

    #[test]
    fn values_that_rules_want_are_tried_after_those_that_the_error_names() {
        let subject = SubjectId::new("v1", "ReplicationController");
        let mut pair = Registry::of_builtin().unwrap().pair(&subject.into()).unwrap();
        let rule = |path: &str, value| Rule {
            boundaries: vec![Boundary {
                class: "kept".to_owned(),
                breaks: false,
                sample: Sample::Value(value),
                options: Vec::new(),
            }],
            ..Rule::new(RuleId(0), path, "compared")
        };
        pair.baseline =
            vec![rule("spec.template.spec.nodeName", json!("corp/x")), rule("metadata.labels", json!({"owner": "1"}))];
        let mut repair = Repair::of(&pair);
        let mut object = json!({"metadata": {"labels": {"a": "a"}}});
        let (metadata, spec) = (Path::ROOT.child("metadata"), Path::ROOT.child("spec"));
        let (template, labels) = (spec.child("template"), metadata.child("labels"));
        let of_pod = template.child("spec");
        let node = of_pod.child("nodeName");
        let mut mended = |error: FieldError| repair.mend(&mut object, &error).then(|| object.clone());
        let kept = mended(FieldError::required(&labels, "an owner is required")).unwrap();
        assert_eq!(kept["metadata"]["labels"], json!({"a": "a", "owner": "1"}));
        let refused = || FieldError::invalid(&node, "", "is no name of ours, such as corp");
        let mut name = || mended(refused()).unwrap()["spec"]["template"]["spec"]["nodeName"].clone();
        assert_eq!([name(), name(), name()], [json!("corp"), json!("corp/x"), json!("a.b")]);
    }

    #[test]
    fn paths_are_split_where_kubernetes_joins_them() {
        let below = |key: &str| Step::Below(key.to_owned());
        let member = |name: &str| Step::Member(name.to_owned());
        for (path, expected) in [
            ("spec.ports[2].name", vec![member("spec"), member("ports"), below("2"), member("name")]),
            ("metadata.labels[a.b/c]", vec![member("metadata"), member("labels"), below("a.b/c")]),
        ] {
            assert_eq!(steps(path), Some(expected), "{path}");
        }
        for path in ["", "<nil>", "a[b"] {
            assert_eq!(steps(path), None, "{path}");
        }
    }

    #[test]
    fn places_are_made_changed_and_removed() {
        let mut object = json!({"kind": "Web"});
        let mut change = |path: &str, change| apply(&mut object, &steps(path).unwrap(), change);
        assert!(change("spec.ports[0].name", Change::Set("a".into())));
        assert!(change("spec.labels[a.b/c]", Change::Set("long".into())));
        assert!(change("spec.labels[a.b/c]", Change::Shorten(2)));
        assert!(change("kind", Change::Remove));
        assert!(!change("kind", Change::Remove));
        assert!(!change("spec.ports[7].name", Change::Remove));
        assert_eq!(object, json!({"spec": {"ports": [{"name": "a"}], "labels": {"a.b/c": "lo"}}}));
    }
}
