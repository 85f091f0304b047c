//! `pattern`: strings that match a regular expression, as KEP-5073 proposes.

use super::def::{PayloadKind, Standing, TagDef};
use super::sample::class;
use super::{parse, sizes};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::eval::{At, Check, Emission, Fault, Sink, text_value};
use crate::grammar::Tag;
use regex::Regex;
use serde_json::Value;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::rule::{Boundary, Unreachable};

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "pattern",
    payload: PayloadKind::Text,
    summary: "A string matches a regular expression somewhere (KEP-5073 as proposed).",
    semantics: "Strings and pointers to them; nil is ignored. The expression is not anchored, as in OpenAPI. No release of \
                Kubernetes generates code for this tag.",
    errors: &["Invalid pattern: should match '<expression>'"],
    example: "+k8s:pattern=`^[a-z]+$`",
    go: "@\n\
         Name string `json:\"name\"`",
    standing: Standing::Proposed,
    compile: pattern,
    ..TagDef::DEFAULT
}];

/// Compiled expressions may take this much memory; hostile ones end in a diagnostic.
const SIZE_LIMIT: usize = 1 << 20;

/// Texts to try: each is matched by many expressions in use and refused by as many.
const TEXTS: &[&str] = &[
    "a",
    "1",
    "a1",
    "a-b",
    "ab",
    "abc",
    "A",
    "a.b",
    "a/b",
    "a:b",
    "1.2",
    "1.2.3",
    "v1",
    "v1.2.3",
    "a_b",
    "a@b.c",
    "12",
    "123",
    "#",
    "a b",
    " a",
    "a\n",
    "-a",
    "a-",
    "",
    "\u{e9}",
    "1a",
    "10.0.0.1",
    "10s",
    "http://a.b/c",
    "2026-01-02",
];

/// Samples on each side.
const MOST: usize = 4;

fn pattern(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let named = sizes::string_type(build, context)?;
    let text = parse::text(tag);
    let expression = regex::RegexBuilder::new(text)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| Problem::new(format!("`{text}` is not a regular expression: {error}")))?;
    Ok(context.rule("pattern", Pattern { expression, named }).into())
}

#[derive(Clone, Debug)]
struct Pattern {
    expression: Regex,
    named: bool,
}

impl Check for Pattern {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(node) = &at.value else { return };
        let value = node.text();
        if !self.expression.is_match(value) {
            sink.report(|| {
                let detail = format!("should match '{}'", self.expression.as_str());
                FieldError::invalid(at.path, text_value(self.named, value), detail).with_origin("pattern")
            });
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::here(ErrorType::Invalid, "pattern")]
    }

    fn faults(&self) -> Vec<Fault> {
        let text = self.expression.as_str();
        let loose = [("start not anchored", text.strip_prefix('^')), ("end not anchored", text.strip_suffix('$'))];
        let loose = loose.into_iter().filter_map(|(name, text)| {
            let expression = Regex::new(text?).ok()?;
            Some(Fault::changed(name, Self { expression, ..self.clone() }))
        });
        let inverted = Fault::judged("match and mismatch confused", self.clone(), |sound, at, sink| {
            let failures = sink.failures();
            sound.check(at, sink);
            if sink.failures() == failures && at.value.is_some() {
                sink.report(|| FieldError::invalid(at.path, "", "").with_origin("pattern"));
            }
        });
        loose.chain([inverted]).collect()
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let known = |text: &&&str| self.expression.is_match(text);
        let class = |name: &str, breaks, text: &str| class(format!("{name} {text:?}"), breaks, Value::from(text));
        let matching = TEXTS.iter().filter(known).take(MOST).map(|text| class("matching", false, text));
        let other = TEXTS.iter().filter(|text| !known(text)).take(MOST).map(|text| class("other", true, text));
        matching.chain(other).collect()
    }

    fn unreachable(&self) -> Vec<Unreachable> {
        let missing = [("matching", true), ("other", false)]
            .into_iter()
            .filter(|(_, matches)| TEXTS.iter().all(|text| self.expression.is_match(text) != *matches));
        missing.map(|(name, _)| Unreachable::new(name, "none of the texts tried is of it")).collect()
    }
}
