//! `validateTrue`, `validateFalse`, `validateError` and variants: fixed results, for tests of the machinery.

use super::def::{ArgDef, ArgKind, PayloadKind, TagDef, TagStability};
use super::parse;
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::eval::{At, Check, Emission, Sink, text_value};
use crate::grammar::Tag;
use std::sync::Arc;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::to_value;
use takeover_harness::schema::{Kind, TypeId};

const fn text(name: &'static str, doc: &'static str) -> ArgDef {
    ArgDef { name: Some(name), kind: ArgKind::Text, required: false, doc }
}

const ARGS: &[ArgDef] = &[
    text("flags", "comma-separated: `ShortCircuit`, `NonError`"),
    text("typeArg", "Go type, for the compiler of generated code; nothing here"),
    text("cohort", "group of rules that stop together"),
];

const TRUE: TagDef = TagDef {
    stability: TagStability::Alpha,
    args: ARGS,
    payload: PayloadKind::OptionalText,
    summary: "Never fails; for tests.",
    semantics: "The rule exists and runs, with the flags and the cohort given.",
    compile: |build, context, tag| fixed(build, context, tag, true),
    ..TagDef::DEFAULT
};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "validateTrue",
        no_mutants: Some("never fails"),
        example: "+k8s:validateTrue=\"why\"",
        go: "@\nName string `json:\"name,omitempty\"`",
        ..TRUE
    },
    TagDef {
        name: "validateTrueAlpha",
        no_mutants: Some("never fails"),
        example: "+k8s:validateTrueAlpha=\"why\"",
        go: "@\nName string `json:\"name,omitempty\"`",
        ..TRUE
    },
    TagDef {
        name: "validateTrueBeta",
        no_mutants: Some("never fails"),
        stability: TagStability::Beta,
        example: "+k8s:validateTrueBeta=\"why\"",
        go: "@\n\
             Name string `json:\"name,omitempty\"`",
        ..TRUE
    },
    TagDef {
        name: "validateFalse",
        no_mutants: Some("always fails, so that it can be dropped and nothing else"),
        stability: TagStability::Alpha,
        args: ARGS,
        payload: PayloadKind::OptionalText,
        summary: "Always fails; for tests.",
        semantics: "Fails on every value, nil included, with the flags and the cohort given.",
        errors: &["Invalid validateFalse: forced failure: <text>"],
        example: "+k8s:validateFalse(flags: \"ShortCircuit\")=\"why\"",
        go: "@\n\
             Name string `json:\"name,omitempty\"`",
        compile: |build, context, tag| fixed(build, context, tag, false),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "validateError",
        no_mutants: Some("never compiles"),
        stability: TagStability::Alpha,
        payload: PayloadKind::OptionalText,
        summary: "Fails compilation; for tests.",
        semantics: "Types with this tag do not compile.",
        example: "+k8s:validateError=\"why\"",
        go: "@\n\
             Name string `json:\"name,omitempty\"`",
        compile: |_, _, tag| Err(Problem::new(format!("forced error: `{}`", parse::text(tag)))),
        ..TagDef::DEFAULT
    },
];

fn fixed(build: &mut Build<'_>, context: &Context, tag: &Tag, passes: bool) -> Result<Validations, Problem> {
    let name = match (passes, tag.name.strip_prefix(super::def::PREFIX)) {
        (false, _) => "validateFalse",
        (true, Some("validateTrueAlpha")) => "validateTrueAlpha",
        (true, Some("validateTrueBeta")) => "validateTrueBeta",
        (true, _) => "validateTrue",
    };
    let plain = matches!(build.schema().kind(context.ty), Kind::Text);
    let message = parse::text(tag).to_owned();
    let mut rule = context.rule(name, Fixed { passes, message, ty: context.ty, plain });
    for flag in tag.named("flags").map(|flags| flags.as_text().split(',')).into_iter().flatten() {
        match flag.trim() {
            "ShortCircuit" => rule.short_circuit = true,
            "NonError" => rule.non_error = true,
            other => return Err(Problem::new(format!("the flag `{other}` is not known"))),
        }
    }
    if let Some(cohort) = tag.named("cohort") {
        rule.cohort = Arc::from(cohort.as_text());
    }
    Ok(rule.into())
}

#[derive(Debug)]
struct Fixed {
    passes: bool,
    message: String,
    ty: TypeId,
    plain: bool,
}

impl Check for Fixed {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        if self.passes {
            return;
        }
        sink.report(|| {
            let bad = match &at.value {
                None => BadValue::Null,
                Some(node) if self.plain => text_value(false, node.text()),
                Some(node) => match to_value(at.schema, self.ty, node) {
                    // A named string or a pointer to a string is no plain string for Go.
                    serde_json::Value::String(text) => BadValue::json(serde_json::Value::String(text)),
                    value => BadValue::from(value),
                },
            };
            FieldError::invalid(at.path, bad, format!("forced failure: {}", self.message)).with_origin("validateFalse")
        });
    }

    fn reports(&self) -> Vec<Emission> {
        if self.passes { Vec::new() } else { vec![Emission::here(ErrorType::Invalid, "validateFalse")] }
    }

    fn judges_nil(&self) -> bool {
        true
    }
}
