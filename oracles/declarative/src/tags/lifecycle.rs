//! `alpha`, `beta`: how far a rule has come. They mark errors and change nothing else.

use super::def::{ArgDef, ArgKind, PayloadKind, TagDef, TagStability};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::grammar::Tag;
use takeover_harness::error::Stability;

const ARGS: &[ArgDef] = &[ArgDef {
    name: Some("since"),
    kind: ArgKind::Text,
    required: false,
    doc: "Kubernetes version of the mark, quoted: `\"1.36\"`",
}];

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "alpha",
        level: Some(Stability::Alpha),
        no_mutants: Some("a mark says who enforces a rule, and changes nothing in what it says"),
        stability: TagStability::Beta,
        args: ARGS,
        payload: PayloadKind::Tag,
        summary: "Marks the rule in its value as alpha: compared with handwritten code, never enforced.",
        semantics: "All errors of the rule carry the mark. Control flow does not change: an alpha rule that stops a field \
                    also stops standard rules of that field. Of nested wrappers the outermost counts. `owner` is taken as \
                    KEP-5073 proposes it, and refused in strict mode.",
        example: "+k8s:alpha(since: \"1.36\")=+k8s:minimum=0",
        go: "@\n\
             Replicas int32 `json:\"replicas,omitempty\"`",
        compile: |build, context, tag| mark(build, context, tag, Stability::Alpha),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "beta",
        level: Some(Stability::Beta),
        no_mutants: Some("a mark says who enforces a rule, and changes nothing in what it says"),
        stability: TagStability::Beta,
        args: ARGS,
        payload: PayloadKind::Tag,
        summary: "Marks the rule in its value as beta: enforced unless the feature gate for beta rules is off.",
        semantics: "As `alpha`, with the other mark.",
        example: "+k8s:beta(since: \"1.37\")=+k8s:required",
        go: "@\n\
             Name string `json:\"name\"`",
        compile: |build, context, tag| mark(build, context, tag, Stability::Beta),
        ..TagDef::DEFAULT
    },
];

fn mark(build: &mut Build<'_>, context: &Context, tag: &Tag, level: Stability) -> Result<Validations, Problem> {
    if let Some(since) = tag.named("since")
        && !is_version(since.as_text())
    {
        return Err(Problem::new(format!("`{}` is not a version such as \"1.36\"", since.as_text())));
    }
    let context = Context { level: Some(level), ..context.clone() };
    let inner = build.compile_inner(&context, tag)?;
    Ok(inner.wrap(move |rule, _| if rule.self_marked { rule } else { rule.marked(Some(level)) }))
}

fn is_version(text: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| number(major) && number(minor))
}
