//! `pattern`: strings that match a regular expression, as KEP-5073 proposes.

use super::def::{PayloadKind, Standing, TagDef};
use super::{parse, sizes};
use crate::declarative::eval::{At, Check, Emission, Fault, Sink, text_value};
use crate::declarative::grammar::Tag;
use crate::declarative::plan::build::{Build, Context};
use crate::declarative::plan::problem::Problem;
use crate::declarative::plan::rule::Validations;
use regex::Regex;
use takeover_harness::error::{ErrorType, FieldError};

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

fn pattern(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let named = sizes::string_type(build, context)?;
    let text = parse::text(tag);
    let expression = regex::RegexBuilder::new(text)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| Problem::new(format!("`{text}` is no regular expression: {error}")))?;
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
}
