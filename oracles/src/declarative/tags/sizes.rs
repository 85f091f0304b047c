//! `minLength`, `maxLength`, `maxBytes`, `minItems`, `maxItems`, `minProperties`, `maxProperties`: how long and how many.

use super::def::{PayloadKind, Place, TYPES_AND_FIELDS, TagDef};
use super::parse;
use crate::declarative::eval::{At, Check, Emission, Fault, Sink, text_value};
use crate::declarative::grammar::Tag;
use crate::declarative::plan::build::{Build, Context};
use crate::declarative::plan::problem::Problem;
use crate::declarative::plan::rule::Validations;
use crate::declarative::plan::shape::{self, Builtin, Shape};
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::Node;
use takeover_harness::rule::{Boundary, Sample};
use takeover_harness::schema::Kind;

const LISTS: &[Place] = &[Place::Type, Place::Field, Place::ListValue, Place::MapValue];

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "minLength",
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

/// Samples for the generator stay below this size.
const LARGEST_SAMPLE: usize = 2_000;

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
    let is_text = |ty| shape::value_shape(schema, ty) == Shape::Builtin(Builtin::Text);
    let samples = if element.is_some_and(is_text) { Samples::TextList } else { Samples::None };
    let limit = parse::size(tag, i64::MAX)?;
    let rule = context.rule(measure.name(), Size { measure, limit, named: false, samples });
    Ok(if measure == Measure::MaxItems { rule.short_circuit() } else { rule }.into())
}

fn properties(build: &mut Build<'_>, context: &Context, tag: &Tag, measure: Measure) -> Result<Validations, Problem> {
    let schema = build.schema();
    let Shape::Map { value, .. } = shape::shape(schema, context.ty) else {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on maps only, not on `{name}`")));
    };
    let is_text = shape::value_shape(schema, value) == Shape::Builtin(Builtin::Text);
    let samples = if is_text { Samples::TextMap } else { Samples::None };
    let limit = parse::size(tag, MOST_PROPERTIES)?;
    let rule = context.rule(measure.name(), Size { measure, limit, named: false, samples });
    Ok(if measure == Measure::MaxProperties { rule.short_circuit() } else { rule }.into())
}

#[derive(Clone, Copy, Debug)]
struct Size {
    measure: Measure,
    limit: usize,
    named: bool,
    /// What values of a given size can be made of, without knowing more than the type.
    samples: Samples,
}

/// Values that a sample can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Samples {
    Text,
    TextList,
    TextMap,
    None,
}

impl Samples {
    /// A value of this size.
    fn of_size(self, size: usize) -> Option<Value> {
        match self {
            Self::Text => Some(Value::from("a".repeat(size))),
            Self::TextList => Some((0..size).map(|index| Value::from(format!("a{index}"))).collect()),
            Self::TextMap => {
                let entries = (0..size).map(|index| (format!("a{index}"), Value::from("a")));
                Some(Value::Object(entries.collect()))
            }
            Self::None => None,
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
        let below = if self.measure.is_minimum() { self.limit.checked_sub(1) } else { None };
        let above = if self.measure.is_minimum() { None } else { self.limit.checked_add(1) };
        let sizes = [("below", below), ("on", Some(self.limit)), ("above", above)];
        let sized = sizes.into_iter().filter_map(|(class, size)| {
            let size = size.filter(|size| *size <= LARGEST_SAMPLE)?;
            let sample = Sample::Value(self.samples.of_size(size)?);
            Some(Boundary { class: class.to_owned(), breaks: class != "on", sample })
        });
        // As many two-byte characters as the limit allows characters: too many bytes, but not too long.
        let wide = matches!(self.measure, Measure::MaxLength | Measure::MaxBytes)
            && (1..=LARGEST_SAMPLE).contains(&self.limit);
        let wide = wide.then(|| Boundary {
            class: "wide characters".to_owned(),
            breaks: self.measure == Measure::MaxBytes,
            sample: Sample::Value(Value::from("\u{e9}".repeat(self.limit))),
        });
        sized.chain(wide).collect()
    }

    fn faults(&self) -> Vec<Fault> {
        let limits = [("limit one higher", self.limit.checked_add(1)), ("limit one lower", self.limit.checked_sub(1))];
        let shifted = limits.into_iter().filter_map(|(name, limit)| {
            let fault = Fault::changed(name, Self { limit: limit?, ..*self });
            Some(fault.on_unset_if(self.measure.is_minimum() && limit == Some(0)))
        });
        let other = match self.measure {
            Measure::MaxLength => Some(("counts bytes", Measure::MaxBytes)),
            Measure::MaxBytes => Some(("counts characters", Measure::MaxLength)),
            _ => None,
        };
        let unit = other.map(|(name, measure)| {
            let (sound, counting) = (*self, Self { measure, ..*self });
            let fault = Fault::judged(name, sound, move |_, at, sink| {
                let from = sink.len();
                counting.check(at, sink);
                for error in sink.since_mut(from) {
                    error.origin = sound.measure.name().into();
                }
            });
            fault.equivalent_if(self.limit == 0, "no bytes are no characters")
        });
        let of_list = matches!(self.measure, Measure::MinItems | Measure::MaxItems);
        let unordered = of_list.then(|| {
            let fault = Fault::unordered(*self);
            match self.measure {
                // A list of none or one has one order.
                Measure::MinItems => fault.equivalent_if(self.limit <= 2, "a list that is too short has one order"),
                _ => fault,
            }
        });
        shifted.chain(unit).chain(unordered).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stand_on_both_sides_of_the_limit() {
        for (measure, samples, expected) in [
            (Measure::MinLength, Samples::Text, vec![("below", true), ("on", false)]),
            (Measure::MaxLength, Samples::Text, vec![("on", false), ("above", true), ("wide characters", false)]),
            (Measure::MaxBytes, Samples::Text, vec![("on", false), ("above", true), ("wide characters", true)]),
            (Measure::MaxItems, Samples::TextList, vec![("on", false), ("above", true)]),
            (Measure::MinProperties, Samples::TextMap, vec![("below", true), ("on", false)]),
            (Measure::MaxItems, Samples::None, vec![]),
        ] {
            let boundaries = Size { measure, limit: 2, named: false, samples }.boundaries();
            let found: Vec<(&str, bool)> =
                boundaries.iter().map(|boundary| (boundary.class.as_str(), boundary.breaks)).collect();
            assert_eq!(found, expected, "{measure:?}");
        }
    }
}
