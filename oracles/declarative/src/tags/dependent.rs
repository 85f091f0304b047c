//! `dependentRequired`, `dependentForbidden`: what a set field asks of a sibling.

use super::def::{ArgDef, ArgKind, FIELDS, TagDef, TagStability};
use super::sample::{Recipe, class};
use super::{parse, requiredness};
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::shape::{self, Shape};
use crate::eval::{At, Check, Emission, Fault, Sink};
use crate::grammar::Tag;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::object::Node;
use takeover_harness::rule::Boundary;
use takeover_harness::schema::{Slot, TypeId};

const ARGS: &[ArgDef] = &[ArgDef { name: None, kind: ArgKind::Text, required: true, doc: "JSON name of the sibling" }];

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "dependentRequired",
        stability: TagStability::Alpha,
        places: FIELDS,
        args: ARGS,
        summary: "When the field is set, the sibling must be set.",
        semantics: "Pointers, lists, maps and scalars. Another field of the same struct. One direction only; \
                    repeatable. The rule stands on the struct. An update that changes the presence of neither is not \
                    judged.",
        errors: &["Required dependentRequired (at the sibling): must be set when <field> is set"],
        example: "+k8s:dependentRequired(\"secretName\")",
        go: "@\n\
             UserName string `json:\"userName,omitempty\"`\n\n\
             SecretName string `json:\"secretName,omitempty\"`",
        compile: |build, context, tag| dependent(build, context, tag, Demand::Required),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "dependentForbidden",
        stability: TagStability::Alpha,
        places: FIELDS,
        args: ARGS,
        summary: "When the field is set, the sibling must not be set.",
        semantics: "As `dependentRequired`, the other way round.",
        errors: &["Forbidden dependentForbidden (at the sibling): may not be set when <field> is set"],
        example: "+k8s:dependentForbidden(\"clusterIP\")",
        go: "@\n\
             ExternalName string `json:\"externalName,omitempty\"`\n\n\
             ClusterIP string `json:\"clusterIP,omitempty\"`",
        compile: |build, context, tag| dependent(build, context, tag, Demand::Forbidden),
        ..TagDef::DEFAULT
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    Required,
    Forbidden,
}

impl Demand {
    fn tag(self) -> &'static str {
        match self {
            Self::Required => "dependentRequired",
            Self::Forbidden => "dependentForbidden",
        }
    }
}

fn dependent(build: &mut Build<'_>, context: &Context, tag: &Tag, demand: Demand) -> Result<Validations, Problem> {
    let schema = build.schema();
    let trigger = context.member.ok_or_else(|| Problem::new("can be used on struct fields only"))?;
    let name = parse::positional(tag)?;
    let (slot, sibling) = shape::member(schema, trigger.owner, name)
        .ok_or_else(|| Problem::new(format!("there is no sibling `{name}`")))?;
    if slot == trigger.slot {
        return Err(Problem::new(format!("`{name}` is the field itself")));
    }
    let Some((field, _)) = build.field(trigger) else { return Ok(Validations::default()) };
    if field.json_name.is_empty() {
        return Err(Problem::new("the field has no JSON name"));
    }
    for (ty, name) in [(field.ty, &field.json_name), (sibling.ty, &sibling.json_name)] {
        require_presence(build, ty, name)?;
    }
    let samples = [field.ty, sibling.ty].map(|ty| Recipe::of(build, ty).value(0));
    let check = Dependent {
        samples,
        demand,
        trigger: trigger.slot,
        trigger_name: Arc::from(&*field.json_name),
        sibling: slot,
        sibling_name: Arc::from(name),
        whenever: false,
    };
    let rule = context.rule(demand.tag(), check);
    Ok(Deferred::new(Scope::Parent, move |_| Ok(rule.into())).into())
}

fn require_presence(build: &Build<'_>, ty: TypeId, name: &str) -> Result<(), Problem> {
    match shape::shape(build.schema(), ty) {
        Shape::Struct | Shape::Any => {
            Err(Problem::new(format!("`{name}` is not a pointer, list, map or scalar, so it is never unset")))
        }
        _ => Ok(()),
    }
}

#[derive(Clone, Debug)]
struct Dependent {
    demand: Demand,
    trigger: Slot,
    trigger_name: Arc<str>,
    sibling: Slot,
    sibling_name: Arc<str>,
    /// Values of the field and of the sibling.
    samples: [Value; 2],
    /// Whether the trigger need not be set: a fault.
    whenever: bool,
}

impl Dependent {
    fn presence(&self, node: &Node<'_>) -> (bool, bool) {
        let is_set = |slot| requiredness::is_set(Some(&node.field(slot)));
        (is_set(self.trigger), is_set(self.sibling))
    }
}

impl Check for Dependent {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(value) = &at.value else { return };
        let now = self.presence(value);
        if at.is_update() && at.old.is_some_and(|old| self.presence(&old) == now) {
            return;
        }
        let fails = (now.0 || self.whenever) && now.1 == (self.demand == Demand::Forbidden);
        if !fails {
            return;
        }
        sink.report(|| {
            let (path, trigger) = (at.path.child(&self.sibling_name), &self.trigger_name);
            match self.demand {
                Demand::Required => FieldError::required(&path, format!("must be set when {trigger} is set")),
                Demand::Forbidden => FieldError::forbidden(&path, format!("may not be set when {trigger} is set")),
            }
            .with_origin(self.demand.tag())
        });
    }

    fn judges_unchanged(&self) -> bool {
        false
    }

    fn fails_unset(&self) -> bool {
        false
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = vec![
            Fault::judged("judges the unchanged", self.clone(), |sound, at, sink| {
                sound.check(&At { old: None, ..*at }, sink);
            })
            .with_old(),
            Fault::changed("asks whatever the field", Self { whenever: true, ..self.clone() }),
        ];
        // Which of two fields must not be set beside the other makes no difference to what passes.
        if self.demand == Demand::Required {
            let (trigger, sibling) = (self.sibling, self.trigger);
            faults.push(Fault::changed("direction reversed", Self { trigger, sibling, ..self.clone() }));
        }
        faults
    }

    fn reports(&self) -> Vec<Emission> {
        let error_type = match self.demand {
            Demand::Required => ErrorType::Required,
            Demand::Forbidden => ErrorType::Forbidden,
        };
        vec![Emission::below(error_type, format!(".{}", self.sibling_name), self.demand.tag())]
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let [trigger, sibling] = &self.samples;
        let members = [(&self.trigger_name, trigger), (&self.sibling_name, sibling)];
        let class = |name: &str, breaks, set: [bool; 2]| {
            let chosen = members.into_iter().zip(set).filter(|(_, set)| *set);
            let members = chosen.map(|((name, value), _)| (name.to_string(), value.clone())).collect();
            class(name, breaks, Value::Object(members))
        };
        vec![
            class("neither", false, [false, false]),
            class("the sibling alone", false, [false, true]),
            class("the field alone", self.demand == Demand::Required, [true, false]),
            class("both", self.demand == Demand::Forbidden, [true, true]),
        ]
    }
}
