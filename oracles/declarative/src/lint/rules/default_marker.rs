//! `default-struct`, `default-omitempty`, `zero-default`, `struct-omitempty`: defaults that mean the same for built-in types and CRDs.

use super::default_value::default_spot;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Model, Subject};
use crate::lint::sink::{Sink, Spot};
use serde_json::Value;
use takeover_harness::schema::{Field, Kind, Presence, WellKnown};

pub(in crate::lint) static DEFAULT_STRUCT: Lint = Lint {
    name: "default-struct",
    summary: "A struct that is no pointer may not have a default.",
    explanation: "Such a struct is always there, so its default is always `{}`, and defaults belong on its fields. The \
                  generator of Kubernetes accepts `+default={}`, so that is only a note.",
    source: Origin::Defaults,
    ..Lint::DEFAULT
};

pub(in crate::lint) static DEFAULT_OMITEMPTY: Lint = Lint {
    name: "default-omitempty",
    summary: "A field with a default other than zero needs `omitempty` or a pointer.",
    explanation: "For texts, numbers and bools. Without `omitempty`, Go clients send the zero value: a built-in type replaces it \
                  by the default, a CRD does not. The generator of Kubernetes stops there.",
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
    for (subject, _) in named(model).filter(|(_, field)| matches!(shape(model, field), Kind::Struct(_))) {
        let Some((line, text)) = subject.default_marker() else { continue };
        let message = "a default on a struct that is no pointer";
        let found = sink.report(subject, default_spot(line), message);
        if serde_json::from_str(text).is_ok_and(|value: Value| value.as_object().is_some_and(serde_json::Map::is_empty))
        {
            found.level(Level::Note).help("`{}` is implied: remove the marker");
        } else {
            found.help("set defaults on the fields of the struct, or make the field a pointer");
        }
    }
}

/// Scalars without `omitempty` that have a marker whose value is known.
fn printed<'m, 'i>(model: &'m Model<'i>) -> impl Iterator<Item = (&'m Subject<'i>, &'i Value)> {
    named(model)
        .filter(|(_, field)| !field.omit_empty && is_scalar(shape(model, field)))
        .filter(|(subject, _)| subject.default_marker().is_some())
        .filter_map(|(subject, field)| Some((subject, field.default.as_ref()?)))
}

pub(in crate::lint) fn default_omitempty(model: &Model<'_>, sink: &mut Sink<'_>) {
    for (subject, value) in printed(model).filter(|(_, value)| !is_zero(value)) {
        if let Some((line, _)) = subject.default_marker() {
            let message = format!("the default {value} on a field without `omitempty`");
            sink.report(subject, default_spot(line), message).help("add `omitempty`, or make the field a pointer");
        }
    }
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
        let about = subject.field.and_then(|(slot, _)| subject.info.fields.get(usize::from(slot)));
        if about.is_some_and(|about| about.omit_zero) {
            continue;
        }
        sink.report(subject, Spot::subject(subject), "`omitempty` on a struct that is no pointer")
            .help("remove `omitempty`, or make the field a pointer");
    }
}
