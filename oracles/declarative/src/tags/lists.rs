//! `listType`, `listMapKey`, `unique`, `customUnique`: what a list is, how its elements correlate with old ones, and that
//! they are unique. Also the implicit rule that lists of pointers hold no nil.

use super::def::{Companions, PayloadKind, TagDef};
use super::hints::Hints;
use super::list_kind::{Lists, Ownership, Semantic, key_member, list_at};
use super::parse;
use super::sample::{Recipe, class, without};
use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::rule::{RuleFn, Source};
use crate::compile::shape::{self, Shape};
use crate::eval::program::{Correlation, Key};
use crate::eval::{At, Check, Emission, Fault, Sink, same_keys};
use crate::grammar::Tag;
use crate::tags::TagScope;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::{Node, equal, to_value};
use takeover_harness::rule::{Boundary, Unreachable};
use takeover_harness::schema::{Kind, TypeId};

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "listType",
        hints: Hints { waits: true, identifies: true, ..Hints::DEFAULT },
        companions: Companions::OfPlace("list"),
        payload: PayloadKind::Text,
        summary: "Says whether a list is `atomic`, a `set` or a `map`.",
        semantics: "Elements of sets (as a whole) and of maps (by the keys of `listMapKey`) must be unique; every \
                    later duplicate fails, on updates also old ones as soon as the list changes. Old elements are \
                    found the same way: set elements that were there before are not validated again, map elements only \
                    if they changed, elements of atomic lists always when the list changed. Maps are lists of structs \
                    and need `listMapKey`. A lifecycle wrapper marks the uniqueness rule; correlation has no level.",
        errors: &["Duplicate (at the element)"],
        example: "+k8s:listType=map",
        go: "type Example struct {\n\
             \t@\n\
             \t// +k8s:listMapKey=name\n\
             \tPorts []Port `json:\"ports,omitempty\"`\n\
             }\n\n\
             type Port struct {\n\
             \tName string `json:\"name\"`\n\
             }",
        compile: list_type,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "listMapKey",
        companions: Companions::OfPlace("list"),
        no_mutants: Some("those of `listType` and `unique` drop keys"),
        payload: PayloadKind::Text,
        summary: "Names a member of the elements that belongs to the key of a `map` list.",
        semantics: "A direct member of a scalar type or a pointer to one. Pointers are equal if both are nil or both point \
                    to equal values. Without `listType=map` or `unique=map` it does nothing.",
        example: "+k8s:listMapKey=name",
        go: "type Example struct {\n\
             \t// +k8s:listType=map\n\
             \t@\n\
             \tPorts []Port `json:\"ports,omitempty\"`\n\
             }\n\n\
             type Port struct {\n\
             \tName string `json:\"name\"`\n\
             }",
        compile: list_map_key,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "unique",
        hints: Hints { waits: true, identifies: true, ..Hints::DEFAULT },
        companions: Companions::OfPlace("list"),
        payload: PayloadKind::Text,
        summary: "Gives an atomic list unique elements: `set` by whole elements, `map` by keys.",
        semantics: "As `listType=set` and `listType=map` for uniqueness and correlation, while the list stays atomic for \
                    server-side apply. Needs `listType=atomic` beside it.",
        errors: &["Duplicate (at the element)"],
        example: "+k8s:unique=set",
        go: "// +k8s:listType=atomic\n\
             @\n\
             Args []string `json:\"args,omitempty\"`",
        compile: unique,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "customUnique",
        hints: Hints { waits: true, ..Hints::DEFAULT },
        companions: Companions::OfPlace("list"),
        no_mutants: Some("makes no rule"),
        summary: "Leaves the uniqueness of a list to handwritten code.",
        semantics: "No uniqueness rule is made; the correlation of elements stays.",
        example: "+k8s:customUnique",
        go: "type Example struct {\n\
             \t// +k8s:listType=map\n\
             \t// +k8s:listMapKey=name\n\
             \t@\n\
             \tPorts []Port `json:\"ports,omitempty\"`\n\
             }\n\n\
             type Port struct {\n\
             \tName string `json:\"name\"`\n\
             }",
        compile: custom_unique,
        ..TagDef::DEFAULT
    },
];

/// Classes of lists with an element, or its keys, twice, and another between.
const DUPLICATE_APART: &str = "duplicate apart";
const KEYS_APART: &str = "same keys apart";

/// The element type of the list under test.
fn element(build: &Build<'_>, context: &Context) -> Result<Option<TypeId>, Problem> {
    match shape::shape(build.schema(), context.ty) {
        Shape::List(element) => Ok(element),
        _ => {
            let name = shape::name(build.schema(), context.ty);
            Err(Problem::new(format!("can be used on lists only, not on `{name}`")))
        }
    }
}

fn require_structs(build: &Build<'_>, element: Option<TypeId>) -> Result<TypeId, Problem> {
    match element {
        Some(element) if shape::value_shape(build.schema(), element) == Shape::Struct => Ok(element),
        _ => Err(Problem::new("only lists of structs can be maps")),
    }
}

fn list_type(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let element = element(build, context)?;
    let wanted = match parse::text(tag) {
        "atomic" => Semantic::Atomic,
        "set" => Semantic::Set,
        "map" => Semantic::Map,
        other => return Err(Problem::new(format!("`{other}` is not `atomic`, `set` or `map`"))),
    };
    if wanted == Semantic::Map {
        require_structs(build, element)?;
    }
    let list = list_at(build, context);
    list.level = context.level;
    if list.ownership.is_some() {
        return Err(Problem::new("a list has one `listType` at most"));
    }
    if wanted == Semantic::Atomic {
        list.ownership = Some(Ownership::Single);
        list.semantic.get_or_insert(Semantic::Atomic);
    } else {
        list.ownership = Some(Ownership::Shared);
        if list.has_identity() {
            return Err(Problem::new("`unique` says nothing more about a list with this `listType`"));
        }
        list.semantic = Some(wanted);
        list.identity = Some(Source { line: Arc::clone(&context.line), tag: "listType" });
    }
    Ok(uniqueness_later(context, "listType"))
}

fn unique(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let element = element(build, context)?;
    let wanted = match parse::text(tag) {
        "set" => Semantic::Set,
        "map" => Semantic::Map,
        other => return Err(Problem::new(format!("`{other}` is not `set` or `map`"))),
    };
    if wanted == Semantic::Map {
        require_structs(build, element)?;
    }
    let list = list_at(build, context);
    list.level = context.level;
    if list.ownership == Some(Ownership::Shared) {
        return Err(Problem::new("cannot stand beside `listType=set` or `listType=map`"));
    }
    if list.has_identity() {
        return Err(Problem::new("a list has one `unique` at most"));
    }
    list.semantic = Some(wanted);
    list.identity = Some(Source { line: Arc::clone(&context.line), tag: "unique" });
    Ok(uniqueness_later(context, "unique"))
}

fn list_map_key(build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
    let element = element(build, context)?;
    let element = require_structs(build, element)?;
    let name = parse::text(tag);
    let (_, key) = key_member(build, element, name)?;
    list_at(build, context).keys.push((Arc::from(name), key));
    Ok(Validations::default())
}

fn custom_unique(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    element(build, context)?;
    list_at(build, context).custom_unique = true;
    Ok(Validations::default())
}

fn uniqueness_later(context: &Context, tag: &'static str) -> Validations {
    let context = context.clone();
    Deferred::new(Scope::Here, move |build| uniqueness(build, &context, tag)).into()
}

/// The uniqueness rule of a list, made once whatever the number of tags.
fn uniqueness(build: &mut Build<'_>, context: &Context, tag: &'static str) -> Result<Validations, Problem> {
    let schema = build.schema();
    let state = build.notes::<Lists>();
    let by_path = state.by_path.get(&context.path);
    let list = if context.place == TagScope::Field {
        let by_type = state.by_path.get(shape::name(schema, context.ty));
        if by_path.is_some() && by_type.is_some() {
            return Err(Problem::new("both the field and its type say what kind of list it is"));
        }
        by_type.or(by_path)
    } else {
        by_path
    };
    let Some(list) = list.cloned() else { return Ok(Validations::default()) };
    if !state.done.insert(Arc::clone(&context.path)) {
        return Ok(Validations::default());
    }
    if !list.keys.is_empty() && list.semantic != Some(Semantic::Map) {
        return Err(Problem::new("`listMapKey` needs `listType=map` or `unique=map`"));
    }
    if list.semantic == Some(Semantic::Map) && list.keys.is_empty() {
        return Err(Problem::new("`listType=map` and `unique=map` need `listMapKey`"));
    }
    if list.ownership.is_none() {
        return Err(Problem::new("`listType` must be given: `atomic`, `set` or `map`"));
    }
    if list.custom_unique {
        return Ok(Validations { remark: true, ..Validations::default() });
    }
    let by = match list.semantic {
        Some(Semantic::Set) => Correlation::Equal,
        Some(Semantic::Map) => Correlation::Keys(list.keys()),
        _ => return Ok(Validations::default()),
    };
    let Shape::List(Some(element)) = shape::shape(schema, context.ty) else { return Ok(Validations::default()) };
    let keys = list.keys.iter().filter_map(|(name, key)| {
        let (ty, _) = key_member(build, element, name).ok()?;
        Some((Arc::clone(name), key.pointer, Recipe::of(build, ty)))
    });
    let keys = keys.collect();
    let distinct = Recipe::distinct(build, element);
    let (pointers, spare) = (shape::is_pointer(schema, element), list.spare_key(schema, element));
    let names: Vec<Arc<str>> = list.keys.iter().map(|(name, _)| Arc::clone(name)).collect();
    let beside = Recipe::beside(build, element, &names);
    let unique = Unique { by, element, pointers, keys, beside, distinct, spare };
    let source = list.identity.unwrap_or_else(|| Source { line: Arc::clone(&context.line), tag });
    Ok(RuleFn { source: Some(source), ..context.rule(tag, unique).marked(list.level) }.into())
}

#[derive(Clone, Debug)]
struct Unique {
    by: Correlation,
    element: TypeId,
    pointers: bool,
    /// The keys by name, whether they are pointers, and values of them.
    keys: Vec<(Arc<str>, bool, Recipe)>,
    /// Other members, with two values of each.
    beside: Vec<(Arc<str>, Recipe)>,
    /// Values of elements.
    distinct: Recipe,
    /// A member that could be taken for a key.
    spare: Option<(Arc<str>, Key)>,
}

impl Unique {
    fn duplicate(&self, at: &At<'_>, index: usize, item: &Node<'_>) -> FieldError {
        let bad = match at.schema.kind(self.element) {
            Kind::Text => BadValue::from(item.text()),
            _ => BadValue::from(to_value(at.schema, self.element, item)),
        };
        FieldError::duplicate(&at.path.index(index), bad)
    }

    fn same(&self, a: &Node<'_>, b: &Node<'_>) -> bool {
        if self.pointers && (a.is_unset() || b.is_unset()) {
            return false;
        }
        match &self.by {
            Correlation::Keys(keys) => same_keys(keys, a, b),
            _ => equal(a, b),
        }
    }
}

impl Check for Unique {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(list) = &at.value else { return };
        let items = list.items();
        for (index, item) in items.iter().enumerate() {
            if items.iter().take(index).any(|earlier| self.same(earlier, item)) {
                sink.report(|| self.duplicate(at, index, item));
            }
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::below(ErrorType::Duplicate, "[*]", "")]
    }

    fn beside_line(&self) -> String {
        let keys: Vec<&str> = self.keys.iter().map(|(name, ..)| name.as_ref()).collect();
        if keys.is_empty() { String::new() } else { format!(" by {}", keys.join(", ")) }
    }

    fn identifies(&self) -> bool {
        true
    }

    fn fails_unset(&self) -> bool {
        false
    }

    fn faults(&self) -> Vec<Fault> {
        let by = |name: String, by| Fault::changed(name, Self { by, ..self.clone() });
        let mut faults = Vec::new();
        if let Correlation::Keys(keys) = &self.by {
            faults.push(by("duplicates by whole elements".to_owned(), Correlation::Equal));
            for dropped in 0..keys.len() {
                let rest = keys.iter().enumerate().filter(|(index, _)| *index != dropped).map(|(_, key)| *key);
                faults.push(by(
                    format!("key {} of {} dropped", dropped + 1, keys.len()),
                    Correlation::Keys(rest.collect()),
                ));
            }
            if let Some((name, spare)) = &self.spare {
                let swapped = std::iter::once(*spare).chain(keys.iter().skip(1).copied()).collect();
                faults.push(by(format!("`{name}` taken for key 1"), Correlation::Keys(swapped)));
            }
        }
        faults.push(Fault::unordered(self.clone()));
        let neighbours = Fault::judged("looks at neighbours only", self.clone(), {
            let unique = self.clone();
            move |_, at, sink| {
                let items = at.value.map_or(&[][..], |list| list.items());
                for ((index, item), earlier) in items.iter().enumerate().skip(1).zip(items) {
                    if unique.same(earlier, item) {
                        sink.report(|| unique.duplicate(at, index, item));
                    }
                }
            }
        });
        faults.push(neighbours.on_class(if self.keys.is_empty() { DUPLICATE_APART } else { KEYS_APART }));
        faults
    }

    fn boundaries(&self) -> Vec<Boundary> {
        if self.keys.is_empty() {
            let item = |index| self.distinct.value(index);
            let mut classes = vec![class("one", false, [item(0)].into_iter().collect())];
            if item(0) != item(1) {
                classes.push(class("distinct", false, [item(0), item(1)].into_iter().collect()));
                classes.push(class(DUPLICATE_APART, true, [item(0), item(1), item(0)].into_iter().collect()));
                classes.push(class(
                    "duplicate beside another",
                    true,
                    [item(0), item(0), item(1)].into_iter().collect(),
                ));
            }
            classes.push(class("duplicate", true, [item(0), item(0)].into_iter().collect()));
            return classes;
        }
        let item = |skip: Option<usize>, index: &dyn Fn(usize) -> usize| -> Value {
            let keys = self.keys.iter().enumerate().filter(|(at, _)| Some(*at) != skip);
            Value::Object(keys.map(|(at, (name, _, recipe))| (name.to_string(), recipe.value(index(at)))).collect())
        };
        let same = item(None, &|_| 0);
        let other = item(None, &|_| 1);
        let mut classes = vec![
            class("one", false, [same.clone()].into_iter().collect()),
            class("distinct keys", false, [&same, &other].into_iter().cloned().collect()),
            class("same keys", true, [&same, &same].into_iter().cloned().collect()),
            class(KEYS_APART, true, [&same, &other, &same].into_iter().cloned().collect()),
            class("same keys beside others", true, [&same, &same, &other].into_iter().cloned().collect()),
        ];
        for (name, recipe) in &self.beside {
            let with = |index| {
                let mut item = same.clone();
                if let Value::Object(members) = &mut item {
                    members.insert(name.to_string(), recipe.value(index));
                }
                item
            };
            classes.push(class(
                format!("same keys with another `{name}`"),
                true,
                [with(0), with(1)].into_iter().collect(),
            ));
        }
        for (at, (name, pointer, recipe)) in self.keys.iter().enumerate() {
            if self.keys.len() > 1 {
                let differs = item(None, &|key| usize::from(key == at));
                let items = [same.clone(), differs].into_iter().collect();
                classes.push(class(format!("keys that differ in `{name}`"), false, items));
            }
            let without = item(Some(at), &|_| 0);
            if let (Value::Object(members), Some(zero)) = (&without, recipe.zero()) {
                let mut zeroed = members.clone();
                zeroed.insert(name.to_string(), zero);
                let items = [without.clone(), Value::Object(zeroed)].into_iter().collect();
                classes.push(class(format!("unset and zero `{name}`"), !pointer, items));
            }
            let items = [&without, &without].into_iter().cloned().collect();
            classes.push(class(format!("unset `{name}` twice"), true, items));
        }
        classes
    }

    fn unreachable(&self) -> Vec<Unreachable> {
        if !self.keys.is_empty() {
            let lone =
                self.beside.is_empty().then(|| without(&["same keys with another member"], "all members are keys"));
            return lone.unwrap_or_default();
        }
        if self.distinct.value(0) != self.distinct.value(1) {
            return Vec::new();
        }
        without(
            &["distinct", DUPLICATE_APART, "duplicate beside another"],
            "samples of the element's type do not differ",
        )
    }
}

/// Lists of pointers must not hold nil.
#[derive(Debug)]
pub(crate) struct NoNilElements;

impl Check for NoNilElements {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(list) = &at.value else { return };
        for (index, item) in list.items().iter().enumerate() {
            if item.is_unset() {
                sink.report(|| FieldError::required(&at.path.index(index), ""));
            }
        }
    }

    fn reports(&self) -> Vec<Emission> {
        vec![Emission::below(ErrorType::Required, "[*]", "")]
    }
}
