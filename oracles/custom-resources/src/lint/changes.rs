//! Changes between two versions of a CRD that refuse stored objects, or drop parts of them.

use super::{CHANGED_PATTERN, CHANGES, CrdLint, Finding, MOST_SCHEMAS, schemas};
use crate::crd::structural_of;
use crate::hints::{Settled, implies, lost, settled, uses_old};
use crate::rules::NodeLanguage;
use crate::structural::{Additional, CelRule, ListType, SchemaType, Structural};
use crate::validate::accepts;
use serde_json::Value;
use std::cell::OnceCell;
use std::sync::Arc;
use takeover_cel::syntax::{Kind, parse};
use takeover_harness::path::Path;

/// The changes from the manifest `old` to the manifest `new`. Versions are compared by their names; fields are those of `new`.
#[must_use]
pub fn changes(old: &Value, new: &Value) -> Vec<Finding> {
    let mut found: Vec<Finding> = FIXED.into_iter().filter_map(|field| fixed(field, [old, new])).collect();
    let new_names = names(new);
    let (old_schemas, new_schemas) = (schemas(old), schemas(new));
    for (index, name) in names(old).into_iter().enumerate() {
        let path = |index: usize| format!("spec.versions[{index}].schema.openAPIV3Schema");
        let Some(at) = new_names.iter().position(|new| *new == name) else {
            let message = format!("the version `{name}` is gone: objects that are stored in it cannot be read");
            found.push(Finding { lint: &CHANGES, field: "spec.versions".to_owned(), message, help: None });
            continue;
        };
        let of = |schemas: &[(String, &Value)], index: usize| {
            let schema = schemas.iter().find(|(known, _)| *known == path(index))?;
            Some(structural_of(schema.1, "").0)
        };
        if let (Some(old), Some(new)) = (of(&old_schemas, index), of(&new_schemas, at)) {
            Comparison { prefix: path(at), found: &mut found }.nodes(&old, &new, &Path::ROOT);
        }
    }
    found
}

/// What servers do not change once a CRD is established.
const FIXED: [&str; 4] = ["spec.group", "spec.scope", "spec.names.kind", "spec.names.plural"];

/// The finding about a field that is to stay as it is.
fn fixed(field: &str, documents: [&Value; 2]) -> Option<Finding> {
    let pointer = format!("/{}", field.replace('.', "/"));
    let [was, is] = documents.map(|document| document.pointer(&pointer).and_then(Value::as_str).unwrap_or_default());
    let message =
        format!("it was `{was}` and is `{is}`: servers reject the change, and stored objects belong to the old CRD");
    (was != is).then(|| Finding { lint: &CHANGES, field: field.to_owned(), message, help: None })
}

fn names(document: &Value) -> Vec<&str> {
    let versions = document.pointer("/spec/versions").and_then(Value::as_array);
    versions.into_iter().flatten().filter_map(|version| version.get("name").and_then(Value::as_str)).collect()
}

struct Comparison<'c> {
    prefix: String,
    found: &'c mut Vec<Finding>,
}

/// Whether the new node and everything below it have the same defaults as before.
fn has_same_defaults(old: &Structural, new: &Structural) -> bool {
    let below = |name: &String, new: &Structural| match old.properties.get(name) {
        Some(old) => has_same_defaults(old, new),
        None => has_no_defaults(new),
    };
    let additional = match (&old.additional, &new.additional) {
        (Some(Additional::Schema(old)), Some(Additional::Schema(new))) => has_same_defaults(old, new),
        (_, Some(Additional::Schema(new))) => has_no_defaults(new),
        _ => true,
    };
    let items = match (&old.items, &new.items) {
        (Some(old), Some(new)) => has_same_defaults(old, new),
        (None, Some(new)) => has_no_defaults(new),
        (_, None) => true,
    };
    old.default == new.default && new.properties.iter().all(|(name, new)| below(name, new)) && additional && items
}

fn has_no_defaults(node: &Structural) -> bool {
    has_same_defaults(&Structural::default(), node)
}

/// Longest range of integers to try.
const MOST_WHOLE: i64 = 1_000;

/// All values that the keywords of a node accept, if these are an enum or a short range of integers.
fn all_values(node: &Structural) -> Option<Vec<Value>> {
    let checks = &node.checks;
    let is_whole = node.ty == Some(SchemaType::Integer) && !node.int_or_string;
    if node.nullable {
        return None;
    }
    let values: Vec<Value> = match (checks.enumeration.as_slice(), checks.minimum, checks.maximum) {
        ([], Some(least), Some(most)) if is_whole && most - least < MOST_WHOLE as f64 => {
            let bounds = [least.ceil(), most.floor()].map(|bound| format!("{bound}").parse::<i64>());
            let [Ok(least), Ok(most)] = bounds else { return None };
            (least..=most).map(Value::from).collect()
        }
        ([], ..) => return None,
        (named, ..) => named.to_vec(),
    };
    Some(values.into_iter().filter(|value| accepts(node, value)).collect())
}

impl Comparison<'_> {
    fn add(&mut self, path: &Path<'_>, member: &str, message: String) {
        self.add_as(&CHANGES, path, member, message);
    }

    fn add_as(&mut self, lint: &'static CrdLint, path: &Path<'_>, member: &str, message: String) {
        let below = if path.is_root() { String::new() } else { format!(".{path}") };
        let field = format!("{}{below}.{member}", self.prefix);
        self.found.push(Finding { lint, field, message, help: None });
    }

    fn nodes(&mut self, old: &Structural, new: &Structural, path: &Path<'_>) {
        self.types(old, new, path);
        self.rules(old, new, path);
        // If only a few values were accepted, try each of them.
        if !all_values(old).is_some_and(|values| values.iter().all(|value| accepts(new, value))) {
            let held = Held::of(old, path);
            self.bounds([old, new], &held, path);
            self.values([old, new], &held, path);
        }
        self.junctors(old, new, path);
        self.members(old, new, path);
        if let (Some(old), Some(new)) = (&old.items, &new.items) {
            self.nodes(old, new, &path.child("items"));
        }
    }

    fn types(&mut self, old: &Structural, new: &Structural, path: &Path<'_>) {
        let name = |node: &Structural| match (node.ty, node.int_or_string) {
            (_, true) => "an integer or a string",
            (Some(ty), _) => ty.name(),
            (None, _) => "any type",
        };
        let wider = new.ty.is_none() && !new.int_or_string
            || new.int_or_string && matches!(old.ty, Some(SchemaType::Integer | SchemaType::String))
            || (old.ty, new.ty) == (Some(SchemaType::Integer), Some(SchemaType::Number));
        if (old.ty, old.int_or_string) != (new.ty, new.int_or_string) && !wider {
            self.add(path, "type", format!("the type was {} and is {}", name(old), name(new)));
        }
        if old.nullable && !new.nullable {
            self.add(path, "nullable", "null is no longer a value".to_owned());
        }
        if old.list_type != new.list_type && new.list_type != ListType::Atomic {
            let message = "elements that are equal were accepted, or had other keys, and are rejected".to_owned();
            self.add(path, "x-kubernetes-list-type", message);
        } else if new.list_type == ListType::Map && old.list_map_keys != new.list_map_keys {
            let (was, is) = (old.list_map_keys.join(", "), new.list_map_keys.join(", "));
            let message =
                format!("the keys were {was} and are {is}: elements that differ in the old ones alone are rejected");
            self.add(path, "x-kubernetes-list-map-keys", message);
        }
        if new.embedded && !old.embedded {
            let message = "values need apiVersion, kind and valid metadata, and needed none".to_owned();
            self.add(path, "x-kubernetes-embedded-resource", message);
        }
    }

    /// Rules of values that none of the old rules implies, as far as that can be told. What they say of changes is not held against what
    /// is stored.
    fn rules(&mut self, old: &Structural, new: &Structural, path: &Path<'_>) {
        let whole = path.is_root() || new.embedded;
        let held = Held::of(old, path);
        let mut language = None;
        for (index, rule) in new.rules.iter().enumerate() {
            let spares_stored = uses_old(rule) || excuses_old(rule);
            if old.rules.iter().any(|known| known.rule == rule.rule) || spares_stored {
                continue;
            }
            // A new default can change what stored objects hold.
            let may_be_implied = has_same_defaults(old, new);
            if may_be_implied && held.implies(rule) {
                continue;
            }
            let language = language.get_or_insert_with(|| NodeLanguage::of(new, whole, MOST_SCHEMAS));
            let implied = |known: &CelRule| {
                language.as_ref().is_some_and(|language| implies(language, new, [known, rule], whole))
            };
            if !(may_be_implied && old.rules.iter().any(implied)) {
                let message = format!("`{}` is new or stricter: stored objects may break it", rule.rule);
                self.add(path, &format!("x-kubernetes-validations[{index}].rule"), message);
            }
        }
    }

    fn bounds(&mut self, [old, new]: [&Structural; 2], held: &Held<'_>, path: &Path<'_>) {
        let is_whole = new.ty == Some(SchemaType::Integer);
        let (old, new) = (&old.checks, &new.checks);
        let counts = [
            ("minLength", old.min_length, new.min_length, false),
            ("maxLength", old.max_length, new.max_length, true),
            ("minItems", old.min_items, new.min_items, false),
            ("maxItems", old.max_items, new.max_items, true),
            ("minProperties", old.min_properties, new.min_properties, false),
            ("maxProperties", old.max_properties, new.max_properties, true),
        ];
        for (name, old, new, upper) in counts {
            let tighter = match (old, new) {
                (_, None) => false,
                (None, Some(new)) => upper || new > 0,
                (Some(old), Some(new)) => {
                    if upper {
                        new < old
                    } else {
                        new > old
                    }
                }
            };
            let operator = if upper { "<=" } else { ">=" };
            if tighter && !new.is_some_and(|new| held.says(&format!("size(self) {operator} {new}"))) {
                self.add(path, name, tightened(name, old, new));
            }
        }
        let numbers = [
            ("minimum", old.minimum, new.minimum, old.exclusive_minimum, new.exclusive_minimum, 1.0),
            ("maximum", old.maximum, new.maximum, old.exclusive_maximum, new.exclusive_maximum, -1.0),
        ];
        for (name, old, new, old_excluded, new_excluded, direction) in numbers {
            let Some(bound) = new else { continue };
            let moved = old.map(|old| (bound - old) * direction);
            let is_excluded = moved == Some(0.0) && new_excluded && !old_excluded;
            let operator = match (direction > 0.0, new_excluded) {
                (true, false) => ">=",
                (true, true) => ">",
                (false, false) => "<=",
                (false, true) => "<",
            };
            // A double is written with its point.
            let says = || {
                held.says(&if is_whole {
                    format!("self {operator} {bound}")
                } else {
                    format!("self {operator} {bound:?}")
                })
            };
            if moved.is_some_and(|moved| moved <= 0.0 && !is_excluded) || says() {
                continue;
            }
            if is_excluded {
                let member = if direction > 0.0 { "exclusiveMinimum" } else { "exclusiveMaximum" };
                self.add(path, member, format!("the {name} {bound} itself was accepted and is not"));
            } else {
                self.add(path, name, tightened(name, old, new));
            }
        }
        if let Some(factor) = new.multiple_of
            && old.multiple_of.is_none_or(|old| (old / factor).fract() != 0.0)
        {
            self.add(path, "multipleOf", tightened("multipleOf", old.multiple_of, new.multiple_of));
        }
    }

    fn values(&mut self, [old, new]: [&Structural; 2], held: &Held<'_>, path: &Path<'_>) {
        let node = old;
        let (old, new) = (&old.checks, &new.checks);
        if !new.enumeration.is_empty() {
            let gone: Vec<String> = old
                .enumeration
                .iter()
                .filter(|value| !new.enumeration.contains(value))
                .map(ToString::to_string)
                .collect();
            let listed: Vec<String> = new.enumeration.iter().map(ToString::to_string).collect();
            if old.enumeration.is_empty() && held.says(&format!("self in [{}]", listed.join(", "))) {
                // An old rule says the same.
            } else if old.enumeration.is_empty() {
                self.add(path, "enum", "any value was accepted, and only those of the enum are".to_owned());
            } else if !gone.is_empty() {
                self.add(path, "enum", format!("no longer in the enum: {}", gone.join(", ")));
            }
        }
        let pattern =
            |node: &crate::structural::Checks| node.pattern.as_ref().map(|pattern| pattern.as_str().to_owned());
        if let (was, Some(is)) = (pattern(old), pattern(new))
            && was.as_ref() != Some(&is)
        {
            let was = was.map_or_else(|| "there was no pattern".to_owned(), |was| format!("the pattern was `{was}`"));
            match new.pattern.as_ref().and_then(|pattern| lost(node, pattern)) {
                Some(text) => {
                    self.add(path, "pattern", format!("{was} and is `{is}`: {text:?} was accepted and is rejected"));
                }
                None => self.add_as(
                    &CHANGED_PATTERN,
                    path,
                    "pattern",
                    format!(
                        "{was} and is `{is}`: no text was found that was accepted and is rejected, which is no proof"
                    ),
                ),
            }
        }
        if new.format.is_some() && new.format != old.format {
            self.add(path, "format", tightened("format", old.format.as_deref(), new.format.as_deref()));
        }
    }

    /// Alternatives and their like. What they say is not looked into: those that are not written the same are other ones.
    fn junctors(&mut self, old: &Structural, new: &Structural, path: &Path<'_>) {
        let (old, new) = (&old.checks, &new.checks);
        let written =
            |schemas: &[Arc<Structural>]| schemas.iter().map(|schema| format!("{schema:?}")).collect::<Vec<_>>();
        for (name, old, new) in [
            ("allOf", &old.all_of, &new.all_of),
            ("anyOf", &old.any_of, &new.any_of),
            ("oneOf", &old.one_of, &new.one_of),
        ] {
            let (was, is) = (written(old), written(new));
            let lacks = |all: &[String], other: &[String]| other.iter().any(|of| !all.contains(of));
            let rejects = match name {
                _ if is.is_empty() => false,
                _ if was.is_empty() => true,
                "allOf" => lacks(&was, &is),
                "anyOf" => lacks(&is, &was),
                // One more may accept what another one accepts.
                _ => lacks(&is, &was) || lacks(&was, &is),
            };
            if rejects {
                let what = if was.is_empty() {
                    "is new"
                } else {
                    "has other schemas, which may reject what the old ones accepted"
                };
                self.add(path, name, format!("{name} {what}"));
            }
        }
        if let Some(not) = &new.not
            && old.not.as_ref().is_none_or(|old| format!("{old:?}") != format!("{not:?}"))
        {
            let what = if old.not.is_none() {
                "is new"
            } else {
                "has another schema, which may accept what the old one did not"
            };
            self.add(path, "not", format!("not {what}"));
        }
    }

    fn members(&mut self, old: &Structural, new: &Structural, path: &Path<'_>) {
        for (index, name) in new.checks.required.iter().enumerate() {
            let has_default = new.member(name).is_some_and(|member| member.default.is_some());
            if !old.checks.required.contains(name) && !has_default {
                let message = format!("`{name}` was optional and is required, without a default");
                self.add(path, &format!("required[{index}]"), message);
            }
        }
        let properties = path.child("properties");
        let lost = |name: &String| {
            let has = |node: &Structural| node.member(name).is_some_and(|member| member.default.is_some());
            new.checks.required.contains(name) && has(old) && new.member(name).is_some() && !has(new)
        };
        for name in old.properties.keys().filter(|name| lost(name)) {
            let message = format!("`{name}` is required and lost its default");
            self.add(&properties.key(name), "default", message);
        }
        for (name, old) in &old.properties {
            match new.member(name) {
                Some(member) => self.nodes(old, member, &properties.key(name)),
                None if new.preserve_unknown || matches!(new.additional, Some(Additional::Any)) => {}
                None => self.add(
                    path,
                    &format!("properties[{name}]"),
                    format!("`{name}` is gone: what is stored in it is dropped"),
                ),
            }
        }
        match (&old.additional, &new.additional) {
            (Some(Additional::Schema(old)), Some(Additional::Schema(new))) => {
                self.nodes(old, new, &path.child("additionalProperties"));
            }
            (Some(Additional::Any | Additional::Schema(_)), Some(Additional::Forbidden) | None)
                if !new.preserve_unknown =>
            {
                self.add(path, "additionalProperties", "members of any name were kept and are not".to_owned());
            }
            _ => {}
        }
        if old.preserve_unknown && !new.preserve_unknown {
            let message = "unknown members were kept and are dropped".to_owned();
            self.add(path, "x-kubernetes-preserve-unknown-fields", message);
        }
    }
}

/// Whether a rule accepts every stored value: `oldSelf.hasValue() || …`.
fn excuses_old(rule: &CelRule) -> bool {
    let Ok(ast) = parse(&rule.rule) else { return false };
    let (mut left, mut is_excused) = (vec![ast.root()], false);
    while let Some(id) = left.pop() {
        match ast.kind(id) {
            Some(Kind::Call { function, args, .. }) if &**function == "_||_" => left.extend(args),
            Some(Kind::Call { function, target: Some(target), .. }) if &**function == "hasValue" => {
                is_excused |= matches!(ast.kind(*target), Some(Kind::Ident(name)) if &**name == "oldSelf");
            }
            _ => {}
        }
    }
    is_excused && rule.optional_old_self == Some(true)
}

/// What the old schema and its rules say of a node, for everything that was accepted.
struct Held<'o> {
    node: &'o Structural,
    whole: bool,
    language: OnceCell<Option<NodeLanguage>>,
}

impl<'o> Held<'o> {
    fn of(node: &'o Structural, path: &Path<'_>) -> Self {
        Self { node, whole: path.is_root() || node.embedded, language: OnceCell::new() }
    }

    /// Whether the schema, or one of the rules, certainly implies a rule.
    fn implies(&self, rule: &CelRule) -> bool {
        let (node, whole) = (self.node, self.whole);
        let language = self.language.get_or_init(|| NodeLanguage::of(node, whole, MOST_SCHEMAS));
        let Some(language) = language else { return false };
        matches!(settled(language, node, rule, whole), Some(Settled::Holds(_)))
            || node.rules.iter().any(|known| implies(language, node, [known, rule], whole))
    }

    /// Whether one of the rules says what a bound would, written as a rule.
    fn says(&self, bound: &str) -> bool {
        !self.node.rules.is_empty() && self.implies(&CelRule { rule: bound.to_owned(), ..CelRule::default() })
    }
}

fn tightened<T: std::fmt::Display>(name: &str, old: Option<T>, new: Option<T>) -> String {
    let said = |value: Option<T>| value.map_or_else(|| "not set".to_owned(), |value| value.to_string());
    format!("{name} was {} and is {}", said(old), said(new))
}
