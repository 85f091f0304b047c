//! `neq`: a value that is not allowed.

use super::def::{PayloadKind, TagDef, TagStability};
use super::hints::Hints;
use super::limits::{integer_json, integer_value};
use super::parse;
use super::sample::class;
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::program::KeyValue;
use crate::eval::{At, Check, Emission, Fault, Sink, integer, quoted, text_value};
use crate::grammar::{Literal, Payload, Tag};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::rule::Boundary;
use takeover_harness::schema::{Kind, Schema, TypeId};

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "neq",
    hints: Hints { refuses_unset_alone: refuses_zero_alone, ..Hints::DEFAULT },
    stability: TagStability::Alpha,
    payload: PayloadKind::Scalar,
    summary: "A string, integer or bool must not equal the value.",
    semantics: "Pointers to them too; nil is ignored. The value must be of the type under test.",
    errors: &["Invalid neq: must not be equal to <value>"],
    example: "+k8s:neq=\"default\"",
    go: "@\n\
         Namespace string `json:\"namespace\"`",
    compile: neq,
    ..TagDef::DEFAULT
}];

fn neq(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    let named =
        !matches!(schema.kind(shape::non_pointer(schema, context.ty)), Kind::Text | Kind::Bool | Kind::Int { .. });
    let Payload::Literal(literal) = &tag.value else { return Err(Problem::new("a value is required")) };
    let refused = match (shape::value_shape(schema, context.ty), literal) {
        (Shape::Builtin(Builtin::Text), Literal::Text(text)) => KeyValue::Text(Arc::clone(text)),
        (Shape::Builtin(Builtin::Bool), Literal::Bool(value)) => KeyValue::Bool(*value),
        (Shape::Builtin(Builtin::Int { .. }), Literal::Int(text)) => KeyValue::Int(parse::canonical(text)?),
        _ => {
            let (name, found) = (shape::name(schema, context.ty), literal.type_name());
            return Err(Problem::new(format!("a value of type {found} cannot be compared with `{name}`")));
        }
    };
    Ok(context.rule("neq", Refused { refused, named }).into())
}

fn refuses_zero_alone(schema: &Schema, ty: TypeId, tag: &Tag) -> bool {
    let zero = match &tag.value {
        Payload::Literal(Literal::Text(text)) => text.is_empty(),
        Payload::Literal(Literal::Bool(value)) => !value,
        Payload::Literal(Literal::Int(_)) => parse::integer(tag) == Some(0),
        _ => false,
    };
    zero && matches!(shape::shape(schema, ty), Shape::Builtin(_))
}

#[derive(Clone, Debug)]
struct Refused {
    refused: KeyValue,
    named: bool,
}

impl Check for Refused {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(node) = &at.value else { return };
        let (equals, bad): (bool, &dyn Fn() -> (BadValue, String)) = match &self.refused {
            KeyValue::Text(text) => (node.text() == text.as_ref(), &|| (text_value(self.named, text), quoted(text))),
            KeyValue::Int(value) => {
                (integer(node) == i128::from(*value), &|| (integer_value(i128::from(*value)), value.to_string()))
            }
            KeyValue::Bool(value) => (node.bool() == *value, &|| (BadValue::Bool(*value), value.to_string())),
        };
        if equals {
            sink.report(|| {
                let (bad, shown) = bad();
                FieldError::invalid(at.path, bad, format!("must not be equal to {shown}")).with_origin("neq")
            });
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Invalid, "neq")]
    }

    fn faults(&self) -> Vec<Fault> {
        let refused = match &self.refused {
            KeyValue::Text(text) => KeyValue::Text(Arc::from(format!("{text}x"))),
            KeyValue::Int(value) => KeyValue::Int(value.wrapping_add(1)),
            KeyValue::Bool(value) => KeyValue::Bool(!*value),
        };
        vec![Fault::changed("rejects another value", Self { refused, ..self.clone() })]
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let (refused, other) = match &self.refused {
            KeyValue::Text(text) => (Value::from(text.as_ref()), Value::from(format!("{text}x"))),
            // One less: the largest value of a type has nothing above it.
            KeyValue::Int(value) if *value > 0 => (Value::from(*value), Value::from(*value - 1)),
            KeyValue::Int(value) => (Value::from(*value), integer_json(i128::from(*value) + 1)),
            KeyValue::Bool(value) => (Value::from(*value), Value::from(!*value)),
        };
        vec![class("equal", true, refused), class("other", false, other)]
    }
}
