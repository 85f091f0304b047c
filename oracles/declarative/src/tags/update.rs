//! `immutable`, `update`: what may change.

use super::def::{Companions, PayloadKind, TagDef, TagScope};
use super::hints::Hints;
use super::list_kind::{self, Semantic};
use super::sample::{Recipe, class, unset, without};
use super::{parse, requiredness};
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::RuleFn;
use crate::compile::shape::{self, Shape};
use crate::eval::program::Correlation;
use crate::eval::{At, Check, Emission, Fault, ShownBy, Sink, same_keys};
use crate::grammar::Tag;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use takeover_harness::error::{BadValue, ErrorType, FieldError, Stability};
use takeover_harness::object::{Node, equal};
use takeover_harness::rule::{Boundary, Unreachable};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "immutable",
        places: &[TagScope::Type, TagScope::Field, TagScope::ListValue, TagScope::MapValue],
        summary: "The value never changes.",
        semantics: "Fails on every update that reaches it; unchanged values do not reach it. A value without an old \
                    counterpart (a new element, a member of a struct that was nil) fails too. On a list or map \
                    everything is frozen, order included; below `eachVal` removals are not seen. Fails before other \
                    rules and stops them.",
        errors: &["Invalid immutable: field is immutable"],
        example: "+k8s:immutable",
        go: "@\n\
             ClusterName string `json:\"clusterName,omitempty\"`",
        compile: |build, context, _| {
            let of_list = matches!(shape::value_shape(build.schema(), context.ty), Shape::List(Some(_)));
            let by_value = shape::shape(build.schema(), context.ty) == Shape::Struct;
            let immutable = Immutable { of_list, by_value, samples: samples(build, context) };
            Ok(context.rule("immutable", immutable).short_circuit().into())
        },
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "update",
        companions: Companions::OfPlace("update"),
        hints: Hints { waits: true, needs_old: true, ..Hints::DEFAULT },
        places: &[TagScope::Field, TagScope::ListValue, TagScope::MapValue],
        payload: PayloadKind::OptionalText,
        summary: "Restricts how the value changes: `NoSet`, `NoUnset`, `NoModify`, `NoAddItem`, `NoRemoveItem`.",
        semantics: "One constraint a tag; all of a field form one rule, with the level of its first tag. Unset is \
                    nil, empty or zero; structs by value are always set and take `NoModify` alone. `NoModify` is not \
                    for lists and maps, the two for items are for them alone, and on lists they need `listType` or \
                    `unique` to tell elements apart. Below `eachVal` only `NoModify`, for elements that are no lists \
                    or maps: a changed element with an old counterpart fails, a new one does not. Fails before other \
                    rules and stops them.",
        errors: &[
            "Invalid update: field cannot be set once created",
            "Invalid update: field cannot be cleared once set",
            "Invalid update: field cannot be modified once set",
            "Forbidden update (at the element): item may not be added",
            "Forbidden update (at the list, or at the map's key): item may not be removed",
        ],
        example: "+k8s:update=NoModify",
        go: "@\n\
             VolumeName string `json:\"volumeName,omitempty\"`",
        compile: update,
        ..TagDef::DEFAULT
    },
];

/// Constraints by the path of the field.
#[derive(Default)]
struct State {
    fields: HashMap<Arc<str>, (BTreeSet<Constraint>, Option<Stability>)>,
}

/// A constraint, in the order in which they are checked.
#[expect(clippy::enum_variant_names, reason = "the names are those of the tag's values")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Constraint {
    NoSet,
    NoUnset,
    NoModify,
    NoAddItem,
    NoRemoveItem,
}

impl Constraint {
    fn by_name(name: &str) -> Option<Self> {
        match name {
            "NoSet" => Some(Self::NoSet),
            "NoUnset" => Some(Self::NoUnset),
            "NoModify" => Some(Self::NoModify),
            "NoAddItem" => Some(Self::NoAddItem),
            "NoRemoveItem" => Some(Self::NoRemoveItem),
            _ => None,
        }
    }
}

fn update(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let name = parse::text(tag);
    let constraint = Constraint::by_name(name).ok_or_else(|| Problem::new(format!("`{name}` is not a constraint")))?;
    if matches!(context.place, TagScope::ListValue | TagScope::MapValue) {
        return update_element(build, context, constraint);
    }
    check_type(build, context, constraint, name)?;
    let (constraints, level) = build.notes::<State>().fields.entry(Arc::clone(&context.path)).or_default();
    constraints.insert(constraint);
    *level = context.level;
    let context = context.clone();
    Ok(Deferred::new(Scope::Here, move |build| {
        let Some((constraints, level)) = build.notes::<State>().fields.remove(&context.path) else {
            return Ok(Validations::default());
        };
        Ok(rule(build, &context, constraints)?.marked(level).marked(context.level).into())
    })
    .into())
}

fn update_element(build: &Build<'_>, context: &Context, constraint: Constraint) -> Result<Validations, Problem> {
    if constraint != Constraint::NoModify {
        return Err(Problem::new(format!("on {} only `NoModify` can stand", context.place)));
    }
    if matches!(shape::value_shape(build.schema(), context.ty), Shape::List(_) | Shape::Map { .. }) {
        return Err(Problem::new("`NoModify` is not for elements that are lists or maps"));
    }
    if context.place == TagScope::ListValue
        && let Some(path) = &context.parent_path
        && let Some(semantic) = list_kind::semantic(build, path)
        && semantic != Some(Semantic::Map)
    {
        return Err(Problem::new("`NoModify` on elements needs `listType=map` or `unique=map` on the list"));
    }
    Ok(rule(build, context, BTreeSet::from([constraint]))?.marked(context.level).into())
}

fn check_type(build: &Build<'_>, context: &Context, constraint: Constraint, name: &str) -> Result<(), Problem> {
    let schema = build.schema();
    let value = shape::value_shape(schema, context.ty);
    let compound = matches!(value, Shape::List(_) | Shape::Map { .. });
    let by_value = value == Shape::Struct && !shape::is_pointer(schema, context.ty);
    match constraint {
        Constraint::NoAddItem | Constraint::NoRemoveItem if !compound => {
            Err(Problem::new(format!("`{name}` is for lists and maps only")))
        }
        Constraint::NoModify if compound => {
            Err(Problem::new("`NoModify` is not for lists and maps; put it on the elements with `eachVal`"))
        }
        Constraint::NoSet | Constraint::NoUnset if by_value => {
            Err(Problem::new(format!("`{name}` is not for structs by value, which are always set")))
        }
        _ => Ok(()),
    }
}

fn rule(build: &Build<'_>, context: &Context, constraints: BTreeSet<Constraint>) -> Result<RuleFn, Problem> {
    let schema = build.schema();
    let items = constraints.iter().any(|c| matches!(c, Constraint::NoAddItem | Constraint::NoRemoveItem));
    let subject = match shape::value_shape(schema, context.ty) {
        Shape::List(element) => {
            let identity =
                if items { list_kind::correlation(build, &context.path, context.ty) } else { Correlation::None };
            if items && matches!(identity, Correlation::None) {
                return Err(Problem::new(
                    "`NoAddItem` and `NoRemoveItem` need `listType` or `unique` to tell elements apart",
                ));
            }
            let pointers = element.is_some_and(|element| shape::is_pointer(schema, element));
            Subject::List { identity, pointers }
        }
        Shape::Map { .. } => Subject::Map,
        _ if shape::is_pointer(schema, context.ty) => Subject::Pointer,
        Shape::Struct => Subject::Struct,
        _ => Subject::Scalar,
    };
    let constraints = constraints.into_iter().collect();
    let samples = samples(build, context);
    Ok(context.rule("update", Update { constraints, subject, samples }).short_circuit())
}

#[derive(Clone, Debug)]
struct Immutable {
    of_list: bool,
    samples: [Value; 2],
    /// Whether the value is a struct that is always there.
    by_value: bool,
}

/// Why there is no sample of a class.
const ALIKE: &str = "samples of the type do not differ";

/// Two values that differ.
fn samples(build: &Build<'_>, context: &Context) -> [Value; 2] {
    let recipe = match shape::value_shape(build.schema(), context.ty) {
        Shape::List(Some(element)) => Recipe::List(Box::new(match list_kind::map_keys(build, context) {
            Some(_) => Recipe::of_elements(build, context, element),
            None => Recipe::distinct(build, element),
        })),
        _ => Recipe::distinct(build, context.ty),
    };
    [0, 1].map(|index| recipe.value(index))
}

impl Check for Immutable {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        sink.report(|| FieldError::invalid(at.path, BadValue::Null, "field is immutable").with_origin("immutable"));
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Invalid, "immutable")]
    }

    fn boundaries(&self) -> Vec<Boundary> {
        match &self.samples {
            [first, second] if first != second => {
                vec![class("first", true, first.clone()), class("second", true, second.clone()), unset(true)]
            }
            _ if self.by_value => Vec::new(),
            [first, _] => vec![class("first", true, first.clone()), unset(true)],
        }
    }

    fn unreachable(&self) -> Vec<Unreachable> {
        let [first, second] = &self.samples;
        match (first == second, self.by_value) {
            (false, _) => Vec::new(),
            (true, true) => without(&["first", "second", "unset"], ALIKE),
            (true, false) => without(&["second"], ALIKE),
        }
    }

    fn update_only(&self) -> bool {
        true
    }

    fn judges_nil(&self) -> bool {
        true
    }

    fn has_parameters(&self) -> bool {
        false
    }

    fn refuses_modification(&self) -> bool {
        true
    }

    fn faults(&self) -> Vec<Fault> {
        let lenient = |name, passes: fn(bool, bool) -> bool| {
            let fault = Fault::judged(name, self.clone(), move |sound, at, sink| {
                let is_set = |value| requiredness::is_set(value);
                if !passes(is_set(at.old.as_ref()), is_set(at.value.as_ref())) {
                    sound.check(at, sink);
                }
            });
            Fault { shown_by: ShownBy::Turned, ..fault.on_unset_if(true) }
        };
        let mut faults = vec![
            lenient("takes setting", |before, now| !before && now),
            lenient("takes clearing", |before, now| before && !now),
        ];
        faults.extend(self.of_list.then(|| Fault::unordered(self.clone())));
        faults
    }
}

#[derive(Clone, Debug)]
enum Subject {
    /// Does nothing without an old value.
    Scalar,
    /// By value: always set. Does nothing without an old value.
    Struct,
    /// No old value is nil.
    Pointer,
    /// No old value is empty.
    List { identity: Correlation, pointers: bool },
    /// No old value is empty.
    Map,
}

/// What two lists or maps hold.
fn both(first: &Value, second: &Value) -> Option<Value> {
    match (first, second) {
        (Value::Array(first), Value::Array(second)) => Some(first.iter().chain(second).cloned().collect()),
        (Value::Object(first), Value::Object(second)) => {
            let entries = first.iter().chain(second).map(|(key, value)| (key.clone(), value.clone()));
            Some(Value::Object(entries.collect()))
        }
        _ => None,
    }
}

#[derive(Clone, Debug)]
struct Update {
    constraints: Vec<Constraint>,
    subject: Subject,
    samples: [Value; 2],
}

impl Update {
    /// Whether there is one set value only, so that it cannot be modified.
    fn is_lone(&self) -> bool {
        let [first, second] = &self.samples;
        first == second || *second == Value::Bool(false) && matches!(self.subject, Subject::Scalar)
    }

    fn is_set(&self, value: Option<&Node<'_>>) -> bool {
        matches!(self.subject, Subject::Struct) || requiredness::is_set(value)
    }

    /// Whether a list holds the element.
    fn holds(&self, list: Option<&Node<'_>>, item: &Node<'_>) -> bool {
        let Subject::List { identity, pointers } = &self.subject else { return true };
        list.map_or(&[][..], |list| list.items()).iter().filter(|other| !(*pointers && other.is_unset())).any(|other| {
            match identity {
                Correlation::Keys(keys) => same_keys(keys, other, item),
                _ => equal(other, item),
            }
        })
    }

    /// Reports what one list or map has and the other has not.
    fn missing(&self, at: &At<'_>, added: bool, sink: &mut Sink<'_>) {
        let (these, those) = if added { (&at.value, &at.old) } else { (&at.old, &at.value) };
        let Some(these) = these else { return };
        let detail = if added { "item may not be added" } else { "item may not be removed" };
        match &self.subject {
            Subject::List { pointers, .. } => {
                for (index, item) in these.items().iter().enumerate() {
                    let is_nil = *pointers && item.is_unset();
                    if !is_nil && !self.holds(those.as_ref(), item) {
                        let element = at.path.index(index);
                        let path = if added { &element } else { at.path };
                        sink.report(|| FieldError::forbidden(path, detail).with_origin("update"));
                    }
                }
            }
            Subject::Map => {
                for (key, _) in these.entries() {
                    if those.and_then(|those| those.entry(key)).is_none() {
                        sink.report(|| FieldError::forbidden(&at.path.key(key), detail).with_origin("update"));
                    }
                }
            }
            _ => {}
        }
    }
}

impl Check for Update {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        if matches!(self.subject, Subject::Scalar | Subject::Struct) && at.old.is_none() {
            return;
        }
        let (now, before) = (self.is_set(at.value.as_ref()), self.is_set(at.old.as_ref()));
        for constraint in &self.constraints {
            let broken = match constraint {
                Constraint::NoSet if !before && now => "field cannot be set once created",
                Constraint::NoUnset if before && !now => "field cannot be cleared once set",
                // That the value changed is known from ratcheting.
                Constraint::NoModify if before && now => "field cannot be modified once set",
                Constraint::NoSet | Constraint::NoUnset | Constraint::NoModify => continue,
                Constraint::NoAddItem => {
                    self.missing(at, true, sink);
                    continue;
                }
                Constraint::NoRemoveItem => {
                    self.missing(at, false, sink);
                    continue;
                }
            };
            sink.report(|| FieldError::invalid(at.path, BadValue::Null, broken).with_origin("update"));
        }
    }

    fn reports(&self) -> Vec<Emission> {
        let mut reports: Vec<Emission> = Vec::new();
        for constraint in &self.constraints {
            let report = match (constraint, &self.subject) {
                (Constraint::NoAddItem, _) | (Constraint::NoRemoveItem, Subject::Map) => {
                    Emission::below(ErrorType::Forbidden, "[*]", "update")
                }
                (Constraint::NoRemoveItem, _) => Emission::here(ErrorType::Forbidden, "update"),
                _ => Emission::here(ErrorType::Invalid, "update"),
            };
            if !reports.contains(&report) {
                reports.push(report);
            }
        }
        reports
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let has = |constraint| self.constraints.contains(&constraint);
        let [first, second] = &self.samples;
        let compound = matches!(self.subject, Subject::List { .. } | Subject::Map);
        let by_value = matches!(self.subject, Subject::Struct);
        // Whether some other class in the old object makes the rule reject this one in the new object.
        let set = has(Constraint::NoSet)
            || has(Constraint::NoModify)
            || has(Constraint::NoAddItem)
            || has(Constraint::NoRemoveItem);
        let none = has(Constraint::NoUnset)
            || compound && has(Constraint::NoRemoveItem)
            || by_value && has(Constraint::NoModify);
        if self.is_lone() {
            let set = has(Constraint::NoSet) || has(Constraint::NoAddItem);
            return vec![class("first", set, first.clone()), unset(none && !by_value)];
        }
        let mut classes = vec![class("first", set, first.clone()), class("second", set, second.clone()), unset(none)];
        if let (true, Some(both)) = (compound, both(first, second)) {
            classes.push(class("both", has(Constraint::NoSet) || has(Constraint::NoAddItem), both));
        }
        classes
    }

    fn unreachable(&self) -> Vec<Unreachable> {
        if self.is_lone() { without(&["second"], ALIKE) } else { Vec::new() }
    }

    fn update_only(&self) -> bool {
        true
    }

    fn judges_nil(&self) -> bool {
        true
    }

    fn refuses_modification(&self) -> bool {
        self.constraints.contains(&Constraint::NoModify)
    }

    fn judges_unchanged(&self) -> bool {
        self.constraints.contains(&Constraint::NoModify)
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (index, constraint) in self.constraints.iter().enumerate() {
            let other = match constraint {
                Constraint::NoSet => Constraint::NoUnset,
                Constraint::NoUnset => Constraint::NoSet,
                Constraint::NoAddItem => Constraint::NoRemoveItem,
                Constraint::NoRemoveItem => Constraint::NoAddItem,
                // What is always set can be modified and nothing else.
                Constraint::NoModify if matches!(self.subject, Subject::Struct) => continue,
                Constraint::NoModify => Constraint::NoUnset,
            };
            let mut constraints = self.constraints.clone();
            constraints.remove(index);
            if !constraints.is_empty() {
                let fewer = Self { constraints: constraints.clone(), ..self.clone() };
                faults.push(Fault::changed(format!("{constraint:?} dropped"), fewer));
            }
            if !constraints.contains(&other) {
                constraints.insert(index, other);
                let swapped = Self { constraints, ..self.clone() };
                faults.push(Fault::changed(format!("{constraint:?} taken for {other:?}"), swapped));
            }
        }
        if let Subject::List { identity: Correlation::Keys(_), pointers } = &self.subject {
            let subject = Subject::List { identity: Correlation::Equal, pointers: *pointers };
            faults.push(Fault::changed("elements told apart as wholes", Self { subject, ..self.clone() }));
        }
        faults
    }
}
