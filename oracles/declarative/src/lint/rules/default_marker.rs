//! `default-struct`, `default-omitempty`, `zero-default`, `struct-omitempty`: defaults that mean the same for built-in types and CRDs.

use super::default_value::default_spot;
use crate::idl::FieldInfo;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Model, Subject};
use crate::lint::sink::{Sink, Spot};
use crate::tags::TagScope;
use serde_json::Value;
use takeover_harness::schema::{Field, Kind, Presence, TypeId, WellKnown};

pub(in crate::lint) static DEFAULT_STRUCT: Lint = Lint {
    name: "default-struct",
    summary: "A struct that is no pointer may not have a default.",
    explanation: "Such a struct is always there, so its default is always `{}`, and defaults belong on its fields, not on its \
                  type either. The same goes for types of the API machinery that are structs in Go: times, quantities and IntOrString \
                  need a pointer to have a default. The generator of Kubernetes accepts `+default={}`, so that is only a note.",
    source: Origin::Defaults,
    ..Lint::DEFAULT
};

pub(in crate::lint) static DEFAULT_OMITEMPTY: Lint = Lint {
    name: "default-omitempty",
    summary: "A field with a default other than zero needs `omitempty` or a pointer.",
    explanation: "For texts, numbers and bools, also where the default is that of the type. Without `omitempty`, Go clients send \
                  the zero value: a built-in type replaces it by the default, a CRD does not. The generators of Kubernetes stop \
                  there, also at `omitzero`, which they do not read. Those of 1.36 stop at the default of the type of list items \
                  and map values, too, which KEP-1929 allows: that is only a note.",
    source: Origin::Defaults,
    ..Lint::DEFAULT
};

pub(in crate::lint) static ZERO_DEFAULT: Lint = Lint {
    name: "zero-default",
    level: Level::Note,
    summary: "A zero default is implied without `omitempty`.",
    explanation: "A text, number or bool that is no pointer and has no `omitempty` has its zero value as default. It is only \
                  a note, because KEP-1929 forbids the marker in its rules and uses it in its examples.",
    source: Origin::Defaults,
    ..Lint::DEFAULT
};

pub(in crate::lint) static STRUCT_OMITEMPTY: Lint = Lint {
    name: "struct-omitempty",
    summary: "`omitempty` on a struct that is no pointer does nothing.",
    explanation: "Go's JSON encoder writes such a struct as `{}`. On request, because most types of Kubernetes have it.",
    source: Origin::Defaults,
    on_request: true,
    ..Lint::DEFAULT
};

/// Fields with their JSON name, and the field.
fn named<'m, 'i>(model: &'m Model<'i>) -> impl Iterator<Item = (&'m Subject<'i>, &'i Field)> {
    let field = |subject: &'m Subject<'i>| subject.field.map(|(_, field)| (subject, field));
    model.subjects.iter().filter_map(field).filter(|(_, field)| field.presence == Presence::Named)
}

/// The shape of a field below the names of its type.
fn shape<'i>(model: &Model<'i>, field: &Field) -> &'i Kind {
    model.idl.schema.native(field.ty).1
}

/// Whether a value is what Go has where nothing is set; the values of structs with a form of their own are not looked at.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn is_scalar(kind: &Kind) -> bool {
    matches!(kind, Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::Text)
}

/// Structs, and the types of the API machinery that Go has as structs.
fn is_struct(kind: &Kind) -> bool {
    let known =
        [WellKnown::Time, WellKnown::MicroTime, WellKnown::Duration, WellKnown::Quantity, WellKnown::IntOrString];
    matches!(kind, Kind::Struct(_)) || matches!(kind, Kind::WellKnown(it) if known.contains(it))
}

pub(in crate::lint) fn default_struct(model: &Model<'_>, sink: &mut Sink<'_>) {
    let is_empty = |value: &Value| value.as_object().is_some_and(serde_json::Map::is_empty);
    for (subject, field) in named(model).filter(|(_, field)| is_struct(shape(model, field))) {
        let help = match shape(model, field) {
            Kind::Struct(_) => "set defaults on the fields of the struct, or make the field a pointer",
            _ => "make the field a pointer",
        };
        let Some((line, text)) = subject.default_marker() else {
            if default_of_type(model, field.ty).is_some_and(|value| !is_empty(value)) {
                let message = "a default of its type on a struct that is no pointer";
                sink.report(subject, Spot::subject(subject), message).help(help);
            }
            continue;
        };
        let message = "a default on a struct that is no pointer";
        let found = sink.report(subject, default_spot(line), message);
        if serde_json::from_str(text).is_ok_and(|value: Value| is_empty(&value)) {
            found.level(Level::Note).help("`{}` is implied: remove the marker");
        } else {
            found.help(help);
        }
    }
}

/// Scalars without `omitempty` that have a marker whose value is known.
fn printed<'m, 'i>(model: &'m Model<'i>) -> impl Iterator<Item = (&'m Subject<'i>, &'i Value)> {
    named(model)
        .filter(|(subject, field)| !has_omitempty(subject, field) && is_scalar(shape(model, field)))
        .filter(|(subject, _)| subject.default_marker().is_some())
        .filter_map(|(subject, field)| Some((subject, field.default.as_ref()?)))
}

/// Whether the generators of Kubernetes see that a field is left out where it is zero.
fn has_omitempty(subject: &Subject<'_>, field: &Field) -> bool {
    field.omit_empty && !tag_of(subject).is_some_and(|about| about.omit_zero && !about.json_tag.contains("omitempty"))
}

fn tag_of<'i>(subject: &Subject<'i>) -> Option<&'i FieldInfo> {
    subject.field.and_then(|(slot, _)| subject.info.fields.get(usize::from(slot)))
}

pub(in crate::lint) fn default_omitempty(model: &Model<'_>, sink: &mut Sink<'_>) {
    let help = "add `omitempty`, or make the field a pointer";
    for (subject, value) in printed(model).filter(|(_, value)| !is_zero(value)) {
        if let Some((line, _)) = subject.default_marker() {
            let message = format!("the default {value} on a field without `omitempty`");
            sink.report(subject, default_spot(line), message).help(help);
        }
    }
    for (subject, field) in named(model).filter(|(subject, field)| !has_omitempty(subject, field)) {
        let of_type = subject.default_marker().is_none().then(|| default_of_type(model, field.ty)).flatten();
        if let Some(value) = of_type.filter(|value| !is_zero(value) && is_scalar(shape(model, field))) {
            let message = format!("the default {value} of its type on a field without `omitempty`");
            sink.report(subject, Spot::subject(subject), message).help(help);
        }
    }
    for subject in model.subjects.iter().filter(|subject| subject.place == TagScope::Type) {
        let is_of_scalars = is_scalar(model.idl.schema.native(subject.ty).1);
        if let Some(value) = subject.info.item_default.as_ref().filter(|value| is_of_scalars && !is_zero(value)) {
            let message = format!("the default {value} of list items or map values that are no pointers");
            let found = sink.report(subject, Spot::subject(subject), message).level(Level::Note);
            found.help("the generator of Kubernetes 1.36 stops there: use pointers, or Kubernetes 1.37");
        }
    }
}

/// The default that the type of a field declares, or one below its name.
fn default_of_type<'i>(model: &Model<'i>, ty: TypeId) -> Option<&'i Value> {
    let mut ty = ty;
    for _ in 0..=model.idl.types.len() {
        let info = model.idl.types.get(ty.0 as usize)?;
        if info.default.is_some() {
            return info.default.as_ref();
        }
        ty = match model.idl.schema.kind(ty) {
            Kind::Named(inner) if info.defined_over.is_none() => *inner,
            _ => return None,
        };
    }
    None
}

pub(in crate::lint) fn zero_default(model: &Model<'_>, sink: &mut Sink<'_>) {
    for (subject, value) in printed(model).filter(|(_, value)| is_zero(value)) {
        if let Some((line, _)) = subject.default_marker() {
            let message = format!("the default {value} is implied on a field without `omitempty`");
            sink.report(subject, default_spot(line), message);
        }
    }
}

pub(in crate::lint) fn struct_omitempty(model: &Model<'_>, sink: &mut Sink<'_>) {
    for (subject, _) in named(model).filter(|(_, field)| field.omit_empty && is_struct(shape(model, field))) {
        if tag_of(subject).is_some_and(|about| about.omit_zero) {
            continue;
        }
        sink.report(subject, Spot::subject(subject), "`omitempty` on a struct that is no pointer")
            .help("remove `omitempty`, or make the field a pointer");
    }
}
