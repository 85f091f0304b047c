//! `eachVal`, `eachKey`: rules on every element, value or key.

use super::def::{PayloadKind, TagDef, TagScope};
use super::hints::Hints;
use super::list_kind;
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, RuleFn};
use crate::compile::shape::{self, Shape};
use crate::grammar::Tag;
use std::sync::Arc;
use takeover_harness::schema::{Schema, TypeId};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "eachVal",
        hints: Hints { waits: true, part: element, ..Hints::DEFAULT },
        payload: PayloadKind::Tag,
        summary: "Applies the rule in its value to every element of a list or value of a map.",
        semantics: "On updates elements are skipped that were there before: elements of a set, unchanged elements of \
                    a map list with the same keys, unchanged map values under the same key. Other elements are judged \
                    without an old value, so `eachVal=immutable` fails on new ones too. Nil elements are skipped. A \
                    value that makes no rule (such as `minLength=0`) is refused.",
        errors: &["those of the rule, at `[index]` or `[key]`"],
        example: "+k8s:eachVal=+k8s:maxLength=64",
        go: "@\n\
             Args []string `json:\"args,omitempty\"`",
        compile: each_val,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "eachKey",
        hints: Hints { part: key, ..Hints::DEFAULT },
        no_mutants: Some("the rule that it wraps has them, on keys"),
        payload: PayloadKind::Tag,
        summary: "Applies the rule in its value to every key of a map.",
        semantics: "Errors are reported at the map, with the key as bad value. On updates keys are skipped that the \
                    old map has.",
        errors: &["those of the rule, at the map"],
        example: "+k8s:eachKey=+k8s:format=k8s-label-key",
        go: "@\n\
             Labels map[string]string `json:\"labels,omitempty\"`",
        compile: each_key,
        ..TagDef::DEFAULT
    },
];

fn each_val(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    let (place, element) = match shape::shape(schema, context.ty) {
        Shape::List(Some(element)) => (TagScope::ListValue, element),
        Shape::Map { value, .. } => (TagScope::MapValue, value),
        _ => {
            let name = shape::name(schema, context.ty);
            return Err(Problem::new(format!("can be used on lists and maps only, not on `{name}`")));
        }
    };
    let inner_context = Context {
        place,
        ty: element,
        path: Arc::from(format!("{}[(vals)]", context.path)),
        member: None,
        parent_path: Some(Arc::clone(&context.path)),
        parent: Some(context.ty),
        selector: (place == TagScope::ListValue).then(|| Arc::from([])),
        ..context.clone()
    };
    let inner = build.compile_inner(&inner_context, tag)?;
    if inner.variables {
        return Err(Problem::new("this rule cannot be applied to elements; put it on the element type"));
    }
    let mut outer = Validations { opaque_val: inner.opaque, remark: inner.remark, ..Validations::default() };
    let (path, ty) = (Arc::clone(&context.path), context.ty);
    if !inner.rules.is_empty() {
        // What the list is may be said by a tag further down.
        let (rules, path) = (inner.rules, Arc::clone(&path));
        outer.deferred.push(Deferred::new(Scope::Here, move |build| {
            Ok(for_each(build, &path, ty, element, Validations { rules, ..Validations::default() }))
        }));
    }
    if !inner.deferred.is_empty() {
        let deferred = inner.deferred;
        outer.deferred.push(Deferred::new(Scope::Here, move |build| {
            let mut resolved = Validations::default();
            for work in deferred {
                resolved.add(work.run(build)?);
            }
            Ok(for_each(build, &path, ty, element, resolved))
        }));
    }
    nonempty(outer)
}

fn for_each(build: &Build<'_>, path: &str, ty: TypeId, element: TypeId, inner: Validations) -> Validations {
    let is_list = matches!(shape::shape(build.schema(), ty), Shape::List(_));
    let correlation = list_kind::correlation(build, path, ty);
    let opaque_val = inner.opaque;
    let wrapped = inner.wrap(move |rule, _| {
        let inner = Box::new(rule.clone());
        let body = if is_list {
            Body::EachItem { correlation: correlation.clone(), element, inner }
        } else {
            Body::EachEntry(inner)
        };
        RuleFn::around(body, &rule)
    });
    Validations { rules: wrapped.rules, deferred: wrapped.deferred, opaque_val, ..Validations::default() }
}

fn each_key(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    let Shape::Map { key, .. } = shape::shape(schema, context.ty) else {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on maps only, not on `{name}`")));
    };
    let inner_context = Context {
        place: TagScope::MapKey,
        ty: key,
        path: Arc::from(format!("{}[(keys)]", context.path)),
        member: None,
        parent_path: Some(Arc::clone(&context.path)),
        parent: Some(context.ty),
        selector: None,
        ..context.clone()
    };
    let inner = build.compile_inner(&inner_context, tag)?;
    if inner.variables {
        return Err(Problem::new("this rule cannot be applied to keys; put it on the key type"));
    }
    let mut outer = Validations { opaque_key: inner.opaque, remark: inner.remark, ..Validations::default() };
    outer.rules = inner.rules.into_iter().map(on_key).collect();
    if !inner.deferred.is_empty() {
        let deferred = inner.deferred;
        outer.deferred.push(Deferred::new(Scope::Here, move |build| {
            let mut resolved = Validations::default();
            for work in deferred {
                resolved.add(work.run(build)?);
            }
            let opaque_key = resolved.opaque;
            let wrapped = resolved.wrap(|rule, _| on_key(rule));
            Ok(Validations { rules: wrapped.rules, deferred: wrapped.deferred, opaque_key, ..Validations::default() })
        }));
    }
    nonempty(outer)
}

fn on_key(rule: RuleFn) -> RuleFn {
    RuleFn::around(Body::EachKey(Box::new(rule.clone())), &rule)
}

fn nonempty(validations: Validations) -> Result<Validations, Problem> {
    if validations.is_empty() {
        return Err(Problem::new("the tag in the value makes no rule"));
    }
    Ok(validations)
}

/// The type of the elements or values.
fn element(schema: &Schema, ty: TypeId, _: &Tag) -> Option<TypeId> {
    match shape::shape(schema, ty) {
        Shape::List(element) => element,
        Shape::Map { value, .. } => Some(value),
        _ => None,
    }
}

/// The type of the keys.
fn key(schema: &Schema, ty: TypeId, _: &Tag) -> Option<TypeId> {
    match shape::shape(schema, ty) {
        Shape::Map { key, .. } => Some(key),
        _ => None,
    }
}
