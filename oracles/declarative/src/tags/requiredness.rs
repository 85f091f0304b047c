//! `required`, `optional`, `forbidden`: whether a field is set.

use super::def::{FIELDS, Requiredness, Specificity, TagDef, TagStability};
use super::hints::Hints;
use super::sample::{self, Recipe};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::RuleFn;
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::{At, Check, Emission, Fault, Sink};
use crate::grammar::Tag;
use serde_json::Value;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::object::Node;
use takeover_harness::rule::Boundary;

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "required",
        specificity: Specificity::Presence,
        requiredness: Some(Requiredness::Required),
        places: FIELDS,
        summary: "The field must be set.",
        semantics: "Pointers must not be nil, lists and maps not empty, scalars not the zero value (so a bool must be true \
                    and a number not 0). A pointer to a zero value is set. Fails before any other rule of the field and \
                    stops it. Refused on structs by value.",
        errors: &["Required"],
        example: "+k8s:required",
        go: "@\n\
             Name string `json:\"name\"`",
        compile: required,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "optional",
        specificity: Specificity::Presence,
        requiredness: Some(Requiredness::Optional),
        hints: Hints { checks: false, ..Hints::DEFAULT },
        places: FIELDS,
        summary: "The field may be left out; no rule of the field sees an unset value.",
        semantics: "An unset field stops silently. With a `+default` the server always sees a value, so the field \
                    counts as required; on a scalar by value whose default is its zero value the tag does nothing and \
                    zero reaches the other rules. Refused on structs by value.",
        errors: &["Required (with a default only)"],
        example: "+k8s:optional",
        go: "@\n\
             // +k8s:minimum=1\n\
             Replicas *int32 `json:\"replicas,omitempty\"`",
        compile: optional,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "forbidden",
        requiredness: Some(Requiredness::Forbidden),
        places: FIELDS,
        stability: TagStability::Beta,
        summary: "The field must not be set.",
        semantics: "A set field fails, an unset field stops silently, so no other rule of the field ever runs. Refused on \
                    structs by value.",
        errors: &["Forbidden"],
        example: "+k8s:forbidden",
        go: "@\n\
             Legacy *string `json:\"legacy,omitempty\"`",
        compile: forbidden,
        ..TagDef::DEFAULT
    },
];

fn refuse_structs(build: &Build<'_>, context: &Context) -> Result<(), Problem> {
    match shape::shape(build.schema(), context.ty) {
        Shape::Struct => Err(Problem::new("cannot be used on structs by value")),
        _ => Ok(()),
    }
}

fn required(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    refuse_structs(build, context)?;
    Ok(context.rule("required", Set { refuses: true, example: example(build, context) }).short_circuit().into())
}

fn optional(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    let example = example(build, context);
    if let Some(default) = default_of(build, context)? {
        if !shape::is_nilable(build.schema(), context.ty) && is_zero_default(build, context, &default)? {
            return Ok(Validations { remark: true, ..Validations::default() });
        }
        refuse_structs(build, context)?;
        return Ok(context.rule("optional", Set { refuses: true, example }).short_circuit().into());
    }
    refuse_structs(build, context)?;
    Ok(context.rule("optional", Set { refuses: false, example }).short_circuit().silent().into())
}

fn forbidden(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    refuse_structs(build, context)?;
    let example = example(build, context);
    let rules: Vec<RuleFn> = vec![
        context.rule("forbidden", Unset { example: example.clone() }).short_circuit(),
        context.rule("forbidden", Set { refuses: false, example }).short_circuit().silent(),
    ];
    Ok(Validations { rules, ..Validations::default() })
}

/// The forbidding check of `ifMode`.
pub(super) fn forbidding(build: &Build<'_>, context: &Context) -> Result<RuleFn, Problem> {
    if shape::shape(build.schema(), context.ty) == Shape::Struct {
        return Err(Problem::new("members that depend on a mode must be pointers if they are structs"));
    }
    Ok(context.rule("ifMode", Unset { example: example(build, context) }))
}

/// The value of the `+default` marker on the field.
fn default_of(build: &mut Build<'_>, context: &Context) -> Result<Option<Value>, Problem> {
    let Some((_, info)) = context.member.and_then(|member| build.field(member)) else { return Ok(None) };
    let mut defaults = info.tags.iter().filter_map(|line| {
        let rest = line.text.strip_prefix("default")?;
        if rest.is_empty() { Some((line, "")) } else { rest.strip_prefix('=').map(|value| (line, value)) }
    });
    let Some((line, text)) = defaults.next() else { return Ok(None) };
    if defaults.next().is_some() {
        return Err(Problem::new("a field has one `+default` at most").at(&line.position));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Null) | Err(_) => {
            Err(Problem::new(format!("the default `{text}` must be JSON and not null")).at(&line.position))
        }
        Ok(value) => Ok(Some(value)),
    }
}

fn is_zero_default(build: &Build<'_>, context: &Context, default: &Value) -> Result<bool, Problem> {
    let schema = build.schema();
    match shape::shape(schema, context.ty) {
        Shape::Builtin(Builtin::Text) => Ok(default.as_str() == Some("")),
        Shape::Builtin(Builtin::Bool) => Ok(default.as_bool() == Some(false)),
        Shape::Builtin(Builtin::Int { .. } | Builtin::Float) => Ok(default.as_f64() == Some(0.0)),
        _ => {
            let name = shape::name(schema, context.ty);
            Err(Problem::new(format!("the zero value of `{name}` is not known, so its default cannot be judged")))
        }
    }
}

/// What values are made of that set, or do not set, a field of this type.
fn example(build: &Build<'_>, context: &Context) -> Example {
    let recipe = match shape::value_shape(build.schema(), context.ty) {
        Shape::List(Some(element)) => Recipe::List(Box::new(Recipe::of_elements(build, context, element))),
        _ => Recipe::of(build, context.ty),
    };
    let nilable_scalar = shape::is_nilable(build.schema(), context.ty)
        && !matches!(recipe, Recipe::List(_) | Recipe::Map(_) | Recipe::Bytes);
    Example { set: recipe.value(0), zero: recipe.zero().map(|zero| (zero, nilable_scalar)) }
}

/// Samples of a field.
#[derive(Clone, Debug)]
struct Example {
    set: Value,
    /// The empty value, and whether it counts as set.
    zero: Option<(Value, bool)>,
}

/// Whether a value counts as set: a pointer that is not nil, a list or map with entries, a scalar that is not zero.
pub(super) fn is_set(value: Option<&Node<'_>>) -> bool {
    value.is_some_and(|node| match node {
        Node::Unset => false,
        Node::List(items) => !items.is_empty(),
        Node::Map(entries) => !entries.is_empty(),
        Node::Bytes(bytes) => !bytes.is_empty(),
        // The zero value of a scalar is stored behind pointers alone, and a pointer to it is set.
        _ => true,
    })
}

/// Fails on unset values.
#[derive(Clone, Debug)]
struct Set {
    /// Whether unset values are errors, or only end what is done with the field.
    refuses: bool,
    example: Example,
}

impl Check for Set {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        if !is_set(at.value.as_ref()) {
            sink.report(|| FieldError::required(at.path, ""));
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Required, "")]
    }

    fn judges_nil(&self) -> bool {
        true
    }

    fn has_parameters(&self) -> bool {
        false
    }

    fn boundaries(&self) -> Vec<Boundary> {
        boundaries(self.refuses, false, &self.example)
    }

    fn faults(&self) -> Vec<Fault> {
        vec![Fault::judged("set and unset confused", self.clone(), |_, at, sink| {
            if is_set(at.value.as_ref()) {
                sink.report(|| FieldError::required(at.path, ""));
            }
        })]
    }

    fn fails_set(&self) -> bool {
        false
    }

    fn refuses_unset(&self) -> bool {
        true
    }
}

/// Fails on set values.
#[derive(Clone, Debug)]
struct Unset {
    example: Example,
}

impl Check for Unset {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        if is_set(at.value.as_ref()) {
            sink.report(|| FieldError::forbidden(at.path, ""));
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Forbidden, "")]
    }

    fn judges_nil(&self) -> bool {
        true
    }

    fn has_parameters(&self) -> bool {
        false
    }

    fn boundaries(&self) -> Vec<Boundary> {
        boundaries(false, true, &self.example)
    }

    fn fails_unset(&self) -> bool {
        false
    }

    fn faults(&self) -> Vec<Fault> {
        vec![Fault::judged("set and unset confused", self.clone(), |_, at, sink| {
            if !is_set(at.value.as_ref()) {
                sink.report(|| FieldError::forbidden(at.path, ""));
            }
        })]
    }
}

fn boundaries(unset_breaks: bool, set_breaks: bool, example: &Example) -> Vec<Boundary> {
    let mut all = vec![sample::unset(unset_breaks), sample::class("set", set_breaks, example.set.clone())];
    if let Some((zero, is_set)) = &example.zero {
        all.push(sample::class("zero", if *is_set { set_breaks } else { unset_breaks }, zero.clone()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_to_zero_is_set_and_an_empty_list_is_not() {
        for (node, set) in [
            (Node::Unset, false),
            (Node::Int(0), true),
            (Node::Text(""), true),
            (Node::Struct { fields: &[], pointer: true }, true),
            (Node::List(&[]), false),
            (Node::List(&[Node::Unset]), true),
            (Node::Map(&[]), false),
            (Node::Bytes(&[]), false),
        ] {
            assert_eq!(is_set(Some(&node)), set, "{node:?}");
        }
        assert!(!is_set(None));
    }
}
