//! `format`: the syntax of strings.

use super::def::{PayloadKind, Specificity, TagDef};
use super::sample::class;
use super::{parse, sizes};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::eval::{At, Check, Emission, Fault, Sink, text_value};
use crate::formats::Format;
use crate::grammar::Tag;
use serde_json::Value;
use std::sync::LazyLock;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::rule::Boundary;
use takeover_harness::text::nearest;

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "format",
    specificity: Specificity::Form,
    payload: PayloadKind::Text,
    summary: "A string follows a named syntax.",
    semantics: "Strings and pointers to them; nil is ignored, the empty string is not. One value can break several \
                parts of a syntax and gets an error for each. Syntaxes: `k8s-short-name`, `k8s-long-name`, \
                `k8s-long-name-caseless`, `k8s-label-key`, `k8s-prefixed-label-key`, `k8s-label-value`, \
                `k8s-path-segment-name`, `k8s-uuid`, `k8s-resource-pool-name`, `k8s-extended-resource-name`, \
                `k8s-resource-fully-qualified-name`.",
    errors: &["Invalid format=<name>: what the syntax asks for", "TooLong format=<name>: may not be more than N bytes"],
    example: "+k8s:format=k8s-long-name",
    go: "@\n\
         Name string `json:\"name\"`",
    compile: format,
    ..TagDef::DEFAULT
}];

fn format(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let named = sizes::string_type(build, context)?;
    let name = parse::text(tag);
    let format = Format::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        match nearest(name, known.iter().copied()) {
            Some(near) => Problem::new(format!("the format `{name}` is not known; did you mean `{near}`?")),
            None => Problem::new(format!("the format `{name}` is not known; known are {}", known.join(", "))),
        }
    })?;
    Ok(context.rule("format", Syntax { format, named }).into())
}

/// A name and whether a text is let pass.
type Lenience = (&'static str, fn(Format, &str) -> bool);

/// The longest sample and one that is too long.
type Edge = Option<(String, String)>;

/// What a lenient implementation lets pass, by the text that it takes for another.
const LENIENCES: &[Lenience] = &[
    ("takes a line break at the end", |format, text| text.strip_suffix('\n').is_some_and(|text| accepts(format, text))),
    ("takes upper case", |format, text| accepts(format, &text.to_ascii_lowercase())),
    ("takes the empty string", |_, text| text.is_empty()),
    ("takes one byte more", |format, text| {
        longest(format).is_some_and(|(_, longer)| {
            let shorter = text.strip_suffix(|last: char| last.is_ascii_alphanumeric());
            text.len() == longer.len() && shorter.is_some_and(|text| accepts(format, text))
        })
    }),
];

fn accepts(format: Format, text: &str) -> bool {
    let mut fine = true;
    format.check(text, &mut |_, _, _| fine = false);
    fine
}

/// Texts of a syntax and texts that break it.
fn samples(format: Format) -> impl Iterator<Item = (&'static str, bool)> {
    let (good, bad) = format.samples();
    let edge = longest(format).into_iter().flat_map(|(longest, longer)| [(longest, false), (longer, true)]);
    let edge = edge.filter(|(text, _)| !good.contains(text) && !bad.contains(text));
    good.iter().map(|text| (*text, false)).chain(bad.iter().map(|text| (*text, true))).chain(edge)
}

/// Beyond this length of a sample a syntax counts as one without a limit.
const LONGEST_SAMPLE: usize = 400;

/// The longest sample made by drawing out a good one, and the same with one byte more; none without a limit.
fn longest(format: Format) -> Option<(&'static str, &'static str)> {
    static EDGES: LazyLock<Vec<(Format, Edge)>> = LazyLock::new(|| {
        let edge = |format: Format| {
            let start = format.samples().0.iter().max_by_key(|text| text.len())?;
            let drawn = |more: usize| format!("{start}{}", "a".repeat(more));
            let more = (1..LONGEST_SAMPLE).find(|more| !accepts(format, &drawn(*more)))?;
            Some((drawn(more - 1), drawn(more)))
        };
        Format::ALL.iter().map(|format| (*format, edge(*format))).collect()
    });
    let (_, edge) = EDGES.iter().find(|(known, _)| *known == format)?;
    edge.as_ref().map(|(longest, longer)| (longest.as_str(), longer.as_str()))
}

#[derive(Clone, Copy, Debug)]
struct Syntax {
    format: Format,
    named: bool,
}

impl Check for Syntax {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(node) = &at.value else { return };
        let value = node.text();
        self.format.check(value, &mut |error_type, detail, bad| {
            sink.report(|| {
                let bad = match error_type {
                    ErrorType::TooLong => BadValue::OMITTED,
                    _ => text_value(self.named && bad.len() == value.len(), bad),
                };
                FieldError::new(error_type, at.path, bad, detail).with_origin(self.format.origin())
            });
        });
    }

    fn reports(&self) -> Vec<Emission> {
        let mut reports = vec![Emission::here(ErrorType::Invalid, self.format.origin())];
        if matches!(self.format, Format::ResourcePoolName | Format::ResourceFullyQualifiedName) {
            reports.push(Emission::here(ErrorType::TooLong, self.format.origin()));
        }
        reports
    }

    fn has_parameters(&self) -> bool {
        false
    }

    fn faults(&self) -> Vec<Fault> {
        let format = self.format;
        let lenient = |(name, forgives): &Lenience| {
            let forgives = *forgives;
            // A syntax that takes such texts anyway, or has other reasons against all of them, cannot err there.
            let telling = samples(format).filter(|(text, breaks)| *breaks && forgives(format, text));
            let telling: Vec<&str> = telling.map(|(text, _)| text).collect();
            (!telling.is_empty()).then(|| {
                let fault = Fault::judged(*name, *self, move |sound, at, sink| {
                    if !at.value.is_some_and(|value| forgives(format, value.text())) {
                        sound.check(at, sink);
                    }
                });
                fault.on_unset_if(telling.iter().all(|text| text.is_empty()))
            })
        };
        let strict = Fault::judged("takes one byte less", *self, move |sound, at, sink| {
            let longest = longest(format).map(|(longest, _)| longest);
            match &at.value {
                Some(value) if longest.is_some_and(|longest| value.text().len() >= longest.len()) => {
                    let (path, bad) = (at.path, value.text().to_owned());
                    sink.report(|| FieldError::invalid(path, bad, "too long").with_origin(format.origin()));
                }
                _ => sound.check(at, sink),
            }
        });
        let strict = longest(format).is_some().then_some(strict);
        LENIENCES.iter().filter_map(lenient).chain(strict).collect()
    }

    fn fails_unset(&self) -> bool {
        !accepts(self.format, "")
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let boundary = |(text, breaks): (&str, bool)| {
            let name = match (longest(self.format), breaks) {
                (Some((longest, _)), false) if text == longest => "longest".to_owned(),
                (Some((_, longer)), true) if text == longer => "one byte longer".to_owned(),
                (_, false) => format!("well-formed {text:?}"),
                (_, true) => format!("malformed {text:?}"),
            };
            class(name, breaks, Value::from(text))
        };
        samples(self.format).map(boundary).collect()
    }
}
