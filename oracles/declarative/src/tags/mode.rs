//! `modeDiscriminator`, `ifMode`: rules of a member that depend on the value of another. `discriminator`, `member`: their
//! names before Kubernetes 1.37.

use super::def::{ArgDef, ArgKind, Companions, FIELDS, PayloadKind, Standing, TagDef};
use super::hints::Hints;
use super::requiredness;
use super::sample;
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::{Context, MemberRef};
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, Mode, RuleFn};
use crate::compile::shape::{self, Builtin, Shape};
use crate::grammar::{Literal, Tag};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::schema::TypeId;

const fn text(name: Option<&'static str>, doc: &'static str) -> ArgDef {
    ArgDef { name, kind: ArgKind::Text, required: false, doc }
}

const DISCRIMINATOR: TagDef = TagDef {
    places: FIELDS,
    summary: "The field chooses which rules members marked for its values have.",
    semantics: "A string or bool by value. Makes no rule itself. Group names are letters, digits and underscores, \
                with a letter first; `default` is taken.",
    compile: discriminator,
    ..TagDef::DEFAULT
};

const MEMBER: TagDef = TagDef {
    places: FIELDS,
    payload: PayloadKind::Tag,
    summary: "Applies the rule in its value to the field while the discriminator has a value.",
    semantics: "Repeatable. While the discriminator has none of the values named on the field, the field must not be \
                set. The rules stand on the struct, beside the field's own. An update that changes neither the \
                discriminator nor the field is not judged. Each rule has the level of its own wrapper; the implicit \
                ban has one if all rules of the field have the same. Rules that wait for the whole field (`update`, \
                `subfield`, `eachVal`, `item`, `listType`) are dropped. Bool values are the texts \"true\" and \
                \"false\". Refused on structs by value.",
    errors: &["those of the rule, at the field", "Forbidden (at the field)"],
    compile: |build, context, tag| member(build, context, tag, false),
    ..TagDef::DEFAULT
};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "modeDiscriminator",
        companions: Companions::OfStruct("mode"),
        no_mutants: Some("those of `ifMode` confuse its values"),
        args: &[text(Some("modality"), "name of the group, when a struct has several")],
        example: "+k8s:modeDiscriminator",
        go: "@\n\
             Type string `json:\"type\"`\n\n\
             // +k8s:ifMode(\"Recreate\")=+k8s:required\n\
             Timeout *int32 `json:\"timeout,omitempty\"`",
        ..DISCRIMINATOR
    },
    TagDef {
        name: "ifMode",
        hints: Hints { part: |_, ty, _| Some(ty), ..Hints::DEFAULT },
        companions: Companions::OfStruct("mode"),
        args: &[
            text(None, "value of the discriminator"),
            text(Some("modality"), "name of the group"),
            text(Some("mode"), "value of the discriminator, beside a group"),
        ],
        example: "+k8s:ifMode(\"Recreate\")=+k8s:required",
        go: "// +k8s:modeDiscriminator\n\
             Type string `json:\"type\"`\n\n\
             @\n\
             Timeout *int32 `json:\"timeout,omitempty\"`",
        ..MEMBER
    },
    TagDef {
        name: "discriminator",
        companions: Companions::OfStruct("mode"),
        no_mutants: Some("those of `ifMode` confuse its values"),
        args: &[text(Some("name"), "name of the group, when a struct has several")],
        example: "+k8s:discriminator",
        go: "@\n\
             Type string `json:\"type\"`\n\n\
             // +k8s:member(\"Recreate\")=+k8s:required\n\
             Timeout *int32 `json:\"timeout,omitempty\"`",
        standing: Standing::Older("modeDiscriminator"),
        summary: "The field chooses the rules of members (older name of `modeDiscriminator`).",
        ..DISCRIMINATOR
    },
    TagDef {
        name: "member",
        companions: Companions::OfStruct("mode"),
        no_mutants: Some("those of `ifMode`"),
        args: &[
            text(None, "value of the discriminator"),
            text(Some("discriminator"), "name of the group"),
            text(Some("value"), "value of the discriminator, beside a group"),
        ],
        example: "+k8s:member(\"Recreate\")=+k8s:required",
        go: "// +k8s:discriminator\n\
             Type string `json:\"type\"`\n\n\
             @\n\
             Timeout *int32 `json:\"timeout,omitempty\"`",
        standing: Standing::Older("ifMode"),
        summary: "Applies the rule in its value to the field while the discriminator has a value (older name of `ifMode`).",
        compile: |build, context, tag| member(build, context, tag, true),
        ..MEMBER
    },
];

/// The group of tags without a name.
const UNNAMED: &str = "default";

/// Groups by the path of the struct, then by name.
#[derive(Default)]
struct State {
    structs: HashMap<Arc<str>, BTreeMap<String, Group>>,
}

/// A discriminator and the members that depend on it.
#[derive(Default)]
struct Group {
    discriminator: Option<MemberRef>,
    members: BTreeMap<Arc<str>, Vec<ModeRule>>,
    marks_stops: bool,
}

/// What one tag says.
struct ModeRule {
    context: Context,
    mode: Arc<str>,
    rules: Vec<RuleFn>,
    level: Option<Stability>,
}

/// The group that a tag names, under today's or the older argument.
fn group_name(tag: &Tag, names: [&str; 2]) -> Result<String, Problem> {
    let name = names.into_iter().find_map(|name| tag.named(name)).map(Literal::as_text).unwrap_or_default();
    if name == UNNAMED {
        return Err(Problem::new(format!("the group name `{UNNAMED}` is reserved")));
    }
    Ok(if name.is_empty() { UNNAMED } else { name }.to_owned())
}

fn discriminator(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    if !matches!(shape::shape(schema, context.ty), Shape::Builtin(Builtin::Text | Builtin::Bool)) {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on strings and bools by value only, not on `{name}`")));
    }
    let group = group_name(tag, ["modality", "name"])?;
    let mut characters = group.chars();
    if !characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    {
        return Err(Problem::new(format!("the group name `{group}` is not letters, digits and `_`, a letter first")));
    }
    let group = build.notes::<State>().structs.entry(context.parent_key()).or_default().entry(group).or_default();
    if group.discriminator.is_some_and(|known| Some(known) != context.member) {
        return Err(Problem::new("the group has a discriminator already"));
    }
    group.discriminator = context.member;
    Ok(Validations::default())
}

fn member(build: &mut Build<'_>, context: &Context, tag: &Tag, older: bool) -> Result<Validations, Problem> {
    let group = group_name(tag, ["modality", "discriminator"])?;
    let mode = tag
        .named("mode")
        .or_else(|| tag.named("value"))
        .or_else(|| tag.positional())
        .map(|mode| Arc::<str>::from(mode.as_text()))
        .ok_or_else(|| Problem::new("the value of the discriminator is missing"))?;
    let Some((field, _)) = context.member.and_then(|member| build.field(member)) else {
        return Err(Problem::new("can be used on fields only"));
    };
    let inner = build.compile_inner(context, tag)?;
    let rule = ModeRule { context: context.clone(), mode, rules: inner.rules, level: context.level };
    let group = build.notes::<State>().structs.entry(context.parent_key()).or_default().entry(group).or_default();
    group.marks_stops |= older;
    group.members.entry(Arc::from(&*field.go_name)).or_default().push(rule);
    let context = context.clone();
    Ok(Deferred::new(Scope::Parent, move |build| rules(build, &context)).into())
}

/// The rules of all groups of one struct; whoever asks first gets them.
fn rules(build: &mut Build<'_>, context: &Context) -> Result<Validations, Problem> {
    let groups = build.notes::<State>().structs.remove(&context.parent_key()).unwrap_or_default();
    let mut all = Validations::default();
    for (name, group) in groups {
        let Some(discriminator) = group.discriminator else {
            if group.members.is_empty() {
                continue;
            }
            let of = if name == UNNAMED { String::new() } else { format!(" of group `{name}`") };
            return Err(Problem::new(format!("the discriminator{of} is missing")));
        };
        for rules in group.members.into_values() {
            all.rules.extend(member_rule(build, discriminator, rules, group.marks_stops)?);
        }
    }
    Ok(all)
}

fn member_rule(
    build: &Build<'_>,
    discriminator: MemberRef,
    rules: Vec<ModeRule>,
    marks_stops: bool,
) -> Result<Option<RuleFn>, Problem> {
    let Some(first) = rules.first() else { return Ok(None) };
    let Some((member, (field, _))) = first.context.member.and_then(|at| Some((at, build.field(at)?))) else {
        return Ok(None);
    };
    let Some((chooser, _)) = build.field(discriminator) else { return Ok(None) };
    let boolean = is_bool(build, chooser.ty);
    let uniform = first.level.filter(|level| rules.iter().all(|rule| rule.level == Some(*level)));
    let otherwise = requiredness::forbidding(build, &first.context)?.marked(uniform);
    let source = otherwise.source.clone();
    let name = if field.json_name.is_empty() { &field.go_name } else { &field.json_name };
    let name = Arc::from(&**name);
    let ty: TypeId = field.ty;
    let mut modes: BTreeMap<Arc<str>, Vec<RuleFn>> = BTreeMap::new();
    for rule in rules {
        if boolean && !matches!(rule.mode.as_ref(), "true" | "false") {
            return Err(Problem::new(format!("`{}` is not a bool, as the discriminator is", rule.mode)));
        }
        let marked = rule.rules.into_iter().map(|inner| inner.marked(rule.level));
        modes.entry(rule.mode).or_default().extend(marked);
    }
    let unknown = if boolean {
        [true, false].into_iter().find(|value| !modes.contains_key(value.to_string().as_str())).map(Value::from)
    } else {
        let constants = sample::constants(build, chooser.ty).into_iter();
        let names = constants.chain((0..=modes.len()).map(|number| Arc::from(format!("Other{number}"))));
        names.into_iter().find(|name| !modes.contains_key(name)).map(|name| Value::from(name.as_ref()))
    };
    let mode = Mode {
        slot: member.slot,
        ty,
        name,
        discriminator: discriminator.slot,
        chooser: Arc::from(&*chooser.json_name),
        unknown,
        boolean,
        modes,
        otherwise,
        marks_stops,
    };
    Ok(Some(RuleFn { self_marked: true, source, ..RuleFn::new(Body::Mode(Box::new(mode))) }))
}

fn is_bool(build: &Build<'_>, ty: TypeId) -> bool {
    shape::shape(build.schema(), ty) == Shape::Builtin(Builtin::Bool)
}
