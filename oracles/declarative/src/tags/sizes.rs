//! `minLength`, `maxLength`, `maxBytes`, `minItems`, `maxItems`, `minProperties`, `maxProperties`: how long and how many.

use super::def::{PayloadKind, Specificity, TYPES_AND_FIELDS, TagDef, TagScope};
use super::hints::Hints;
use super::parse;
use super::sample::{self, Recipe};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::{At, Check, Emission, Fault, Sink, text_value};
use crate::grammar::Tag;
use serde_json::Value;
use std::any::Any;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::Node;
use takeover_harness::rule::{Boundary, Unreachable};
use takeover_harness::schema::{Kind, Schema, TypeId};

const LISTS: &[TagScope] = &[TagScope::Type, TagScope::Field, TagScope::ListValue, TagScope::MapValue];

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "minLength",
        hints: Hints {
            never_fires,
            refuses_unset_alone: |schema, ty, tag| {
                refuses_empty_alone(tag, matches!(shape::shape(schema, ty), Shape::Builtin(_)))
            },
            ..Hints::DEFAULT
        },
        payload: PayloadKind::Int,
        summary: "A string has at least so many characters.",
        semantics: "Strings and pointers to them. Counts Unicode code points. Nil is ignored; the empty string is \
                    not, unless a requiredness tag stopped the field. Values up to 0 make no rule.",
        errors: &["TooShort minLength: must be at least N characters"],
        example: "+k8s:minLength=1",
        go: "@\n\
             Name string `json:\"name\"`",
        compile: |build, context, tag| length(build, context, tag, Measure::MinLength),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "maxLength",
        payload: PayloadKind::Int,
        summary: "A string has at most so many characters.",
        semantics: "Strings and pointers to them. Counts Unicode code points. Nil is ignored. The value must not be \
                    negative.",
        errors: &["TooLong maxLength: may not be more than N characters"],
        example: "+k8s:maxLength=253",
        go: "@\n\
             Name string `json:\"name\"`",
        compile: |build, context, tag| length(build, context, tag, Measure::MaxLength),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "maxBytes",
        payload: PayloadKind::Int,
        summary: "A string has at most so many bytes.",
        semantics: "Strings and pointers to them. Counts bytes of UTF-8. Nil is ignored. The value must not be negative.",
        errors: &["TooLong maxBytes: may not be more than N bytes"],
        example: "+k8s:maxBytes=1024",
        go: "@\n\
             Message string `json:\"message\"`",
        compile: |build, context, tag| length(build, context, tag, Measure::MaxBytes),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "minItems",
        hints: Hints {
            never_fires,
            refuses_unset_alone: |schema, ty, tag| {
                refuses_empty_alone(tag, matches!(shape::shape(schema, ty), Shape::List(_)))
            },
            ..Hints::DEFAULT
        },
        specificity: Specificity::Whole,
        places: LISTS,
        payload: PayloadKind::Int,
        summary: "A list has at least so many elements.",
        semantics: "Lists by value, not behind a pointer. A nil list has none. The value must not be negative.",
        errors: &["TooFew minItems: must have at least N items"],
        example: "+k8s:minItems=1",
        go: "@\n\
             Args []string `json:\"args,omitempty\"`",
        compile: |build, context, tag| items(build, context, tag, Measure::MinItems),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "maxItems",
        places: LISTS,
        payload: PayloadKind::Int,
        summary: "A list has at most so many elements.",
        semantics: "Lists by value, not behind a pointer. Fails before other rules and stops them, so that a list that is \
                    too long is not looked into.",
        errors: &["TooMany maxItems: must have at most N items"],
        example: "+k8s:maxItems=16",
        go: "@\n\
             Args []string `json:\"args,omitempty\"`",
        compile: |build, context, tag| items(build, context, tag, Measure::MaxItems),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "minProperties",
        hints: Hints {
            never_fires,
            refuses_unset_alone: |schema, ty, tag| {
                refuses_empty_alone(tag, matches!(shape::shape(schema, ty), Shape::Map { .. }))
            },
            ..Hints::DEFAULT
        },
        specificity: Specificity::Whole,
        places: TYPES_AND_FIELDS,
        payload: PayloadKind::Int,
        summary: "A map has at least so many entries.",
        semantics: "Maps with string keys. A nil map has none. The value is 100,000 at most.",
        errors: &["TooFew minProperties: must have at least N items"],
        example: "+k8s:minProperties=1",
        go: "@\n\
             Labels map[string]string `json:\"labels,omitempty\"`",
        compile: |build, context, tag| properties(build, context, tag, Measure::MinProperties),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "maxProperties",
        places: TYPES_AND_FIELDS,
        payload: PayloadKind::Int,
        summary: "A map has at most so many entries.",
        semantics: "Maps with string keys. Fails before other rules and stops them. The value is 100,000 at most.",
        errors: &["TooMany maxProperties: must have at most N items"],
        example: "+k8s:maxProperties=64",
        go: "@\n\
             Labels map[string]string `json:\"labels,omitempty\"`",
        compile: |build, context, tag| properties(build, context, tag, Measure::MaxProperties),
        ..TagDef::DEFAULT
    },
];

/// The largest bound of `minProperties` and `maxProperties`.
const MOST_PROPERTIES: i64 = 100_000;

/// Samples for the generator have no more elements or entries than this.
const MOST_ELEMENTS: usize = 2_000;

/// Samples for the generator have different elements up to this limit.
const MOST_DISTINCT: usize = 64;

/// Samples for the generator are no longer texts than this.
const LONGEST_TEXT: usize = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    MinLength,
    MaxLength,
    MaxBytes,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::MaxBytes => "maxBytes",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::MinProperties => "minProperties",
            Self::MaxProperties => "maxProperties",
        }
    }

    fn is_minimum(self) -> bool {
        matches!(self, Self::MinLength | Self::MinItems | Self::MinProperties)
    }

    fn error_type(self) -> ErrorType {
        match self {
            Self::MinLength => ErrorType::TooShort,
            Self::MaxLength | Self::MaxBytes => ErrorType::TooLong,
            Self::MinItems | Self::MinProperties => ErrorType::TooFew,
            Self::MaxItems | Self::MaxProperties => ErrorType::TooMany,
        }
    }

    fn detail(self, limit: usize) -> String {
        let unit = match self {
            Self::MinLength | Self::MaxLength => "character",
            Self::MaxBytes => "byte",
            _ => "item",
        };
        let plural = if limit == 1 { "" } else { "s" };
        let lead = match self {
            Self::MinLength => "must be at least",
            Self::MaxLength | Self::MaxBytes => "may not be more than",
            Self::MinItems | Self::MinProperties => "must have at least",
            Self::MaxItems | Self::MaxProperties => "must have at most",
        };
        format!("{lead} {limit} {unit}{plural}")
    }

    /// Whether a value keeps the limit.
    fn accepts(self, node: &Node<'_>, limit: usize) -> bool {
        let text = node.text();
        match self {
            // A text has as many bytes as characters at least, so short texts need no counting.
            Self::MaxLength => text.len() <= limit || text.chars().count() <= limit,
            Self::MaxBytes => text.len() <= limit,
            Self::MinLength => text.len() >= limit && text.chars().count() >= limit,
            Self::MinItems | Self::MinProperties => count(node) >= limit,
            Self::MaxItems | Self::MaxProperties => count(node) <= limit,
        }
    }
}

/// Number of elements or entries.
fn count(node: &Node<'_>) -> usize {
    match node {
        Node::List(items) => items.len(),
        Node::Map(entries) => entries.len(),
        Node::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Whether the string under test is of a named type; refuses what is not a string.
pub(super) fn string_type(build: &Build<'_>, context: &Context) -> Result<bool, Problem> {
    let schema = build.schema();
    if shape::value_shape(schema, context.ty) == Shape::Builtin(Builtin::Text) {
        return Ok(!matches!(schema.kind(shape::non_pointer(schema, context.ty)), Kind::Text));
    }
    let name = shape::name(schema, context.ty);
    Err(Problem::new(format!("can be used on strings only, not on `{name}`")))
}

fn length(build: &mut Build<'_>, context: &Context, tag: &Tag, measure: Measure) -> Result<Validations, Problem> {
    let named = string_type(build, context)?;
    if measure == Measure::MinLength && parse::canonical(parse::text(tag))? <= 0 {
        return Ok(Validations::default());
    }
    let limit = parse::size(tag, i64::MAX)?;
    Ok(context.rule(measure.name(), Size { measure, limit, named, samples: Samples::Text }).into())
}

fn items(build: &mut Build<'_>, context: &Context, tag: &Tag, measure: Measure) -> Result<Validations, Problem> {
    let schema = build.schema();
    let Shape::List(element) = shape::shape(schema, context.ty) else {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on lists only, not on `{name}`")));
    };
    let limit = parse::size(tag, i64::MAX)?;
    let samples = match element {
        Some(element) => {
            let recipe = Recipe::of_elements(build, context, element);
            // Elements that differ have an order; to make many of them is not worth that.
            let alike = limit <= MOST_DISTINCT && recipe.value(0) == recipe.value(1);
            Samples::List(if alike { Recipe::distinct(build, element) } else { recipe })
        }
        None => Samples::Bytes,
    };
    let rule = context.rule(measure.name(), Size { measure, limit, named: false, samples });
    Ok(if measure == Measure::MaxItems { rule.short_circuit() } else { rule }.into())
}

fn properties(build: &mut Build<'_>, context: &Context, tag: &Tag, measure: Measure) -> Result<Validations, Problem> {
    let schema = build.schema();
    let Shape::Map { value, .. } = shape::shape(schema, context.ty) else {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on maps only, not on `{name}`")));
    };
    let samples = Samples::Map(Recipe::of(build, value));
    let limit = parse::size(tag, MOST_PROPERTIES)?;
    let rule = context.rule(measure.name(), Size { measure, limit, named: false, samples });
    Ok(if measure == Measure::MaxProperties { rule.short_circuit() } else { rule }.into())
}

fn never_fires(_: &Schema, _: Option<TypeId>, tag: &Tag) -> Option<String> {
    parse::integer(tag).filter(|limit| *limit <= 0).map(|_| "nothing is shorter than 0".to_owned())
}

/// Whether the empty value, which is unset where the type `fits`, is all that is too small.
fn refuses_empty_alone(tag: &Tag, fits: bool) -> bool {
    fits && parse::integer(tag) == Some(1)
}

#[derive(Clone, Debug)]
struct Size {
    measure: Measure,
    limit: usize,
    named: bool,
    /// What values of a given size are made of.
    samples: Samples,
}

/// Values that a sample is made of.
#[derive(Clone, Debug, PartialEq)]
enum Samples {
    Text,
    Bytes,
    List(Recipe),
    Map(Recipe),
}

impl Samples {
    /// How large a sample may be.
    fn largest(&self) -> usize {
        match self {
            Self::Text | Self::Bytes => LONGEST_TEXT,
            Self::List(_) | Self::Map(_) => MOST_ELEMENTS,
        }
    }

    /// A value of this size.
    fn of_size(&self, size: usize) -> Value {
        match self {
            Self::Text => Value::from("a".repeat(size)),
            Self::Bytes => sample::bytes(size),
            Self::List(element) => (0..size).map(|index| element.value(index)).collect(),
            Self::Map(value) => Value::Object((0..size).map(|index| (format!("a{index}"), value.value(0))).collect()),
        }
    }
}

impl Check for Size {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(node) = &at.value else { return };
        if self.measure.accepts(node, self.limit) {
            return;
        }
        sink.report(|| {
            let bad = match self.measure {
                Measure::MaxLength | Measure::MaxBytes => BadValue::OMITTED,
                Measure::MinLength => text_value(self.named, node.text()),
                _ => BadValue::from(count(node)),
            };
            FieldError::new(self.measure.error_type(), at.path, bad, self.measure.detail(self.limit))
                .with_origin(self.measure.name())
        });
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(self.measure.error_type(), self.measure.name())]
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let fit = self.classes().into_iter().filter(|class| class.size <= self.samples.largest());
        fit.map(|class| {
            let value = if class.wide {
                // Two-byte characters, so many that counting bytes gives another answer than counting characters.
                Value::from("\u{e9}".repeat(class.size))
            } else {
                self.samples.of_size(class.size)
            };
            sample::class(class.name, class.breaks, value)
        })
        .collect()
    }

    fn unreachable(&self) -> Vec<Unreachable> {
        let large = self.classes().into_iter().filter(|class| class.size > self.samples.largest());
        large
            .map(|class| {
                let (size, largest) = (class.size, self.samples.largest());
                Unreachable::new(class.name, format!("of size {size}, and samples are no larger than {largest}"))
            })
            .collect()
    }

    fn faults(&self) -> Vec<Fault> {
        let limits = [("limit one higher", self.limit.checked_add(1)), ("limit one lower", self.limit.checked_sub(1))];
        let shifted = limits.into_iter().filter_map(|(name, limit)| {
            let fault = Fault::changed(name, Self { limit: limit?, ..self.clone() });
            Some(fault.on_unset_if(self.measure.is_minimum() && limit == Some(0)))
        });
        let other = match self.measure {
            Measure::MaxLength => Some(("counts bytes", Measure::MaxBytes)),
            Measure::MaxBytes => Some(("counts characters", Measure::MaxLength)),
            _ => None,
        };
        let unit = other.map(|(name, measure)| {
            let (origin, counting) = (self.measure.name(), Self { measure, ..self.clone() });
            let fault = Fault::judged(name, self.clone(), move |_, at, sink| {
                let from = sink.len();
                counting.check(at, sink);
                for error in sink.since_mut(from) {
                    error.origin = origin.into();
                }
            });
            fault.equivalent_if(self.limit == 0, "no bytes are no characters")
        });
        let of_list = matches!(self.measure, Measure::MinItems | Measure::MaxItems);
        let unordered = of_list.then(|| {
            let fault = Fault::unordered(self.clone());
            match self.measure {
                // A list of none or one has one order.
                Measure::MinItems => fault.equivalent_if(self.limit <= 2, "a list that is too short has one order"),
                _ => fault,
            }
        });
        shifted.chain(unit).chain(unordered).collect()
    }

    fn repeats(&self, other: &dyn Check) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| {
            let minimum = self.measure.is_minimum();
            self.measure == other.measure && if minimum { self.limit >= other.limit } else { self.limit <= other.limit }
        })
    }

    fn can_fail(&self) -> bool {
        !self.measure.is_minimum() || self.limit > 0
    }

    fn fails_unset(&self) -> bool {
        self.measure.is_minimum() && self.limit > 0
    }

    fn fails_set(&self) -> bool {
        !self.measure.is_minimum() || self.limit > 1
    }
}

/// Values of one size.
struct Class {
    name: &'static str,
    size: usize,
    breaks: bool,
    /// Whether the characters are of more than one byte.
    wide: bool,
}

impl Size {
    /// The classes that a limit tells apart; without those of sizes that do not exist.
    fn classes(&self) -> Vec<Class> {
        let limit = self.limit;
        let class = |name, size: Option<usize>, breaks| size.map(|size| Class { name, size, breaks, wide: false });
        let mut all = if self.measure.is_minimum() {
            vec![
                class("inside", limit.checked_add(1), false),
                class("below", limit.checked_sub(1), true),
                class("on", Some(limit), false),
                class("empty", (limit > 1).then_some(0), true),
            ]
        } else {
            vec![
                // The smallest first: the generator takes it for objects that are to be valid.
                class("inside", (limit > 1).then_some(1), false),
                class("on", Some(limit), false),
                class("above", limit.checked_add(1), true),
                class("far above", limit.checked_mul(2).filter(|far| *far > limit.saturating_add(1)), true),
            ]
        };
        let wide = match self.measure {
            Measure::MaxLength | Measure::MaxBytes => Some(limit),
            Measure::MinLength => limit.checked_sub(1),
            _ => None,
        };
        let wide = wide.filter(|size| *size > 0);
        let breaks = self.measure != Measure::MaxLength;
        all.push(wide.map(|size| Class { name: "wide characters", size, breaks, wide: true }));
        all.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stand_on_both_sides_of_the_limit() {
        for (measure, samples, expected) in [
            (
                Measure::MinLength,
                Samples::Text,
                vec![("inside", false), ("below", true), ("on", false), ("empty", true), ("wide characters", true)],
            ),
            (
                Measure::MaxLength,
                Samples::Text,
                vec![
                    ("inside", false),
                    ("on", false),
                    ("above", true),
                    ("far above", true),
                    ("wide characters", false),
                ],
            ),
            (
                Measure::MaxBytes,
                Samples::Text,
                vec![("inside", false), ("on", false), ("above", true), ("far above", true), ("wide characters", true)],
            ),
            (
                Measure::MaxItems,
                Samples::List(Recipe::Text),
                vec![("inside", false), ("on", false), ("above", true), ("far above", true)],
            ),
            (
                Measure::MinProperties,
                Samples::Map(Recipe::Bool),
                vec![("inside", false), ("below", true), ("on", false), ("empty", true)],
            ),
        ] {
            let boundaries = Size { measure, limit: 2, named: false, samples }.boundaries();
            let found: Vec<(&str, bool)> =
                boundaries.iter().map(|boundary| (boundary.class.as_str(), boundary.breaks)).collect();
            assert_eq!(found, expected, "{measure:?}");
        }
    }
}
