//! `opaqueType`: the rules of a type are left out.

use super::def::TagDef;
use super::hints::Hints;
use crate::compile::build::{Build, Validations};
use crate::compile::context::{Context, MemberRef};
use crate::compile::problem::Problem;
use crate::compile::shape;
use crate::grammar::Tag;
use crate::tags::TagScope;
use std::collections::HashSet;
use takeover_harness::schema::TypeId;

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "opaqueType",
    hints: Hints { checks: false, ..Hints::DEFAULT },
    no_mutants: Some("makes no rule"),
    summary: "Leaves out the rules of the type under it.",
    semantics: "On a field: rules of the field run, rules of its type and of everything below do not. On a type: its \
                own rules run, its fields are not entered. Below `eachVal` or `eachKey`: the same for elements or \
                keys. On a field whose type is an unnamed list or map only these two forms do anything. Types of \
                packages that are not loaded must be opaque in strict mode. Wrappers around it change nothing.",
    example: "+k8s:opaqueType",
    go: "type Example struct {\n\
         \t@\n\
         \tTemplate Template `json:\"template\"`\n\
         }\n\n\
         type Template struct {\n\
         \t// +k8s:required\n\
         \tName string `json:\"name\"`\n\
         }",
    compile: opaque,
    ..TagDef::DEFAULT
}];

/// Types and members marked so far.
#[derive(Default)]
struct State {
    types: HashSet<TypeId>,
    members: HashSet<MemberRef>,
}

fn opaque(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    match (context.place, context.member) {
        (TagScope::Type, _) => {
            let ty = native_value(build, context.ty);
            build.notes::<State>().types.insert(ty);
        }
        (TagScope::Field, Some(member)) => {
            build.notes::<State>().members.insert(member);
        }
        _ => {}
    }
    Ok(Validations { opaque: true, ..Validations::default() })
}

/// Whether the field under test, or its type, was marked.
pub(super) fn is_opaque(build: &Build<'_>, context: &Context) -> bool {
    let Some(state) = build.noted::<State>() else { return false };
    context.member.is_some_and(|member| state.members.contains(&member))
        || state.types.contains(&native_value(build, context.ty))
}

fn native_value(build: &Build<'_>, ty: TypeId) -> TypeId {
    let schema = build.schema();
    schema.native(shape::non_pointer(schema, ty)).0
}
