//! `never-fires`: rules that no value can break.

use crate::compile::shape::{self, Shape};
use crate::grammar::Payload;
use crate::lint::chain::{Step, condition, steps};
use crate::lint::def::{Lint, Origin};
use crate::lint::model::{Line, Model, Subject, short, unwrapped};
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, Requiredness, TagScope};
use std::collections::HashMap;

pub(in crate::lint) static NEVER_FIRES: Lint = Lint {
    name: "never-fires",
    summary: "No value can break the rule.",
    explanation: "Bounds at the limits of the Go type, sizes of at least 0, rules that reject only the unset value where \
                  `required` or `optional` stops first, rules behind `forbidden`, an option that would have to be on and off \
                  at once, `update` on elements without an old counterpart, and payloads that `ifMode` drops.",
    source: Origin::Own,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn never_fires(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        let stops = stops(model, subject);
        for (line, chain) in subject.tags().filter(|(line, _)| !model.is_broken(&line.line.position)) {
            for step in steps(model.idl, subject, chain) {
                let by_type = by_type(model, &step).or_else(|| by_options(&step)).or_else(|| by_mode(&step));
                if let Some(reason) = by_type.or_else(|| by_correlation(model, subject, &step)) {
                    sink.report(subject, Spot::tag(line, step.tag), format!("can never fire: {reason}"));
                } else if let Some(stop) = stops.get(&step.address)
                    && refuses_unset_alone(model, &step)
                {
                    let message =
                        format!("can never fire: the only value it refuses is unset, and `{stop}` stops that first");
                    sink.report(subject, Spot::tag(line, step.tag), message).help(format!("keep `{stop}` alone"));
                }
            }
        }
        behind_forbidden(model, subject, sink);
    }
}

/// What the tag's registration says about a type.
fn by_type(model: &Model<'_>, step: &Step<'_>) -> Option<String> {
    let def = tags::lookup(&step.tag.name)?;
    (def.hints.never_fires)(&model.idl.schema, step.ty, step.tag)
}

/// An option that is asked to be on and off.
fn by_options(step: &Step<'_>) -> Option<String> {
    let (option, on) = condition(step.tag)?;
    let outer = step.conditions.iter().any(|(name, state)| *name == option && *state != on);
    outer.then(|| format!("option `{option}` cannot be on and off at once"))
}

/// What `ifMode` drops: rules that are made only when the field is complete.
fn by_mode(step: &Step<'_>) -> Option<String> {
    let below_mode = step.address.rsplit('/').next().is_some_and(|last| last.starts_with("k8s:ifMode("));
    let deferred = tags::lookup(&step.tag.name).is_some_and(|def| def.hints.waits);
    (below_mode && deferred).then(|| format!("`ifMode` drops `{}`", short(step.tag)))
}

/// Finds tags that need an old value on elements of lists whose old elements are not found by key.
fn by_correlation(model: &Model<'_>, subject: &Subject<'_>, step: &Step<'_>) -> Option<String> {
    let needs_old = tags::lookup(&step.tag.name).is_some_and(|def| def.hints.needs_old);
    let elements = step.address == "/k8s:eachVal" && needs_old;
    let list = elements.then(|| subject.judged_type()).flatten()?;
    if !matches!(shape::shape(&model.idl.schema, list), Shape::List(_))
        || is_map_list(subject.tags().map(|(_, tag)| tag))
    {
        return None;
    }
    // The type behind the field may say what kind of list it is.
    let of_type = model.subjects.iter().find(|other| other.place == TagScope::Type && other.ty == list);
    if of_type.is_some_and(|other| is_map_list(other.tags().map(|(_, tag)| tag))) {
        return None;
    }
    Some("elements of a list that is no `map` have no old element to compare with".to_owned())
}

fn is_map_list<'t>(mut tags: impl Iterator<Item = &'t crate::grammar::Tag>) -> bool {
    tags.any(|tag| {
        unwrapped(tag).is_some_and(|tag| {
            tags::lookup(&tag.name).is_some_and(|def| def.hints.identifies)
                && matches!(&tag.value, Payload::Literal(value) if value.as_text() == "map")
        })
    })
}

/// The values of a subject that unconditional `required` or `optional` stops when unset, by the way there.
fn stops<'s>(model: &Model<'_>, subject: &'s Subject<'_>) -> HashMap<String, &'s str> {
    let mut stops = HashMap::new();
    for (_, chain) in subject.tags() {
        let Some(step) = steps(model.idl, subject, chain).into_iter().last() else { continue };
        let name = short(step.tag);
        // With a default, `optional` may let zero through.
        let stops_unset = match tags::requiredness(step.tag) {
            Some(Requiredness::Required) => true,
            Some(Requiredness::Optional) => !step.address.is_empty() || subject.default_marker().is_none(),
            _ => false,
        };
        if stops_unset && step.conditions.is_empty() {
            stops.insert(step.address, name);
        }
    }
    stops
}

/// Whether the unset value is the only one that a rule rejects.
fn refuses_unset_alone(model: &Model<'_>, step: &Step<'_>) -> bool {
    let (Some(ty), Some(def)) = (step.ty, tags::lookup(&step.tag.name)) else { return false };
    (def.hints.refuses_unset_alone)(&model.idl.schema, ty, step.tag)
}

/// Rules of a field that unconditional `forbidden` keeps from ever running: all but those that stop the field themselves.
fn behind_forbidden(model: &Model<'_>, subject: &Subject<'_>, sink: &mut Sink<'_>) {
    let Some((slot, _)) = subject.field else { return };
    let forbidden = subject.tags().any(|(_, chain)| {
        let last = steps(model.idl, subject, chain).into_iter().last();
        last.is_some_and(|step| {
            let direct = step.address.is_empty() && step.conditions.is_empty();
            direct && tags::requiredness(step.tag) == Some(Requiredness::Forbidden)
        })
    });
    let node = model.types.get(subject.ty).filter(|_| forbidden);
    let Some(field) = node.and_then(|node| node.fields.iter().find(|field| field.slot == slot)) else { return };
    let is_behind = |line: &Line<'_>| {
        let mut own = field
            .rules
            .rules
            .iter()
            .filter(|rule| rule.source.as_ref().is_some_and(|source| source.line.position == line.line.position));
        let mut any = false;
        own.all(|rule| {
            any = true;
            !rule.short_circuit || !rule.cohort.is_empty()
        }) && any
    };
    for (line, tag) in subject.tags().filter(|(line, _)| is_behind(line)) {
        let message = "can never fire: it stands behind `forbidden`, which every value of the field ends at";
        sink.report(subject, Spot::tag(line, unwrapped(tag).unwrap_or(tag)), message).help("drop one of the two");
    }
}
