//! `ifEnabled`, `ifDisabled`: rules that depend on a validation option. `ifOptionEnabled`, `ifOptionDisabled`: their names
//! in KEP-5073.

use super::def::{ArgDef, ArgKind, PayloadKind, Standing, TagDef, TagScope};
use super::parse;
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, RuleFn};
use crate::grammar::Tag;
use std::sync::Arc;

const PLACES: &[TagScope] =
    &[TagScope::Type, TagScope::Field, TagScope::ListValue, TagScope::MapKey, TagScope::MapValue, TagScope::Constant];

const ARGS: &[ArgDef] = &[ArgDef { name: None, kind: ArgKind::Text, required: true, doc: "name of the option" }];

const SEMANTICS: &str = "An option that the request does not define fails with an internal error, which is not the same as \
                         off. A rule that stops its field still does.";

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "ifEnabled",
        condition: Some(true),
        places: PLACES,
        args: ARGS,
        payload: PayloadKind::Tag,
        summary: "Runs the rule in its value while an option is on.",
        semantics: SEMANTICS,
        errors: &["those of the rule", "InternalError: undefined validation option \"O\""],
        example: "+k8s:ifEnabled(NewMode)=+k8s:optional",
        go: "@\n\
             // +k8s:ifDisabled(NewMode)=+k8s:forbidden\n\
             Mode *string `json:\"mode,omitempty\"`",
        compile: |build, context, tag| depend(build, context, tag, true),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "ifDisabled",
        condition: Some(false),
        places: PLACES,
        args: ARGS,
        payload: PayloadKind::Tag,
        summary: "Runs the rule in its value while an option is off.",
        semantics: SEMANTICS,
        errors: &["those of the rule", "InternalError: undefined validation option \"O\""],
        example: "+k8s:ifDisabled(NewMode)=+k8s:forbidden",
        go: "// +k8s:ifEnabled(NewMode)=+k8s:optional\n\
             @\n\
             Mode *string `json:\"mode,omitempty\"`",
        compile: |build, context, tag| depend(build, context, tag, false),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "ifOptionEnabled",
        condition: Some(true),
        no_mutants: Some("those of `ifEnabled`"),
        places: PLACES,
        args: ARGS,
        payload: PayloadKind::Tag,
        summary: "Runs the rule in its value while an option is on (KEP-5073 as proposed).",
        semantics: "The KEP's name of `ifEnabled`.",
        errors: &["those of the rule", "InternalError: undefined validation option \"O\""],
        example: "+k8s:ifOptionEnabled(NewMode)=+k8s:optional",
        go: "@\n\
             Mode *string `json:\"mode,omitempty\"`",
        standing: Standing::Proposed,
        compile: |build, context, tag| depend(build, context, tag, true),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "ifOptionDisabled",
        condition: Some(false),
        no_mutants: Some("those of `ifDisabled`"),
        places: PLACES,
        args: ARGS,
        payload: PayloadKind::Tag,
        summary: "Runs the rule in its value while an option is off (KEP-5073 as proposed).",
        semantics: "The KEP's name of `ifDisabled`.",
        errors: &["those of the rule", "InternalError: undefined validation option \"O\""],
        example: "+k8s:ifOptionDisabled(NewMode)=+k8s:forbidden",
        go: "@\n\
             Mode *string `json:\"mode,omitempty\"`",
        standing: Standing::Proposed,
        compile: |build, context, tag| depend(build, context, tag, false),
        ..TagDef::DEFAULT
    },
];

fn depend(build: &mut Build<'_>, context: &Context, tag: &Tag, enabled: bool) -> Result<Validations, Problem> {
    let option: Arc<str> = Arc::from(parse::positional(tag)?);
    let inner = build.compile_inner(context, tag)?;
    Ok(inner.wrap(move |rule, _| {
        let body = Body::IfOption { option: Arc::clone(&option), enabled, inner: Box::new(rule.clone()) };
        RuleFn::around(body, &rule)
    }))
}
