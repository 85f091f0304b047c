//! `minimum`, `maximum`: bounds of integers. `exclusiveMinimum`, `exclusiveMaximum`: the same as KEP-5073 proposes.

use super::def::{PayloadKind, Standing, TagDef};
use super::hints::Hints;
use super::parse;
use super::sample::class;
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::{At, Check, Emission, Fault, Sink, integer};
use crate::grammar::Tag;
use serde_json::Value;
use std::any::Any;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::rule::{Boundary, Unreachable};
use takeover_harness::schema::{Kind, Schema, TypeId};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "minimum",
        hints: Hints {
            never_fires: |schema, ty, tag| never_fires(schema, ty, tag, Side::Minimum),
            refuses_unset_alone: refuses_zero_alone,
            ..Hints::DEFAULT
        },
        payload: PayloadKind::Int,
        summary: "An integer must not be below the value.",
        semantics: "Integers and pointers to them; nil is ignored. The value must fit the Go type.",
        errors: &["Invalid minimum: must be greater than or equal to N"],
        example: "+k8s:minimum=0",
        go: "@\n\
             Replicas int32 `json:\"replicas,omitempty\"`",
        compile: |build, context, tag| bound(build, context, tag, Side::Minimum),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "maximum",
        hints: Hints { never_fires: |schema, ty, tag| never_fires(schema, ty, tag, Side::Maximum), ..Hints::DEFAULT },
        payload: PayloadKind::Int,
        summary: "An integer must not be above the value.",
        semantics: "Integers and pointers to them; nil is ignored. The value must fit the Go type.",
        errors: &["Invalid maximum: must be less than or equal to N"],
        example: "+k8s:maximum=100",
        go: "@\n\
             Percent int32 `json:\"percent,omitempty\"`",
        compile: |build, context, tag| bound(build, context, tag, Side::Maximum),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "exclusiveMinimum",
        payload: PayloadKind::Int,
        summary: "An integer must be above the value (KEP-5073 as proposed).",
        semantics: "As `minimum`, the bound itself excluded. No release of Kubernetes generates code for this tag.",
        errors: &["Invalid exclusiveMinimum: must be greater than N"],
        example: "+k8s:exclusiveMinimum=0",
        go: "@\n\
             Weight int32 `json:\"weight,omitempty\"`",
        standing: Standing::Proposed,
        compile: |build, context, tag| bound(build, context, tag, Side::ExclusiveMinimum),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "exclusiveMaximum",
        payload: PayloadKind::Int,
        summary: "An integer must be below the value (KEP-5073 as proposed).",
        semantics: "As `maximum`, the bound itself excluded. No release of Kubernetes generates code for this tag.",
        errors: &["Invalid exclusiveMaximum: must be less than N"],
        example: "+k8s:exclusiveMaximum=100",
        go: "@\n\
             Percent int32 `json:\"percent,omitempty\"`",
        standing: Standing::Proposed,
        compile: |build, context, tag| bound(build, context, tag, Side::ExclusiveMaximum),
        ..TagDef::DEFAULT
    },
];

/// Which bound, and whether it belongs to the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
        }
    }

    fn accepts(self, value: i128, bound: i128) -> bool {
        match self {
            Self::Minimum => value >= bound,
            Self::Maximum => value <= bound,
            Self::ExclusiveMinimum => value > bound,
            Self::ExclusiveMaximum => value < bound,
        }
    }

    fn detail(self, bound: i128) -> String {
        match self {
            Self::Minimum => format!("must be greater than or equal to {bound}"),
            Self::Maximum => format!("must be less than or equal to {bound}"),
            Self::ExclusiveMinimum => format!("must be greater than {bound}"),
            Self::ExclusiveMaximum => format!("must be less than {bound}"),
        }
    }
}

fn bound(build: &mut Build<'_>, context: &Context, tag: &Tag, side: Side) -> Result<Validations, Problem> {
    let (bits, signed) = integer_type(build, context)?;
    let bound = parse::bound(tag, bits, signed)?;
    Ok(context.rule(side.name(), Bound { side, bound, bits, signed }).into())
}

/// The range of an integer type.
fn held(schema: &Schema, ty: TypeId) -> Option<(i128, i128)> {
    match schema.native(ty).1 {
        Kind::Int { bits, signed } => {
            let span = 1i128 << (*bits).min(64);
            Some(if *signed { (-(span / 2), span / 2 - 1) } else { (0, span - 1) })
        }
        _ => None,
    }
}

/// Whether every value of the type is within the bounds.
fn never_fires(schema: &Schema, ty: Option<TypeId>, tag: &Tag, side: Side) -> Option<String> {
    let (bound, ty) = (parse::integer(tag)?, shape::non_pointer(schema, ty?));
    let (lowest, highest) = held(schema, ty)?;
    let go_type = shape::name(schema, ty);
    match side {
        Side::Minimum if bound <= lowest => Some(format!("no `{go_type}` is below {lowest}")),
        Side::Maximum if bound >= highest => Some(format!("no `{go_type}` is above {highest}")),
        _ => None,
    }
}

fn refuses_zero_alone(schema: &Schema, ty: TypeId, tag: &Tag) -> bool {
    parse::integer(tag) == Some(1) && held(schema, ty).is_some_and(|(lowest, _)| lowest == 0)
}

/// Width and sign of the integer under test.
pub(super) fn integer_type(build: &Build<'_>, context: &Context) -> Result<(u8, bool), Problem> {
    match shape::value_shape(build.schema(), context.ty) {
        Shape::Builtin(Builtin::Int { bits, signed }) => Ok((bits, signed)),
        _ => {
            let name = shape::name(build.schema(), context.ty);
            Err(Problem::new(format!("can be used on integers only, not on `{name}`")))
        }
    }
}

/// An integer as the bad value of an error.
pub(super) fn integer_value(value: i128) -> BadValue {
    match i64::try_from(value) {
        Ok(value) => BadValue::Int(value),
        Err(_) => BadValue::Uint(u64::try_from(value).unwrap_or(u64::MAX)),
    }
}

/// An integer as JSON.
pub(super) fn integer_json(value: i128) -> Value {
    integer_value(value).to_json()
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    side: Side,
    bound: i128,
    bits: u8,
    signed: bool,
}

impl Bound {
    /// Least and greatest value of the type.
    fn range(&self) -> (i128, i128) {
        let span = 1i128 << self.bits.min(64);
        if self.signed { (-(span / 2), span / 2 - 1) } else { (0, span - 1) }
    }

    fn classes(&self) -> [(&'static str, i128); 5] {
        let (lowest, highest) = self.range();
        [
            ("far below", lowest),
            ("below", self.bound - 1),
            ("on", self.bound),
            ("above", self.bound + 1),
            ("far above", highest),
        ]
    }
}

impl Check for Bound {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(node) = &at.value else { return };
        let value = integer(node);
        if !self.side.accepts(value, self.bound) {
            sink.report(|| {
                FieldError::invalid(at.path, integer_value(value), self.side.detail(self.bound))
                    .with_origin(self.side.name())
            });
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Invalid, self.side.name())]
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let (lowest, highest) = self.range();
        let values = self.classes().into_iter().filter(|(_, value)| (lowest..=highest).contains(value));
        values.map(|(name, value)| class(name, !self.side.accepts(value, self.bound), integer_json(value))).collect()
    }

    fn unreachable(&self) -> Vec<Unreachable> {
        let (lowest, highest) = self.range();
        let beyond = self.classes().into_iter().filter(|(_, value)| !(lowest..=highest).contains(value));
        beyond.map(|(name, value)| Unreachable::new(name, format!("the type does not hold {value}"))).collect()
    }

    /// Between integers, a bound that is taken in or left out by mistake is a bound off by one.
    fn faults(&self) -> Vec<Fault> {
        let (lowest, highest) = self.range();
        [("bound one higher", self.bound + 1), ("bound one lower", self.bound - 1)]
            .into_iter()
            .map(|(name, bound)| {
                // The two bounds tell values next to them apart, if the type has such values.
                let telling = (self.bound - 1..=self.bound + 1)
                    .filter(|value| (lowest..=highest).contains(value))
                    .filter(|value| self.side.accepts(*value, bound) != self.side.accepts(*value, self.bound));
                let telling: Vec<i128> = telling.collect();
                Fault::changed(name, Self { bound, ..*self })
                    .equivalent_if(telling.is_empty(), "no value of the type lies between the two bounds")
                    .on_unset_if(telling == [0])
            })
            .collect()
    }

    fn repeats(&self, other: &dyn Check) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| {
            self.side == other.side
                && match self.side {
                    Side::Minimum | Side::ExclusiveMinimum => self.bound >= other.bound,
                    Side::Maximum | Side::ExclusiveMaximum => self.bound <= other.bound,
                }
        })
    }

    fn can_fail(&self) -> bool {
        let (lowest, highest) = self.range();
        !self.side.accepts(lowest, self.bound) || !self.side.accepts(highest, self.bound)
    }

    fn fails_unset(&self) -> bool {
        !self.side.accepts(0, self.bound)
    }

    fn fails_set(&self) -> bool {
        let (lowest, highest) = self.range();
        [lowest, -1, 1, highest]
            .iter()
            .any(|value| *value != 0 && (lowest..=highest).contains(value) && !self.side.accepts(*value, self.bound))
    }
}
