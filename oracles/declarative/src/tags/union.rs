//! `unionMember`, `unionDiscriminator`, `zeroOrOneOfMember`: exactly one, or at most one, of several members is set.

use super::def::{ArgDef, ArgKind, Companions, TagDef, TagScope, TagStability};
use super::item::selector_text;
use super::sample::{Recipe, class};
use super::{list_kind, requiredness};
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::{RuleFn, SourceLine, Terms, selected};
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::program::{Key, KeyValue, Selector};
use crate::eval::{At, Check, Emission, Fault, Sink, quoted, selects};
use crate::grammar::Tag;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::Node;
use takeover_harness::rule::Boundary;
use takeover_harness::schema::{Slot, TypeId};

const PLACES: &[TagScope] = &[TagScope::Field, TagScope::ListValue];

const UNION: ArgDef = ArgDef {
    name: Some("union"),
    kind: ArgKind::Text,
    required: false,
    doc: "name of the union, when a struct has several",
};

const MEMBER_NAME: ArgDef = ArgDef {
    name: Some("memberName"),
    kind: ArgKind::Text,
    required: false,
    doc: "value of the discriminator for this member; without it, the Go name of the field",
};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "unionMember",
        companions: Companions::OfStruct("union"),
        places: PLACES,
        args: &[UNION, MEMBER_NAME],
        summary: "The field is a member of a union: exactly one member is set.",
        semantics: "Pointers, lists, maps and scalars; set means not nil, not empty, not zero. The rule stands on the \
                    struct. With a discriminator, the member it names is set and no other; an unknown discriminator is no \
                    error here. Below `item` the members are list elements, set when present, and the rule stands on the \
                    list. An update that changes neither which members are set nor the discriminator is not judged. All \
                    unions of a struct share the wrappers (level, option) around the first member's tag.",
        errors: &[
            "Invalid union: must specify one of: …",
            "Invalid union: must specify exactly one of: …",
            "Invalid union (at the member): must be specified when `d` is \"X\"",
            "Invalid union (at the member): may only be specified when `d` is \"X\"",
        ],
        example: "+k8s:unionMember(memberName: \"Recreate\")",
        go: "type Example struct {\n\
             \t// +k8s:unionDiscriminator\n\
             \tType string `json:\"type\"`\n\n\
             \t@\n\
             \t// +k8s:optional\n\
             \tRecreate *Recreate `json:\"recreate,omitempty\"`\n\n\
             \t// +k8s:unionMember\n\
             \t// +k8s:optional\n\
             \tRollingUpdate *RollingUpdate `json:\"rollingUpdate,omitempty\"`\n\
             }\n\n\
             type Recreate struct{}\n\n\
             type RollingUpdate struct{}",
        compile: |build, context, tag| member(build, context, tag, Form::ExactlyOne),
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "unionDiscriminator",
        companions: Companions::OfStruct("union"),
        no_mutants: Some("those of `unionMember` confuse its values"),
        stability: TagStability::Beta,
        places: PLACES,
        args: &[UNION],
        summary: "The string field names the member of a union that is set.",
        semantics: "Makes no rule itself; see `unionMember`. Of several in one union the last counts.",
        example: "+k8s:unionDiscriminator",
        go: "@\n\
             Type string `json:\"type\"`\n\n\
             // +k8s:unionMember\n\
             Name string `json:\"name,omitempty\"`\n\n\
             // +k8s:unionMember\n\
             Selector map[string]string `json:\"selector,omitempty\"`",
        compile: discriminator,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "zeroOrOneOfMember",
        companions: Companions::OfStruct("zero-or-one-of"),
        places: PLACES,
        args: &[UNION, MEMBER_NAME],
        summary: "The field is one of several of which at most one is set.",
        semantics: "As `unionMember` without discriminator, except that none set is fine.",
        errors: &["Invalid zeroOrOneOf: must specify at most one of: …"],
        example: "+k8s:zeroOrOneOfMember",
        go: "@\n\
             Value string `json:\"value,omitempty\"`\n\n\
             // +k8s:zeroOrOneOfMember\n\
             ValueFrom string `json:\"valueFrom,omitempty\"`",
        compile: |build, context, tag| member(build, context, tag, Form::AtMostOne),
        ..TagDef::DEFAULT
    },
];

/// Unions by the path of the struct or list, then by name.
#[derive(Default)]
struct State {
    exactly: HashMap<Arc<str>, BTreeMap<String, Union>>,
    at_most: HashMap<Arc<str>, BTreeMap<String, Union>>,
}

impl State {
    fn of(&mut self, form: Form) -> &mut HashMap<Arc<str>, BTreeMap<String, Union>> {
        match form {
            Form::ExactlyOne => &mut self.exactly,
            Form::AtMostOne => &mut self.at_most,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    ExactlyOne,
    AtMostOne,
}

impl Form {
    fn tag(self) -> &'static str {
        match self {
            Self::ExactlyOne => "unionMember",
            Self::AtMostOne => "zeroOrOneOfMember",
        }
    }

    fn origin(self) -> &'static str {
        match self {
            Self::ExactlyOne => "union",
            Self::AtMostOne => "zeroOrOneOf",
        }
    }
}

/// What tags say about one union.
#[derive(Default)]
struct Union {
    /// Names and discriminator values, in tag order.
    names: Vec<(Arc<str>, Arc<str>)>,
    fields: Vec<Slot>,
    items: BTreeMap<Arc<str>, Terms>,
    discriminator: Option<(Arc<str>, Slot)>,
    line: Option<Arc<SourceLine>>,
}

fn union_of<'b>(build: &'b mut Build<'_>, context: &Context, tag: &Tag, form: Form) -> &'b mut Union {
    let name = tag.named("union").map(|name| name.as_text().to_owned()).unwrap_or_default();
    build.notes::<State>().of(form).entry(context.parent_key()).or_default().entry(name).or_default()
}

fn discriminator(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    if shape::value_shape(schema, context.ty) != Shape::Builtin(Builtin::Text) {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on strings only, not on `{name}`")));
    }
    let member = context.member.ok_or_else(|| Problem::new("can be used on fields only"))?;
    let Some((field, _)) = build.field(member) else { return Ok(Validations::default()) };
    let name: Arc<str> = Arc::from(&*field.json_name);
    union_of(build, context, tag, Form::ExactlyOne).discriminator = Some((name, member.slot));
    Ok(Validations::default())
}

fn member(build: &mut Build<'_>, context: &Context, tag: &Tag, form: Form) -> Result<Validations, Problem> {
    let given = tag.named("memberName").map(|name| Arc::<str>::from(name.as_text()));
    match (context.place, context.member, &context.selector) {
        (TagScope::Field, Some(member), _) => {
            let schema = build.schema();
            let Some((field, _)) = build.field(member) else { return Ok(Validations::default()) };
            if matches!(shape::shape(schema, field.ty), Shape::Struct | Shape::Any) {
                let name = shape::name(schema, field.ty);
                return Err(Problem::new(format!("can be used on pointers, lists, maps and scalars, not on `{name}`")));
            }
            if field.json_name.is_empty() {
                return Err(Problem::new("the field has no JSON name"));
            }
            let name = Arc::from(&*field.json_name);
            let value = given.unwrap_or_else(|| Arc::from(&*field.go_name));
            let union = union_of(build, context, tag, form);
            union.names.push((name, value));
            union.fields.push(member.slot);
            union.line.get_or_insert_with(|| Arc::clone(&context.line));
        }
        (TagScope::ListValue, _, Some(terms)) => {
            let list = context.parent_key();
            let list = list.rsplit('.').next().unwrap_or_default();
            // A dot in a key cuts the name short, as it does in Kubernetes.
            let name = format!("{list}[{}]", selector_text(terms));
            let name: Arc<str> = Arc::from(name.rsplit('.').next().unwrap_or_default());
            let union = union_of(build, context, tag, form);
            if union.items.insert(Arc::clone(&name), Arc::clone(terms)).is_some() {
                return Err(Problem::new(format!("the member `{name}` is there twice")));
            }
            union.names.push((name, given.unwrap_or_else(|| Arc::from(""))));
            union.line.get_or_insert_with(|| Arc::clone(&context.line));
        }
        _ => return Err(Problem::new("can be used on fields and below `item` only")),
    }
    let context = context.clone();
    Ok(Deferred::new(Scope::Parent, move |build| rules(build, &context, form)).into())
}

/// The rules of all unions of one struct or list; whoever asks first gets them.
fn rules(build: &mut Build<'_>, context: &Context, form: Form) -> Result<Validations, Problem> {
    let Some(parent) = context.parent else { return Ok(Validations::default()) };
    let kind = shape::value_shape(build.schema(), parent);
    if !matches!(kind, Shape::Struct | Shape::List(_)) {
        return Ok(Validations::default());
    }
    let unions = build.notes::<State>().of(form).remove(&context.parent_key()).unwrap_or_default();
    let mut all = Validations::default();
    for union in unions.into_values() {
        if union.fields.is_empty() && union.items.is_empty() {
            continue;
        }
        if !union.fields.is_empty() && !union.items.is_empty() {
            return Err(Problem::new("a union has fields or list elements as members, not both"));
        }
        all.rules.push(rule(build, context, parent, union, form)?);
        all.variables = true;
    }
    Ok(all)
}

fn rule(build: &Build<'_>, context: &Context, parent: TypeId, union: Union, form: Form) -> Result<RuleFn, Problem> {
    let schema = build.schema();
    let kind = shape::value_shape(schema, parent);
    let members = match kind {
        Shape::List(Some(element)) if union.fields.is_empty() => {
            let element = shape::non_pointer(schema, element);
            let selectors: Result<Vec<Member>, Problem> =
                union.items.values().map(|terms| selector(build, element, terms).map(Member::Item)).collect();
            selectors?
        }
        Shape::Struct if union.items.is_empty() => union.fields.iter().map(|slot| Member::Field(*slot)).collect(),
        _ => return Err(Problem::new("the members of the union do not belong to it")),
    };
    let pointers = match kind {
        Shape::List(Some(element)) => shape::is_pointer(schema, element),
        _ => false,
    };
    let list = !matches!(kind, Shape::Struct);
    let samples = match kind {
        Shape::List(_) => union.items.values().map(|terms| Value::Object(selected(terms))).collect(),
        _ => union.fields.iter().filter_map(|slot| member_sample(build, parent, *slot)).collect(),
    };
    let check =
        UnionCheck { form, names: union.names, members, discriminator: union.discriminator, list, pointers, samples };
    let line = union.line.unwrap_or_else(|| Arc::clone(&context.line));
    Ok(Context { line, ..context.clone() }.rule(form.tag(), check))
}

/// A value that sets a member of the struct.
fn member_sample(build: &Build<'_>, parent: TypeId, slot: Slot) -> Option<Value> {
    let (_, fields) = shape::as_struct(build.schema(), parent)?;
    Some(Recipe::of(build, fields.field(slot)?.ty).value(0))
}

/// The members and values that choose a list element; text keys alone, sorted by name.
fn selector(build: &Build<'_>, element: TypeId, terms: &[(Arc<str>, KeyValue)]) -> Result<Selector, Problem> {
    let mut terms: Vec<&(Arc<str>, KeyValue)> = terms.iter().collect();
    terms.sort_by(|(a, _), (b, _)| a.cmp(b));
    let selector: Result<Vec<(Key, KeyValue)>, Problem> = terms
        .into_iter()
        .map(|(name, value)| {
            let (ty, key) = list_kind::key_member(build, element, name)?;
            if shape::shape(build.schema(), ty) != Shape::Builtin(Builtin::Text) || !matches!(value, KeyValue::Text(_))
            {
                return Err(Problem::new(format!("the key `{name}` is not a string, which unions of elements need")));
            }
            Ok((key, value.clone()))
        })
        .collect();
    Ok(Arc::from(selector?))
}

fn joined(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Debug)]
enum Member {
    Field(Slot),
    Item(Selector),
}

#[derive(Clone, Debug)]
struct UnionCheck {
    form: Form,
    names: Vec<(Arc<str>, Arc<str>)>,
    /// In the order of `names` for fields; elements are sorted by name, whatever the order of the tags, as in Kubernetes.
    members: Vec<Member>,
    discriminator: Option<(Arc<str>, Slot)>,
    list: bool,
    pointers: bool,
    /// A value of each of `members`.
    samples: Vec<Value>,
}

impl UnionCheck {
    #[inline]
    fn is_set(&self, member: &Member, value: Option<&Node<'_>>) -> bool {
        let Some(value) = value else { return false };
        match member {
            Member::Field(slot) => requiredness::is_set(Some(&value.field(*slot))),
            Member::Item(selector) => {
                value.items().iter().any(|item| !(self.pointers && item.is_unset()) && selects(selector, item))
            }
        }
    }

    fn discriminator<'a>(&self, value: Option<&Node<'a>>) -> &'a str {
        match (&self.discriminator, value) {
            (Some((_, slot)), Some(value)) => value.field(*slot).text(),
            _ => "",
        }
    }

    /// Whether an object breaks the rule that has the members at the positions `set`, and this discriminator.
    fn refuses(&self, set: &[usize], chosen: &str) -> bool {
        match &self.discriminator {
            Some(_) => {
                self.names.iter().enumerate().any(|(at, (_, wanted))| set.contains(&at) != (**wanted == *chosen))
            }
            None => set.len() > 1 || set.is_empty() && self.form == Form::ExactlyOne,
        }
    }

    /// The class of objects with the members at the positions `set`, and this discriminator.
    fn class(&self, name: String, set: &[usize], chosen: &str) -> Boundary {
        let samples = set.iter().filter_map(|at| Some((self.names.get(*at)?, self.samples.get(*at)?)));
        let value = if self.list {
            samples.map(|(_, sample)| sample.clone()).collect()
        } else {
            let mut members: Map<String, Value> =
                samples.map(|((name, _), sample)| (name.to_string(), sample.clone())).collect();
            if let Some((name, _)) = self.discriminator.as_ref().filter(|_| !chosen.is_empty()) {
                members.insert(name.to_string(), Value::from(chosen));
            }
            Value::Object(members)
        };
        class(name, self.refuses(set, chosen), value)
    }

    /// Whether an update leaves alone which members are set.
    fn ratchets(&self, at: &At<'_>) -> bool {
        let old = at.old.as_ref().filter(|old| !(self.list && old.is_unset()));
        let Some(old) = old.filter(|_| at.is_update()) else { return false };
        let value = at.value.as_ref();
        self.discriminator(value) == self.discriminator(Some(old))
            && self.members.iter().all(|member| self.is_set(member, value) == self.is_set(member, Some(old)))
    }

    fn check_discriminated(&self, at: &At<'_>, name: &str, sink: &mut Sink<'_>) {
        let value = at.value.as_ref();
        let chosen = self.discriminator(value);
        for (member, (field, wanted)) in self.members.iter().zip(&self.names) {
            let detail: &dyn Fn() -> String = match (self.is_set(member, value), chosen == wanted.as_ref()) {
                (true, false) => &|| format!("may only be specified when `{name}` is {}", quoted(wanted)),
                (false, true) => &|| format!("must be specified when `{name}` is {}", quoted(chosen)),
                _ => continue,
            };
            sink.report(|| {
                FieldError::invalid(&at.path.child(field), BadValue::EMPTY, detail()).with_origin(self.form.origin())
            });
        }
    }

    fn all_names(&self) -> String {
        joined(self.names.iter().map(|(name, _)| format!("`{name}`")))
    }
}

impl Check for UnionCheck {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        if self.ratchets(at) {
            return;
        }
        if let Some((name, _)) = &self.discriminator {
            return self.check_discriminated(at, name, sink);
        }
        let value = at.value.as_ref();
        match (self.members.iter().filter(|member| self.is_set(member, value)).count(), self.form) {
            (0, Form::ExactlyOne) => sink.report(|| {
                FieldError::invalid(at.path, BadValue::EMPTY, format!("must specify one of: {}", self.all_names()))
                    .with_origin(self.form.origin())
            }),
            (0 | 1, _) => {}
            (_, form) => sink.report(|| {
                let members = self.members.iter().zip(&self.names).filter(|(member, _)| self.is_set(member, value));
                let names: Vec<&str> = members.map(|(_, (name, _))| name.as_ref()).collect();
                let lead = match form {
                    Form::ExactlyOne => "must specify exactly one of",
                    Form::AtMostOne => "must specify at most one of",
                };
                FieldError::invalid(
                    at.path,
                    format!("{{{}}}", names.join(", ")),
                    format!("{lead}: {}", self.all_names()),
                )
                .with_origin(form.origin())
            }),
        }
    }

    fn reports(&self) -> Vec<Emission> {
        if self.discriminator.is_none() {
            return vec![Emission::here(ErrorType::Invalid, self.form.origin())];
        }
        let below = |(name, _): &(Arc<str>, Arc<str>)| {
            Emission::below(ErrorType::Invalid, format!(".{name}"), self.form.origin())
        };
        self.names.iter().map(below).collect()
    }

    fn beside_line(&self) -> String {
        match &self.discriminator {
            None => format!(" of {}", joined(self.names.iter().map(|(name, _)| name.to_string()))),
            Some((name, _)) => {
                let members = self.names.iter().map(|(member, value)| format!("{member} for {}", quoted(value)));
                format!(" by {name} of {}", joined(members))
            }
        }
    }

    fn judges_nil(&self) -> bool {
        true
    }

    fn judges_unchanged(&self) -> bool {
        false
    }

    fn fails_unset(&self) -> bool {
        self.form == Form::ExactlyOne
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = vec![
            Fault::judged("judges the unchanged", self.clone(), |sound, at, sink| {
                sound.check(&At { old: None, ..*at }, sink);
            })
            .with_old(),
        ];
        for (index, (name, _)) in self.names.iter().enumerate() {
            let mut fewer = self.clone();
            fewer.names.remove(index);
            fewer.members.remove(index);
            faults.push(Fault::changed(format!("member {name} lost"), fewer));
        }
        if let (Some(_), [(_, first), .., (_, last)]) = (&self.discriminator, self.names.as_slice()) {
            let mut confused = self.clone();
            let (first, last) = (Arc::clone(first), Arc::clone(last));
            confused.names.first_mut().into_iter().for_each(|(_, value)| *value = Arc::clone(&last));
            confused.names.last_mut().into_iter().for_each(|(_, value)| *value = Arc::clone(&first));
            faults.push(Fault::changed("discriminator values confused", confused));
            return faults;
        }
        let lenient = |name, passes: fn(usize) -> bool| {
            let union = self.clone();
            Fault::judged(name, self.clone(), move |sound, at, sink| {
                let value = at.value.as_ref();
                if !passes(union.members.iter().filter(|member| union.is_set(member, value)).count()) {
                    sound.check(at, sink);
                }
            })
        };
        if self.form == Form::ExactlyOne {
            faults.push(lenient("takes none", |set| set == 0));
        }
        if self.names.len() > 1 {
            faults.push(lenient("takes two", |set| set == 2));
        }
        faults
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let mut classes = Vec::new();
        let shown = |at: usize| match (self.samples.get(at), self.names.get(at)) {
            (Some(sample), _) if self.list => sample.to_string(),
            (_, Some((name, _))) => format!("`{name}`"),
            _ => String::new(),
        };
        let all: Vec<usize> = (0..self.members.len()).collect();
        if self.discriminator.is_none() {
            classes.extend(all.iter().map(|at| self.class(format!("{} alone", shown(*at)), &[*at], "")));
            classes.push(self.class("none".to_owned(), &[], ""));
            classes.extend(all.windows(2).map(|two| {
                let names: Vec<String> = two.iter().map(|at| shown(*at)).collect();
                self.class(names.join(" and "), two, "")
            }));
            if all.len() > 2 {
                classes.push(self.class("all".to_owned(), &all, ""));
            }
            return classes;
        }
        for (at, (name, wanted)) in self.names.iter().enumerate() {
            let chosen = quoted(wanted);
            classes.push(self.class(format!("{chosen} with `{name}`"), &[at], wanted));
            classes.push(self.class(format!("{chosen} with nothing"), &[], wanted));
            if all.len() > 1 {
                let other = (at + 1) % all.len();
                classes.push(self.class(format!("{chosen} with {}", shown(other)), &[other], wanted));
                classes.push(self.class(format!("{chosen} with two"), &[at, other], wanted));
            }
            classes.push(self.class(format!("no discriminator with `{name}`"), &[at], ""));
            classes.push(self.class(format!("unknown discriminator with `{name}`"), &[at], "Unknown"));
        }
        classes.push(self.class("unset".to_owned(), &[], ""));
        classes.push(self.class("unknown discriminator".to_owned(), &[], "Unknown"));
        classes
    }
}
