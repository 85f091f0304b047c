//! `item`: rules on the list element with given keys.

use super::def::{PayloadKind, TagDef, TagScope};
use super::hints::Hints;
use super::list_kind;
use super::parse;
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, RuleFn, Terms};
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::program::{Key, KeyValue, Selector};
use crate::eval::quoted;
use crate::grammar::{Literal, Tag};
use std::sync::Arc;
use takeover_harness::schema::{Schema, TypeId};

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "item",
    hints: Hints { waits: true, part: element, ..Hints::DEFAULT },
    any_args: true,
    payload: PayloadKind::Tag,
    summary: "Applies the rule in its value to the element of a map list that has the given keys.",
    semantics: "The list is a map list by its own tags or those of its type; all keys must be given. Skipped if no element \
                has the keys (removal is not judged), and on updates that leave the element as it was. Rules of one \
                selector form a group: a rule that stops, stops the group and nothing else.",
    errors: &["those of the rule, at `[index]`"],
    example: "+k8s:item(type: \"Ready\")=+k8s:immutable",
    go: "type Example struct {\n\
         \t// +k8s:listType=map\n\
         \t// +k8s:listMapKey=type\n\
         \t@\n\
         \tConditions []Condition `json:\"conditions,omitempty\"`\n\
         }\n\n\
         type Condition struct {\n\
         \tType string `json:\"type\"`\n\n\
         \tStatus string `json:\"status\"`\n\
         }",
    compile: item,
    ..TagDef::DEFAULT
}];

fn item(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    let Shape::List(Some(element)) = shape::value_shape(schema, context.ty) else {
        return Err(Problem::new("can be used on lists only"));
    };
    let pointers = shape::is_pointer(schema, element);
    let element = shape::non_pointer(schema, element);
    if shape::shape(schema, element) != Shape::Struct {
        return Err(Problem::new("can be used on lists of structs only"));
    }
    let terms = terms(tag)?;
    let cohort: Arc<str> = Arc::from(selector_text(&terms));
    let inner_context = Context {
        place: TagScope::ListValue,
        ty: element,
        path: Arc::from(format!("{}[{cohort}]", context.path)),
        member: None,
        parent_path: Some(Arc::clone(&context.path)),
        parent: Some(context.ty),
        selector: Some(Arc::clone(&terms)),
        ..context.clone()
    };
    let inner = build.compile_inner(&inner_context, tag)?;
    let mut outer = Validations {
        opaque: inner.opaque,
        opaque_key: inner.opaque_key,
        opaque_val: inner.opaque_val,
        remark: inner.remark,
        variables: inner.variables,
        ..Validations::default()
    };
    let place = Arc::new(ItemPlace { context: context.clone(), terms, cohort, pointers, element });
    if !inner.rules.is_empty() {
        let (rules, place) = (inner.rules, Arc::clone(&place));
        outer.deferred.push(Deferred::new(Scope::Here, move |build| {
            let selector = place.selector(build)?;
            let rules = rules.into_iter().map(|rule| place.wrap(&selector, rule)).collect();
            Ok(Validations { rules, ..Validations::default() })
        }));
    }
    for deferred in inner.deferred {
        let place = Arc::clone(&place);
        let scope = deferred.scope;
        // The parent of an element is its list, which is this place.
        outer.deferred.push(Deferred::new(Scope::Here, move |build| {
            let inner = deferred.run(build)?;
            let selector = place.selector(build)?;
            Ok(inner.wrap_in(
                scope,
                move |rule, scope| {
                    if scope == Scope::Parent { rule } else { place.wrap(&selector, rule) }
                },
            ))
        }));
    }
    Ok(outer)
}

struct ItemPlace {
    context: Context,
    terms: Terms,
    cohort: Arc<str>,
    pointers: bool,
    element: TypeId,
}

impl ItemPlace {
    /// The members and values that choose the element, in the order of the list's keys.
    fn selector(&self, build: &Build<'_>) -> Result<Selector, Problem> {
        let keys = list_kind::map_keys(build, &self.context).ok_or_else(|| {
            Problem::new("needs `listType=map` or `unique=map` with `listMapKey` on the list or its type")
        })?;
        if self.terms.len() != keys.len() {
            let (given, wanted) = (self.terms.len(), keys.len());
            return Err(Problem::new(format!("names {given} keys of a list that has {wanted}")));
        }
        let selector: Result<Vec<(Key, KeyValue)>, Problem> = keys
            .iter()
            .map(|(name, key)| {
                let (_, value) = self
                    .terms
                    .iter()
                    .find(|(term, _)| term == name)
                    .ok_or_else(|| Problem::new(format!("the key `{name}` is missing")))?;
                check_key(build, self.element, name, value)?;
                Ok((*key, value.clone()))
            })
            .collect();
        Ok(Arc::from(selector?))
    }

    fn wrap(&self, selector: &Selector, rule: RuleFn) -> RuleFn {
        let inner = Box::new(rule.clone());
        let body = Body::Item {
            terms: Arc::clone(&self.terms),
            selector: Arc::clone(selector),
            pointers: self.pointers,
            inner,
        };
        RuleFn::around(body, &rule).in_cohort(&self.cohort)
    }
}

/// Whether a value fits the type of a key member.
fn check_key(build: &Build<'_>, element: TypeId, name: &str, value: &KeyValue) -> Result<(), Problem> {
    let (ty, _) = list_kind::key_member(build, element, name)?;
    match (shape::shape(build.schema(), ty), value) {
        (Shape::Builtin(Builtin::Text), KeyValue::Text(_))
        | (Shape::Builtin(Builtin::Int { .. }), KeyValue::Int(_))
        | (Shape::Builtin(Builtin::Bool), KeyValue::Bool(_)) => Ok(()),
        _ => Err(Problem::new(format!("the value of key `{name}` is not of the member's type"))),
    }
}

fn terms(tag: &Tag) -> Result<Terms, Problem> {
    let mut terms: Vec<(Arc<str>, KeyValue)> = Vec::new();
    for arg in &tag.args {
        let name = arg.name.clone().ok_or_else(|| Problem::new("all arguments must be named after keys"))?;
        if terms.iter().any(|(known, _)| *known == name) {
            return Err(Problem::new(format!("the key `{name}` is given twice")));
        }
        let value = match &arg.value {
            Literal::Text(text) => KeyValue::Text(Arc::clone(text)),
            Literal::Int(text) => KeyValue::Int(parse::canonical(text)?),
            Literal::Bool(value) => KeyValue::Bool(*value),
        };
        terms.push((name, value));
    }
    if terms.is_empty() {
        return Err(Problem::new("needs the keys of the element as arguments"));
    }
    Ok(Arc::from(terms))
}

/// The selector as text: `{"type": "Ready"}`, in the order written.
pub(super) fn selector_text(terms: &[(Arc<str>, KeyValue)]) -> String {
    let pairs: Vec<String> = terms
        .iter()
        .map(|(name, value)| {
            let value = match value {
                KeyValue::Text(text) => quoted(text),
                KeyValue::Int(value) => value.to_string(),
                KeyValue::Bool(value) => value.to_string(),
            };
            format!("{}: {value}", quoted(name))
        })
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

/// The type of the elements.
fn element(schema: &Schema, ty: TypeId, _: &Tag) -> Option<TypeId> {
    match shape::shape(schema, ty) {
        Shape::List(element) => element,
        _ => None,
    }
}
