//! `subfield`: rules on a member of a struct, from outside.

use super::def::{ArgDef, ArgKind, PayloadKind, TagDef};
use super::hints::Hints;
use super::{opaque, parse};
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::{Context, MemberRef};
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, RuleFn};
use crate::compile::shape::{self, Shape};
use crate::grammar::Tag;
use crate::tags::TagScope;
use std::collections::HashSet;
use std::sync::Arc;
use takeover_harness::schema::{Schema, TypeId};

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "subfield",
    hints: Hints { waits: true, part: member, ..Hints::DEFAULT },
    no_mutants: Some("the rule that it wraps has them, at the member"),
    args: &[ArgDef { name: None, kind: ArgKind::Text, required: true, doc: "JSON name of a direct member" }],
    payload: PayloadKind::Tag,
    summary: "Applies the rule in its value to a member of a struct.",
    semantics: "On structs and pointers to structs. Skipped on updates that leave the member as it was. Rules of one \
                member form a group: a rule that stops, stops the group and nothing else. Rules of the member itself \
                that stop its field (such as `optional`) also gate the group, without reporting. Not below another \
                `subfield`. A nil pointer that no requiredness tag stops makes generated code panic.",
    errors: &["those of the rule, at `.member`"],
    example: "+k8s:subfield(name)=+k8s:format=k8s-long-name",
    go: "type Example struct {\n\
         \t@\n\
         \tTemplate Template `json:\"template\"`\n\
         }\n\n\
         type Template struct {\n\
         \tName string `json:\"name\"`\n\
         }",
    compile: subfield,
    ..TagDef::DEFAULT
}];

/// Members whose own rules were inherited already, by path.
#[derive(Default)]
struct State {
    inherited: HashSet<Arc<str>>,
}

fn subfield(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    if tag.chain().skip(1).any(|inner| inner.name == tag.name) {
        return Err(Problem::new("cannot be nested; put the rule on the inner type"));
    }
    let schema = build.schema();
    let struct_type = match shape::as_struct(schema, context.ty) {
        Some((ty, _)) => ty,
        None if shape::value_shape(schema, context.ty) == Shape::Struct => {
            let name = shape::name(schema, context.ty);
            return Err(Problem::new(format!("the members of `{name}` are not known")));
        }
        None => {
            let name = shape::name(schema, context.ty);
            return Err(Problem::new(format!("can be used on structs only, not on `{name}`")));
        }
    };
    let name = parse::positional(tag)?;
    let (slot, field) = shape::member(schema, struct_type, name).ok_or_else(|| {
        let known = shape::members(schema, struct_type);
        Problem::misspelt(format!("there is no direct member `{name}`"), name, known)
    })?;
    let member = MemberRef { owner: struct_type, slot };
    let inner_context = Context {
        place: TagScope::Field,
        ty: field.ty,
        path: Arc::from(format!("{}.{name}", context.path)),
        member: Some(member),
        parent_path: Some(Arc::clone(&context.path)),
        parent: Some(context.ty),
        selector: None,
        ..context.clone()
    };
    let own = build.compile_inner(&inner_context, tag)?;
    let (name, ty, outer): (Arc<str>, _, _) = (Arc::from(name), field.ty, context.clone());
    // Whether the member's own rules are inherited depends on opacity, which a tag further down may say.
    let work = move |build: &mut Build<'_>| {
        let mut all = own;
        if !opaque::is_opaque(build, &outer) {
            all.add(inherited(build, &inner_context));
        }
        let mut wrapped = all.wrap(move |rule, scope| {
            // Rules of the whole struct need no member.
            if scope == Scope::Parent {
                return rule;
            }
            let body = Body::Subfield { slot, ty, name: Arc::clone(&name), inner: Box::new(rule.clone()) };
            RuleFn::around(body, &rule).in_cohort(&name)
        });
        wrapped.deferred = wrapped
            .deferred
            .into_iter()
            .map(|deferred| Deferred::new(Scope::Here, move |build| deferred.run(build)))
            .collect();
        Ok(wrapped)
    };
    Ok(Deferred::new(Scope::Here, work).into())
}

/// The rules of the member itself that stop its field, as silent gates; once per place.
fn inherited(build: &mut Build<'_>, context: &Context) -> Validations {
    if !build.notes::<State>().inherited.insert(Arc::clone(&context.path)) {
        return Validations::default();
    }
    let Some((_, info)) = context.member.and_then(|member| build.field(member)) else { return Validations::default() };
    let context = Context { level: None, ..context.clone() };
    let mut gates = Validations::default();
    for (tag, line) in build.parse(&info.tags) {
        let context = Context { line: Arc::clone(&line), ..context.clone() };
        // What is wrong with the member's own tags is reported where the member stands.
        if let Ok(validations) = build.compile(&context, &tag) {
            gates.add(silent_gates(validations));
        }
    }
    gates
}

fn silent_gates(validations: Validations) -> Validations {
    let gate = |rule: RuleFn| rule.short_circuit.then(|| unattributed(rule.silent()));
    let deferred = validations
        .deferred
        .into_iter()
        .map(|deferred| Deferred::new(deferred.scope, move |build| Ok(silent_gates(deferred.run(build)?))));
    Validations {
        rules: validations.rules.into_iter().filter_map(gate).collect(),
        deferred: deferred.collect(),
        ..Validations::default()
    }
}

/// A gate is no rule of its own: what it judges counts where the member stands.
fn unattributed(rule: RuleFn) -> RuleFn {
    RuleFn { source: None, ..rule }
}

/// The type of the member.
fn member(schema: &Schema, ty: TypeId, tag: &Tag) -> Option<TypeId> {
    shape::member(schema, ty, tag.positional()?.as_text()).map(|(_, field)| field.ty)
}
