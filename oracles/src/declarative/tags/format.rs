//! `format`: the syntax of strings.

use super::def::{PayloadKind, TagDef};
use super::{parse, sizes};
use crate::declarative::eval::{At, Check, Emission, Sink, text_value};
use crate::declarative::formats::Format;
use crate::declarative::grammar::Tag;
use crate::declarative::plan::build::{Build, Context};
use crate::declarative::plan::problem::Problem;
use crate::declarative::plan::rule::Validations;
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::rule::{Boundary, Sample};

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "format",
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
        Problem::new(format!("the format `{name}` is not known; known are {}", known.join(", ")))
    })?;
    Ok(context.rule("format", Syntax { format, named }).into())
}

#[derive(Debug)]
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

    fn boundaries(&self) -> Vec<Boundary> {
        let (good, bad) = self.format.samples();
        let boundary = |breaks: bool| {
            move |text: &&'static str| Boundary {
                class: format!("{} {text:?}", if breaks { "malformed" } else { "well-formed" }),
                breaks,
                sample: Sample::Value(Value::from(*text)),
            }
        };
        good.iter().map(boundary(false)).chain(bad.iter().map(boundary(true))).collect()
    }
}
