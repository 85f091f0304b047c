//! `monotonic`: an integer that does not decrease.

use super::def::{TYPES_AND_FIELDS, TagDef, TagStability};
use super::limits::{integer_type, integer_value};
use super::sample::{class, unset};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::shape;
use crate::eval::{At, Check, Emission, Fault, Sink, integer};
use crate::grammar::Tag;
use serde_json::Value;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::rule::Boundary;

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "monotonic",
    stability: TagStability::Alpha,
    places: TYPES_AND_FIELDS,
    summary: "An integer never decreases on update.",
    semantics: "Integers and pointers to them. Compares with the old value when both exist; nil on either side is ignored.",
    errors: &["Invalid monotonic: may not be decreased from <old>"],
    example: "+k8s:monotonic",
    go: "@\n\
         Generation int64 `json:\"generation,omitempty\"`",
    compile: monotonic,
    ..TagDef::DEFAULT
}];

fn monotonic(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    integer_type(build, context)?;
    let pointer = shape::value_shape(build.schema(), context.ty) != shape::shape(build.schema(), context.ty);
    Ok(context.rule("monotonic", Monotonic { pointer }).into())
}

#[derive(Clone, Copy, Debug)]
struct Monotonic {
    /// Whether the value can be nil.
    pointer: bool,
}

impl Check for Monotonic {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let (Some(value), Some(old)) = (&at.value, &at.old) else { return };
        let (value, old) = (integer(value), integer(old));
        if value < old {
            sink.report(|| {
                FieldError::invalid(at.path, integer_value(value), format!("may not be decreased from {old}"))
                    .with_origin("monotonic")
            });
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Invalid, "monotonic")]
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let value = |name: &str, breaks, value: i32| class(name, breaks, Value::from(value));
        vec![value("higher", false, 7), value("lower", true, 6), value("zero", true, 0), unset(!self.pointer)]
    }

    fn update_only(&self) -> bool {
        true
    }

    fn has_parameters(&self) -> bool {
        false
    }

    fn judges_unchanged(&self) -> bool {
        false
    }

    /// That equal values are fine makes no difference: what did not change is not judged.
    fn faults(&self) -> Vec<Fault> {
        let judged = |name, fails: fn(i128, i128) -> bool| {
            Fault::judged(name, *self, move |_, at, sink| {
                let (Some(value), Some(old)) = (&at.value, &at.old) else { return };
                let value = integer(value);
                if fails(value, integer(old)) {
                    sink.report(|| FieldError::invalid(at.path, integer_value(value), "").with_origin("monotonic"));
                }
            })
        };
        vec![
            judged("increase and decrease confused", |value, old| value > old),
            judged("takes a decrease by one", |value, old| value + 1 < old),
        ]
    }
}
